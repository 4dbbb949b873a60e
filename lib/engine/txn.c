/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Life of a transaction: what moves (from the summaries of the victims), and
 * how its result enters the tables. Resolving, placing and writing have files
 * of their own.
 */
#include "config.h"

#include "engine/txn.h"

#include "base/bits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Records of all moves and nodes: what is aimed at, and what is allowed. */
#define RECORD_BYTES (20U << 20)
#define MOST_RECORD_BYTES (24U << 20)

int txn_init(struct txn *t, struct volume *vol)
{
	int err;

	memset(t, 0, sizeof(*t));
	t->vol = vol;
	t->is_victim = calloc(1, vol->lo.nr_main_secs / 8 + 1);
	if (!t->is_victim)
		return ctx_nomem(vol->ctx, "the map of victims");
	err = alloc_init(&t->alloc, vol);
	if (err)
		txn_free(t);
	return err;
}

void txn_free(struct txn *t)
{
	alloc_free(&t->alloc);
	vec_free(&t->victims);
	vec_free(&t->moves);
	vec_free(&t->nodes);
	vec_free(&t->pinned);
	vec_free(&t->withheld);
	free(t->is_victim);
	t->is_victim = NULL;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t two_sections(const struct volume *vol)
{
	return UINT64_C(2) * blks_per_sec(&vol->lo);
}

uint64_t txn_most_blocks(const struct volume *vol, bool nodes)
{
	uint64_t nr_nodes = vol->sit.valid_nodes, data = vol->sit.valid_data;
	double per_block = nr_nodes < data ? (double)nr_nodes / (double)data : 1;
	double bytes = sizeof(struct txn_node);

	if (!nodes)
		bytes = sizeof(struct move) + bytes * per_block;
	return larger((uint64_t)(RECORD_BYTES / bytes), two_sections(vol));
}

uint64_t txn_most_bytes(const struct volume *vol, uint64_t blocks)
{
	/* Each has a node of its own at the worst. */
	return larger(MOST_RECORD_BYTES,
		      larger(two_sections(vol), 2 * blocks) *
		      (sizeof(struct move) + sizeof(struct txn_node)));
}

bool txn_is_too_large(const struct txn *t)
{
	return t->most_bytes &&
	       t->moves.nr * sizeof(struct move) +
	       t->nodes.nr * sizeof(struct txn_node) > t->most_bytes;
}

void txn_reset(struct txn *t)
{
	for (size_t i = 0; i < t->victims.nr; i++)
		bit_clear_lsb(t->is_victim, t->victims.v[i]);
	t->victims.nr = 0;
	t->moves.nr = 0;
	t->nodes.nr = 0;
	t->withheld.nr = 0;
	t->moved_at_once = 0;
	t->queue_drains = 0;
	t->extents_split = 0;
	t->blocks_written = 0;
	alloc_reset(&t->alloc);
	t->most_moves = (uint64_t)(t->alloc.nr_free + OD_NR_LOGS) *
			blks_per_sec(&t->vol->lo);
}

static int owner_fault(struct txn *t, uint32_t blk, uint32_t nid)
{
	return ctx_fail(t->vol->ctx, -EUCLEAN, "block %" PRIu32 " is valid, but "
			"node %" PRIu32 " of its summary does not own it: "
			"check the volume with fsck.f2fs", blk, nid);
}

static int add_data_block(struct txn *t, uint32_t blk, struct sum_entry e,
			  uint8_t type)
{
	struct nat_entry nat = nat_get(&t->vol->nat, e.nid);
	struct move m = {
		.src = blk, .nid = e.nid, .ino = nat.ino, .ofs = e.ofs,
		.type = type, .version = e.version, .rank = t->section_rank,
	};

	if (!blk_is_main(&t->vol->lo, nat.blk))
		return owner_fault(t, blk, e.nid);
	return vec_push(&t->moves, &m) ?
	       ctx_nomem(t->vol->ctx, "the list of moves") : 0;
}

static int add_node_block(struct txn *t, uint32_t blk, struct sum_entry e,
			  uint8_t type)
{
	struct nat_entry nat = nat_get(&t->vol->nat, e.nid);
	struct txn_node n = {
		.nid = e.nid, .ino = nat.ino, .src = blk, .type = type,
		.is_victim = true,
	};

	if (nat.blk != blk)
		return owner_fault(t, blk, e.nid);
	return vec_push(&t->nodes, &n) ?
	       ctx_nomem(t->vol->ctx, "the list of nodes") : 0;
}

static int add_segment(struct txn *t, uint32_t segno, void *sum)
{
	struct volume *vol = t->vol;
	const struct sit_seg *seg = sit_get(&vol->sit, segno);
	bool is_node = log_is_node(seg->type);
	int err;

	err = ssa_read(vol, segno, sum);
	if (err)
		return err;
	if (sum_foot(&vol->lo, sum)->entry_type !=
	    (is_node ? OD_SUM_NODE : OD_SUM_DATA))
		return ctx_fail(vol->ctx, -EUCLEAN, "summary of segment %" PRIu32
				" is of type %u, the segment of type %u: check "
				"the volume with fsck.f2fs", segno,
				sum_foot(&vol->lo, sum)->entry_type, seg->type);
	for (uint32_t i = 0; i < vol->lo.blks_per_seg; i++) {
		struct sum_entry e = sum_decode(&sum_entries(sum)[i]);
		uint32_t blk = seg_to_blk(&vol->lo, segno) + i;

		if (!bit_test_msb(seg->map, i))
			continue;
		err = is_node ? add_node_block(t, blk, e, seg->type) :
				add_data_block(t, blk, e, seg->type);
		if (err)
			return err;
	}
	return 0;
}

int txn_add_section(struct txn *t, uint32_t secno)
{
	struct volume *vol = t->vol;
	uint32_t first = sec_to_seg(&vol->lo, secno);
	uint8_t *sum = malloc(vol->lo.sum_bytes);
	int err = 0;

	if (!sum || vec_push(&t->victims, &secno)) {
		err = ctx_nomem(vol->ctx, "the list of victims");
		goto out;
	}
	bit_set_lsb(t->is_victim, secno);
	ssa_prefetch(vol, first, vol->lo.segs_per_sec);
	for (uint32_t i = 0; !err && i < vol->lo.segs_per_sec; i++)
		if (sit_get(&vol->sit, first + i)->valid)
			err = add_segment(t, first + i, sum);
out:
	free(sum);
	return err;
}

void txn_shrink(struct txn *t, size_t nr)
{
	const struct layout *lo = &t->vol->lo;
	size_t kept = 0;

	for (size_t i = nr; i < t->victims.nr; i++)
		bit_clear_lsb(t->is_victim, t->victims.v[i]);
	t->victims.nr = nr;
	for (size_t i = 0; i < t->moves.nr; i++)
		if (bit_test_lsb(t->is_victim,
				 blk_to_sec(lo, t->moves.v[i].src)))
			t->moves.v[kept++] = t->moves.v[i];
	t->moves.nr = kept;
	kept = 0;
	for (size_t i = 0; i < t->nodes.nr; i++) {
		struct txn_node n = t->nodes.v[i];

		if (!n.is_victim ||
		    !bit_test_lsb(t->is_victim, blk_to_sec(lo, n.src)))
			continue;
		n.is_owner = n.ext_is_stale = false; /* to be found again */
		n.dst = 0;
		t->nodes.v[kept++] = n;
	}
	t->nodes.nr = kept;
}

static int compare_nid(const void *key, const void *elem)
{
	uint32_t a = *(const uint32_t *)key;
	uint32_t b = ((const struct txn_node *)elem)->nid;

	return a < b ? -1 : a > b;
}

struct txn_node *txn_find_node(const struct txn *t, uint32_t nid)
{
	if (!t->nodes.nr)
		return NULL;
	return bsearch(&nid, t->nodes.v, t->nodes.nr, sizeof(*t->nodes.v),
		       compare_nid);
}

static int apply_block(struct sit *sit, uint32_t src, uint32_t dst,
		       uint8_t type)
{
	int err = sit_mark_invalid(sit, src);

	return err ? err : sit_mark_valid(sit, dst, type);
}

static int apply_node(struct txn *t, const struct txn_node *n)
{
	struct nat_entry e = nat_get(&t->vol->nat, n->nid);
	int err = apply_block(&t->vol->sit, n->src, n->dst, n->type);

	e.blk = n->dst;
	return err ? err : nat_set(&t->vol->nat, n->nid, &e);
}

int txn_apply(struct txn *t)
{
	int err = 0;

	for (size_t i = 0; !err && i < t->moves.nr; i++)
		err = apply_block(&t->vol->sit, t->moves.v[i].src,
				  t->moves.v[i].dst, t->moves.v[i].type);
	for (size_t i = 0; !err && i < t->nodes.nr; i++)
		if (t->nodes.v[i].dst)
			err = apply_node(t, &t->nodes.v[i]);
	if (!err)
		err = alloc_apply(&t->alloc);
	if (!err)
		return 0;
	t->vol->is_spoilt = true;
	return ctx_fail(t->vol->ctx, err,
			"the tables could not take the moves");
}
