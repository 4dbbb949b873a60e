/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The checked front of every device. Each range is proved to lie inside the
 * device here, once, so that implementations need not look again.
 */
#include "config.h"

#include "dev/dev.h"
#include "base/ctx.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ZERO_BYTES ((size_t)1 << 20)

int dev_init(struct dev *dev, const struct dev_ops *ops, struct f2c_ctx *ctx,
	     const char *name, uint64_t nr_bytes, bool writable)
{
	char *copy = strdup(name);

	if (!copy)
		return ctx_nomem(ctx, "a device's name");
	dev->ops = ops;
	dev->ctx = ctx;
	dev->name = copy;
	dev->nr_bytes = nr_bytes;
	dev->block_size = 4096;
	dev->writable = writable;
	dev->no_prefetch = false;
	return 0;
}

void dev_close(struct dev *dev)
{
	if (!dev)
		return;
	free(dev->name);
	dev->name = NULL;
	dev->ops->close(dev);
}

int dev_io_fail(struct dev *dev, int err, const char *what, uint64_t off,
		size_t len)
{
	return ctx_fail(dev->ctx, err,
			"%s: cannot %s %zu bytes at block %" PRIu64
			" (byte %" PRIu64 "): %s",
			dev->name, what, len, off / dev->block_size, off,
			strerror(-err));
}

static int out_of_range(struct dev *dev, const char *what, uint64_t off,
			uint64_t len)
{
	return ctx_fail(dev->ctx, -ERANGE,
			"%s: %s of %" PRIu64 " bytes at block %" PRIu64
			" (byte %" PRIu64 ") leaves the device, which has %"
			PRIu64 " bytes", dev->name, what, len,
			off / dev->block_size, off, dev->nr_bytes);
}

/* Also refuses what a size_t cannot hold (32-bit hosts). */
static int check_range(struct dev *dev, const char *what, uint64_t off,
		       uint64_t len)
{
	if (off > dev->nr_bytes || len > dev->nr_bytes - off ||
	    len > (size_t)-1 / 2)
		return out_of_range(dev, what, off, len);
	return 0;
}

static int read_range(struct dev *dev, uint64_t off, uint64_t len, void *buf)
{
	int err = check_range(dev, "read", off, len);

	if (err || !len)
		return err;
	return dev->ops->read(dev, off, (size_t)len, buf);
}

static int check_writable(struct dev *dev, uint64_t off)
{
	if (dev->writable)
		return 0;
	return ctx_fail(dev->ctx, -EROFS, "%s: write at block %" PRIu64
			" of a device that is open read-only",
			dev->name, off / dev->block_size);
}

static int write_range(struct dev *dev, uint64_t off, uint64_t len,
		       const void *buf)
{
	int err = check_writable(dev, off);

	if (err)
		return err;
	err = check_range(dev, "write", off, len);
	if (err || !len)
		return err;
	return dev->ops->write(dev, off, (size_t)len, buf);
}

/* 32-bit numbers of blocks of at most 2^32 bytes cannot wrap around here. */
static uint64_t to_bytes(const struct dev *dev, uint32_t blocks)
{
	return (uint64_t)blocks * dev->block_size;
}

int dev_read(struct dev *dev, uint32_t blk, uint32_t count, void *buf)
{
	return read_range(dev, to_bytes(dev, blk), to_bytes(dev, count), buf);
}

int dev_write(struct dev *dev, uint32_t blk, uint32_t count, const void *buf)
{
	return write_range(dev, to_bytes(dev, blk), to_bytes(dev, count), buf);
}

int dev_read_bytes(struct dev *dev, uint64_t off, size_t len, void *buf)
{
	return read_range(dev, off, len, buf);
}

int dev_write_bytes(struct dev *dev, uint64_t off, size_t len,
		    const void *buf)
{
	return write_range(dev, off, len, buf);
}

int dev_discard_bytes(struct dev *dev, uint64_t off, uint64_t len)
{
	int err = check_writable(dev, off);

	if (err)
		return err;
	if (off > dev->nr_bytes || len > dev->nr_bytes - off)
		return out_of_range(dev, "discard", off, len);
	if (!dev->ops->discard)
		return -EOPNOTSUPP;
	return len ? dev->ops->discard(dev, off, len) : 0;
}

static int write_zeros(struct dev *dev, uint64_t off, uint64_t len)
{
	size_t part = len < ZERO_BYTES ? (size_t)len : ZERO_BYTES;
	uint8_t *zeros = calloc(1, part ? part : 1);
	int err = 0;

	if (!zeros)
		return ctx_nomem(dev->ctx, "a buffer of zeros");
	while (len && !err) {
		if (part > len)
			part = (size_t)len;
		err = dev->ops->write(dev, off, part, zeros);
		off += part;
		len -= part;
	}
	free(zeros);
	return err;
}

int dev_zero(struct dev *dev, uint32_t blk, uint32_t count)
{
	uint64_t off = to_bytes(dev, blk), len = to_bytes(dev, count);
	int err = check_writable(dev, off);

	if (err)
		return err;
	if (off > dev->nr_bytes || len > dev->nr_bytes - off)
		return out_of_range(dev, "write", off, len);
	if (dev_is_hole(dev, blk, count))
		return 0;
	err = dev->ops->zero ? dev->ops->zero(dev, off, len) : -EOPNOTSUPP;
	return err == -EOPNOTSUPP ? write_zeros(dev, off, len) : err;
}

/* Nothing can be waiting in a device that was never written. */
int dev_flush(struct dev *dev)
{
	return dev->writable ? dev->ops->flush(dev) : 0;
}

int dev_look_again(struct dev *dev)
{
	return dev->writable && dev->ops->look_again ?
	       dev->ops->look_again(dev) : 0;
}

void dev_prefetch(struct dev *dev, uint32_t blk, uint32_t count)
{
	uint64_t off = to_bytes(dev, blk);
	uint64_t len = to_bytes(dev, count);

	if (dev->no_prefetch || !dev->ops->prefetch || off >= dev->nr_bytes)
		return;
	if (len > dev->nr_bytes - off)
		len = dev->nr_bytes - off;
	if (len && len <= (size_t)-1 / 2)
		dev->ops->prefetch(dev, off, (size_t)len);
}

bool dev_is_hole(struct dev *dev, uint32_t blk, uint32_t count)
{
	uint64_t off = to_bytes(dev, blk);
	uint64_t len = to_bytes(dev, count);

	if (!dev->ops->is_hole || off > dev->nr_bytes ||
	    len > dev->nr_bytes - off)
		return false;
	return !len || dev->ops->is_hole(dev, off, len);
}
