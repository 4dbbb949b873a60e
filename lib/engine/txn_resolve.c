/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who owns the blocks that move: the nodes of a transaction are read once in
 * order of address, each must point back at the block (kernel fs/f2fs/gc.c,
 * is_alive()), and tells which block of which file it is.
 */
#include "config.h"

#include "engine/txn.h"

#include "base/bits.h"
#include "base/sort.h"
#include "dev/prefetch.h"
#include "tree/inode.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define POLL_EVERY 1024			/* nodes read between two looks at stop */

static int by_nid(const void *pa, const void *pb)
{
	const struct txn_node *a = pa, *b = pb;

	return a->nid < b->nid ? -1 : a->nid > b->nid;
}

static int moves_by_slot(const void *pa, const void *pb)
{
	const struct move *a = pa, *b = pb;

	if (a->nid != b->nid)
		return a->nid < b->nid ? -1 : 1;
	return a->ofs < b->ofs ? -1 : a->ofs > b->ofs;
}

static int push_node(struct txn *t, uint32_t nid, bool is_owner)
{
	struct nat_entry e = nat_get(&t->vol->nat, nid);
	struct txn_node n = {
		.nid = nid, .ino = e.ino, .src = e.blk, .is_owner = is_owner,
	};

	if (!blk_is_main(&t->vol->lo, e.blk))
		return ctx_fail(t->vol->ctx, -EUCLEAN, "node %" PRIu32 " lies at "
				"block %" PRIu32 ", outside the main area",
				nid, e.blk);
	n.type = sit_get(&t->vol->sit, blk_to_seg(&t->vol->lo, e.blk))->type;
	if (!sit_is_valid(&t->vol->sit, e.blk) || !log_is_node(n.type))
		return ctx_fail(t->vol->ctx, -EUCLEAN, "node %" PRIu32 " lies at "
				"block %" PRIu32 ", which the SIT does not know "
				"as a node: check the volume with fsck.f2fs",
				nid, e.blk);
	return vec_push(&t->nodes, &n) ?
	       ctx_nomem(t->vol->ctx, "the list of nodes") : 0;
}

static void merge_duplicates(struct txn *t)
{
	struct txn_node *v = t->nodes.v;
	size_t n = 0;

	vec_sort_in_place(&t->nodes, by_nid);
	for (size_t i = 0; i < t->nodes.nr; i++) {
		if (n && v[n - 1].nid == v[i].nid) {
			v[n - 1].is_victim |= v[i].is_victim;
			v[n - 1].is_owner |= v[i].is_owner;
		} else {
			v[n++] = v[i];
		}
	}
	t->nodes.nr = n;
}

/*
 * Besides the nodes that are victims: those which hold a moved address, and
 * their inodes, for the geometry of the file and its extent hint.
 */
static int list_nodes(struct txn *t)
{
	const struct move *v = t->moves.v;
	int err = 0;

	vec_sort_in_place(&t->moves, moves_by_slot);
	for (size_t i = 0; !err && i < t->moves.nr; i++) {
		if (i && v[i].nid == v[i - 1].nid)
			continue;
		err = push_node(t, v[i].nid, true);
		if (!err && v[i].ino != v[i].nid)
			err = push_node(t, v[i].ino, false);
		if (!err && txn_is_too_large(t))
			err = -E2BIG;
	}
	if (!err)
		merge_duplicates(t);
	return err;
}

/* A wrong one must not become right by being computed again. */
static int check_checksum(const struct txn *t, const void *block,
			  struct fault *fault)
{
	const struct layout *lo = &t->vol->lo;

	if (!inode_has_checksum(lo, block))
		return 0;
	fault->field = "i_inode_checksum";
	fault->found = le32_get(inode_extra(block)->i_inode_checksum);
	fault->expected = inode_checksum(lo, t->vol->super.sb.uuid, block);
	return fault->found == fault->expected ? 0 : -EUCLEAN;
}

static int compare_inos(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool is_kept(const struct txn *t, uint32_t ino)
{
	return t->nr_kept && bsearch(&ino, t->kept, t->nr_kept, sizeof(ino),
				     compare_inos);
}

static int read_inode(struct txn *t, struct txn_node *n, const void *block,
		      struct inode *inode)
{
	struct fault fault;
	int err = inode_decode(&t->vol->lo, block, inode, &fault);

	if (!err)
		err = check_checksum(t, block, &fault);
	if (err)
		return ctx_fail(t->vol->ctx, err, "inode %" PRIu32 " at block %"
				PRIu32 ": %s is %" PRIu64 ", expected %" PRIu64,
				n->nid, n->src, fault.field, fault.found,
				fault.expected);
	n->inode_addrs = (uint16_t)inode->nr_addrs;
	n->node_addrs = (uint16_t)inode->node_addrs;
	n->is_pinned = inode_is_pinned(inode) || is_kept(t, n->nid);
	n->is_compressed = inode->cluster_blks != 0;
	n->ext_blk = inode->ext_blk;
	n->ext_len = inode->ext_len;
	return 0;
}

static int check_owner(struct txn *t, const struct txn_node *n,
		       const le32 *addrs, uint32_t nr_addrs)
{
	struct move key = { .nid = n->nid };
	const struct move *v = t->moves.v;
	size_t lo = 0, hi = t->moves.nr;

	while (lo < hi) {		/* the first move of this node */
		size_t mid = lo + (hi - lo) / 2;

		if (v[mid].nid < key.nid)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < t->moves.nr && v[lo].nid == n->nid; lo++) {
		if (addrs && v[lo].ofs < nr_addrs &&
		    le32_get(addrs[v[lo].ofs]) == v[lo].src)
			continue;
		return ctx_fail(t->vol->ctx, -EUCLEAN, "block %" PRIu32 " is "
				"valid, but slot %u of node %" PRIu32 " does not "
				"point at it: check the volume with fsck.f2fs",
				v[lo].src, v[lo].ofs, n->nid);
	}
	return 0;
}

/* Footer, geometry, and whether the node owns what its summary entries say. */
static int look_at_node(struct txn *t, struct txn_node *n, const void *block)
{
	const struct layout *lo = &t->vol->lo;
	const struct od_node_foot *foot = node_foot(lo, block);
	struct inode inode;
	int err;

	n->ofs = foot_ofs(foot);
	if (le32_get(foot->nid) != n->nid || le32_get(foot->ino) != n->ino)
		return ctx_fail(t->vol->ctx, -EUCLEAN, "node %" PRIu32 " at block %"
				PRIu32 ": its footer says node %" PRIu32 " of inode %"
				PRIu32 ", the NAT inode %" PRIu32, n->nid, n->src,
				le32_get(foot->nid), le32_get(foot->ino), n->ino);
	if (n->nid == n->ino) {
		if (n->ofs)
			return ctx_fail(t->vol->ctx, -EUCLEAN, "inode %" PRIu32
					" at block %" PRIu32 ": its footer has "
					"node offset %" PRIu32, n->nid, n->src,
					n->ofs);
		err = read_inode(t, n, block, &inode);
		if (err || !n->is_owner)
			return err;
		return check_owner(t, n, inode_has_blocks(&inode) ?
				   inode_file_addrs(&inode, block) : NULL,
				   inode.nr_addrs);
	}
	if (!n->is_owner)
		return 0;
	return check_owner(t, n, node_kind(lo, n->ofs) == NODE_DIRECT ?
			   node_slots(block) : NULL, lo->addrs_per_node);
}

static int by_src(const void *pa, const void *pb)
{
	const struct txn_node *const *a = pa, *const *b = pb;

	return (*a)->src < (*b)->src ? -1 : (*a)->src > (*b)->src;
}

static int read_in_order(struct txn *t, struct txn_node **order,
			 uint32_t *blks, void *block)
{
	struct prefetch pf;
	size_t nr = t->nodes.nr;
	int err = 0;

	for (size_t i = 0; i < nr; i++)
		order[i] = &t->nodes.v[i];
	qsort(order, nr, sizeof(*order), by_src);
	for (size_t i = 0; i < nr; i++)
		blks[i] = order[i]->src;
	prefetch_start(&pf, t->vol->dev, blks, nr, PREFETCH_GAP,
		       PREFETCH_WINDOW);
	for (size_t i = 0; !err && i < nr; i++) {
		if (i % POLL_EVERY == 0 && t->stop &&
		    t->stop(t->stop_priv, 0, t->moves.nr))
			return -EINTR;
		prefetch_reach(&pf, i);
		err = dev_read(t->vol->dev, blks[i], 1, block);
		if (!err)
			err = look_at_node(t, order[i], block);
	}
	return err;
}

static int by_place(const void *pa, const void *pb)
{
	const struct txn_node *const *a = pa, *const *b = pb;

	if ((*a)->ino != (*b)->ino)
		return (*a)->ino < (*b)->ino ? -1 : 1;
	return (*a)->ofs < (*b)->ofs ? -1 : (*a)->ofs > (*b)->ofs;
}

/* Two nodes of one place would claim the same blocks of the file. */
static int check_places(struct txn *t, struct txn_node **order)
{
	size_t nr = t->nodes.nr;

	qsort(order, nr, sizeof(*order), by_place);
	for (size_t i = 1; i < nr; i++) {
		const struct txn_node *a = order[i - 1], *b = order[i];

		if (a->ino == b->ino && a->ofs == b->ofs)
			return ctx_fail(t->vol->ctx, -EUCLEAN, "nodes %" PRIu32
					" and %" PRIu32 " both are at offset %"
					PRIu32 " of inode %" PRIu32 ": check the "
					"volume with fsck.f2fs", a->nid, b->nid,
					a->ofs, a->ino);
	}
	return 0;
}

static int read_nodes(struct txn *t)
{
	struct txn_node **order = malloc(t->nodes.nr * sizeof(*order) + 1);
	uint32_t *blks = malloc(t->nodes.nr * sizeof(*blks) + 1);
	void *block = malloc(t->vol->lo.block_size);
	int err;

	if (order && blks && block)
		err = read_in_order(t, order, blks, block);
	else
		err = ctx_nomem(t->vol->ctx, "nodes");
	if (!err)
		err = check_places(t, order);
	free(block);
	free(blks);
	free(order);
	return err;
}

static bool extent_covers(const struct txn_node *inode, uint32_t blk)
{
	return blk >= inode->ext_blk && blk - inode->ext_blk < inode->ext_len;
}

/* The inode of a move and the node that holds it, proved to be one file's. */
static int find_file(struct txn *t, const struct move *m,
		     const struct txn_node **node, struct txn_node **inode)
{
	uint32_t nr;

	*node = txn_find_node(t, m->nid);
	*inode = txn_find_node(t, m->ino);
	if (!*node || !*inode || (*node)->ino != m->ino ||
	    (*inode)->ino != m->ino)
		return ctx_fail(t->vol->ctx, -EUCLEAN, "node %" PRIu32
				": its inode %" PRIu32 " is not there",
				m->nid, m->ino);
	nr = *node == *inode ? (*inode)->inode_addrs : (*inode)->node_addrs;
	if (m->ofs >= nr)
		return ctx_fail(t->vol->ctx, -EUCLEAN, "block %" PRIu32 ": slot %"
				PRIu16 " of node %" PRIu32 " is none of the %"
				PRIu32 " that inode %" PRIu32 " uses", m->src,
				m->ofs, m->nid, nr, m->ino);
	return 0;
}

/* Remember the victims that hold blocks of pinned files; some recur. */
static int note_pinned(struct txn *t, const struct move *m)
{
	uint32_t secno = blk_to_sec(&t->vol->lo, m->src);

	if (!bit_test_lsb(t->is_victim, secno) ||
	    (t->pinned.nr && t->pinned.v[t->pinned.nr - 1] == secno))
		return 0;
	return vec_push(&t->pinned, &secno) ?
	       ctx_nomem(t->vol->ctx, "the list of pinned sections") : 0;
}

/* lblk of every move; inodes whose extent hint goes stale become owners. */
static int place_in_files(struct txn *t)
{
	const struct layout *lo = &t->vol->lo;

	t->pinned.nr = 0;
	for (size_t i = 0; i < t->moves.nr; i++) {
		struct move *m = &t->moves.v[i];
		const struct txn_node *n;
		struct txn_node *inode;
		int err = find_file(t, m, &n, &inode);

		if (!err && inode->is_pinned)
			err = note_pinned(t, m);
		if (err)
			return err;
		m->lblk = (uint32_t)(node_first_lblk(lo, n->ofs,
						     inode->inode_addrs,
						     inode->node_addrs) +
				     m->ofs);
		if (extent_covers(inode, m->src)) {
			inode->ext_is_stale = true;
			inode->is_owner = true;
		}
	}
	return t->pinned.nr ? -EBUSY : 0;
}

int txn_resolve(struct txn *t)
{
	int err = list_nodes(t);

	if (!err)
		err = read_nodes(t);
	return err ? err : place_in_files(t);
}
