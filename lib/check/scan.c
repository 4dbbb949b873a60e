/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A list of blocks is cut into pieces of neighbours. A piece is read in runs
 * that pass over small gaps, after a hint for the pieces behind it.
 */
#include "config.h"

#include "check/scan.h"
#include "base/work.h"

#include <stdlib.h>

#define PIECE		128U		/* elements */
#define RUN_BYTES	(256U << 10)
#define GAP_BLKS	8U
#define AHEAD		8U		/* pieces hinted before they are read */

struct scan {
	struct volume *vol;
	const uint8_t *list;
	size_t stride;
	size_t nr;
	block_scan_fn *fn;
	void *priv;
	uint32_t run_blks;
	uint8_t **bufs;			/* one run a worker */
};

static uint32_t blk_of(const struct scan *s, size_t i)
{
	return *(const uint32_t *)(const void *)(s->list + i * s->stride);
}

/* How many elements from @i on, up to @end, one read covers. */
static size_t run_length(const struct scan *s, size_t i, size_t end)
{
	uint32_t first = blk_of(s, i), last = first;
	size_t n;

	for (n = 1; i + n < end; n++) {
		uint32_t blk = blk_of(s, i + n);

		if (blk - last > GAP_BLKS || blk - first >= s->run_blks)
			break;
		last = blk;
	}
	return n;
}

static void hint_piece(const struct scan *s, size_t piece)
{
	size_t i = piece * PIECE, end = i + PIECE, n;

	if (end > s->nr)
		end = s->nr;
	for (; i < end; i += n) {
		n = run_length(s, i, end);
		dev_prefetch(s->vol->dev, blk_of(s, i),
			     blk_of(s, i + n - 1) - blk_of(s, i) + 1);
	}
}

/* A run that cannot be read whole is read block by block. */
static int visit_singly(const struct scan *s, unsigned int worker, size_t i,
			size_t nr)
{
	uint8_t *buf = s->bufs[worker];
	int err = 0;

	for (size_t end = i + nr; !err && i < end; i++) {
		uint32_t blk = blk_of(s, i);

		if (!blk_is_main(&s->vol->lo, blk) ||
		    dev_read(s->vol->dev, blk, 1, buf))
			err = s->fn(s->priv, worker, i, NULL);
		else
			err = s->fn(s->priv, worker, i, buf);
	}
	return err;
}

static int visit_run(const struct scan *s, unsigned int worker, size_t i,
		     size_t nr)
{
	uint8_t *buf = s->bufs[worker];
	uint32_t first = blk_of(s, i);
	uint32_t last = blk_of(s, i + nr - 1);
	int err = 0;

	if (!blk_is_main(&s->vol->lo, first) ||
	    !blk_is_main(&s->vol->lo, last) ||
	    dev_read(s->vol->dev, first, last - first + 1, buf))
		return visit_singly(s, worker, i, nr);
	for (size_t end = i + nr; !err && i < end; i++) {
		size_t at = blk_of(s, i) - first;

		err = s->fn(s->priv, worker, i,
			    buf + at * s->vol->lo.block_size);
	}
	return err;
}

static int scan_piece(void *priv, size_t index, unsigned int worker)
{
	const struct scan *s = priv;
	size_t i = index * PIECE, end = i + PIECE, n;
	int err = 0;

	if (end > s->nr)
		end = s->nr;
	if (!index)
		for (size_t k = 0; k < AHEAD && k * PIECE < s->nr; k++)
			hint_piece(s, k);
	if ((index + AHEAD) * PIECE < s->nr)
		hint_piece(s, index + AHEAD);
	for (; !err && i < end; i += n) {
		n = run_length(s, i, end);
		err = visit_run(s, worker, i, n);
	}
	return err;
}

int block_scan(struct volume *vol, unsigned int nr_threads, const void *list,
	       size_t stride, size_t nr, block_scan_fn *fn, void *priv)
{
	struct scan s = {
		.vol = vol, .list = list, .stride = stride, .nr = nr,
		.fn = fn, .priv = priv,
		.run_blks = RUN_BYTES / vol->lo.block_size,
	};
	size_t pieces = (nr + PIECE - 1) / PIECE;
	int err = 0;

	if (!nr)
		return 0;
	nr_threads = work_nr_threads(nr_threads, pieces);
	s.bufs = calloc(nr_threads, sizeof(*s.bufs));
	if (!s.bufs)
		return ctx_nomem(vol->ctx, "a list of buffers");
	for (unsigned int i = 0; !err && i < nr_threads; i++) {
		s.bufs[i] = malloc((size_t)s.run_blks * vol->lo.block_size);
		if (!s.bufs[i])
			err = ctx_nomem(vol->ctx, "a buffer for blocks");
	}
	if (!err)
		err = work_run(nr_threads, pieces, scan_piece, &s);
	for (unsigned int i = 0; i < nr_threads; i++)
		free(s.bufs[i]);
	free(s.bufs);
	return err;
}
