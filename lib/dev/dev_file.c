/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Devices that are a regular file or a block device: reading and writing.
 * dev_open.c opens them.
 */
#include "config.h"

#include "dev/dev_file_int.h"
#include "base/ctx.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The kernel reads at most about one read-ahead window for each hint and
 * drops the rest in silence (mm/readahead.c, force_page_cache_ra()).
 */
#define HINT_BYTES (128U << 10)

/*
 * A write of this size goes past the page cache: it costs no memory, it waits
 * in no queue of dirty pages, and an error is that of this very write.
 */
#define DIRECT_BYTES (256U << 10)
#define DIRECT_ALIGN 4096U

static struct dev_file *to_file(struct dev *dev)
{
	return (struct dev_file *)dev;
}

static int file_read(struct dev *dev, uint64_t off, size_t len, void *buf)
{
	uint8_t *to = buf;

	while (len) {
		ssize_t n = pread(to_file(dev)->fd, to, len, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return dev_io_fail(dev, -errno, "read", off, len);
		if (!n)			/* cut off after it was opened */
			return dev_io_fail(dev, -EIO, "read", off, len);
		off += (size_t)n;
		to += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Smaller writes, and all where the device takes no direct ones. */
static bool is_for_direct(const struct dev_file *f, uint64_t off, size_t len,
			  const void *buf)
{
	return !f->no_direct && len >= DIRECT_BYTES &&
	       !((off | len | (uintptr_t)buf) % DIRECT_ALIGN);
}

int dev_file_open_fd(const char *path, int flags, mode_t mode)
{
	int fd = open(path, flags | O_CLOEXEC, mode), above, err;

	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	err = errno;
	close(fd);
	errno = err;
	return above;
}

static int open_direct(struct dev_file *f)
{
	char path[sizeof("/proc/self/fd/") + 3 * sizeof(int)];

	if (f->direct_fd < 0) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", f->fd);
		f->direct_fd = dev_file_open_fd(path, O_WRONLY | O_DIRECT, 0);
		f->no_direct = f->direct_fd < 0;
	}
	return f->direct_fd;
}

/* Some refuse only now: those get a buffered write, and no more direct ones. */
static ssize_t write_some(struct dev_file *f, uint64_t off, size_t len,
			  const void *buf)
{
	ssize_t n;

	if (is_for_direct(f, off, len, buf) && open_direct(f) >= 0) {
		n = pwrite(f->direct_fd, buf, len, (off_t)off);
		if (n >= 0 || errno != EINVAL)
			return n;
		f->no_direct = true;
	}
	return pwrite(f->fd, buf, len, (off_t)off);
}

static int file_write(struct dev *dev, uint64_t off, size_t len,
		      const void *buf)
{
	struct dev_file *f = to_file(dev);
	const uint8_t *from = buf;

	f->unflushed = true;
	while (len) {
		ssize_t n = write_some(f, off, len, from);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return dev_io_fail(dev, -errno, "write", off, len);
		if (!n)
			return dev_io_fail(dev, -EIO, "write", off, len);
		off += (size_t)n;
		from += n;
		len -= (size_t)n;
	}
	return 0;
}

/*
 * The kernel reports a failed write-back once and then calls the pages clean,
 * so a second fsync succeeds although the data is lost: a failure stays one.
 * The pages go, lest the next program take what they hold for what is there:
 * with the end of a checkpoint that is nowhere it would write over the live one.
 */
static int file_flush(struct dev *dev)
{
	struct dev_file *f = to_file(dev);
	int err;

	if (!f->unflushed && !f->flush_err)
		return 0;
	if (!f->flush_err) {
		do {
			err = f->is_block ? fsync(f->fd) : fdatasync(f->fd);
		} while (err && errno == EINTR);
		f->flush_err = err ? -errno : 0;
		if (err)
			posix_fadvise(f->fd, 0, 0, POSIX_FADV_DONTNEED);
	}
	if (f->flush_err)
		return ctx_fail(dev->ctx, f->flush_err,
				"%s: cannot make the writes durable: %s",
				dev->name, strerror(-f->flush_err));
	f->unflushed = false;
	return 0;
}

static void file_prefetch(struct dev *dev, uint64_t off, size_t len)
{
	while (len) {
		size_t part = len < HINT_BYTES ? len : HINT_BYTES;

		posix_fadvise(to_file(dev)->fd, (off_t)off, (off_t)part,
			      POSIX_FADV_WILLNEED);
		off += part;
		len -= part;
	}
}

static bool file_is_hole(struct dev *dev, uint64_t off, uint64_t len)
{
	struct dev_file *f = to_file(dev);
	off_t data;

	if (f->is_block)
		return false;
	data = lseek(f->fd, (off_t)off, SEEK_DATA);
	if (data < 0)
		return errno == ENXIO;	/* no data up to the end */
	return (uint64_t)data >= off + len;
}

/* Whether the device, or the file system the file is on, lacks the call. */
static bool is_unsupported(int err)
{
	return err == EOPNOTSUPP || err == ENOTTY || err == ENOSYS ||
	       err == EINVAL;
}

static int block_range_ioctl(struct dev *dev, unsigned long request,
			     const char *what, uint64_t off, uint64_t len)
{
	uint64_t range[2] = { off, len };

	to_file(dev)->unflushed = true;
	if (!ioctl(to_file(dev)->fd, request, range))
		return 0;
	return is_unsupported(errno) ? -EOPNOTSUPP :
	       dev_io_fail(dev, -errno, what, off, (size_t)len);
}

static int file_discard(struct dev *dev, uint64_t off, uint64_t len)
{
	struct dev_file *f = to_file(dev);

	if (f->is_block)
		return block_range_ioctl(dev, BLKDISCARD, "discard", off, len);
	f->unflushed = true;
	if (!fallocate(f->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		       (off_t)off, (off_t)len))
		return 0;
	return is_unsupported(errno) ? -EOPNOTSUPP :
	       dev_io_fail(dev, -errno, "discard", off, (size_t)len);
}

/* A file is written to, so that its blocks stay allocated. */
static int file_zero(struct dev *dev, uint64_t off, uint64_t len)
{
	if (!to_file(dev)->is_block)
		return -EOPNOTSUPP;
	return block_range_ioctl(dev, BLKZEROOUT, "zero", off, len);
}

static int file_look_again(struct dev *dev)
{
	const struct dev_file *f = to_file(dev);
	struct use use;
	struct stat st;

	if (fstat(f->fd, &st))
		return dev_io_fail(dev, -errno, "examine", 0, 0);
	if (!f->is_block && (uint64_t)st.st_size < dev->nr_bytes)
		return ctx_fail(dev->ctx, -EIO, "%s: the file was cut off from %"
				PRIu64 " to %" PRIu64 " bytes meanwhile",
				dev->name, dev->nr_bytes, (uint64_t)st.st_size);
	use_find(f->roots, &st, &use);
	if (use.kind <= f->use)
		return 0;
	return ctx_fail(dev->ctx, -EBUSY, "%s %s meanwhile: it is not written "
			"any more", dev->name, use.by);
}

static void file_close(struct dev *dev)
{
	if (to_file(dev)->direct_fd >= 0)
		close(to_file(dev)->direct_fd);
	close(to_file(dev)->fd);
	free(dev);
}

const struct dev_ops dev_file_ops = {
	.read = file_read,
	.write = file_write,
	.flush = file_flush,
	.prefetch = file_prefetch,
	.is_hole = file_is_hole,
	.discard = file_discard,
	.zero = file_zero,
	.look_again = file_look_again,
	.close = file_close,
};

bool dev_file_is_mounted_ro(const struct dev *dev)
{
	return dev->ops == &dev_file_ops &&
	       ((const struct dev_file *)dev)->mounted_ro;
}
