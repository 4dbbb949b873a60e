/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checked front, and devices that are files. */
#include "config.h"

#include "dev/dev_file_int.h"
#include "dev/dev_stack.h"
#include "base/ctx.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static struct f2c_ctx *ctx;
static char dir[64];
static char path[100];

static int setup(void **state)
{
	(void)state;
	ctx = ctx_new();
	strcpy(dir, "/tmp/t-dev.XXXXXX");
	if (!ctx || !mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/image", dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	rmdir(dir);
	ctx_free(ctx);
	return 0;
}

static void assert_error_has(const char *text)
{
	if (!strstr(ctx_error(ctx), text))
		fail_msg("\"%s\" is not in \"%s\"", text, ctx_error(ctx));
}

static void blocks_and_bytes_are_the_same_place(void **state)
{
	uint8_t block[4096], back[4096];
	struct dev *dev;

	(void)state;
	assert_int_equal(dev_mem_open(ctx, NULL, 10 * 4096, &dev), 0);
	assert_int_equal(dev_nr_blocks(dev), 10);
	memset(block, 0xa5, sizeof(block));
	assert_int_equal(dev_write(dev, 3, 1, block), 0);
	assert_int_equal(dev_mem_data(dev)[3 * 4096], 0xa5);
	assert_int_equal(dev_mem_data(dev)[3 * 4096 - 1], 0);
	assert_int_equal(dev_mem_data(dev)[4 * 4096], 0);
	assert_int_equal(dev_read_bytes(dev, 3 * 4096, 4096, back), 0);
	assert_memory_equal(back, block, 4096);
	dev->block_size = 512;
	assert_int_equal(dev_nr_blocks(dev), 80);
	assert_int_equal(dev_read(dev, 24, 8, back), 0);
	assert_memory_equal(back, block, 4096);
	dev_close(dev);
	dev_close(NULL);
}

/* Also what overflows when it is multiplied or added. */
static void ranges_that_leave_the_device_are_refused(void **state)
{
	static const struct { uint32_t blk, count; } bad[] = {
		{ 10, 1 }, { 9, 2 }, { 0, 11 }, { UINT32_MAX, 1 },
		{ UINT32_MAX, UINT32_MAX }, { 1, UINT32_MAX }, { 11, 0 },
	};
	uint8_t block[4096];
	struct dev *dev;

	(void)state;
	assert_int_equal(dev_mem_open(ctx, NULL, 10 * 4096 + 100, &dev), 0);
	assert_int_equal(dev_nr_blocks(dev), 10);
	for (size_t i = 0; i < NR_OF(bad); i++) {
		assert_int_equal(dev_read(dev, bad[i].blk, bad[i].count,
					  block), -ERANGE);
		assert_int_equal(dev_write(dev, bad[i].blk, bad[i].count,
					   block), -ERANGE);
		dev_prefetch(dev, bad[i].blk, bad[i].count);
		assert_false(dev_is_hole(dev, bad[i].blk, bad[i].count));
	}
	assert_int_equal(dev_read_bytes(dev, UINT64_MAX, 1, block), -ERANGE);
	assert_int_equal(dev_read_bytes(dev, 1, SIZE_MAX, block), -ERANGE);
	assert_int_equal(dev_read_bytes(dev, 10 * 4096, 101, block), -ERANGE);
	assert_int_equal(dev_read_bytes(dev, 10 * 4096, 100, block), 0);
	assert_int_equal(dev_read_bytes(dev, 10 * 4096 + 100, 0, block), 0);
	assert_int_equal(dev_read(dev, 10, 1, block), -ERANGE);
	assert_error_has("block 10 ");
	assert_error_has("memory");
	dev_close(dev);
}

static void read_only_device_is_not_written(void **state)
{
	uint8_t block[4096] = { 1 };
	struct dev *dev;

	(void)state;
	assert_int_equal(dev_mem_open(ctx, NULL, 4096, &dev), 0);
	dev->writable = false;
	assert_int_equal(dev_write(dev, 0, 1, block), -EROFS);
	assert_int_equal(dev_write_bytes(dev, 0, 1, block), -EROFS);
	assert_int_equal(dev_mem_data(dev)[0], 0);
	assert_int_equal(dev_flush(dev), 0);
	dev_close(dev);
}

static void device_of_size_zero_only_refuses(void **state)
{
	uint8_t block[4096];
	struct dev *dev;

	(void)state;
	assert_int_equal(dev_mem_open(ctx, NULL, 0, &dev), 0);
	assert_int_equal(dev_nr_blocks(dev), 0);
	assert_int_equal(dev_read(dev, 0, 1, block), -ERANGE);
	assert_int_equal(dev_read(dev, 0, 0, block), 0);
	dev_close(dev);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(dev_file_open(ctx, path, 0, 0, &dev), 0);
	assert_int_equal(dev->nr_bytes, 0);
	assert_int_equal(dev_read_bytes(dev, 0, 1, block), -ERANGE);
	dev_prefetch(dev, 0, 1);
	dev_close(dev);
}

static void file_is_made_sparse_with_the_umask(void **state)
{
	mode_t old = umask(027);
	struct stat st;
	struct dev *dev;

	(void)state;
	assert_int_equal(dev_file_open(ctx, path, DEV_WRITE, 0, &dev), -ENOENT);
	assert_error_has(path);
	assert_int_equal(dev_file_open(ctx, path, DEV_WRITE | DEV_CREATE,
				       64 << 20, &dev), 0);
	umask(old);
	assert_int_equal(dev->nr_bytes, 64 << 20);
	assert_true(dev->writable);
	dev_close(dev);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_true(st.st_blocks < 100);
	/* One that is there keeps its size. */
	assert_int_equal(dev_file_open(ctx, path, DEV_WRITE | DEV_CREATE,
				       4096, &dev), 0);
	assert_int_equal(dev->nr_bytes, 64 << 20);
	dev_close(dev);
}

static void file_that_cannot_be_as_large_is_not_left(void **state)
{
	struct dev *dev;

	(void)state;
	assert_int_equal(dev_file_open(ctx, path, DEV_CREATE, UINT64_MAX,
				       &dev), -EFBIG);
	assert_int_equal(access(path, F_OK), -1);
}

static void file_keeps_what_is_written(void **state)
{
	uint8_t *out = malloc(1 << 20), *in = malloc(1 << 20);
	struct dev *dev;

	(void)state;
	for (size_t i = 0; i < 1 << 20; i++)
		out[i] = (uint8_t)(i * 31 >> 5);
	assert_int_equal(dev_file_open(ctx, path, DEV_CREATE, 4 << 20, &dev),
			 0);
	assert_int_equal(dev_write(dev, 100, 256, out), 0);
	assert_int_equal(dev_write_bytes(dev, 10, 3, "abc"), 0);
	assert_int_equal(dev_flush(dev), 0);
	dev_prefetch(dev, 0, 1024);
	assert_int_equal(dev_read(dev, 100, 256, in), 0);
	assert_memory_equal(in, out, 1 << 20);
	dev_close(dev);
	assert_int_equal(dev_file_open(ctx, path, 0, 0, &dev), 0);
	assert_false(dev->writable);
	assert_false(dev_file_is_mounted_ro(dev));
	assert_int_equal(dev_read_bytes(dev, 10, 3, in), 0);
	assert_memory_equal(in, "abc", 3);
	assert_int_equal(dev_write_bytes(dev, 10, 3, "abc"), -EROFS);
	dev_close(dev);
	free(out);
	free(in);
}

/*
 * Large aligned writes go past the page cache, others through it; a reader
 * sees the last of either, whatever pages it had seen before.
 */
static void writes_of_all_kinds_make_one_file(void **state)
{
	enum { SIZE = 4 << 20, MOST = 1 << 20 };
	uint8_t *model = calloc(1, SIZE), *in = malloc(SIZE), *out = NULL;
	struct dev_file *f;
	struct dev *dev;
	unsigned int direct = 0;

	(void)state;
	assert_int_equal(posix_memalign((void **)&out, 4096, MOST + 4096), 0);
	assert_int_equal(dev_file_open(ctx, path, DEV_CREATE, SIZE, &dev), 0);
	f = (struct dev_file *)dev;
	srandom(1);
	for (int i = 0; i < 300; i++) {
		size_t unit = random() % 3 ? 4096 : 1;
		size_t skew = random() % 8 ? 0 : 8;
		size_t off = (size_t)random() % SIZE / unit * unit;
		size_t len = (size_t)random() % MOST / unit * unit;

		if (len > SIZE - off)
			len = SIZE - off;
		memset(out + skew, i, len);
		memset(model + off, i, len);
		assert_int_equal(dev_write_bytes(dev, off, len, out + skew), 0);
		assert_int_equal(dev_read_bytes(dev, 0, SIZE, in), 0);
		assert_memory_equal(in, model, SIZE);
		direct += f->direct_fd >= 0;
	}
	assert_true(direct || f->no_direct);
	dev_close(dev);
	assert_int_equal(dev_file_open(ctx, path, 0, 0, &dev), 0);
	assert_int_equal(dev_read_bytes(dev, 0, SIZE, in), 0);
	assert_memory_equal(in, model, SIZE);
	dev_close(dev);
	free(out);
	free(in);
	free(model);
}

static void hole_is_seen_where_the_file_system_tells(void **state)
{
	uint8_t block[4096] = { 1 };
	struct dev *dev;
	int fd;

	(void)state;
	assert_int_equal(dev_file_open(ctx, path, DEV_CREATE, 4 << 20, &dev),
			 0);
	assert_int_equal(dev_write(dev, 512, 1, block), 0);
	assert_int_equal(dev_flush(dev), 0);
	assert_false(dev_is_hole(dev, 512, 1));
	assert_false(dev_is_hole(dev, 500, 100));
	fd = open(path, O_RDONLY);
	if (lseek(fd, 0, SEEK_DATA) > 0) {
		assert_true(dev_is_hole(dev, 0, 256));
		assert_true(dev_is_hole(dev, 768, 256));
	}
	close(fd);
	dev_close(dev);
}

/* Cut off behind our back: an error, not stale bytes and no endless loop. */
static void short_read_is_an_error(void **state)
{
	uint8_t block[8192];
	struct dev *dev;

	(void)state;
	assert_int_equal(dev_file_open(ctx, path, DEV_CREATE, 8192, &dev), 0);
	assert_int_equal(truncate(path, 4096), 0);
	assert_int_equal(dev_read(dev, 0, 2, block), -EIO);
	assert_error_has(path);
	assert_error_has("read");
	dev_close(dev);
}

static void failed_write_names_the_block(void **state)
{
	uint8_t block[4096] = { 0 };
	struct dev *dev;
	int full;

	(void)state;
	assert_int_equal(dev_file_open(ctx, path, DEV_CREATE, 1 << 20, &dev),
			 0);
	full = open("/dev/full", O_RDWR);
	assert_true(dup2(full, ((struct dev_file *)dev)->fd) >= 0);
	close(full);
	assert_int_equal(dev_write(dev, 7, 1, block), -ENOSPC);
	assert_error_has("block 7 ");
	dev_close(dev);
}

/* The kernel tells of a lost write once; asked again it says all is well. */
static void failed_flush_stays_failed(void **state)
{
	struct dev_file *f;
	struct dev *dev;
	int pipes[2], good;

	(void)state;
	assert_int_equal(dev_file_open(ctx, path, DEV_CREATE, 1 << 20, &dev),
			 0);
	f = (struct dev_file *)dev;
	assert_int_equal(dev_write_bytes(dev, 0, 1, "x"), 0);
	good = dup(f->fd);
	assert_int_equal(pipe(pipes), 0);	/* cannot be synced: EINVAL */
	assert_true(dup2(pipes[1], f->fd) >= 0);
	assert_int_equal(dev_flush(dev), -EINVAL);
	assert_error_has(path);
	assert_true(dup2(good, f->fd) >= 0);
	assert_int_equal(dev_flush(dev), -EINVAL);
	dev_close(dev);
	close(good);
	close(pipes[0]);
	close(pipes[1]);
}

static int sync_error;			/* of fdatasync() from now on */
static int dropped;			/* pages were, so often */

int fdatasync(int fd)
{
	errno = sync_error;
	return sync_error ? -1 : fsync(fd);
}

int posix_fadvise(int fd, off_t off, off_t len, int advice)
{
	(void)fd;
	dropped += !off && !len && advice == POSIX_FADV_DONTNEED;
	return 0;
}

/* What the disk may not have must not be read from memory by the next one. */
static void pages_of_a_failed_flush_are_dropped(void **state)
{
	struct dev *dev;

	(void)state;
	assert_int_equal(dev_file_open(ctx, path, DEV_CREATE, 1 << 20, &dev),
			 0);
	assert_int_equal(dev_write_bytes(dev, 0, 1, "x"), 0);
	dropped = 0;
	assert_int_equal(dev_flush(dev), 0);
	assert_int_equal(dropped, 0);
	assert_int_equal(dev_write_bytes(dev, 0, 1, "y"), 0);
	sync_error = EIO;
	assert_int_equal(dev_flush(dev), -EIO);
	assert_int_equal(dropped, 1);
	sync_error = 0;
	dev_close(dev);
}

/* A clean volume on a disk that cannot be synced is no error (C20). */
static void flush_of_nothing_asks_nobody(void **state)
{
	struct dev *dev;
	int pipes[2];

	(void)state;
	assert_int_equal(dev_file_open(ctx, path, DEV_CREATE, 1 << 20, &dev),
			 0);
	assert_int_equal(pipe(pipes), 0);
	assert_true(dup2(pipes[1], ((struct dev_file *)dev)->fd) >= 0);
	assert_int_equal(dev_flush(dev), 0);
	dev_close(dev);
	close(pipes[0]);
	close(pipes[1]);
}

/* A program that was started without output must not print to the volume. */
static void standard_output_is_no_device(void **state)
{
	struct dev *dev;
	int kept[3], fd, direct;
	void *buf;

	(void)state;
	assert_int_equal(posix_memalign(&buf, 4096, 1 << 20), 0);
	memset(buf, 1, 1 << 20);
	fflush(stdout);
	for (int i = 0; i < 3; i++) {
		kept[i] = fcntl(i, F_DUPFD_CLOEXEC, 10);
		close(i);
	}
	if (dev_file_open(ctx, path, DEV_CREATE, 1 << 20, &dev))
		dev = NULL;
	else
		dev_write(dev, 0, 256, buf);
	fd = dev ? ((struct dev_file *)dev)->fd : -1;
	direct = dev ? ((struct dev_file *)dev)->direct_fd : -1;
	for (int i = 0; i < 3; i++) {
		dup2(kept[i], i);
		close(kept[i]);
	}
	assert_true(fd > 2);
	assert_true(direct < 0 || direct > 2);
	dev_close(dev);
	free(buf);
}

static void refuse(const char *name, const char *kind)
{
	struct dev *dev = NULL;

	for (unsigned int flags = 0; flags < 16; flags++) {
		assert_int_equal(dev_file_open(ctx, name, flags, 4096, &dev),
				 -EINVAL);
		assert_error_has(kind);
		assert_error_has(name);
	}
	assert_null(dev);
}

static void what_cannot_hold_a_volume_is_refused(void **state)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd;

	(void)state;
	refuse(dir, "a directory");
	refuse("/dev/null", "a character device");
	assert_int_equal(mkfifo(path, 0600), 0);
	refuse(path, "a pipe");
	unlink(path);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	refuse(path, "a socket");
	close(fd);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(blocks_and_bytes_are_the_same_place),
		T(ranges_that_leave_the_device_are_refused),
		T(read_only_device_is_not_written),
		T(device_of_size_zero_only_refuses),
		T(file_is_made_sparse_with_the_umask),
		T(file_that_cannot_be_as_large_is_not_left),
		T(file_keeps_what_is_written),
		T(writes_of_all_kinds_make_one_file),
		T(hole_is_seen_where_the_file_system_tells),
		T(short_read_is_an_error),
		T(failed_write_names_the_block),
		T(failed_flush_stays_failed),
		T(pages_of_a_failed_flush_are_dropped),
		T(standard_output_is_no_device),
		T(flush_of_nothing_asks_nobody),
		T(what_cannot_hold_a_volume_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
