/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opening a regular file or a block device: only what can hold a volume, and
 * only when nobody else uses it.
 */
#include "config.h"

#include "dev/dev_file_int.h"
#include "dev/dev_use.h"
#include "base/ctx.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* How long a claim that nobody can explain may last to be a passing one. */
#define CLAIM_TRIES 10
#define CLAIM_MS 50

struct opening {
	const struct use_roots *roots;
	struct f2c_ctx *ctx;
	const char *path;
	unsigned int flags;
	int fd;
	struct stat st;
	struct use use;
};

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
static int create_file(struct opening *o, uint64_t bytes)
{
	int err = 0;

	o->fd = dev_file_open_fd(o->path, O_RDWR | O_CREAT | O_EXCL, 0666);
	if (o->fd < 0)
		return open_fail(o->ctx, o->path, -errno, "create the file");
	if (bytes > INT64_MAX)
		err = -EFBIG;
	else if (ftruncate(o->fd, (off_t)bytes) || fstat(o->fd, &o->st))
		err = -errno;
	if (err) {
		unlink(o->path);
		open_fail(o->ctx, o->path, err, "set the size of the new file");
	}
	return err;
}

/*
 * What the uses that were found mean for this way of opening. A message is
 * made for a refusal, a warning for what is forced.
 */
static int judge(struct opening *o)
{
	bool write = o->flags & DEV_WRITE;

	switch (o->use.kind) {
	case USE_NONE:
		return 0;
	case USE_MOUNTED_RO:
		if (!write || o->flags & DEV_MOUNTED_RO_OK)
			return 0;
		break;
	case USE_RELATED:
		if (!write)
			return 0;
		break;
	case USE_BUSY:
		if (write || !(o->flags & DEV_IN_USE_OK))
			break;
		ctx_log(o->ctx, CTX_WARNING, "dev", "%s %s: "
			"what is read may be old or change meanwhile",
			o->path, o->use.by);
		return 0;
	}
	return ctx_fail(o->ctx, -EBUSY, "%s %s: %s", o->path, o->use.by,
			write ? "it is not written" :
			"reading it must be forced");
}

/* An exclusive open succeeds when neither the kernel nor a writer has it. */
static bool is_claimed(const char *path, int mode)
{
	int fd = open(path, mode | O_EXCL | O_CLOEXEC);

	if (fd < 0)
		return errno == EBUSY;
	close(fd);
	return false;
}

/*
 * The device is claimed although no use is seen from here: other mount
 * namespaces, one of our tools, or nobody knows. Two tools that open it at
 * the same time may disturb each other for a moment.
 */
static int judge_claimed(struct opening *o)
{
	const struct timespec pause = { .tv_nsec = CLAIM_MS * 1000000L };

	for (int i = 0; i < CLAIM_TRIES; i++) {
		if (!is_claimed(o->path, O_RDONLY))
			return 0;
		nanosleep(&pause, NULL);
	}
	use_find_elsewhere(o->roots, &o->st, &o->use);
	if (o->use.kind == USE_NONE)
		use_find_lock(o->roots, &o->st, true, &o->use);
	if (o->use.kind == USE_NONE)
		use_note(&o->use, USE_BUSY,
			 "is claimed by the kernel or another process");
	return judge(o);
}

/*
 * Writers keep block devices to themselves, so that nobody can mount them
 * meanwhile; except where the volume is mounted read-only already. Readers
 * must not keep anybody out and only look.
 */
static int open_block(struct opening *o)
{
	bool write = o->flags & DEV_WRITE;
	int err, mode = write ? O_RDWR : O_RDONLY;

	if (o->use.kind == USE_NONE && is_claimed(o->path, O_RDONLY)) {
		err = judge_claimed(o);
		if (err)
			return err;
	}
	if (write && o->use.kind == USE_NONE)
		mode |= O_EXCL;
	o->fd = dev_file_open_fd(o->path, mode, 0);
	if (o->fd < 0)
		return open_fail(o->ctx, o->path, -errno, "open");
	/* Old pages may be left from before a mount changed the blocks. */
	posix_fadvise(o->fd, 0, 0, POSIX_FADV_DONTNEED);
	return 0;
}

/* O_NONBLOCK: should a pipe have taken its place, do not wait for it. */
static int open_regular(struct opening *o)
{
	int mode = o->flags & DEV_WRITE ? O_RDWR : O_RDONLY;

	o->fd = dev_file_open_fd(o->path, mode | O_NONBLOCK, 0);
	return o->fd < 0 ? open_fail(o->ctx, o->path, -errno, "open") : 0;
}

/* Look before opening: that alone may block or act on some devices. */
static int open_existing(struct opening *o)
{
	int err = check_kind(o->ctx, o->path, o->st.st_mode);
	struct stat st;

	if (err)
		return err;
	use_find(o->roots, &o->st, &o->use);
	err = judge(o);
	if (err)
		return err;
	err = S_ISBLK(o->st.st_mode) ? open_block(o) : open_regular(o);
	if (err)
		return err;
	if (fstat(o->fd, &st))
		return open_fail(o->ctx, o->path, -errno, "examine");
	if (st.st_dev != o->st.st_dev || st.st_ino != o->st.st_ino)
		return ctx_fail(o->ctx, -EBUSY,
				"%s was replaced while it was opened", o->path);
	o->st = st;
	return 0;
}

/*
 * The lock keeps our own tools apart; a mount or loop device may have come
 * while we waited for it, so look once more.
 */
static int lock_and_look_again(struct opening *o)
{
	struct use locked = { .kind = USE_NONE };
	struct use seen = o->use;

	if (use_lock(o->roots, o->fd, &o->st, o->flags & DEV_WRITE, &locked)) {
		o->use = locked;
		return judge(o);
	}
	use_find(o->roots, &o->st, &o->use);
	if (o->use.kind <= seen.kind) {	/* judged already */
		o->use = seen;
		return 0;
	}
	return judge(o);
}

static int open_fd(struct opening *o, uint64_t create_bytes)
{
	bool made = false;
	int err;

	if (!stat(o->path, &o->st)) {
		err = open_existing(o);
	} else if (errno == ENOENT && o->flags & DEV_CREATE) {
		err = create_file(o, create_bytes);
		made = !err;
	} else {
		err = open_fail(o->ctx, o->path, -errno, "open");
	}
	if (!err)
		err = lock_and_look_again(o);
	if (err && made)
		unlink(o->path);
	return err;
}

static int size_of(const struct opening *o, uint64_t *bytes)
{
	if (S_ISBLK(o->st.st_mode)) {
		if (ioctl(o->fd, BLKGETSIZE64, bytes))
			return open_fail(o->ctx, o->path, -errno,
					 "get the size");
		return 0;
	}
	*bytes = (uint64_t)o->st.st_size;
	return 0;
}

int dev_file_open_roots(const struct use_roots *roots, struct f2c_ctx *ctx,
			const char *path, unsigned int flags,
			uint64_t create_bytes, struct dev **out)
{
	struct opening o = {
		.roots = roots,
		.ctx = ctx,
		.path = path,
		.flags = flags & DEV_CREATE ? flags | DEV_WRITE : flags,
		.fd = -1,
	};
	struct dev_file *f = calloc(1, sizeof(*f));
	uint64_t bytes = 0;
	int err;

	if (!f)
		return ctx_nomem(ctx, "a device");
	err = open_fd(&o, create_bytes);
	if (!err)
		err = size_of(&o, &bytes);
	if (!err)
		err = dev_init(&f->dev, &dev_file_ops, ctx, path, bytes,
			       o.flags & DEV_WRITE);
	if (err)
		goto out;
	f->fd = o.fd;
	f->direct_fd = -1;
	f->is_block = S_ISBLK(o.st.st_mode);
	f->mounted_ro = o.use.kind == USE_MOUNTED_RO;
	f->roots = roots;
	f->use = o.use.kind;
	f->dev.no_prefetch = flags & DEV_NO_PREFETCH;
	if (f->dev.no_prefetch)
		posix_fadvise(f->fd, 0, 0, POSIX_FADV_RANDOM);
	o.fd = -1;
	*out = &f->dev;
	f = NULL;
out:
	if (o.fd >= 0)
		close(o.fd);
	free(f);
	return err;
}

int dev_file_open(struct f2c_ctx *ctx, const char *path, unsigned int flags,
		  uint64_t create_bytes, struct dev **out)
{
	return dev_file_open_roots(&use_system, ctx, path, flags, create_bytes,
				   out);
}
