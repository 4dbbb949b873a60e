/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The data path of relocation. */
#include "config.h"

#include "engine/copy.h"

#include "dev/prefetch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WINDOW_BLKS 4096U		/* 16 MiB of blocks of 4 KiB */
/*
 * Sources that are hinted together. What is scattered in one window is dense
 * over many, so that the disk reads in address order at full speed into the
 * page cache, which this may fill by 256 MiB, or a quarter of what is free.
 */
#define AHEAD_BLKS 65536U

/* Where a block of the window lies on the device and in the buffer. */
struct slot {
	uint32_t src;
	uint32_t index;
};

struct window {
	uint8_t *buf;			/* WINDOW_BLKS blocks */
	struct slot *slots;
	uint32_t *hints;
	size_t ahead;			/* room in hints */
};

static int by_dst(const void *pa, const void *pb)
{
	const struct copy_pair *a = pa, *b = pb;

	return a->dst < b->dst ? -1 : a->dst > b->dst;
}

static int by_src(const void *pa, const void *pb)
{
	const struct slot *a = pa, *b = pb;

	return a->src < b->src ? -1 : a->src > b->src;
}

/* Read the window's sources; neighbours on both sides in one go. */
static int read_window(struct copy *c, struct window *w,
		       const struct copy_pair *pairs, size_t nr)
{
	size_t block_size = c->vol->lo.block_size;

	for (size_t i = 0; i < nr; i++)
		w->slots[i] = (struct slot){ pairs[i].src, (uint32_t)i };
	qsort(w->slots, nr, sizeof(*w->slots), by_src);
	for (size_t i = 0, n; i < nr; i += n) {
		const struct slot *s = &w->slots[i];
		int err;

		for (n = 1; i + n < nr && s[n].src == s->src + n &&
			    s[n].index == s->index + n; n++)
			;
		err = dev_read(c->vol->dev, s->src, (uint32_t)n,
			       w->buf + s->index * block_size);
		if (err)
			return err;
	}
	return 0;
}

static int change_window(struct copy *c, struct window *w,
			 const struct copy_pair *pairs, size_t nr)
{
	int err = 0;

	if (!c->change)
		return 0;
	for (size_t i = 0; !err && i < nr; i++)
		err = c->change(c->change_priv, &pairs[i],
				w->buf + i * c->vol->lo.block_size);
	return err;
}

static int write_window(struct copy *c, struct window *w,
			const struct copy_pair *pairs, size_t nr)
{
	for (size_t i = 0, n; i < nr; i += n) {
		int err;

		for (n = 1; i + n < nr && pairs[i + n].dst == pairs[i].dst + n;
		     n++)
			;
		err = dev_write(c->vol->dev, pairs[i].dst, (uint32_t)n,
				w->buf + i * c->vol->lo.block_size);
		if (err)
			return err;
	}
	return 0;
}

static void hint_sources(struct copy *c, struct window *w,
			 const struct copy_pair *pairs, size_t nr)
{
	size_t n = nr < w->ahead ? nr : w->ahead;

	for (size_t i = 0; i < n; i++)
		w->hints[i] = pairs[i].src;
	prefetch_batch(c->vol->dev, w->hints, n, PREFETCH_GAP);
}

/* How many sources to hint at once; a multiple of the window. */
static size_t ahead_size(const struct copy *c)
{
	long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	uint64_t most = AHEAD_BLKS;

	if (pages > 0 && page > 0)
		most = (uint64_t)pages * (uint64_t)page / 4 /
		       c->vol->lo.block_size;
	if (most > AHEAD_BLKS)
		most = AHEAD_BLKS;
	return most < WINDOW_BLKS ? WINDOW_BLKS :
				    (size_t)most / WINDOW_BLKS * WINDOW_BLKS;
}

static size_t window_size(size_t left)
{
	return left < WINDOW_BLKS ? left : WINDOW_BLKS;
}

static int copy_windows(struct copy *c, struct window *w,
			const struct copy_pair *pairs, size_t nr)
{
	for (size_t i = 0, n; i < nr; i += n) {
		int err;

		if (i % w->ahead == 0)
			hint_sources(c, w, pairs + i, nr - i);
		n = window_size(nr - i);
		err = read_window(c, w, pairs + i, n);
		if (!err)
			err = change_window(c, w, pairs + i, n);
		if (!err)
			err = write_window(c, w, pairs + i, n);
		if (err)
			return err;
		c->done += n;
		if (c->stop && c->stop(c->stop_priv, c->done, c->total))
			return -EINTR;
	}
	return 0;
}

int copy_blocks(struct copy *c, struct copy_pair *pairs, size_t nr)
{
	size_t most = window_size(nr);
	struct window w = {
		.buf = malloc(most * c->vol->lo.block_size + 1),
		.slots = malloc(most * sizeof(*w.slots) + 1),
		.ahead = ahead_size(c),
	};
	int err;

	w.hints = malloc((nr < w.ahead ? nr : w.ahead) * sizeof(*w.hints) + 1);
	if (w.buf && w.slots && w.hints) {
		qsort(pairs, nr, sizeof(*pairs), by_dst);
		err = copy_windows(c, &w, pairs, nr);
	} else {
		err = ctx_nomem(c->vol->ctx, "the copy buffer");
	}
	free(w.hints);
	free(w.slots);
	free(w.buf);
	return err;
}
