/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Freeing inodes with all they have. Each is walked twice: the first time it
 * is only counted, and must have as many blocks as its i_blocks says, so that
 * nothing is freed of an inode that contradicts itself.
 */
#include "config.h"

#include "engine/orphans.h"

#include "dev/prefetch.h"
#include "tree/filemap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* What a walk over one inode found, or freed. */
struct tree_walk {
	struct edit *ed;
	const struct inode *inode;
	bool frees;
	uint64_t nodes;
	uint64_t blocks;		/* real and reserved */
	uint64_t compressed;		/* slots with COMPRESS */
};

static int walk_slots(struct tree_walk *w, const le32 *addrs, uint32_t nr)
{
	const struct volume *vol = w->ed->vol;

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t blk = le32_get(addrs[i]);
		int err = 0;

		if (blk == OD_BLK_NULL)
			continue;
		if (blk == OD_BLK_COMPRESS)
			w->compressed++;
		else
			w->blocks++;
		if (blk_is_real(blk) && (!blk_is_main(&vol->lo, blk) ||
					 !sit_is_valid(&vol->sit, blk)))
			return ctx_fail(vol->ctx, -EUCLEAN, "orphan %" PRIu32
					" has block %" PRIu32 ", which is not "
					"in use: check the volume with "
					"fsck.f2fs", w->inode->ino, blk);
		if (w->frees && blk_is_real(blk))
			err = edit_invalidate_block(w->ed, blk);
		if (err)
			return err;
	}
	return 0;
}

static int walk_node(void *priv, uint32_t nid, uint32_t ofs, const void *block)
{
	struct tree_walk *w = priv;
	const struct layout *lo = &w->ed->vol->lo;
	int err = 0;

	w->nodes++;
	if (node_kind(lo, ofs) == NODE_DIRECT)
		err = walk_slots(w, node_slots(block), w->inode->node_addrs);
	if (!err && w->frees)
		err = edit_free_node(w->ed, nid);
	return err;
}

static int walk_tree(struct tree_walk *w, const void *block)
{
	int err = 0;

	if (inode_has_blocks(w->inode))
		err = walk_slots(w, inode_file_addrs(w->inode, block),
				 w->inode->nr_addrs);
	if (!err)
		err = filemap_walk_nodes(w->ed->vol, w->inode, block,
					 walk_node, w);
	w->nodes++;
	if (!err && w->frees)
		err = edit_free_node(w->ed, w->inode->ino);
	return err;
}

/*
 * i_blocks counts the first slot of a compressed cluster until the cluster's
 * spare blocks are given back (kernel fs/f2fs/file.c).
 */
static int check_counts(const struct tree_walk *w)
{
	uint64_t n = w->nodes + w->blocks, has = w->inode->blocks;

	if (has == n || has == n + w->compressed)
		return 0;
	return ctx_fail(w->ed->vol->ctx, -EUCLEAN, "orphan %" PRIu32 " has %"
			PRIu64 " blocks, its i_blocks says %" PRIu64 ": check "
			"the volume with fsck.f2fs", w->inode->ino, n, has);
}

static int free_tree(struct edit *ed, const struct inode *inode,
		     const void *block, struct orphans_stats *st)
{
	struct tree_walk count = { .ed = ed, .inode = inode };
	struct tree_walk w = { .ed = ed, .inode = inode, .frees = true };
	int err = walk_tree(&count, block);

	if (!err)
		err = check_counts(&count);
	if (!err)
		err = walk_tree(&w, block);
	if (err)
		return err;
	ed->vol->cp.valid_blocks -= inode->blocks - w.nodes;
	st->inodes++;
	st->nodes += w.nodes;
	st->blocks += inode->blocks - w.nodes;
	return 0;
}

/*
 * A name that still leads to it would lead nowhere. A file that was made
 * without a name (O_TMPFILE) has the link it was born with until the kernel
 * writes its inode again; recover_orphan_inode() takes no heed of it.
 */
static int check_unlinked(struct volume *vol, const struct inode *inode)
{
	if (!inode->links || (inode->links == 1 && !inode->namelen))
		return 0;
	return ctx_fail(vol->ctx, -EUCLEAN, "orphan %" PRIu32 " has %" PRIu32
			" links, so it is none: check the volume with "
			"fsck.f2fs", inode->ino, inode->links);
}

int orphans_free_inode(struct edit *ed, uint32_t ino, struct orphans_stats *st)
{
	struct volume *vol = ed->vol;
	struct inode inode;
	uint8_t *block;
	int err;

	if (nat_get(&vol->nat, ino).blk == OD_BLK_NULL) {
		st->missing++;
		return 0;
	}
	block = malloc(vol->lo.block_size);
	if (!block)
		return ctx_nomem(vol->ctx, "an inode");
	err = inode_read(vol, ino, block, &inode);
	if (!err)
		err = check_unlinked(vol, &inode);
	if (!err && inode.flags & OD_FLAG_DEVICE_ALIAS)
		err = ctx_fail(vol->ctx, -EOPNOTSUPP, "orphan %" PRIu32 " is "
			       "an alias of a device: mount and unmount the "
			       "volume once", ino);
	if (!err)
		err = free_tree(ed, &inode, block, st);
	free(block);
	return err;
}

/* They lie anywhere: all are asked for before the first is read. */
static int prefetch_inodes(struct volume *vol)
{
	uint32_t *blks = malloc((vol->cp.nr_orphans + 1) * sizeof(*blks));
	size_t nr = 0;

	if (!blks)
		return ctx_nomem(vol->ctx, "the prefetch list");
	for (uint32_t i = 0; i < vol->cp.nr_orphans; i++) {
		uint32_t blk = nat_get(&vol->nat, vol->cp.orphans[i]).blk;

		if (blk_is_main(&vol->lo, blk))
			blks[nr++] = blk;
	}
	prefetch_batch(vol->dev, blks, nr, PREFETCH_GAP);
	free(blks);
	return 0;
}

int orphans_free(struct edit *ed, struct orphans_stats *st)
{
	struct checkpoint *cp = &ed->vol->cp;
	int err = cp->nr_orphans ? prefetch_inodes(ed->vol) : 0;

	for (uint32_t i = 0; !err && i < cp->nr_orphans; i++)
		err = orphans_free_inode(ed, cp->orphans[i], st);
	if (err)
		return err;
	ed->has_changed |= cp->nr_orphans != 0;
	cp->nr_orphans = 0;
	return 0;
}
