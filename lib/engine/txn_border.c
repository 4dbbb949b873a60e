/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where a run of a file goes on in a section that is left alone: moving only
 * a part cuts it. Such cuts are counted, or avoided by taking the rest of the
 * run along.
 */
#include "config.h"

#include "engine/txn.h"

#include "base/bits.h"
#include "base/sort.h"
#include "tree/node.h"

#include <errno.h>
#include <stdlib.h>

/* The summary that was read last. */
struct last_sum {
	uint32_t segno;			/* OD_SEG_NULL: none */
	uint8_t *sum;
	int err;			/* one could not be read */
};

static int last_sum_init(struct txn *t, struct last_sum *ls)
{
	ls->segno = OD_SEG_NULL;
	ls->err = 0;
	ls->sum = malloc(t->vol->lo.sum_bytes);
	return ls->sum ? 0 : ctx_nomem(t->vol->ctx, "a summary");
}

/* Owner of one data block by its summary; false if it has none to speak of. */
static bool summary_of(struct txn *t, uint32_t blk, struct last_sum *ls,
		       struct sum_entry *e)
{
	const struct layout *lo = &t->vol->lo;
	uint32_t segno = blk_to_seg(lo, blk);

	if (!sit_is_valid(&t->vol->sit, blk) ||
	    log_is_node(sit_get(&t->vol->sit, segno)->type))
		return false;
	if (ls->segno != segno) {
		int err = ssa_read(t->vol, segno, ls->sum);

		ls->segno = OD_SEG_NULL;
		if (err) {
			ls->err = err;
			return false;
		}
		ls->segno = segno;
	}
	*e = sum_decode(&sum_entries(ls->sum)[blk_in_seg(lo, blk)]);
	return true;
}

static bool is_left_alone(const struct txn *t, uint32_t blk)
{
	const struct layout *lo = &t->vol->lo;

	return blk_is_main(lo, blk) &&
	       !bit_test_lsb(t->is_victim, blk_to_sec(lo, blk));
}

/* The move of block @blk; the moves are sorted by source. */
static const struct move *find_move(const struct txn *t, uint32_t blk)
{
	size_t lo = 0, hi = t->moves.nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->moves.v[mid].src < blk)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->moves.nr && t->moves.v[lo].src == blk ?
	       &t->moves.v[lo] : NULL;
}

/* File block of a block of the same file as @m, by its own node. */
static bool same_file_lblk(struct txn *t, const struct move *m,
			   struct sum_entry e, void *block, uint32_t *lblk)
{
	const struct txn_node *inode = txn_find_node(t, m->ino);

	if (nat_get(&t->vol->nat, e.nid).ino != m->ino || !inode ||
	    node_read(t->vol, e.nid, block))
		return false;
	*lblk = (uint32_t)node_first_lblk(&t->vol->lo,
					  foot_ofs(node_foot(&t->vol->lo,
							     block)),
					  inode->inode_addrs,
					  inode->node_addrs) + e.ofs;
	return true;
}

/* Whether block @blk, beside the moved @m, belongs to the same run. */
static bool is_cut(struct txn *t, const struct move *m, uint32_t blk,
		   struct last_sum *ls, void *block)
{
	uint32_t want = blk > m->src ? m->lblk + 1 : m->lblk - 1;
	uint32_t lblk = 0;
	struct sum_entry e;

	return is_left_alone(t, blk) && !find_move(t, blk) &&
	       summary_of(t, blk, ls, &e) &&
	       same_file_lblk(t, m, e, block, &lblk) && lblk == want;
}

static uint32_t first_blk(const struct txn *t, uint32_t secno)
{
	return seg_to_blk(&t->vol->lo, sec_to_seg(&t->vol->lo, secno));
}

static uint32_t last_blk(const struct txn *t, uint32_t secno)
{
	return first_blk(t, secno) + blks_per_sec(&t->vol->lo) - 1;
}

int txn_count_cuts(struct txn *t)
{
	void *block = malloc(t->vol->lo.block_size);
	struct last_sum ls;
	int err = last_sum_init(t, &ls);

	if (!block)
		err = ctx_nomem(t->vol->ctx, "a block");
	for (size_t i = 0; !err && i < t->victims.nr; i++) {
		uint32_t first = first_blk(t, t->victims.v[i]);
		uint32_t last = last_blk(t, t->victims.v[i]);
		const struct move *m = find_move(t, first);

		if (m && is_cut(t, m, first - 1, &ls, block))
			t->extents_split++;
		m = find_move(t, last);
		if (m && is_cut(t, m, last + 1, &ls, block))
			t->extents_split++;
		err = ls.err;
	}
	free(ls.sum);
	free(block);
	return err;
}

/*
 * Whether file blocks follow each other, by the slots that hold them: in one
 * node, or from the end of one to the beginning of another.
 */
static bool slots_follow(struct sum_entry a, struct sum_entry b)
{
	return a.nid == b.nid ? b.ofs == a.ofs + 1 : b.ofs == 0;
}

/* A place in a run: a block and its slot. */
struct spot {
	uint32_t blk;
	uint32_t ino;
	struct sum_entry e;
};

static bool spot_of(struct txn *t, uint32_t blk, struct last_sum *ls,
		    struct spot *p)
{
	p->blk = blk;
	if (!summary_of(t, blk, ls, &p->e))
		return false;
	p->ino = nat_get(&t->vol->nat, p->e.nid).ino;
	return true;
}

/* On to the next block of the run; false: it ends, or a victim begins. */
static bool go_on(struct txn *t, int step, struct last_sum *ls, struct spot *p)
{
	struct spot next;

	if (!is_left_alone(t, p->blk + (uint32_t)step) ||
	    !spot_of(t, p->blk + (uint32_t)step, ls, &next) ||
	    next.ino != p->ino ||
	    !(step > 0 ? slots_follow(p->e, next.e) :
			 slots_follow(next.e, p->e)))
		return false;
	*p = next;
	return true;
}

static int take_along(struct txn *t, const struct spot *p)
{
	struct move m = {
		.src = p->blk, .nid = p->e.nid, .ino = p->ino, .ofs = p->e.ofs,
		.version = p->e.version, .rank = t->section_rank,
	};

	if (t->moves.nr >= t->most_moves || txn_is_too_large(t))
		return -E2BIG;
	m.type = sit_get(&t->vol->sit, blk_to_seg(&t->vol->lo, p->blk))->type;
	return vec_push(&t->moves, &m) ?
	       ctx_nomem(t->vol->ctx, "the list of moves") : 0;
}

/*
 * From block @blk of a victim, follow its run in steps of @step and take it
 * along.
 */
static int follow(struct txn *t, uint32_t blk, int step, struct last_sum *ls)
{
	struct spot p;
	int err = 0;

	if (!spot_of(t, blk, ls, &p))
		return ls->err;
	while (!err && go_on(t, step, ls, &p))
		err = take_along(t, &p);
	return err ? err : ls->err;
}

int txn_run_beyond(struct txn *t, uint32_t blk, int step, uint32_t most,
		   uint32_t *nr)
{
	struct last_sum ls;
	struct spot p;
	int err = last_sum_init(t, &ls);

	*nr = 0;
	if (!err && !find_move(t, blk) && spot_of(t, blk, &ls, &p))
		while (*nr < most && go_on(t, step, &ls, &p))
			++*nr;
	free(ls.sum);
	return err ? err : ls.err;
}

static int by_src(const void *pa, const void *pb)
{
	const struct move *a = pa, *b = pb;

	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/*
 * A section between two victims may have been walked from both sides; a file
 * that was added keeps its rank.
 */
static void drop_duplicates(struct txn *t)
{
	struct move *v = t->moves.v;
	size_t n = 0;

	vec_sort_in_place(&t->moves, by_src);
	for (size_t i = 0; i < t->moves.nr; i++) {
		const struct move *last = n ? &v[n - 1] : NULL;

		/* Two owners of a block must not go unnoticed as one. */
		if (!last || last->src != v[i].src || last->nid != v[i].nid ||
		    last->ofs != v[i].ofs)
			v[n++] = v[i];
	}
	t->moves.nr = n;
}

int txn_take_runs_along(struct txn *t)
{
	struct last_sum ls;
	int err = last_sum_init(t, &ls);

	for (size_t i = 0; !err && i < t->victims.nr; i++) {
		err = follow(t, first_blk(t, t->victims.v[i]), -1, &ls);
		if (!err)
			err = follow(t, last_blk(t, t->victims.v[i]), 1, &ls);
	}
	drop_duplicates(t);
	free(ls.sum);
	return err;
}
