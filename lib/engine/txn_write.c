/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes what a transaction moves: data as it is, nodes with their new
 * addresses, then the summaries. All of it goes to blocks that the live
 * checkpoint does not reach.
 */
#include "config.h"

#include "engine/txn.h"

#include "engine/copy.h"
#include "engine/node_foot.h"
#include "format/validate.h"
#include "tree/inode.h"
#include "base/sort.h"

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

static int node_changed(const struct txn *t, const struct txn_node *n)
{
	return ctx_fail(t->vol->ctx, -EUCLEAN, "node %" PRIu32 " at block %"
			PRIu32 " changed while it was moved", n->nid, n->src);
}

static int moves_by_file(const void *pa, const void *pb)
{
	const struct move *a = pa, *b = pb;

	if (a->ino != b->ino)
		return a->ino < b->ino ? -1 : 1;
	return a->lblk < b->lblk ? -1 : a->lblk > b->lblk;
}

static int moves_by_slot(const void *pa, const void *pb)
{
	const struct move *a = pa, *b = pb;

	if (a->nid != b->nid)
		return a->nid < b->nid ? -1 : 1;
	return a->ofs < b->ofs ? -1 : a->ofs > b->ofs;
}

/*
 * Let each inode know the longest run that its moves make at their new
 * places; those moves are v[0 .. nr), in file order.
 */
static void find_new_extent(struct txn *t, const struct move *v, size_t nr)
{
	struct txn_node *inode = txn_find_node(t, v->ino);

	inode->new_len = 0;
	for (size_t i = 0, n; i < nr; i += n) {
		for (n = 1; i + n < nr && v[i + n].lblk == v[i].lblk + n &&
			    v[i + n].dst == v[i].dst + n; n++)
			;
		if (n <= inode->new_len)
			continue;
		inode->new_lblk = v[i].lblk;
		inode->new_blk = v[i].dst;
		inode->new_len = (uint32_t)n;
	}
}

static void find_new_extents(struct txn *t)
{
	const struct move *v = t->moves.v;

	vec_sort_in_place(&t->moves, moves_by_file);
	for (size_t i = 0, n; i < t->moves.nr; i += n) {
		for (n = 1; i + n < t->moves.nr && v[i + n].ino == v[i].ino;
		     n++)
			;
		find_new_extent(t, v + i, n);
	}
}

/* Sort the moves by slot, whatever the files say, and hand them out. */
static void hand_moves_to_nodes(struct txn *t)
{
	const struct move *v = t->moves.v;

	for (size_t i = 0; i < t->nodes.nr; i++)
		t->nodes.v[i].nr_moves = 0;
	vec_sort_in_place(&t->moves, moves_by_slot);
	for (size_t i = 0, n; i < t->moves.nr; i += n) {
		struct txn_node *node = txn_find_node(t, v[i].nid);

		for (n = 1; i + n < t->moves.nr && v[i + n].nid == v[i].nid; n++)
			;
		node->first_move = (uint32_t)i;
		node->nr_moves = (uint32_t)n;
	}
}

/*
 * The kernel reads through i_ext without a look at the addresses, so a hint
 * over moved blocks must go: the longest new run takes its place. Compressed
 * files get none, as their hints count file blocks.
 */
static void renew_extent(const struct txn_node *n, struct od_inode *od)
{
	struct od_extent ext = { 0 };

	if (n->new_len && !n->is_compressed) {
		le32_set(&ext.lblk, n->new_lblk);
		le32_set(&ext.blk, n->new_blk);
		le32_set(&ext.len, n->new_len);
	}
	od->i_ext = ext;
}

/* Each slot is proved once more before it is changed. */
static int rewrite_addresses(const struct txn *t, const struct txn_node *n,
			     le32 *addrs, uint32_t nr_addrs)
{
	for (uint32_t i = 0; i < n->nr_moves; i++) {
		const struct move *m = &t->moves.v[n->first_move + i];

		if (m->ofs >= nr_addrs || le32_get(addrs[m->ofs]) != m->src)
			return node_changed(t, n);
		le32_set(&addrs[m->ofs], m->dst);
	}
	return 0;
}

static int rewrite_inode(const struct txn *t, const struct txn_node *n,
			 void *block)
{
	struct inode inode;
	struct fault fault;
	int err;

	if (!n->nr_moves)
		return 0;
	err = inode_decode(&t->vol->lo, block, &inode, &fault);
	if (err)
		return node_changed(t, n);
	return rewrite_addresses(t, n, inode_file_addrs(&inode, block),
				 inode.nr_addrs);
}

static int change_node(void *priv, const struct copy_pair *pair, void *block)
{
	struct txn *t = priv;
	const struct layout *lo = &t->vol->lo;
	const struct txn_node *n = &t->nodes.v[pair->tag];
	struct od_node_foot *foot = node_foot(lo, block);
	int err;

	if (le32_get(foot->nid) != n->nid || le32_get(foot->ino) != n->ino)
		return node_changed(t, n);
	node_foot_renew(t->vol, foot, pair->dst);
	if (n->nid != n->ino)
		return rewrite_addresses(t, n, node_slots(block),
					 lo->addrs_per_node);
	err = rewrite_inode(t, n, block);
	if (err)
		return err;
	if (n->ext_is_stale)
		renew_extent(n, block);
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

/*
 * The last look before anything is written, whoever planned it: the SIT in
 * memory still is that of the live checkpoint.
 */
static int check_place(const struct txn *t, uint32_t src, uint32_t dst)
{
	const struct volume *vol = t->vol;

	if (blk_is_main(&vol->lo, dst) && !sit_is_valid(&vol->sit, dst))
		return 0;
	return ctx_fail(vol->ctx, -EFAULT, "block %" PRIu32 " was to be moved "
			"to block %" PRIu32 ", which is not free: nothing was "
			"written; please report this", src, dst);
}

static int check_places(const struct txn *t)
{
	int err = 0;

	for (size_t i = 0; !err && i < t->moves.nr; i++)
		err = check_place(t, t->moves.v[i].src, t->moves.v[i].dst);
	for (size_t i = 0; !err && i < t->nodes.nr; i++)
		if (t->nodes.v[i].dst)
			err = check_place(t, t->nodes.v[i].src,
					  t->nodes.v[i].dst);
	return err;
}

int txn_write(struct txn *t)
{
	int err = check_places(t);

	if (!err)
		err = write_data(t);
	if (err)
		return err;
	find_new_extents(t);
	hand_moves_to_nodes(t);
	err = write_nodes(t);
	if (err)
		return err;
	return alloc_write_summaries(&t->alloc, &t->blocks_written);
}
