/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opening a regular file or a block device: only what can hold a volume, and
 * only when nobody else uses it.
 */
#include "config.h"

#include "dev/dev_file_int.h"
#include "base/ctx.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_fail(struct f2c_ctx *ctx, const char *path, int err,
		     const char *what)
{
	return ctx_fail(ctx, err, "%s: cannot %s: %s", path, what,
			strerror(-err));
}

static const char *kind_of(mode_t mode)
{
	return S_ISDIR(mode) ? "a directory" :
	       S_ISCHR(mode) ? "a character device" :
	       S_ISFIFO(mode) ? "a pipe" :
	       S_ISSOCK(mode) ? "a socket" : "of an unknown kind";
}

static int check_kind(struct f2c_ctx *ctx, const char *path, mode_t mode)
{
	if (S_ISREG(mode) || S_ISBLK(mode))
		return 0;
	return ctx_fail(ctx, -EINVAL, "%s is %s: "
			"only a block device or a regular file holds a volume",
			path, kind_of(mode));
}

/* A new sparse file; the umask of the caller decides who may read it. */
static int create_file(struct f2c_ctx *ctx, const char *path, uint64_t bytes,
		       int *out)
{
	int err, fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0)
		return open_fail(ctx, path, -errno, "create the file");
	if (bytes > INT64_MAX || ftruncate(fd, (off_t)bytes)) {
		err = bytes > INT64_MAX ? -EFBIG : -errno;
		open_fail(ctx, path, err, "set the size of the new file");
		unlink(path);
		close(fd);
		return err;
	}
	*out = fd;
	return 0;
}

/* Look before opening: that alone may block or act on some devices. */
static int open_fd(struct f2c_ctx *ctx, const char *path, unsigned int flags,
		   uint64_t create_bytes, int *out)
{
	int err, mode = flags & DEV_WRITE ? O_RDWR : O_RDONLY;
	struct stat st;

	if (stat(path, &st)) {
		if (errno == ENOENT && flags & DEV_CREATE)
			return create_file(ctx, path, create_bytes, out);
		return open_fail(ctx, path, -errno, "open");
	}
	err = check_kind(ctx, path, st.st_mode);
	if (err)
		return err;
	*out = open(path, mode | O_CLOEXEC);
	return *out < 0 ? open_fail(ctx, path, -errno, "open") : 0;
}

static int size_of(struct f2c_ctx *ctx, const char *path, int fd,
		   const struct stat *st, uint64_t *bytes)
{
	if (S_ISBLK(st->st_mode)) {
		if (ioctl(fd, BLKGETSIZE64, bytes))
			return open_fail(ctx, path, -errno, "get the size");
		return 0;
	}
	*bytes = (uint64_t)st->st_size;
	return 0;
}

int dev_file_open(struct f2c_ctx *ctx, const char *path, unsigned int flags,
		  uint64_t create_bytes, struct dev **out)
{
	struct dev_file *f = calloc(1, sizeof(*f));
	uint64_t bytes;
	struct stat st;
	int err, fd = -1;

	if (!f)
		return ctx_nomem(ctx, "a device");
	err = open_fd(ctx, path, flags, create_bytes, &fd);
	if (err)
		goto out;
	if (fstat(fd, &st)) {
		err = open_fail(ctx, path, -errno, "examine");
		goto out;
	}
	err = check_kind(ctx, path, st.st_mode);
	if (!err)
		err = size_of(ctx, path, fd, &st, &bytes);
	if (!err)
		err = dev_init(&f->dev, &dev_file_ops, ctx, path, bytes,
			       flags & DEV_WRITE);
	if (err)
		goto out;
	f->fd = fd;
	f->is_block = S_ISBLK(st.st_mode);
	fd = -1;
	*out = &f->dev;
	f = NULL;
out:
	if (fd >= 0)
		close(fd);
	free(f);
	return err;
}
