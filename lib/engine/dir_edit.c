/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Adding, removing and replacing names. What can be refused is refused before
 * the first write; the directory's inode is written last.
 */
#include "config.h"

#include "engine/dir_edit_int.h"

#include "engine/map_edit.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

int dir_name_of_inode(const void *block, struct dir_name *out)
{
	const struct od_inode *od = block;
	uint32_t len = le32_get(od->i_namelen);
	const le32 *hash;

	if (!len || len > OD_NAME_LEN)
		return -EINVAL;
	*out = (struct dir_name){ .name = od->i_name, .len = len };
	/* Kernel fs/f2fs/dir.c, init_dent_inode(). */
	if (od->i_advise & OD_ADVISE_ENC_NAME &&
	    len + sizeof(*hash) <= OD_NAME_LEN) {
		hash = (const le32 *)(od->i_name + len);
		out->has_hash = true;
		out->hash = le32_get(*hash);
	}
	return 0;
}

/* How the link count changes for a child of @type that comes or goes. */
static int links_of(const struct dir_work *w, uint8_t type)
{
	return type == OD_FT_DIR && !w->is_dots;
}

static int prove_links(const struct dir_work *w, int by)
{
	uint32_t links = w->inode.links;

	if (by > 0 && links == UINT32_MAX)
		return ctx_fail(w->ed->vol->ctx, -EMLINK, "directory %" PRIu32
				" cannot hold another directory",
				w->inode.ino);
	if (by < 0 && links <= 2)
		return ctx_fail(w->ed->vol->ctx, -EUCLEAN, "directory %" PRIu32
				" has %" PRIu32 " links, though it holds a "
				"directory: check the volume with fsck.f2fs",
				w->inode.ino, links);
	return 0;
}

/* The change is done: links and times, and the inode is written. */
static int finish(struct dir_work *w, int links_by,
		  const struct inode_time *now)
{
	struct od_inode *od = (struct od_inode *)w->block;

	le32_set(&od->i_links, w->inode.links + (uint32_t)links_by);
	if (now) {
		le64_set(&od->i_mtime, (uint64_t)now->sec);
		le64_set(&od->i_ctime, (uint64_t)now->sec);
		le32_set(&od->i_mtime_nsec, now->nsec);
		le32_set(&od->i_ctime_nsec, now->nsec);
	}
	return edit_write_node(w->ed, w->inode.ino, w->block);
}

int dir_edit_lookup(struct edit *ed, uint32_t dir, const struct dir_name *name,
		    struct dir_found *out)
{
	struct dir_work w;
	int err;

	err = dirw_open(&w, ed, dir, name);
	if (!err)
		err = dirw_find(&w);
	if (!err && !w.is_found)
		err = -ENOENT;
	if (!err)
		*out = (struct dir_found){
			.ino = w.entry.ino,
			.file_type = w.entry.file_type,
			.lblk = w.entry.lblk,
			.slot = w.entry.slot,
		};
	dirw_close(&w);
	return err;
}

static int prove_name(const struct dir_work *w)
{
	const struct dir_name *n = w->name;
	bool is_plain = !(w->inode.advise & OD_ADVISE_ENCRYPT);

	if (w->is_dots || (is_plain && (memchr(n->name, '/', n->len) ||
					memchr(n->name, 0, n->len))))
		return ctx_fail(w->ed->vol->ctx, -EINVAL, "directory %" PRIu32
				" cannot get such a name", w->inode.ino);
	if (!w->has_hash)
		return ctx_fail(w->ed->vol->ctx, -EOPNOTSUPP, "directory %"
				PRIu32 " folds the case of names%s, and how "
				"this one is hashed is not known here",
				w->inode.ino, is_plain ? "" : " and encrypts "
				"them");
	return 0;
}

static int prove_child(const struct dir_work *w, uint32_t ino, uint8_t type)
{
	if (ino >= OD_ROOT_INO && ino < w->ed->vol->lo.nr_nids &&
	    type < OD_FT_MAX)
		return 0;
	return ctx_fail(w->ed->vol->ctx, -EINVAL, "directory %" PRIu32
			" cannot name inode %" PRIu32 " of type %u",
			w->inode.ino, ino, type);
}

/* False if there is no room; kernel f2fs_add_inline_entry(). */
static bool put_inline(struct dir_work *w, struct dir_entry *e)
{
	struct dentry_area area;

	dirw_area(w, &area);
	e->slot = dentry_room(&area, dentry_slots(e->name_len));
	if (e->slot >= area.nr_slots)
		return false;
	dentry_put(&area, e);
	le32_set(&((struct od_inode *)w->block)->i_current_depth, 0);
	return true;
}

static int put(struct dir_work *w, struct dir_entry *e)
{
	uint32_t level = w->room_level;
	int err;

	if (dirw_is_inline(w)) {
		if (put_inline(w, e))
			return 0;
		level = 0;
		err = dirw_leave_inode(w);
		if (err)
			return err;
	}
	return dirw_put(w, e, level);
}

int dir_edit_add(struct edit *ed, uint32_t dir, const struct dir_name *name,
		 uint32_t ino, uint8_t file_type, const struct inode_time *now)
{
	struct dir_work w;
	struct dir_entry e = {
		.ino = ino,
		.file_type = file_type,
		.name = name->name,
		.name_len = (uint16_t)name->len,
	};
	int links, err;

	err = dirw_open(&w, ed, dir, name);
	links = links_of(&w, file_type);
	if (!err)
		err = prove_name(&w);
	if (!err)
		err = prove_child(&w, ino, file_type);
	if (!err)
		err = prove_links(&w, links);
	if (!err)
		err = dirw_find(&w);
	if (!err && w.is_found)
		err = -EEXIST;
	e.hash = w.hash;
	if (!err)
		err = put(&w, &e);
	if (!err)
		err = finish(&w, links, now);
	dirw_close(&w);
	return err;
}

/* Write the area that was changed, or free the block that is empty now. */
static int store(struct dir_work *w)
{
	struct dentry_area area;
	struct file_slot slot;
	int err;

	if (dirw_is_inline(w))
		return 0;
	dirw_area(w, &area);
	err = map_edit_slot(w->ed, w->inode.ino, w->entry.lblk, &slot);
	if (!err)
		err = dentry_area_is_empty(&area) ?
			map_edit_drop(w->ed, &slot) :
			map_edit_write(w->ed, &slot, LOG_HOT_DATA, w->buf);
	return err ? err : dirw_reload(w);
}

int dir_edit_remove(struct edit *ed, uint32_t dir, const struct dir_name *name,
		    const struct inode_time *now)
{
	struct dentry_area area;
	struct dir_work w;
	int links = 0, err;

	err = dirw_open(&w, ed, dir, name);
	if (!err && w.is_dots)
		err = ctx_fail(ed->vol->ctx, -EINVAL, "directory %" PRIu32
			       " cannot be without \".\" and \"..\"", dir);
	if (!err)
		err = dirw_find(&w);
	if (!err && !w.is_found)
		err = -ENOENT;
	if (!err) {
		links = -links_of(&w, w.entry.file_type);
		err = prove_links(&w, links);
	}
	if (!err) {
		dirw_area(&w, &area);
		dentry_clear(&area, &w.entry);
		err = store(&w);
	}
	if (!err)
		err = finish(&w, links, now);
	dirw_close(&w);
	return err;
}

int dir_edit_replace(struct edit *ed, uint32_t dir, const struct dir_name *name,
		     uint32_t ino, uint8_t file_type,
		     const struct inode_time *now)
{
	struct dentry_area area;
	struct dir_work w;
	int links = 0, err;

	err = dirw_open(&w, ed, dir, name);
	if (!err)
		err = prove_child(&w, ino, file_type);
	if (!err)
		err = dirw_find(&w);
	if (!err && !w.is_found)
		err = -ENOENT;
	if (!err) {
		links = links_of(&w, file_type) -
			links_of(&w, w.entry.file_type);
		err = prove_links(&w, links);
	}
	if (!err) {
		w.entry.ino = ino;
		w.entry.file_type = file_type;
		dirw_area(&w, &area);
		dentry_set_ino(&area, &w.entry);
		err = store(&w);
	}
	if (!err)
		err = finish(&w, links, now);
	dirw_close(&w);
	return err;
}
