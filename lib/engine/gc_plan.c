/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Planning a transaction of garbage collection: as much as fits and pays. */
#include "config.h"

#include "engine/gc_int.h"

#include "dev/prefetch.h"

#include <errno.h>
#include <stdlib.h>

/* Blocks in a transaction where time is short: what it does may be lost. */
#define MOST_BY_TIME	32768U

uint64_t gc_blocks_left(const struct gc_run *r)
{
	const struct relocate_stats *m = &r->rep->moved;
	uint64_t moved = m->data_moved + m->nodes_moved;

	if (!r->opt->max_moved)
		return UINT64_MAX;
	return moved < r->opt->max_moved ? r->opt->max_moved - moved : 0;
}

size_t gc_batch_size(struct gc_run *r, const struct victim_vec *list,
		     size_t at)
{
	uint32_t per_sec = blks_per_sec(&r->vol->lo);
	uint32_t free_secs = volume_free_secs(r->vol);
	uint64_t room = (uint64_t)r->txn.alloc.nr_free * per_sec +
			victim_room_in_logs(&r->txn.alloc, list->v[at].is_node,
					    r->opt->full);
	uint64_t most = r->opt->max_sections, blocks = 0;
	uint64_t may_move = gc_blocks_left(r);
	uint64_t at_once = r->deadline_ms > 0 ? MOST_BY_TIME :
						txn_most_blocks(r->vol, list->v[at].is_node);
	size_t n = 0;

	while (at + n < list->nr) {
		blocks += list->v[at + n].valid;
		if (n && (blocks > room || blocks > at_once))
			break;
		if (blocks > may_move)
			break;
		if (most && r->rep->sections_selected + n >= most)
			break;
		if (r->free_goal && free_secs + n >= r->free_goal +
						     blocks / per_sec + 1)
			break;
		n++;
	}
	return n;
}

/* More was asked for than what pays. */
static bool pays_or_not(const struct gc_run *r)
{
	return r->opt->full || r->opt->max_sections || r->choice.nr_only;
}

bool gc_list_pays(const struct gc_run *r, const struct victim_vec *list,
		  size_t at)
{
	return pays_or_not(r) ||
	       victim_gain(&r->txn.alloc, &list->v[at], list->nr - at,
			   list->v[at].is_node, r->opt->full) > 0;
}

/* No file may have more extents than before, whatever it costs. */
static bool keeps_runs(const struct gc_run *r)
{
	return r->opt->full;
}

/* Failing, the summaries are read one by one. */
static void prefetch_summaries(struct volume *vol,
			       const struct victim *victims, size_t nr)
{
	const struct layout *lo = &vol->lo;
	uint32_t *blks = malloc(nr * lo->segs_per_sec * sizeof(*blks));
	size_t n = 0;

	for (size_t i = 0; blks && i < nr; i++)
		for (uint32_t k = 0; k < lo->segs_per_sec; k++)
			blks[n++] = ssa_block_blk(lo, sec_to_seg(
						  lo, victims[i].secno) + k);
	prefetch_batch(vol->dev, blks, n, PREFETCH_GAP);
	free(blks);
}

/*
 * Plan a transaction of at most @nr victims from list[at] on; fewer where
 * free space is short; *took: how many of the list it takes.
 */
static int plan(struct gc_run *r, const struct victim_vec *list, size_t at,
		size_t nr, size_t *took)
{
	struct txn *t = &r->txn;
	int err = 0;

	txn_reset(t);
	t->may_split = false;
	prefetch_summaries(r->vol, list->v + at, nr);
	for (size_t i = 0; !err && i < nr; i++)
		err = txn_add_section(t, list->v[at + i].secno);
	while (!err) {
		t->most_bytes = t->victims.nr > 1 ?
				txn_most_bytes(r->vol, 0) : 0;
		err = keeps_runs(r) ? txn_take_runs_along(t) : 0;
		if (!err)
			err = txn_resolve(t);
		if (!err)
			err = txn_place(t);
		if (err != -ENOSPC && err != -E2BIG)
			break;
		if (t->victims.nr == 1 && (t->may_split || keeps_runs(r)))
			break;
		err = 0;
		if (t->victims.nr == 1)
			t->may_split = true;
		txn_shrink(t, (t->victims.nr + 1) / 2);
	}
	*took = t->victims.nr;
	if (!err)
		err = txn_count_cuts(t);
	return err;
}

static int64_t sections_opened(const struct gc_run *r, bool nodes)
{
	const struct alloc_seg_vec *segs = &r->txn.alloc.segs;
	int64_t n = 0;

	for (size_t i = 0; i < segs->nr; i++)
		n += !!log_is_node(segs->v[i].type) == nodes &&
		     !segs->v[i].first &&
		     segs->v[i].segno % r->vol->lo.segs_per_sec == 0;
	return n;
}

/*
 * Free sections that the planned transaction gains on its side; less than 0:
 * loses. What moved data costs among the nodes comes back when their side is
 * collected, after it.
 */
static int64_t planned_gain(const struct gc_run *r, bool nodes)
{
	return (int64_t)r->txn.victims.nr - sections_opened(r, nodes);
}

/*
 * Blocks of the plan that leave their place by choice: those of victims, and
 * those taken along, which can be more than the limit.
 */
static bool moves_too_much(const struct gc_run *r)
{
	const struct node_vec *nodes = &r->txn.nodes;
	uint64_t n = r->txn.moves.nr;

	for (size_t i = 0; i < nodes->nr; i++)
		n += nodes->v[i].is_victim;
	return n > gc_blocks_left(r);
}

/* Only what pays, unless more was asked for: no loss. */
static bool plan_pays(const struct gc_run *r, bool nodes)
{
	return pays_or_not(r) || planned_gain(r, nodes) >= 0;
}

int gc_plan(struct gc_run *r, const struct victim_vec *list, size_t at,
	    size_t nr, size_t *took)
{
	for (;;) {
		bool too_much;
		int err = plan(r, list, at, nr, took);

		if (err)
			return err;
		too_much = moves_too_much(r);
		if (plan_pays(r, list->v[at].is_node) && !too_much)
			return 0;
		nr = *took / 2;
		*took = 0;
		if (!nr && too_much)
			gc_stop_at_limit(r);
		if (!nr)
			return 0;
	}
}
