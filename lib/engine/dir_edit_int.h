/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A change to one directory while it is made (dir_edit.c, dir_edit_*.c). */
#ifndef F2CORE_ENGINE_DIR_EDIT_INT_H
#define F2CORE_ENGINE_DIR_EDIT_INT_H

#include "engine/dentry_edit.h"
#include "engine/dir_edit.h"

#define DIR_MAX_LEVELS	63U		/* kernel MAX_DIR_HASH_DEPTH */

struct dir_work {
	struct edit *ed;
	const struct dir_name *name;
	struct inode inode;		/* of the directory, as it is now */
	uint8_t *block;			/* its block */
	uint8_t *buf;			/* the directory block at hand */

	bool has_hash;
	uint32_t hash;
	bool is_dots;			/* the name is "." or ".." */

	/* Set by dirw_find(). */
	bool is_found;
	struct dir_entry entry;		/* if so: in buf, or in block if inline */
	uint32_t room_level;		/* first with room in the name's bucket */
};

/* Read the directory, prove its numbers, and hash the name. */
int dirw_open(struct dir_work *w, struct edit *ed, uint32_t dir,
	     const struct dir_name *name);
void dirw_close(struct dir_work *w);
/* Read its inode again, which map_edit changed. */
int dirw_reload(struct dir_work *w);

static inline bool dirw_is_inline(const struct dir_work *w)
{
	return w->inode.inl & OD_INLINE_DENTRY;
}

/* The area that the found entry, or an inline one, is in. */
void dirw_area(const struct dir_work *w, struct dentry_area *out);

/* Look for the name: where the kernel looks, or everywhere without a hash. */
int dirw_find(struct dir_work *w);

/*
 * Put @e (slot and lblk are set here) into the first room of its bucket from
 * @level on, and let the directory's size and depth follow.
 */
int dirw_put(struct dir_work *w, struct dir_entry *e, uint32_t level);

/* From entries in the inode to blocks; dirw_put() is to follow. */
int dirw_leave_inode(struct dir_work *w);

#endif
