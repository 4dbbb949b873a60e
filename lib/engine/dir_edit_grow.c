/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Putting entries into the blocks of a directory, which gets new levels as its
 * buckets fill, and leaving the inode when its area is full.
 */
#include "config.h"

#include "engine/dir_edit_int.h"

#include "engine/map_edit.h"
#include "format/hash.h"
#include "tree/filemap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The block is in w->buf then. Kernel f2fs_add_regular_entry(). */
static int find_room(struct dir_work *w, struct dir_entry *e, uint32_t *level)
{
	uint32_t nr = dentry_slots(e->name_len);
	uint8_t by = w->inode.dir_level;
	struct dentry_area area;

	for (; *level < DIR_MAX_LEVELS; ++*level) {
		uint64_t first = dir_bucket_lblk(*level, by, e->hash %
						 dir_nr_buckets(*level, by));

		for (uint32_t i = 0; i < dir_bucket_blks(*level); i++) {
			int err = filemap_read(w->ed->vol, &w->inode,
					       w->block, first + i, w->buf);

			if (err)
				return err;
			dirw_area(w, &area);
			e->slot = dentry_room(&area, nr);
			e->lblk = first + i;
			if (e->slot < area.nr_slots)
				return 0;
		}
	}
	return ctx_fail(w->ed->vol->ctx, -ENOSPC, "directory %" PRIu32
			" has no more room for names of one hash",
			w->inode.ino);
}

/* Write w->buf as block @lblk, and see what became of the inode. */
static int write_block(struct dir_work *w, uint64_t lblk)
{
	struct file_slot slot;
	int err;

	err = map_edit_slot(w->ed, w->inode.ino, lblk, &slot);
	if (!err)
		err = map_edit_write(w->ed, &slot, LOG_HOT_DATA, w->buf);
	return err ? err : dirw_reload(w);
}

int dirw_put(struct dir_work *w, struct dir_entry *e, uint32_t level)
{
	struct od_inode *od = (struct od_inode *)w->block;
	uint64_t end;
	struct dentry_area area;
	int err;

	err = find_room(w, e, &level);
	if (err)
		return err;
	dirw_area(w, &area);
	dentry_put(&area, e);
	err = write_block(w, e->lblk);
	if (err)
		return err;
	end = (e->lblk + 1) * w->ed->vol->lo.block_size;
	if (w->inode.size >= end && w->inode.current_depth > level)
		return 0;
	if (w->inode.size < end)
		le64_set(&od->i_size, end);
	if (w->inode.current_depth <= level)
		le32_set(&od->i_current_depth, level + 1);
	err = edit_write_node(w->ed, w->inode.ino, w->block);
	return err ? err : dirw_reload(w);
}

/* What an inline directory keeps at zero becomes addresses and nids. */
static int prove_unmapped(const struct dir_work *w)
{
	const struct layout *lo = &w->ed->vol->lo;
	const le32 *nids = inode_nids(lo, w->block);
	bool is_mapped = le32_get(*inode_file_addrs(&w->inode, w->block)) != 0;

	for (int i = 0; i < 5; i++)
		is_mapped |= le32_get(nids[i]) != 0;
	if (!is_mapped)
		return 0;
	return ctx_fail(w->ed->vol->ctx, -EUCLEAN, "directory %" PRIu32
			" has its entries in the inode, and blocks as well: "
			"check the volume with fsck.f2fs", w->inode.ino);
}

/*
 * The inode without entries. Without inline xattrs the room that an inline
 * directory leaves for them turns into addresses (kernel fs/f2fs/inline.c,
 * f2fs_move_inline_dirents()).
 */
static int empty_inode(struct dir_work *w)
{
	struct od_inode *od = (struct od_inode *)w->block;
	struct fault fault;
	int err;

	od->i_inline &= (uint8_t)~(OD_INLINE_DENTRY | OD_INLINE_DATA_EXIST);
	le32_set(&od->i_current_depth, 0);
	err = inode_decode(&w->ed->vol->lo, w->block, &w->inode, &fault);
	if (err)
		return ctx_fail(w->ed->vol->ctx, err, "inode %" PRIu32
				": %s is %" PRIu64, w->inode.ino, fault.field,
				fault.found);
	memset(inode_file_addrs(&w->inode, w->block), 0,
	       (size_t)w->inode.nr_addrs * sizeof(le32));
	err = edit_write_node(w->ed, w->inode.ino, w->block);
	return err ? err : dirw_reload(w);
}

/*
 * Level 0 of one bucket: the slots stay as they are, in one block. Depth and
 * size follow with the entry that had no room.
 */
static int move_slots(struct dir_work *w, const struct dentry_area *from)
{
	struct dentry_area to;

	memset(w->buf, 0, w->ed->vol->lo.block_size);
	dirw_area(w, &to);
	assert(from->nr_slots <= to.nr_slots);
	memcpy(w->buf, from->bitmap, (from->nr_slots + 7) / 8);
	memcpy((uint8_t *)(uintptr_t)to.entries, from->entries,
	       from->nr_slots * sizeof(struct od_dentry));
	memcpy((uint8_t *)(uintptr_t)to.names, from->names,
	       (size_t)from->nr_slots * OD_SLOT_LEN);
	return write_block(w, 0);
}

/* Several buckets: each entry goes where its hash says. */
static int spread_slots(struct dir_work *w, const struct dentry_area *from)
{
	struct dir_entry e;
	uint32_t slot = 0;
	int err = 0;

	while (!err && (err = dentry_next(from, &slot, &e)) == 1)
		err = dirw_put(w, &e, 0);
	if (err == -EUCLEAN)
		return ctx_fail(w->ed->vol->ctx, err, "directory %" PRIu32
				": its entries cannot be moved out of the "
				"inode: check the volume with fsck.f2fs",
				w->inode.ino);
	return err;
}

int dirw_leave_inode(struct dir_work *w)
{
	uint32_t size = w->ed->vol->lo.block_size;
	struct dentry_area from;
	uint8_t *old;
	int err;

	err = prove_unmapped(w);
	if (err)
		return err;
	old = malloc(size);
	if (!old)
		return ctx_nomem(w->ed->vol->ctx, "a directory");
	memcpy(old, w->block, size);
	dentry_area_of_inode(&w->inode, old, &from);
	err = empty_inode(w);
	if (!err)
		err = w->inode.dir_level ? spread_slots(w, &from) :
					   move_slots(w, &from);
	free(old);
	return err;
}
