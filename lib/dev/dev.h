/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The checked front of every device: a row of blocks that is read, written
 * and flushed. The block size is a number of the device. Implementations
 * (dev_file.c for files and block devices, dev_mem.c) and layers that stack
 * on another device (dev_overlay.c, dev_record.c, dev_fault.c) fill dev_ops.
 *
 * Reads and prefetches may come from several threads at once; writes and
 * flushes from one thread at a time.
 */
#ifndef F2CORE_DEV_DEV_H
#define F2CORE_DEV_DEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct f2c_ctx;
struct dev;

/* Offsets and lengths in bytes, already checked against the device's size. */
struct dev_ops {
	int (*read)(struct dev *dev, uint64_t off, size_t len, void *buf);
	int (*write)(struct dev *dev, uint64_t off, size_t len,
		     const void *buf);
	/* All writes before it are durable when it returns 0. */
	int (*flush)(struct dev *dev);
	/* Optional hint that a read of this range will come. */
	void (*prefetch)(struct dev *dev, uint64_t off, size_t len);
	/* Optional: tell whether this range certainly reads as zeros. */
	bool (*is_hole)(struct dev *dev, uint64_t off, uint64_t len);
	/*
	 * Optional: nobody needs what this range holds. -EOPNOTSUPP without a
	 * message if the device cannot.
	 */
	int (*discard)(struct dev *dev, uint64_t off, uint64_t len);
	/* Optional: make it read as zeros, faster than a write; likewise. */
	int (*zero)(struct dev *dev, uint64_t off, uint64_t len);
	/* Optional: fail if somebody else has come to use it since the open. */
	int (*look_again)(struct dev *dev);
	/* Frees the whole object; the name is gone already. */
	void (*close)(struct dev *dev);
};

/* Implementations embed this as their first member. */
struct dev {
	const struct dev_ops *ops;
	struct f2c_ctx *ctx;
	char *name;			/* owned; for messages */
	uint64_t nr_bytes;		/* size in bytes */
	uint32_t block_size;		/* bytes, never 0; 4096 until the superblock says */
	bool writable;
	bool no_prefetch;		/* prefetches do nothing: for comparison */
};

/* Fill the common part; @name is copied. 0 or -ENOMEM. */
int dev_init(struct dev *dev, const struct dev_ops *ops, struct f2c_ctx *ctx,
	     const char *name, uint64_t nr_bytes, bool writable);

/*
 * For implementations: the message of a failed read or write (@what) of a
 * range in bytes; returns @err.
 */
int dev_io_fail(struct dev *dev, int err, const char *what, uint64_t off,
		size_t len);

/* Close the device and everything under it. NULL is accepted. */
void dev_close(struct dev *dev);

/* Whole blocks on the device; the rest of a block at the end is not counted. */
static inline uint64_t dev_nr_blocks(const struct dev *dev)
{
	return dev->nr_bytes / dev->block_size;
}

/*
 * Read or write @count blocks from block @blk. A range that leaves the device
 * is refused with -ERANGE, a write to a read-only one with -EROFS, a short
 * read is -EIO; the message names the device and the block.
 */
int dev_read(struct dev *dev, uint32_t blk, uint32_t count, void *buf);
int dev_write(struct dev *dev, uint32_t blk, uint32_t count, const void *buf);

/* Byte ranges, for what lies before the block size is known, and signatures. */
int dev_read_bytes(struct dev *dev, uint64_t off, size_t len, void *buf);
int dev_write_bytes(struct dev *dev, uint64_t off, size_t len,
		    const void *buf);

/*
 * Tell the device that nobody needs the content of this range; afterwards it
 * reads as anything. -EOPNOTSUPP without a message if the device cannot.
 */
int dev_discard_bytes(struct dev *dev, uint64_t off, uint64_t len);

/* Make @count blocks read as zeros; a hole in a file stays one. */
int dev_zero(struct dev *dev, uint32_t blk, uint32_t count);

int dev_flush(struct dev *dev);

/*
 * Whether a device that is open for writing is still ours alone: -EBUSY when a
 * mount or loop device has come, -EIO when the file was cut off. What cannot
 * be kept out by a lock is noticed by this before it is written over.
 */
int dev_look_again(struct dev *dev);
void dev_prefetch(struct dev *dev, uint32_t blk, uint32_t count);

/* True only if the blocks certainly read as zeros (a hole in a file). */
bool dev_is_hole(struct dev *dev, uint32_t blk, uint32_t count);

#endif
