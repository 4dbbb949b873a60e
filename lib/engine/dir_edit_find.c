/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finding a name in a directory that is about to change, and in the same pass
 * where it would go. No field of the directory is believed unseen: levels are
 * bounded, blocks and nodes are proved as they are read.
 */
#include "config.h"

#include "engine/dir_edit_int.h"

#include "format/fold.h"
#include "format/hash.h"
#include "tree/filemap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int bad_dir(const struct dir_work *w, const char *field, uint64_t found)
{
	return ctx_fail(w->ed->vol->ctx, -EUCLEAN, "directory %" PRIu32
			": %s is %" PRIu64 ", which cannot be: check the "
			"volume with fsck.f2fs", w->inode.ino, field, found);
}

static int prove(const struct dir_work *w)
{
	const struct inode *i = &w->inode;

	if (!inode_is_dir(i))
		return ctx_fail(w->ed->vol->ctx, -ENOTDIR, "inode %" PRIu32
				" is not a directory", i->ino);
	if (i->inl & OD_INLINE_DATA)
		return bad_dir(w, "i_inline", i->inl);
	if (i->current_depth > DIR_MAX_LEVELS)
		return bad_dir(w, "i_current_depth", i->current_depth);
	if (i->dir_level > DIR_MAX_LEVELS)
		return bad_dir(w, "i_dir_level", i->dir_level);
	/* What was removed already has none. */
	if (!i->size)
		return bad_dir(w, "i_size", i->size);
	return 0;
}

int dirw_reload(struct dir_work *w)
{
	uint32_t ino = w->inode.ino;

	return inode_read(w->ed->vol, ino, w->block, &w->inode);
}

/*
 * As the kernel hashes it (fs/f2fs/hash.c, f2fs_hash_filename()). In encrypted
 * and casefolded directories that takes a key.
 */
static void hash_name(struct dir_work *w)
{
	const struct dir_name *n = w->name;
	uint8_t folded[OD_NAME_LEN];
	size_t len;

	w->has_hash = true;
	w->is_dots = n->name[0] == '.' &&
		     (n->len == 1 || (n->len == 2 && n->name[1] == '.'));
	w->hash = 0;
	if (w->is_dots)
		return;
	if (!(w->inode.flags & OD_FLAG_CASEFOLD)) {
		w->hash = dentry_hash(n->name, n->len);
	} else if (!(w->inode.advise & OD_ADVISE_ENCRYPT) &&
		   !name_fold(n->name, n->len, folded, &len)) {
		w->hash = dentry_hash(folded, len);
	} else {
		w->has_hash = n->has_hash;
		w->hash = n->hash;
	}
}

int dirw_open(struct dir_work *w, struct edit *ed, uint32_t dir,
	     const struct dir_name *name)
{
	struct volume *vol = ed->vol;
	int err;

	*w = (struct dir_work){ .ed = ed, .name = name };
	if (!name->len || name->len > OD_NAME_LEN)
		return ctx_fail(vol->ctx, -EINVAL, "a name of %zu bytes in "
				"directory %" PRIu32, name->len, dir);
	w->block = malloc(2 * (size_t)vol->lo.block_size);
	if (!w->block)
		return ctx_nomem(vol->ctx, "a directory");
	w->buf = w->block + vol->lo.block_size;
	err = inode_read(vol, dir, w->block, &w->inode);
	if (err == -ENOENT)
		return ctx_fail(vol->ctx, -ENOTDIR, "there is no inode %"
				PRIu32 " to be a directory", dir);
	if (!err)
		err = prove(w);
	if (!err)
		hash_name(w);
	return err;
}

void dirw_close(struct dir_work *w)
{
	free(w->block);
}

void dirw_area(const struct dir_work *w, struct dentry_area *out)
{
	if (dirw_is_inline(w))
		dentry_area_of_inode(&w->inode, w->block, out);
	else
		dentry_area_of_block(&w->ed->vol->lo, w->buf, out);
}

static bool find_in_area(struct dir_work *w)
{
	struct dentry_area area;

	dirw_area(w, &area);
	w->is_found = dentry_find(&area, w->name->name, w->name->len,
				  w->has_hash ? &w->hash : NULL, &w->entry);
	return w->is_found;
}

static bool has_room(const struct dir_work *w)
{
	struct dentry_area area;

	dirw_area(w, &area);
	return dentry_room(&area, dentry_slots(w->name->len)) < area.nr_slots;
}

/* The kernel looks at these blocks wherever i_size is. */
static int find_in_bucket(struct dir_work *w, unsigned int level)
{
	uint8_t by = w->inode.dir_level;
	uint64_t first = dir_bucket_lblk(level, by, w->hash %
					 dir_nr_buckets(level, by));
	bool none_yet = w->room_level == level;

	for (uint32_t i = 0; i < dir_bucket_blks(level); i++) {
		int err = filemap_read(w->ed->vol, &w->inode, w->block,
				       first + i, w->buf);

		if (err)
			return err;
		if (find_in_area(w)) {
			w->entry.lblk = first + i;
			return 0;
		}
		if (none_yet && has_room(w))
			none_yet = false;
	}
	w->room_level += none_yet;
	return 0;
}

static int is_name(void *priv, const struct dir_entry *e)
{
	struct dir_work *w = priv;

	if (e->name_len != w->name->len ||
	    memcmp(e->name, w->name->name, e->name_len))
		return 0;
	w->entry = *e;
	return 1;
}

/* Without its hash the name may be in any block. */
static int find_anywhere(struct dir_work *w)
{
	struct volume *vol = w->ed->vol;
	int ret = dir_iterate(vol, &w->inode, w->block, is_name, w);
	uint64_t lblk = w->entry.lblk;

	if (ret <= 0)
		return ret;
	ret = filemap_read(vol, &w->inode, w->block, lblk, w->buf);
	if (ret)
		return ret;
	if (!find_in_area(w))
		return bad_dir(w, "a block that was read twice", lblk);
	w->entry.lblk = lblk;
	return 0;
}

int dirw_find(struct dir_work *w)
{
	int err = 0;

	w->is_found = false;
	w->room_level = 0;
	if (dirw_is_inline(w)) {
		find_in_area(w);
		return 0;
	}
	if (!w->has_hash)
		return find_anywhere(w);
	for (unsigned int level = 0; !err && !w->is_found &&
	     level < w->inode.current_depth; level++)
		err = find_in_bucket(w, level);
	return err;
}
