/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Directories: the slots of a dentry block or inline area, and whole ones. */
#ifndef F2CORE_TREE_DIR_H
#define F2CORE_TREE_DIR_H

#include "tree/inode.h"

/* Where bitmap, entries and names of a dentry area lie (format 6.1, 6.2). */
struct dentry_area {
	const uint8_t *bitmap;		/* lsb order */
	const struct od_dentry *entries;
	const uint8_t *names;
	uint32_t nr_slots;
};

void dentry_area_of_block(const struct layout *lo, const void *block,
			  struct dentry_area *out);
/* The inline area of an inode block; the caller proved OD_INLINE_DENTRY. */
void dentry_area_of_inode(const struct inode *inode, const void *block,
			  struct dentry_area *out);

struct dir_entry {
	uint32_t ino;
	uint32_t hash;
	uint8_t file_type;
	const uint8_t *name;		/* not terminated; in the block */
	uint16_t name_len;
	uint32_t slot;
	uint64_t lblk;			/* directory block; 0 if inline */
};

/*
 * Next entry at or after *@slot; *@slot moves behind it. 1: an entry, 0: the
 * end, -EUCLEAN: an entry whose length leaves the area or is 0 (*@slot moves
 * one on, so the scan can go on).
 */
int dentry_next(const struct dentry_area *area, uint32_t *slot,
		struct dir_entry *out);

/* Blocks that may hold entries: those below i_size; 0 if inline. */
uint64_t dir_nr_blocks(const struct layout *lo, const struct inode *inode);

typedef int dir_fn(void *priv, const struct dir_entry *e);
/*
 * All entries, "." and ".." included, in order of block and slot. Bad ones are
 * passed over, and make the result -EUCLEAN when all others were visited. A
 * value other than 0 from @fn ends the walk and is returned.
 */
int dir_iterate(struct volume *vol, const struct inode *inode,
		const void *block, dir_fn *fn, void *priv);

/*
 * ino of @name, or -ENOENT. By hash, in the buckets where the kernel looks; in
 * casefolded and encrypted directories the stored name is looked for in all
 * blocks.
 */
int dir_lookup(struct volume *vol, const struct inode *inode,
	       const void *block, const uint8_t *name, size_t len,
	       uint32_t *ino);

/* OD_FT_ of an inode's mode. */
uint8_t dir_file_type(uint16_t mode);

#endif
