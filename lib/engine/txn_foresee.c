/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a planned transaction will leave: counted block by block from its
 * places, so that a plan which would cost free sections is never carried out.
 */
#include "config.h"

#include "engine/txn.h"

static void move_one(const struct layout *lo, uint16_t *left, uint32_t src,
		     uint32_t dst)
{
	left[blk_to_seg(lo, src)]--;
	left[blk_to_seg(lo, dst)]++;
}

static void count_left(const struct txn *t, uint16_t *left)
{
	const struct layout *lo = &t->vol->lo;

	for (uint32_t s = 0; s < lo->nr_main_segs; s++)
		left[s] = (uint16_t)sit_get(&t->vol->sit, s)->valid;
	for (size_t i = 0; i < t->moves.nr; i++)
		move_one(lo, left, t->moves.v[i].src, t->moves.v[i].dst);
	for (size_t i = 0; i < t->nodes.nr; i++)
		if (t->nodes.v[i].dst)
			move_one(lo, left, t->nodes.v[i].src,
				 t->nodes.v[i].dst);
}

bool txn_leaves_log_in(const struct txn *t, uint32_t secno)
{
	for (int i = 0; i < OD_NR_LOGS; i++)
		if (seg_to_sec(&t->vol->lo, t->alloc.log[i].segno) == secno)
			return true;
	return false;
}

/* Blocks of a current section that a log has passed. */
static uint32_t passed(const struct txn *t, uint32_t segno, uint16_t left)
{
	uint32_t n = left ? t->vol->lo.blks_per_seg : 0;

	for (int i = 0; i < OD_NR_LOGS; i++) {
		const struct alloc_log *log = &t->alloc.log[i];

		if (log->segno == segno &&
		    (log->used || t->vol->cp.log[i].alloc_type == ALLOC_LFS))
			n = log->next;
	}
	return n;
}

uint32_t txn_left_in_sec(const struct txn *t, const uint16_t *left,
			 uint32_t secno)
{
	uint32_t first = sec_to_seg(&t->vol->lo, secno), n = 0;

	for (uint32_t i = 0; i < t->vol->lo.segs_per_sec; i++)
		n += left[first + i];
	return n;
}

static uint32_t holes_in_log(const struct txn *t, const uint16_t *left,
			     uint32_t secno)
{
	uint32_t first = sec_to_seg(&t->vol->lo, secno), n = 0;

	for (uint32_t s = first; s < first + t->vol->lo.segs_per_sec; s++)
		n += passed(t, s, left[s]) - left[s];
	return n;
}

void txn_foresee(const struct txn *t, uint16_t *left, struct txn_outcome *o)
{
	const struct layout *lo = &t->vol->lo;

	o->free_secs = 0;
	o->holes = 0;
	count_left(t, left);
	for (uint32_t s = 0; s < lo->nr_main_secs; s++) {
		uint32_t valid = txn_left_in_sec(t, left, s);

		if (txn_leaves_log_in(t, s))
			o->holes += holes_in_log(t, left, s);
		else if (valid)
			o->holes += blks_per_sec(lo) - valid;
		else
			o->free_secs++;
	}
}
