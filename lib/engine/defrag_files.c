/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fragmented files go, as many in a round as the free sections hold, each into
 * one run; for a file that is too large for any free run, room is made first.
 */
#include "config.h"

#include "engine/defrag_int.h"

#include "engine/flush.h"
#include "base/sort.h"

#include <errno.h>

/* Files without room, one after the other, until the rest is not tried. */
#define MOST_MISSES 32

/* Nodes that moving a file rewrites: its inode, and direct ones. */
static uint64_t nr_nodes_of(const struct defrag *d, const struct candidate *c)
{
	return 2 + c->blocks / d->vol->lo.addrs_per_node;
}

/* How many files from @at on to try in one round; at least one. */
static size_t batch_size(struct defrag *d, size_t at)
{
	uint64_t room = (uint64_t)volume_free_secs(d->vol) *
			blks_per_sec(&d->vol->lo);
	uint64_t limit = defrag_may_move(d), blocks = 0, nodes = 0;
	uint64_t at_once = d->deadline_ms > 0 ? DEFRAG_MOST_BY_TIME :
						txn_most_blocks(d->vol, false);
	size_t n = 0;

	while (at + n < d->files.nr && (!d->batch_max || n < d->batch_max)) {
		const struct candidate *c = &d->files.v[at + n];

		blocks += c->blocks;
		nodes += nr_nodes_of(d, c);
		if (n && (blocks + nodes > room || blocks > at_once ||
			  blocks > limit))
			break;
		n++;
	}
	return n;
}

static uint64_t blocks_of(const struct defrag *d, size_t at, size_t nr)
{
	uint64_t n = 0;

	for (size_t i = at; i < at + nr; i++)
		n += d->files.v[i].blocks;
	return n;
}

/* Of @nr files that were too many, those with the first two thirds. */
static size_t fewer(const struct defrag *d, size_t at, size_t nr)
{
	uint64_t most = blocks_of(d, at, nr) / 3 * 2, blocks = 0;
	size_t n = 0;

	while (n + 1 < nr && (blocks += d->files.v[at + n].blocks) <= most)
		n++;
	return n ? n : 1;
}

static int moves_by_file(const void *pa, const void *pb)
{
	const struct move *a = pa, *b = pb;

	if (a->ino != b->ino)
		return a->ino < b->ino ? -1 : 1;
	return a->lblk < b->lblk ? -1 : a->lblk > b->lblk;
}

/* Extents that file @ino, all of which moves, would have. */
static uint32_t planned_extents(struct defrag *d, uint32_t ino)
{
	struct move_vec *moves = &d->txn.moves;
	uint32_t n = 0;

	vec_sort_in_place(moves, moves_by_file);
	for (size_t i = 0; i < moves->nr; i++)
		n += moves->v[i].ino == ino &&
		     (!i || moves->v[i].ino != moves->v[i - 1].ino ||
		      moves->v[i].lblk != moves->v[i - 1].lblk + 1 ||
		      moves->v[i].dst != moves->v[i - 1].dst + 1);
	return n;
}

/*
 * One file for which there is no room in one run: make room, or else, when
 * nothing better is left to do, let it have as few extents as the free runs
 * allow, if that is a gain.
 */
static int plan_large_file(struct defrag *d, size_t at)
{
	const struct candidate *c = &d->files.v[at];
	int err = defrag_make_room(d, c->blocks);

	if (!err)
		err = defrag_plan_files(d, at, 1, true);
	d->by_windows = true;
	for (int i = 0; err == -ENOSPC && i < 2; i++) {
		d->txn.to_rare_log = i;
		err = defrag_plan_files(d, at, 1, true);
	}
	d->by_windows = d->txn.to_rare_log = false;
	if (err != -ENOSPC || !d->pieces_ok)
		return err;
	err = defrag_plan_files(d, at, 1, false);
	if (!err && planned_extents(d, c->ino) >= c->extents)
		err = -ENOSPC;
	d->no_room += !err;		/* not as good as it could be */
	return err;
}

/* What the files from @at on lose by the transaction that was planned. */
static uint64_t planned_gain(struct defrag *d, size_t at, size_t nr)
{
	const struct candidate *c = &d->files.v[at];
	uint64_t gain = 0;

	if (!d->txn.whole)
		return c->extents - planned_extents(d, c->ino);
	for (size_t i = 0; i < nr; i++)
		gain += c[i].extents - c[i].ideal;
	return gain;
}

/* No room for these files, or no hope for them. */
static void pass_over(struct defrag *d, size_t at, size_t nr)
{
	d->rep->files_skipped += nr;
	d->no_room += nr;
	d->done += blocks_of(d, at, nr);
}

/* Files that lie well are not worth many tries to move them. */
static bool has_no_hope(struct defrag *d)
{
	return ++d->misses >= MOST_MISSES && d->opt->full && !d->is_again;
}

static int one_round(struct defrag *d, size_t *at)
{
	size_t nr = batch_size(d, *at);
	double start = flush_clock_ms();
	uint64_t gain;
	int err;

	for (;;) {
		err = defrag_plan_files(d, *at, nr, true);
		if (err != -ENOSPC || nr == 1)
			break;
		nr = fewer(d, *at, nr);
	}
	if (err == -ENOSPC && !d->over_limit)
		err = plan_large_file(d, *at);
	d->rep->plan_ms += flush_clock_ms() - start;
	if (err == -ENOSPC && d->over_limit) {
		d->rep->stopped_by = DEFRAG_STOP_MOVED;
		return 0;
	}
	if (err == -ENOSPC) {
		/* One by one, until there is a success again. */
		d->batch_max = 1;
		nr = has_no_hope(d) ? d->files.nr - *at : 1;
		pass_over(d, *at, nr);
		*at += nr;
		return 0;
	}
	if (err)
		return err;
	d->misses = 0;
	d->batch_max *= 4;
	gain = planned_gain(d, *at, nr);
	d->in_round = blocks_of(d, *at, nr);
	err = defrag_relocate(d);
	if (err)
		return err;
	d->rep->extents_now -= gain;
	d->done += d->in_round;
	d->in_round = 0;
	d->rep->rounds++;
	d->rep->files_moved += nr;
	*at += nr;
	return 0;
}

int defrag_files(struct defrag *d)
{
	size_t at = 0;
	int err = 0;

	while (!err && at < d->files.nr &&
	       d->rep->stopped_by == DEFRAG_DONE) {
		uint32_t blocks = d->files.v[at].blocks;

		if (blocks > defrag_may_move(d))
			d->rep->stopped_by = DEFRAG_STOP_MOVED;
		else if (defrag_progress(d, 0, 0) || defrag_is_late(d, blocks))
			err = -EINTR;
		else
			err = one_round(d, &at);
	}
	return err;
}
