/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The hidden quota files that the superblock names, format vfsv1 (format 6.8;
 * kernel fs/quota/quota_tree.c, quota_v2.c): read whole into memory and proved,
 * so that those who walk or change the tree need no checks of their own.
 */
#ifndef F2CORE_TREE_QUOTA_H
#define F2CORE_TREE_QUOTA_H

#include "tree/inode.h"

/* A file that is larger is not loaded; such a one has 450,000 ids. */
#define QUOTA_MAX_BYTES (32U << 20)
#define QUOTA_SLOTS	(OD_QUOTA_BLOCK / 4)

struct quota_file {
	unsigned int type;		/* of OD_QUOTA_TYPES */
	uint32_t ino;
	uint32_t nr;			/* quota blocks in use */
	uint32_t room;			/* quota blocks in data, rest zeros */
	uint8_t *data;
};

/* The quota file's inode, 0 if the volume has none of this type. */
uint32_t quota_ino(const struct volume *vol, unsigned int type);
bool quota_has_files(const struct volume *vol);
bool quota_is_ino(const struct volume *vol, uint32_t ino);
/* "users", "groups" or "projects". */
const char *quota_type_name(unsigned int type);

/*
 * Load the file of @type, which exists. -EUCLEAN with a message: it is no
 * sound quota file. Every pointer lies in the file, each block is one of the
 * tree, a leaf or free, no entry is without a way to it, the lists are whole.
 */
int quota_load(struct volume *vol, unsigned int type, struct quota_file *out);
void quota_free(struct quota_file *q);

static inline void *quota_block(const struct quota_file *q, uint32_t n)
{
	return q->data + (size_t)n * OD_QUOTA_BLOCK;
}

static inline struct od_quota_head *quota_head(const struct quota_file *q)
{
	return quota_block(q, 0);
}

static inline struct od_quota_entry *quota_entries(struct od_quota_leaf *leaf)
{
	return (struct od_quota_entry *)(leaf + 1);
}

/* The slot of @id in a block at @depth, 0 being the root's. */
static inline unsigned int quota_slot(uint32_t id, unsigned int depth)
{
	return id >> 8 * (OD_QUOTA_DEPTH - 1 - depth) & 0xff;
}

/* An entry of a leaf that is not in use is all zeros. */
bool quota_entry_is_used(const struct od_quota_entry *e);
/* The entry of @id in a leaf, or NULL. */
struct od_quota_entry *quota_find_in_leaf(struct od_quota_leaf *leaf,
					  uint32_t id);

/* All entries in order of id: start with a zeroed position, until NULL. */
struct quota_pos {
	uint32_t blk[OD_QUOTA_DEPTH];
	uint32_t next[OD_QUOTA_DEPTH];	/* slot */
	unsigned int depth;
};
struct od_quota_entry *quota_next(const struct quota_file *q,
				  struct quota_pos *pos, uint32_t *id);

#endif
