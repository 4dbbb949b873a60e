/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Places for the blocks of a transaction. Data goes through the packing queue
 * (pack.c) or, without packing, in scan order; nodes follow, inode by inode.
 */
#include "config.h"

#include "engine/pack.h"

#include "base/bits.h"
#include "base/sort.h"
#include "engine/victim.h"

#include <errno.h>
#include <stdlib.h>

int place_move(struct txn *t, struct move *m, uint8_t type)
{
	const struct layout *lo = &t->vol->lo;
	struct sum_entry e = {
		.nid = m->nid, .ofs = m->ofs, .version = m->version,
	};
	uint64_t mtime = sit_get(&t->vol->sit, blk_to_seg(lo, m->src))->mtime;

	m->type = type;
	return alloc_next(&t->alloc, type, e, mtime, &m->dst);
}

static int place_node(struct txn *t, struct txn_node *n)
{
	const struct layout *lo = &t->vol->lo;
	struct sum_entry e = { .nid = n->nid };
	uint64_t mtime = sit_get(&t->vol->sit, blk_to_seg(lo, n->src))->mtime;

	return alloc_next(&t->alloc, n->type, e, mtime, &n->dst);
}

/*
 * A log whose section is to be emptied, now or afterwards, cannot stay in it.
 */
static void renew_logs(struct txn *t)
{
	const struct volume *vol = t->vol;

	for (uint8_t type = 0; type < OD_NR_LOGS; type++) {
		uint32_t secno = seg_to_sec(&vol->lo, vol->cp.log[type].segno);

		if (bit_test_lsb(t->is_victim, secno) ||
		    (t->leave_dirty && section_is_dirty(vol, secno)))
			alloc_renew(&t->alloc, type);
	}
}

static int moves_by_src(const void *pa, const void *pb)
{
	const struct move *a = pa, *b = pb;

	return a->src < b->src ? -1 : a->src > b->src;
}

static int place_in_scan_order(struct txn *t)
{
	struct move **order = malloc(t->moves.nr * sizeof(*order) + 1);
	int err;

	if (!order)
		return ctx_nomem(t->vol->ctx, "the order of blocks");
	for (size_t i = 0; i < t->moves.nr; i++)
		order[i] = &t->moves.v[i];
	err = pack_fill(t, order, t->moves.nr);
	free(order);
	return err;
}

static int nodes_by_file(const void *pa, const void *pb)
{
	const struct txn_node *const *a = pa, *const *b = pb;

	if ((*a)->ino != (*b)->ino)
		return (*a)->ino < (*b)->ino ? -1 : 1;
	return (*a)->ofs < (*b)->ofs ? -1 : (*a)->ofs > (*b)->ofs;
}

static int nodes_by_src(const void *pa, const void *pb)
{
	const struct txn_node *const *a = pa, *const *b = pb;

	return (*a)->src < (*b)->src ? -1 : (*a)->src > (*b)->src;
}

static int place_nodes(struct txn *t)
{
	struct txn_node **order = malloc(t->nodes.nr * sizeof(*order) + 1);
	size_t nr = 0;
	int err = 0;

	if (!order)
		return ctx_nomem(t->vol->ctx, "the order of nodes");
	for (size_t i = 0; i < t->nodes.nr; i++) {
		struct txn_node *n = &t->nodes.v[i];

		n->dst = 0;
		if (n->is_victim || n->is_owner)
			order[nr++] = n;
	}
	qsort(order, nr, sizeof(*order),
	      t->no_pack ? nodes_by_src : nodes_by_file);
	for (size_t i = 0; !err && i < nr; i++)
		err = place_node(t, order[i]);
	free(order);
	return err;
}

/* By where blocks come from; packing may change a log's share a little. */
static void expect_blocks(struct txn *t)
{
	for (size_t i = 0; i < t->moves.nr; i++)
		alloc_expect(&t->alloc, t->moves.v[i].type, 1);
	for (size_t i = 0; i < t->nodes.nr; i++)
		if (t->nodes.v[i].is_victim || t->nodes.v[i].is_owner)
			alloc_expect(&t->alloc, t->nodes.v[i].type, 1);
}

int txn_place(struct txn *t)
{
	int err;

	t->moved_at_once = 0;
	t->queue_drains = 0;
	t->extents_split = 0;
	alloc_reset(&t->alloc);
	for (size_t i = 0; i < t->withheld.nr; i++)
		alloc_withhold(&t->alloc, t->withheld.v[i]);
	renew_logs(t);
	expect_blocks(t);
	vec_sort_in_place(&t->moves, moves_by_src);
	err = t->no_pack ? place_in_scan_order(t) : pack_moves(t);
	if (!err)
		err = place_nodes(t);
	return err ? err : alloc_settle(&t->alloc);
}
