/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A layer whose writes do not reach the device below: blocks of 4096 bytes
 * shadow it. Dry runs work on it, so that planning and doing are one code.
 * Which block has which shadow is in pages that are there once one is written,
 * for what an engine writes lies together.
 */
#include "config.h"

#include "dev/dev_stack.h"
#include "dev/shadow.h"
#include "base/ctx.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_NUMBERS 1024U

struct dev_overlay {
	struct dev dev;
	struct dev *under;
	pthread_rwlock_t lock;		/* readers may run beside a writer */
	struct shadows shadows;
	uint32_t **page;		/* block -> number of its shadow, + 1 */
};

static uint64_t nr_pages(const struct dev *dev)
{
	return dev->nr_bytes / SHADOW_BYTES / PAGE_NUMBERS + 1;
}

static struct dev_overlay *to_overlay(struct dev *dev)
{
	return (struct dev_overlay *)dev;
}

/* 0: none; else the number of the shadow of @block, and 1. */
static uint32_t find(const struct dev_overlay *o, uint64_t block)
{
	const uint32_t *page = o->page[block / PAGE_NUMBERS];

	return page ? page[block % PAGE_NUMBERS] : 0;
}

static bool is_shadowed(const struct dev_overlay *o, uint64_t block)
{
	return find(o, block);
}

static int note(struct dev_overlay *o, uint64_t block, size_t i)
{
	uint32_t **page = &o->page[block / PAGE_NUMBERS];

	if (i >= UINT32_MAX)
		return -ENOMEM;
	if (!*page)
		*page = calloc(PAGE_NUMBERS, sizeof(**page));
	if (!*page)
		return -ENOMEM;
	(*page)[block % PAGE_NUMBERS] = (uint32_t)i + 1;
	return 0;
}

static int fail(const struct dev_overlay *o, int err)
{
	if (!err)
		return 0;
	return ctx_fail(o->dev.ctx, err, "%s: the temporary file of a dry run: %s",
			o->dev.name, strerror(-err));
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
	while (run < len && !is_shadowed(o, (off + run) / SHADOW_BYTES))
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
			err = fail(o, shadow_read(&o->shadows,
				   find(o, off / SHADOW_BYTES) - 1,
				   off % SHADOW_BYTES, part, to));
		}
		off += part;
		to += part;
		len -= part;
	}
	pthread_rwlock_unlock(&o->lock);
	return err;
}

/* A new shadow of @block, filled from below unless all of it is @whole. */
static int new_shadow(struct dev_overlay *o, uint64_t block,
		      const uint8_t *whole)
{
	uint64_t off = block * SHADOW_BYTES;
	uint64_t left = o->dev.nr_bytes - off;
	uint8_t copy[SHADOW_BYTES] = { 0 };
	size_t i;
	int err;

	if (!whole) {
		err = dev_read_bytes(o->under, off, left < SHADOW_BYTES ?
				     (size_t)left : SHADOW_BYTES, copy);
		if (err)
			return err;
	}
	err = shadow_add(&o->shadows, whole ? whole : copy, &i);
	if (!err)
		err = note(o, block, i);
	return err ? ctx_nomem(o->dev.ctx, "the blocks of a dry run") : 0;
}

static int write_part(struct dev_overlay *o, uint64_t off, size_t len,
		      const uint8_t *from)
{
	uint64_t block = off / SHADOW_BYTES;
	int err = 0;

	if (!is_shadowed(o, block)) {
		if (len == SHADOW_BYTES)
			return new_shadow(o, block, from);
		err = new_shadow(o, block, NULL);
	}
	if (err)
		return err;
	return fail(o, shadow_write(&o->shadows, find(o, block) - 1,
				    off % SHADOW_BYTES, len, from));
}

static int overlay_write(struct dev *dev, uint64_t off, size_t len,
			 const void *buf)
{
	struct dev_overlay *o = to_overlay(dev);
	const uint8_t *from = buf;
	int err = 0;

	pthread_rwlock_wrlock(&o->lock);
	while (len && !err) {
		size_t part = part_of_block(off, len);

		err = write_part(o, off, part, from);
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
			hole = !is_shadowed(o, b);
	pthread_rwlock_unlock(&o->lock);
	return hole;
}

static void overlay_close(struct dev *dev)
{
	struct dev_overlay *o = to_overlay(dev);

	shadows_free(&o->shadows);
	for (uint64_t i = 0; i < nr_pages(dev); i++)
		free(o->page[i]);
	free(o->page);
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
	o->page = calloc((size_t)nr_pages(under), sizeof(*o->page));
	if (!o->page) {
		free(o);
		return ctx_nomem(under->ctx, "a dry run");
	}
	err = dev_init(&o->dev, &overlay_ops, under->ctx, under->name,
		       under->nr_bytes, true);
	if (err) {
		free(o->page);
		free(o);
		return err;
	}
	o->dev.block_size = under->block_size;
	o->dev.no_prefetch = under->no_prefetch;
	o->under = under;
	shadows_init(&o->shadows);
	pthread_rwlock_init(&o->lock, NULL);
	*out = &o->dev;
	return 0;
}
