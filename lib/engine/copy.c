/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The data path of relocation. */
#include "config.h"

#include "engine/copy.h"

#include "base/sort.h"
#include "base/work.h"
#include "dev/prefetch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WINDOW_BLKS 2048U		/* 8 MiB of blocks of 4 KiB */
#define NR_WINDOWS 2U			/* one is read while one is written */
/*
 * For writes past the page cache; from huge pages they take a quarter less
 * time, as the disk is handed fewer pieces.
 */
#define WINDOW_ALIGN (2U << 20)
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
	uint32_t *hints;		/* for copying.ahead sources */
};

/* A list on its way; the windows take turns. */
struct copying {
	struct copy *c;
	const struct copy_pair *pairs;
	size_t nr;
	size_t ahead;			/* hinted at once; whole windows */
	struct window windows[NR_WINDOWS];
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
	sort_in_place(w->slots, nr, sizeof(*w->slots), by_src);
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
			 const struct copy_pair *pairs, size_t n)
{
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

static size_t at_most(size_t nr, size_t most)
{
	return nr < most ? nr : most;
}

/* For work_run_merged(): read one window, beside the writing of another. */
static int read_piece(void *priv, size_t index, unsigned int worker)
{
	struct copying *job = priv;
	struct window *w = &job->windows[index % NR_WINDOWS];
	size_t at = index * WINDOW_BLKS, left = job->nr - at;

	(void)worker;
	if (at % job->ahead == 0)
		hint_sources(job->c, w, job->pairs + at,
			     at_most(left, job->ahead));
	return read_window(job->c, w, job->pairs + at,
			   at_most(left, WINDOW_BLKS));
}

static int write_piece(void *priv, size_t index)
{
	struct copying *job = priv;
	struct copy *c = job->c;
	struct window *w = &job->windows[index % NR_WINDOWS];
	size_t at = index * WINDOW_BLKS;
	size_t n = at_most(job->nr - at, WINDOW_BLKS);
	int err = change_window(c, w, job->pairs + at, n);

	if (!err)
		err = write_window(c, w, job->pairs + at, n);
	if (err)
		return err;
	c->done += n;
	if (c->stop && c->stop(c->stop_priv, c->done, c->total))
		return -EINTR;
	return 0;
}

static uint8_t *make_buffer(size_t bytes)
{
	uint8_t *buf = NULL;

	if (bytes < WINDOW_ALIGN)
		return malloc(bytes);
	if (posix_memalign((void **)&buf, WINDOW_ALIGN, bytes))
		return NULL;
	madvise(buf, bytes, MADV_HUGEPAGE);
	return buf;
}

static int make_windows(struct copying *job)
{
	size_t nr_blks = at_most(job->nr, WINDOW_BLKS);
	size_t bytes = nr_blks * job->c->vol->lo.block_size;

	for (size_t i = 0; i < NR_WINDOWS; i++) {
		struct window *w = &job->windows[i];

		w->buf = make_buffer(bytes);
		w->slots = malloc(nr_blks * sizeof(*w->slots));
		w->hints = malloc(at_most(job->nr, job->ahead) *
				  sizeof(*w->hints));
		if (!w->buf || !w->slots || !w->hints)
			return ctx_nomem(job->c->vol->ctx, "the copy buffer");
	}
	return 0;
}

static void free_windows(struct copying *job)
{
	for (size_t i = 0; i < NR_WINDOWS; i++) {
		free(job->windows[i].buf);
		free(job->windows[i].slots);
		free(job->windows[i].hints);
	}
}

int copy_blocks(struct copy *c, struct copy_pair *pairs, size_t nr)
{
	struct copying job = {
		.c = c, .pairs = pairs, .nr = nr, .ahead = ahead_size(c),
	};
	int err;

	if (!nr)
		return 0;
	sort_in_place(pairs, nr, sizeof(*pairs), by_dst);
	err = make_windows(&job);
	if (!err)
		err = work_run_merged(NR_WINDOWS,
				      (nr + WINDOW_BLKS - 1) / WINDOW_BLKS,
				      NR_WINDOWS, read_piece, write_piece, &job);
	free_windows(&job);
	return err;
}
