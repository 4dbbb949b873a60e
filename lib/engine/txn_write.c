/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes what a transaction moves: data as it is, nodes with their new
 * addresses, then the summaries. All of it goes to blocks that the live
 * checkpoint does not reach.
 */
#include "config.h"

#include "engine/txn.h"

#include "engine/copy.h"
#include "format/validate.h"
#include "tree/inode.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static int copy_stop(void *priv, uint64_t done, uint64_t total)
{
	struct txn *t = priv;

	return t->stop ? t->stop(t->stop_priv, done, total) : 0;
}

static int write_data(struct txn *t)
{
	struct copy c = {
		.vol = t->vol, .stop = copy_stop, .stop_priv = t,
		.total = t->moves.nr,
	};
	struct copy_pair *pairs;
	int err;

	t->blocks_written += t->moves.nr;
	if (t->dry_run || !t->moves.nr)
		return 0;
	pairs = malloc(t->moves.nr * sizeof(*pairs));
	if (!pairs)
		return ctx_nomem(t->vol->ctx, "the list of copies");
	for (size_t i = 0; i < t->moves.nr; i++)
		pairs[i] = (struct copy_pair){
			.src = t->moves.v[i].src, .dst = t->moves.v[i].dst,
		};
	err = copy_blocks(&c, pairs, t->moves.nr);
	free(pairs);
	return err;
}

static int moves_by_file(const void *pa, const void *pb)
{
	const struct move *a = pa, *b = pb;

	if (a->ino != b->ino)
		return a->ino < b->ino ? -1 : 1;
	return a->lblk < b->lblk ? -1 : a->lblk > b->lblk;
}

/* Sort the moves by file and let each node know its own. */
static void hand_moves_to_nodes(struct txn *t)
{
	const struct move *v = t->moves.v;

	for (size_t i = 0; i < t->nodes.nr; i++)
		t->nodes.v[i].nr_moves = 0;
	qsort(t->moves.v, t->moves.nr, sizeof(*t->moves.v), moves_by_file);
	for (size_t i = 0, n; i < t->moves.nr; i += n) {
		struct txn_node *node = txn_find_node(t, v[i].nid);

		for (n = 1; i + n < t->moves.nr && v[i + n].nid == v[i].nid; n++)
			;
		node->first_move = (uint32_t)i;
		node->nr_moves = (uint32_t)n;
	}
}

/* The longest run that the moves of inode @ino make at their new places. */
static struct od_extent longest_run(const struct txn *t, uint32_t ino)
{
	const struct move *v = t->moves.v;
	size_t lo = 0, hi = t->moves.nr;
	uint32_t best_len = 0;
	size_t best = 0;
	struct od_extent ext = { 0 };

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v[mid].ino < ino)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo, n; i < t->moves.nr && v[i].ino == ino; i += n) {
		for (n = 1; i + n < t->moves.nr && v[i + n].ino == ino &&
			    v[i + n].lblk == v[i].lblk + n &&
			    v[i + n].dst == v[i].dst + n; n++)
			;
		if (n > best_len) {
			best_len = (uint32_t)n;
			best = i;
		}
	}
	if (best_len) {
		le32_set(&ext.lblk, v[best].lblk);
		le32_set(&ext.blk, v[best].dst);
		le32_set(&ext.len, best_len);
	}
	return ext;
}

/*
 * The kernel reads through i_ext without a look at the addresses, so a hint
 * over moved blocks must go: the longest new run takes its place. Compressed
 * files get none, as their hints count file blocks.
 */
static void renew_extent(const struct txn *t, const struct txn_node *n,
			 struct od_inode *od)
{
	struct od_extent none = { 0 };

	od->i_ext = n->is_compressed ? none : longest_run(t, n->ino);
}

static void rewrite_addresses(const struct txn *t, const struct txn_node *n,
			      le32 *addrs)
{
	for (uint32_t i = 0; i < n->nr_moves; i++) {
		const struct move *m = &t->moves.v[n->first_move + i];

		le32_set(&addrs[m->ofs], m->dst);
	}
}

/*
 * The footer of a node that is written before the next checkpoint. It must
 * not be taken for a node that was fsynced after this or the next one: marks
 * are cleared, and the version is that of a checkpoint before the live one,
 * with which roll-forward never compares (kernel fs/f2fs/recovery.c).
 */
static void renew_foot(const struct txn *t, const struct copy_pair *pair,
		       struct od_node_foot *foot)
{
	le32_set(&foot->flag, le32_get(foot->flag) &
		 ~(OD_FOOT_FSYNC | OD_FOOT_DENT));
	le64_set(&foot->cp_ver, t->vol->cp.version - 1);
	le32_set(&foot->next_blk, pair->dst + 1);
}

static int change_node(void *priv, const struct copy_pair *pair, void *block)
{
	struct txn *t = priv;
	const struct layout *lo = &t->vol->lo;
	const struct txn_node *n = &t->nodes.v[pair->tag];
	struct od_node_foot *foot = node_foot(lo, block);

	if (le32_get(foot->nid) != n->nid || le32_get(foot->ino) != n->ino)
		return ctx_fail(t->vol->ctx, -EUCLEAN, "node %" PRIu32 " at block %"
				PRIu32 " changed while it was moved", n->nid,
				n->src);
	renew_foot(t, pair, foot);
	if (n->nid != n->ino) {
		rewrite_addresses(t, n, node_slots(block));
		return 0;
	}
	if (n->nr_moves) {
		struct inode inode;
		struct fault fault;
		int err = inode_decode(lo, block, &inode, &fault);

		if (err)
			return ctx_fail(t->vol->ctx, err, "inode %" PRIu32 " at block %"
					PRIu32 ": bad %s", n->nid, n->src,
					fault.field);
		rewrite_addresses(t, n, inode_file_addrs(&inode, block));
	}
	if (n->ext_is_stale)
		renew_extent(t, n, block);
	if (inode_has_checksum(lo, block))
		le32_set(&inode_extra(block)->i_inode_checksum,
			 inode_checksum(lo, t->vol->super.sb.uuid, block));
	return 0;
}

static int write_nodes(struct txn *t)
{
	struct copy c = {
		.vol = t->vol, .change = change_node, .change_priv = t,
		.stop = copy_stop, .stop_priv = t,
	};
	struct copy_pair *pairs = malloc(t->nodes.nr * sizeof(*pairs) + 1);
	size_t nr = 0;
	int err;

	if (!pairs)
		return ctx_nomem(t->vol->ctx, "the list of nodes");
	for (size_t i = 0; i < t->nodes.nr; i++) {
		const struct txn_node *n = &t->nodes.v[i];

		if (n->dst)
			pairs[nr++] = (struct copy_pair){
				.src = n->src, .dst = n->dst, .tag = (uint32_t)i,
			};
	}
	c.done = t->moves.nr;
	c.total = t->moves.nr + nr;
	t->blocks_written += nr;
	err = copy_blocks(&c, pairs, nr);
	free(pairs);
	return err;
}

int txn_write(struct txn *t)
{
	int err = write_data(t);

	if (err)
		return err;
	hand_moves_to_nodes(t);
	err = write_nodes(t);
	if (err)
		return err;
	return alloc_write_summaries(&t->alloc, &t->blocks_written);
}
