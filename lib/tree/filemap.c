/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From a file to its nodes and blocks. The tree is four levels at most and
 * walked with a stack of that height; a child must name its inode and its
 * place in the footer, so loops and shared nodes end the walk.
 */
#include "config.h"

#include "tree/filemap.h"
#include "dev/prefetch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NR_INODE_NIDS	5U

struct level {
	const le32 *nids;
	uint32_t nr;
	uint32_t next;
	uint32_t ofs;			/* of the node that holds the nids */
};

struct node_walk {
	struct volume *vol;
	uint32_t ino;
	uint8_t *bufs;			/* a block for each level */
	struct level level[FILEMAP_MAX_DEPTH + 1];
};

/* The children of an indirect node, hinted all at once. */
static void hint_children(struct volume *vol, const struct level *level)
{
	uint32_t *blks = malloc(level->nr * sizeof(*blks));
	uint32_t nr = 0;

	for (uint32_t i = 0; blks && i < level->nr; i++) {
		uint32_t nid = le32_get(level->nids[i]);
		uint32_t blk = nid ? nat_get(&vol->nat, nid).blk : 0;

		if (blk_is_main(&vol->lo, blk))
			blks[nr++] = blk;
	}
	if (nr > 1)
		prefetch_batch(vol->dev, blks, nr, PREFETCH_GAP);
	free(blks);
}

static int descend(struct node_walk *w, filemap_node_fn *fn, void *priv)
{
	const struct layout *lo = &w->vol->lo;
	unsigned int depth = 0;
	int err = 0;

	while (!err) {
		struct level *l = &w->level[depth];
		uint8_t *buf = w->bufs + (size_t)depth * lo->block_size;
		enum node_kind kind;
		uint32_t nid, ofs;

		if (l->next == l->nr) {
			if (!depth--)
				break;
			continue;
		}
		nid = le32_get(l->nids[l->next]);
		ofs = node_child_ofs(lo, l->ofs, l->next++);
		if (!nid)
			continue;
		err = node_read_child(w->vol, nid, w->ino, ofs, buf);
		if (!err)
			err = fn(priv, nid, ofs, buf);
		kind = node_kind(lo, ofs);
		if (err || (kind != NODE_INDIRECT && kind != NODE_DOUBLE))
			continue;
		w->level[++depth] = (struct level){
			.nids = node_slots(buf),
			.nr = lo->addrs_per_node,
			.ofs = ofs,
		};
		hint_children(w->vol, &w->level[depth]);
	}
	return err;
}

/* All nodes below the inode but the xattr node. */
static int walk_nodes(struct volume *vol, const struct inode *inode,
		      const void *block, filemap_node_fn *fn, void *priv)
{
	struct node_walk w = {
		.vol = vol,
		.ino = inode->ino,
		.level[0] = {
			.nids = inode_nids(&vol->lo, block),
			.nr = NR_INODE_NIDS,
		},
	};
	int err;

	if (!inode_has_blocks(inode))
		return 0;
	w.bufs = malloc((size_t)FILEMAP_MAX_DEPTH * vol->lo.block_size);
	if (!w.bufs)
		return ctx_nomem(vol->ctx, "node blocks");
	err = descend(&w, fn, priv);
	free(w.bufs);
	return err;
}

int filemap_walk_nodes(struct volume *vol, const struct inode *inode,
		       const void *block, filemap_node_fn *fn, void *priv)
{
	uint8_t *buf;
	int err;

	if (inode->xattr_nid) {
		buf = malloc(vol->lo.block_size);
		if (!buf)
			return ctx_nomem(vol->ctx, "a node block");
		err = node_read_child(vol, inode->xattr_nid, inode->ino,
				      OD_XATTR_NODE_OFS, buf);
		if (!err)
			err = fn(priv, inode->xattr_nid, OD_XATTR_NODE_OFS,
				 buf);
		free(buf);
		if (err)
			return err;
	}
	return walk_nodes(vol, inode, block, fn, priv);
}

struct slot_walk {
	const struct layout *lo;
	const struct inode *inode;
	filemap_fn *fn;
	void *priv;
};

static int visit_slots(const struct slot_walk *w, const le32 *addrs,
		       uint32_t nr, struct mapping *m)
{
	uint64_t first = m->lblk;
	int err = 0;

	for (uint32_t i = 0; !err && i < nr; i++) {
		m->blk = le32_get(addrs[i]);
		m->lblk = first + i;
		m->ofs = i;
		if (m->blk != OD_BLK_NULL)
			err = w->fn(w->priv, m);
	}
	return err;
}

static int visit_direct(void *priv, uint32_t nid, uint32_t ofs,
			const void *block)
{
	const struct slot_walk *w = priv;
	struct mapping m = { .nid = nid };

	if (node_kind(w->lo, ofs) != NODE_DIRECT)
		return 0;
	m.lblk = node_first_lblk(w->lo, ofs, w->inode->nr_addrs,
				 w->inode->node_addrs);
	return visit_slots(w, node_slots(block), w->inode->node_addrs, &m);
}

int filemap_walk(struct volume *vol, const struct inode *inode,
		 const void *block, filemap_fn *fn, void *priv)
{
	struct slot_walk w = {
		.lo = &vol->lo, .inode = inode, .fn = fn, .priv = priv,
	};
	struct mapping m = { .nid = inode->ino };
	int err;

	if (!inode_has_blocks(inode))
		return 0;
	err = visit_slots(&w, inode_file_addrs(inode, block), inode->nr_addrs,
			  &m);
	if (err)
		return err;
	return walk_nodes(vol, inode, block, visit_direct, &w);
}

bool filemap_find_path(const struct layout *lo, const struct inode *inode,
		       uint64_t lblk, struct filemap_path *p)
{
	uint64_t n = lo->addrs_per_node;
	uint64_t k;

	if (lblk < inode->nr_addrs) {
		*p = (struct filemap_path){ .slot = { (uint32_t)lblk } };
		return true;
	}
	k = (lblk - inode->nr_addrs) / inode->node_addrs;
	if (k < 2)
		*p = (struct filemap_path){ .slot = { (uint32_t)k }, .depth = 1 };
	else if (k < 2 + 2 * n)
		*p = (struct filemap_path){
			.slot = { (uint32_t)(2 + (k - 2) / n),
				  (uint32_t)((k - 2) % n) },
			.depth = 2,
		};
	else if (k < 2 + 2 * n + n * n)
		*p = (struct filemap_path){
			.slot = { 4, (uint32_t)((k - 2 - 2 * n) / n),
				  (uint32_t)((k - 2 - 2 * n) % n) },
			.depth = 3,
		};
	else
		return false;
	p->slot[p->depth] = (uint32_t)((lblk - inode->nr_addrs) %
				       inode->node_addrs);
	return true;
}

static int follow_path(struct volume *vol, const struct inode *inode,
		       const void *block, const struct filemap_path *p,
		       uint8_t *buf, struct mapping *m)
{
	const le32 *nids = inode_nids(&vol->lo, block);
	uint32_t ofs = 0;

	for (unsigned int i = 0; i < p->depth; i++) {
		uint32_t nid = le32_get(nids[p->slot[i]]);
		int err;

		if (!nid) {
			m->nid = 0;
			return 0;
		}
		ofs = node_child_ofs(&vol->lo, ofs, p->slot[i]);
		err = node_read_child(vol, nid, inode->ino, ofs, buf);
		if (err)
			return err;
		nids = node_slots(buf);
		m->nid = nid;
	}
	m->ofs = p->slot[p->depth];
	m->blk = le32_get(nids[m->ofs]);
	return 0;
}

int filemap_lookup(struct volume *vol, const struct inode *inode,
		   const void *block, uint64_t lblk, struct mapping *out)
{
	struct mapping m = { .lblk = lblk, .nid = inode->ino };
	struct filemap_path p;
	uint8_t *buf;
	int err = 0;

	if (!inode_has_blocks(inode) ||
	    !filemap_find_path(&vol->lo, inode, lblk, &p)) {
		m.nid = 0;
	} else if (!p.depth) {
		m.ofs = p.slot[0];
		m.blk = le32_get(inode_file_addrs(inode, block)[m.ofs]);
	} else {
		buf = malloc(vol->lo.block_size);
		if (!buf)
			return ctx_nomem(vol->ctx, "a node block");
		err = follow_path(vol, inode, block, &p, buf, &m);
		free(buf);
	}
	if (!err)
		*out = m;
	return err;
}

static int check_readable(struct volume *vol, const struct inode *inode,
			  const void *block, uint64_t lblk)
{
	struct mapping first;
	int err;

	if (inode->inl & (OD_INLINE_DATA | OD_INLINE_DENTRY))
		return ctx_fail(vol->ctx, -EOPNOTSUPP, "inode %" PRIu32
				" is inline: it has no block %" PRIu64,
				inode->ino, lblk);
	if (!inode->cluster_blks)
		return 0;
	err = filemap_lookup(vol, inode, block,
			     lblk - lblk % inode->cluster_blks, &first);
	if (!err && first.blk == OD_BLK_COMPRESS)
		return ctx_fail(vol->ctx, -EOPNOTSUPP, "inode %" PRIu32
				": file block %" PRIu64 " is compressed",
				inode->ino, lblk);
	return err;
}

int filemap_read(struct volume *vol, const struct inode *inode,
		 const void *block, uint64_t lblk, void *buf)
{
	struct mapping m;
	int err;

	err = check_readable(vol, inode, block, lblk);
	if (!err)
		err = filemap_lookup(vol, inode, block, lblk, &m);
	if (err)
		return err;
	if (m.blk == OD_BLK_NULL || m.blk == OD_BLK_NEW) {
		memset(buf, 0, vol->lo.block_size);
		return 0;
	}
	if (!blk_is_main(&vol->lo, m.blk))
		return ctx_fail(vol->ctx, -EUCLEAN, "inode %" PRIu32
				": file block %" PRIu64 " is at block %" PRIu32
				", outside the main area", inode->ino, lblk,
				m.blk);
	return dev_read(vol->dev, m.blk, 1, buf);
}
