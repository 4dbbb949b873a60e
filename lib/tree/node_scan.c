/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All nodes in order of address. The used NAT entries are dealt out to the
 * segments of the main area, 8 bytes a nid, and sorted segment by segment; a
 * segment is one piece of work, read in runs that pass over small gaps, while
 * the segments after it are being prefetched.
 */
#include "config.h"

#include "tree/node.h"
#include "base/work.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#define RUN_BYTES	(256U << 10)	/* of one read: stays in a core's cache */
#define GAP_BYTES	(32U << 10)	/* read rather than skipped */
#define AHEAD_NODES	4096U		/* hinted, not read yet */

/* A place: address in the upper half, nid in the lower; sorts as a number. */
static uint32_t place_blk(uint64_t place)
{
	return (uint32_t)(place >> 32);
}

struct scan {
	struct volume *vol;
	node_scan_fn *fn;
	void *priv;
	uint64_t *places;
	uint32_t nr_places;
	uint32_t *bounds;		/* piece i: bounds[i] to bounds[i + 1] */
	uint32_t nr_pieces;
	uint32_t run_blks;
	uint32_t gap_blks;
	uint8_t **bufs;			/* one run a worker */
	pthread_mutex_t ahead_lock;
	uint32_t ahead;			/* pieces hinted so far */
};

/* The piece of an address: its segment, or one more for what is nowhere. */
static uint32_t piece_of(const struct layout *lo, uint32_t blk)
{
	return blk_is_main(lo, blk) ? blk_to_seg(lo, blk) : lo->nr_main_segs;
}

/*
 * Count the entries of each segment, turn counts into where each segment
 * begins, and deal: afterwards bounds[seg] is where the segment ends.
 */
static int deal_places(struct scan *s)
{
	const struct layout *lo = &s->vol->lo;
	const struct nat *nat = &s->vol->nat;
	uint32_t nr_bins = lo->nr_main_segs + 1;
	struct nat_entry e;
	uint32_t sum = 0;

	s->bounds = calloc((size_t)nr_bins + 1, sizeof(*s->bounds));
	if (!s->bounds)
		return ctx_nomem(s->vol->ctx, "a list of segments");
	for (uint32_t nid = 0; nat_next(nat, &nid, &e); nid++)
		s->bounds[piece_of(lo, e.blk)]++;
	for (uint32_t i = 0; i < nr_bins; i++) {
		uint32_t nr = s->bounds[i];

		s->bounds[i] = sum;
		sum += nr;
	}
	s->places = malloc(sizeof(*s->places) * ((size_t)sum + 1));
	if (!s->places)
		return ctx_nomem(s->vol->ctx, "a list of all nodes");
	for (uint32_t nid = 0; nat_next(nat, &nid, &e); nid++)
		s->places[s->bounds[piece_of(lo, e.blk)]++] =
			(uint64_t)e.blk << 32 | nid;
	s->nr_places = sum;
	return 0;
}

/* From the end of each segment to the bounds of those that hold a node. */
static void keep_used_pieces(struct scan *s)
{
	uint32_t nr_bins = s->vol->lo.nr_main_segs + 1;
	uint32_t from = 0;

	for (uint32_t i = 0; i < nr_bins; i++) {
		uint32_t end = s->bounds[i];

		if (end == from)
			continue;
		s->bounds[s->nr_pieces++] = from;
		from = end;
	}
	s->bounds[s->nr_pieces] = s->nr_places;
}

static int compare_places(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Nodes often lie in the order of their nids already. */
static int sort_piece(void *priv, size_t index, unsigned int worker)
{
	struct scan *s = priv;
	uint64_t *p = s->places + s->bounds[index];
	size_t nr = s->bounds[index + 1] - s->bounds[index];

	(void)worker;
	for (size_t i = 1; i < nr; i++) {
		if (p[i - 1] > p[i]) {
			qsort(p, nr, sizeof(*p), compare_places);
			break;
		}
	}
	return 0;
}

/* How many places from @i on, up to @end, one read covers. */
static uint32_t run_length(const struct scan *s, uint32_t i, uint32_t end)
{
	uint32_t first = place_blk(s->places[i]);
	uint32_t last = first;
	uint32_t n;

	for (n = 1; i + n < end; n++) {
		uint32_t blk = place_blk(s->places[i + n]);

		if (blk - last > s->gap_blks || blk - first >= s->run_blks)
			break;
		last = blk;
	}
	return n;
}

static uint32_t run_blks(const struct scan *s, uint32_t i, uint32_t nr)
{
	return place_blk(s->places[i + nr - 1]) - place_blk(s->places[i]) + 1;
}

static bool is_nowhere(const struct scan *s, uint32_t i)
{
	return !blk_is_main(&s->vol->lo, place_blk(s->places[i]));
}

static void hint_piece(const struct scan *s, uint32_t piece)
{
	uint32_t end = s->bounds[piece + 1];
	uint32_t nr;

	if (is_nowhere(s, s->bounds[piece]))
		return;
	for (uint32_t i = s->bounds[piece]; i < end; i += nr) {
		nr = run_length(s, i, end);
		dev_prefetch(s->vol->dev, place_blk(s->places[i]),
			     run_blks(s, i, nr));
	}
}

/*
 * One thread hints at a time; another that comes by just goes on reading. The
 * window is counted in nodes, so that it is as deep where they lie scattered.
 */
static void hint_ahead(struct scan *s, uint32_t piece)
{
	if (pthread_mutex_trylock(&s->ahead_lock))
		return;
	while (s->ahead < s->nr_pieces &&
	       (s->ahead <= piece + 1 ||
		s->bounds[s->ahead] - s->bounds[piece] < AHEAD_NODES))
		hint_piece(s, s->ahead++);
	pthread_mutex_unlock(&s->ahead_lock);
}

static int visit(struct scan *s, unsigned int worker, uint32_t i,
		 const void *block)
{
	struct node_visit v = {
		.nid = (uint32_t)s->places[i],
		.block = block,
	};

	v.nat = nat_get(&s->vol->nat, v.nid);
	return s->fn(s->priv, worker, &v);
}

/* A run that cannot be read whole is read block by block. */
static int visit_singly(struct scan *s, unsigned int worker, uint32_t i,
			uint32_t nr)
{
	uint8_t *buf = s->bufs[worker];
	int err = 0;

	for (uint32_t end = i + nr; !err && i < end; i++) {
		uint32_t blk = place_blk(s->places[i]);

		if (is_nowhere(s, i) || dev_read(s->vol->dev, blk, 1, buf))
			err = visit(s, worker, i, NULL);
		else
			err = visit(s, worker, i, buf);
	}
	return err;
}

static int visit_run(struct scan *s, unsigned int worker, uint32_t i,
		     uint32_t nr)
{
	uint8_t *buf = s->bufs[worker];
	uint32_t first = place_blk(s->places[i]);
	int err = 0;

	if (dev_read(s->vol->dev, first, run_blks(s, i, nr), buf))
		return visit_singly(s, worker, i, nr);
	for (uint32_t end = i + nr; !err && i < end; i++) {
		size_t blk = place_blk(s->places[i]) - first;

		err = visit(s, worker, i, buf + blk * s->vol->lo.block_size);
	}
	return err;
}

static int scan_piece(void *priv, size_t index, unsigned int worker)
{
	struct scan *s = priv;
	uint32_t i = s->bounds[index];
	uint32_t end = s->bounds[index + 1];
	uint32_t nr;
	int err = 0;

	hint_ahead(s, (uint32_t)index);
	if (is_nowhere(s, i))
		return visit_singly(s, worker, i, end - i);
	for (; !err && i < end; i += nr) {
		nr = run_length(s, i, end);
		err = visit_run(s, worker, i, nr);
	}
	return err;
}

static int make_bufs(struct scan *s, unsigned int nr_threads)
{
	size_t bytes = (size_t)s->run_blks * s->vol->lo.block_size;

	s->bufs = calloc(nr_threads, sizeof(*s->bufs));
	for (unsigned int i = 0; s->bufs && i < nr_threads; i++) {
		s->bufs[i] = aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);
		if (!s->bufs[i])
			return ctx_nomem(s->vol->ctx, "a buffer for nodes");
	}
	return s->bufs ? 0 : ctx_nomem(s->vol->ctx, "a list of buffers");
}

static void free_bufs(struct scan *s, unsigned int nr_threads)
{
	for (unsigned int i = 0; s->bufs && i < nr_threads; i++)
		free(s->bufs[i]);
	free(s->bufs);
}

int node_scan(struct volume *vol, unsigned int nr_threads, node_scan_fn *fn,
	      void *priv)
{
	struct scan s = {
		.vol = vol, .fn = fn, .priv = priv,
		.run_blks = RUN_BYTES / vol->lo.block_size,
		.gap_blks = GAP_BYTES / vol->lo.block_size,
		.ahead_lock = PTHREAD_MUTEX_INITIALIZER,
	};
	int err;

	if (!s.run_blks)
		s.run_blks = 1;
	err = deal_places(&s);
	if (err)
		goto out;
	keep_used_pieces(&s);
	nr_threads = work_nr_threads(nr_threads, s.nr_pieces);
	err = make_bufs(&s, nr_threads);
	if (!err)
		err = work_run(nr_threads, s.nr_pieces, sort_piece, &s);
	if (!err)
		err = work_run(nr_threads, s.nr_pieces, scan_piece, &s);
	free_bufs(&s, nr_threads);
out:
	pthread_mutex_destroy(&s.ahead_lock);
	free(s.places);
	free(s.bounds);
	return err;
}
