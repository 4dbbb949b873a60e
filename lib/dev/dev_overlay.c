/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A layer whose writes stay in memory: blocks of 4096 bytes in a hash map
 * that shadow the device below, which is only read. Dry runs work on it, so
 * that planning and doing are one code.
 */
#include "config.h"

#include "dev/dev_stack.h"
#include "base/ctx.h"
#include "base/map.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SHADOW_BYTES 4096U

struct dev_overlay {
	struct dev dev;
	struct dev *under;
	pthread_rwlock_t lock;		/* readers may run beside a writer */
	struct map shadows;		/* block -> address of its copy */
};

static struct dev_overlay *to_overlay(struct dev *dev)
{
	return (struct dev_overlay *)dev;
}

static uint8_t *shadow_of(const struct dev_overlay *o, uint64_t block)
{
	uint64_t value;

	if (!map_get(&o->shadows, block, &value))
		return NULL;
	return (uint8_t *)(uintptr_t)value;
}

/* Bytes from @off to the end of its block, at most @len. */
static size_t part_of_block(uint64_t off, size_t len)
{
	size_t part = SHADOW_BYTES - (size_t)(off % SHADOW_BYTES);

	return part < len ? part : len;
}

/* Bytes from @off that no block shadows, at most @len. */
static size_t clear_run(const struct dev_overlay *o, uint64_t off, size_t len)
{
	size_t run = 0;

	if (!o->shadows.nr)
		return len;
	while (run < len && !shadow_of(o, (off + run) / SHADOW_BYTES))
		run += part_of_block(off + run, len - run);
	return run;
}

static int overlay_read(struct dev *dev, uint64_t off, size_t len, void *buf)
{
	struct dev_overlay *o = to_overlay(dev);
	uint8_t *to = buf;
	int err = 0;

	pthread_rwlock_rdlock(&o->lock);
	while (len && !err) {
		size_t part = clear_run(o, off, len);

		if (part) {
			err = dev_read_bytes(o->under, off, part, to);
		} else {
			part = part_of_block(off, len);
			memcpy(to, shadow_of(o, off / SHADOW_BYTES) +
			       off % SHADOW_BYTES, part);
		}
		off += part;
		to += part;
		len -= part;
	}
	pthread_rwlock_unlock(&o->lock);
	return err;
}

/* A new shadow of @block, filled from below unless all of it is @whole. */
static int new_shadow(struct dev_overlay *o, uint64_t block, bool whole,
		      uint8_t **out)
{
	uint64_t off = block * SHADOW_BYTES;
	uint64_t left = o->dev.nr_bytes - off;
	uint8_t *copy = calloc(1, SHADOW_BYTES);
	int err;

	if (!copy)
		return ctx_nomem(o->dev.ctx, "a block of a dry run");
	if (!whole) {
		err = dev_read_bytes(o->under, off, left < SHADOW_BYTES ?
				     (size_t)left : SHADOW_BYTES, copy);
		if (err)
			goto fail;
	}
	err = map_put(&o->shadows, block, (uintptr_t)copy);
	if (err) {
		ctx_nomem(o->dev.ctx, "the block map of a dry run");
		goto fail;
	}
	*out = copy;
	return 0;
fail:
	free(copy);
	return err;
}

static int overlay_write(struct dev *dev, uint64_t off, size_t len,
			 const void *buf)
{
	struct dev_overlay *o = to_overlay(dev);
	const uint8_t *from = buf;
	int err = 0;

	pthread_rwlock_wrlock(&o->lock);
	while (len) {
		size_t part = part_of_block(off, len);
		uint8_t *copy = shadow_of(o, off / SHADOW_BYTES);

		if (!copy)
			err = new_shadow(o, off / SHADOW_BYTES,
					 part == SHADOW_BYTES, &copy);
		if (err)
			break;
		memcpy(copy + off % SHADOW_BYTES, from, part);
		off += part;
		from += part;
		len -= part;
	}
	pthread_rwlock_unlock(&o->lock);
	return err;
}

static int overlay_flush(struct dev *dev)
{
	(void)dev;
	return 0;
}

static void overlay_prefetch(struct dev *dev, uint64_t off, size_t len)
{
	struct dev *under = to_overlay(dev)->under;

	if (under->ops->prefetch)
		under->ops->prefetch(under, off, len);
}

static bool overlay_is_hole(struct dev *dev, uint64_t off, uint64_t len)
{
	struct dev_overlay *o = to_overlay(dev);
	struct dev *under = o->under;
	bool hole = under->ops->is_hole && under->ops->is_hole(under, off, len);

	pthread_rwlock_rdlock(&o->lock);
	if (hole && o->shadows.nr)
		for (uint64_t b = off / SHADOW_BYTES;
		     hole && b <= (off + len - 1) / SHADOW_BYTES; b++)
			hole = !shadow_of(o, b);
	pthread_rwlock_unlock(&o->lock);
	return hole;
}

static void overlay_close(struct dev *dev)
{
	struct dev_overlay *o = to_overlay(dev);
	uint64_t block, copy;
	size_t pos = 0;

	while (map_next(&o->shadows, &pos, &block, &copy))
		free((void *)(uintptr_t)copy);
	map_free(&o->shadows);
	pthread_rwlock_destroy(&o->lock);
	dev_close(o->under);
	free(o);
}

static const struct dev_ops overlay_ops = {
	.read = overlay_read,
	.write = overlay_write,
	.flush = overlay_flush,
	.prefetch = overlay_prefetch,
	.is_hole = overlay_is_hole,
	.close = overlay_close,
};

int dev_overlay_open(struct dev *under, struct dev **out)
{
	struct dev_overlay *o = calloc(1, sizeof(*o));
	int err;

	if (!o)
		return ctx_nomem(under->ctx, "a dry run");
	err = dev_init(&o->dev, &overlay_ops, under->ctx, under->name,
		       under->nr_bytes, true);
	if (err) {
		free(o);
		return err;
	}
	o->dev.block_size = under->block_size;
	o->under = under;
	pthread_rwlock_init(&o->lock, NULL);
	*out = &o->dev;
	return 0;
}
