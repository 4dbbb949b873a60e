/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From a file block down to its slot, making nodes. A child is written before
 * the parent that names it, the inode last: what is read in between is sound.
 */
#include "config.h"

#include "engine/map_edit.h"

#include "tree/filemap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The inode and a node below it, each in a block. */
struct map_work {
	struct edit *ed;
	struct inode inode;
	uint8_t *block;			/* the inode's */
	uint8_t *node;			/* one on the way, then the holder */
	uint8_t *child;
	bool is_dirty;			/* the inode */
};

static int map_open(struct map_work *w, struct edit *ed, uint32_t ino)
{
	struct volume *vol = ed->vol;
	int err;

	*w = (struct map_work){ .ed = ed };
	w->block = malloc(3 * (size_t)vol->lo.block_size);
	if (!w->block)
		return ctx_nomem(vol->ctx, "node blocks");
	w->node = w->block + vol->lo.block_size;
	w->child = w->node + vol->lo.block_size;
	err = inode_read(vol, ino, w->block, &w->inode);
	if (err == -ENOENT)
		err = ctx_fail(vol->ctx, -EUCLEAN, "inode %" PRIu32
			       " is to be changed, but its nid is free", ino);
	return err;
}

static int map_close(struct map_work *w, int err)
{
	if (!err && w->is_dirty)
		err = edit_write_node(w->ed, w->inode.ino, w->block);
	free(w->block);
	return err;
}

static int change_blocks(struct map_work *w, int by)
{
	uint64_t n = w->inode.blocks + (uint64_t)(int64_t)by;

	/* The inode itself is one. */
	if (!w->inode.blocks || (by < 0 && !n) || (by > 0 && !(n + 1)))
		return ctx_fail(w->ed->vol->ctx, -EUCLEAN, "inode %" PRIu32
				": its i_blocks is %" PRIu64 ", which cannot "
				"change by %d", w->inode.ino, w->inode.blocks,
				by);
	w->inode.blocks = n;
	le64_set(&((struct od_inode *)w->block)->i_blocks, n);
	w->is_dirty = true;
	return 0;
}

/* A mount refuses a volume with more valid blocks than users may have. */
static int need_room(struct edit *ed)
{
	const struct volume *vol = ed->vol;

	if (vol->cp.valid_blocks < vol->cp.user_blocks)
		return 0;
	return ctx_fail(vol->ctx, -ENOSPC, "%s: all of its %" PRIu64
			" blocks are in use", vol->dev->name,
			vol->cp.user_blocks);
}

/* An empty node for offset @ofs, in w->child. */
static int make_child(struct map_work *w, uint32_t ofs, uint32_t *nid)
{
	const struct layout *lo = &w->ed->vol->lo;
	struct od_node_foot *foot = node_foot(lo, w->child);
	uint32_t flag = ofs << OD_FOOT_OFS_SHIFT;
	int err = need_room(w->ed);

	if (!err)
		err = edit_new_nid(w->ed, nid);
	if (err)
		return err;
	if (!inode_is_dir(&w->inode))
		flag |= OD_FOOT_COLD;
	memset(w->child, 0, lo->block_size);
	le32_set(&foot->nid, *nid);
	le32_set(&foot->ino, w->inode.ino);
	le32_set(&foot->flag, flag);
	err = edit_write_node(w->ed, *nid, w->child);
	return err ? err : change_blocks(w, 1);
}

/* To the child in @slot of the node that is in w->node, or of the inode. */
static int step_down(struct map_work *w, uint32_t *at, uint32_t *ofs,
		     uint32_t slot)
{
	const struct layout *lo = &w->ed->vol->lo;
	bool is_top = *at == w->inode.ino;
	le32 *nids = is_top ? inode_nids(lo, w->block) : node_slots(w->node);
	uint32_t nid = le32_get(nids[slot]);
	uint8_t *parent = w->node;
	int err;

	*ofs = node_child_ofs(lo, *ofs, slot);
	if (nid) {
		err = node_read_child(w->ed->vol, nid, w->inode.ino, *ofs,
				      w->child);
	} else {
		err = make_child(w, *ofs, &nid);
		if (err)
			return err;
		le32_set(&nids[slot], nid);
		if (!is_top)
			err = edit_write_node(w->ed, *at, parent);
	}
	w->node = w->child;
	w->child = parent;
	*at = nid;
	return err;
}

static int find_slot(struct map_work *w, uint64_t lblk, struct file_slot *out)
{
	struct volume *vol = w->ed->vol;
	uint32_t nid = w->inode.ino, ofs = 0;
	const le32 *addrs;
	struct filemap_path p;

	if (!inode_has_blocks(&w->inode))
		return ctx_fail(vol->ctx, -EINVAL, "inode %" PRIu32
				" has no addresses of blocks", w->inode.ino);
	if (!filemap_find_path(&vol->lo, &w->inode, lblk, &p))
		return ctx_fail(vol->ctx, -EFBIG, "inode %" PRIu32 ": block %"
				PRIu64 " is past the largest file",
				w->inode.ino, lblk);
	for (unsigned int i = 0; i < p.depth; i++) {
		int err = step_down(w, &nid, &ofs, p.slot[i]);

		if (err)
			return err;
	}
	addrs = p.depth ? node_slots(w->node) :
			  inode_file_addrs(&w->inode, w->block);
	*out = (struct file_slot){
		.ino = w->inode.ino,
		.lblk = lblk,
		.nid = nid,
		.ofs = p.slot[p.depth],
		.blk = le32_get(addrs[p.slot[p.depth]]),
	};
	return 0;
}

int map_edit_slot(struct edit *ed, uint32_t ino, uint64_t lblk,
		  struct file_slot *out)
{
	struct file_slot slot;
	struct map_work w;
	int err;

	err = map_open(&w, ed, ino);
	if (!err)
		err = find_slot(&w, lblk, &slot);
	err = map_close(&w, err);
	if (!err)
		*out = slot;
	return err;
}

/* The kernel believes i_ext without a look at the slots. */
static void drop_extent_hint(struct map_work *w, uint64_t lblk)
{
	const struct inode *i = &w->inode;

	if (!i->ext_len || lblk < i->ext_lblk ||
	    lblk - i->ext_lblk >= i->ext_len)
		return;
	memset(&((struct od_inode *)w->block)->i_ext, 0,
	       sizeof(struct od_extent));
	w->is_dirty = true;
}

static int set_in_inode(struct map_work *w, const struct file_slot *slot,
			uint32_t blk)
{
	assert(slot->ofs < w->inode.nr_addrs);
	le32_set(&inode_file_addrs(&w->inode, w->block)[slot->ofs], blk);
	w->is_dirty = true;
	return 0;
}

static int set_in_node(struct map_work *w, const struct file_slot *slot,
		       uint32_t blk)
{
	int err = node_read(w->ed->vol, slot->nid, w->node);

	assert(slot->ofs < w->inode.node_addrs);
	if (err)
		return err;
	le32_set(&node_slots(w->node)[slot->ofs], blk);
	return edit_write_node(w->ed, slot->nid, w->node);
}

int map_edit_set(struct edit *ed, struct file_slot *slot, uint32_t blk)
{
	bool was_hole = slot->blk == OD_BLK_NULL;
	bool is_hole = blk == OD_BLK_NULL;
	struct map_work w;
	int err;

	if (blk == slot->blk)
		return 0;
	err = map_open(&w, ed, slot->ino);
	if (!err && was_hole != is_hole)
		err = change_blocks(&w, is_hole ? -1 : 1);
	if (!err) {
		drop_extent_hint(&w, slot->lblk);
		err = slot->nid == slot->ino ? set_in_inode(&w, slot, blk) :
					       set_in_node(&w, slot, blk);
	}
	err = map_close(&w, err);
	if (!err)
		slot->blk = blk;
	return err;
}

/*
 * That the block which is freed with the slot is the slot's own: another file
 * would lose it. What this edit wrote is.
 */
static int prove_owned(struct edit *ed, const struct file_slot *slot)
{
	struct volume *vol = ed->vol;
	struct sum_entry owner;
	int err;

	if (!blk_is_real(slot->blk) || map_get(&ed->placed, slot->blk, NULL))
		return 0;
	if (!blk_is_main(&vol->lo, slot->blk))
		return ctx_fail(vol->ctx, -EUCLEAN, "inode %" PRIu32
				": file block %" PRIu64 " is at block %" PRIu32
				", outside the main area", slot->ino,
				slot->lblk, slot->blk);
	err = edit_owner(ed, slot->blk, &owner);
	if (err || (owner.nid == slot->nid && owner.ofs == slot->ofs))
		return err;
	return ctx_fail(vol->ctx, -EUCLEAN, "inode %" PRIu32 ": file block %"
			PRIu64 " is at block %" PRIu32 ", which belongs to "
			"node %" PRIu32 " by its summary: check the volume "
			"with fsck.f2fs", slot->ino, slot->lblk, slot->blk,
			owner.nid);
}

int map_edit_write(struct edit *ed, struct file_slot *slot, uint8_t type,
		   const void *block)
{
	struct sum_entry owner = {
		.nid = slot->nid,
		.version = nat_get(&ed->vol->nat, slot->nid).version,
		.ofs = (uint16_t)slot->ofs,
	};
	uint32_t blk;
	int err = prove_owned(ed, slot);

	if (!err && slot->blk == OD_BLK_NULL)
		err = need_room(ed);
	if (!err)
		err = edit_write_data(ed, slot->blk, type, owner, block, &blk);
	return err ? err : map_edit_set(ed, slot, blk);
}

int map_edit_drop(struct edit *ed, struct file_slot *slot)
{
	int err = prove_owned(ed, slot);

	if (!err)
		err = edit_drop_block(ed, slot->blk);
	return err ? err : map_edit_set(ed, slot, OD_BLK_NULL);
}
