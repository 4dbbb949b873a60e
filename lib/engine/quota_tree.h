/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Changing a quota file in memory, as the kernel does it (fs/quota/
 * quota_tree.c): entries come and go, blocks of the tree with them, what
 * becomes free is in lists. Which blocks changed is kept.
 */
#ifndef F2CORE_ENGINE_QUOTA_TREE_H
#define F2CORE_ENGINE_QUOTA_TREE_H

#include "tree/quota.h"

struct quota_tree {
	struct quota_file q;		/* as loaded, owned */
	uint8_t *dirty;			/* lsb bitmap, q.room bits */
	uint32_t per_blk;		/* quota blocks in one of the volume */
	uint32_t nr_blks_had;		/* blocks of the volume, when loaded */
};

/* Takes over @q, of a volume with blocks of @block_size. 0 or -ENOMEM. */
int quota_tree_init(struct quota_tree *t, struct quota_file *q,
		    uint32_t block_size);
void quota_tree_free(struct quota_tree *t);

/* An entry was changed, which remains in use. */
void quota_tree_touch(struct quota_tree *t, const struct od_quota_entry *e);

/* A new entry, not all zeros, whose id the tree does not have. 0, -ENOMEM. */
int quota_tree_insert(struct quota_tree *t, const struct od_quota_entry *e);

/* Drop the entry of an id that the tree has. */
void quota_tree_remove(struct quota_tree *t, uint32_t id);

/* Blocks of the volume that the file takes now; whether one has changed. */
uint32_t quota_tree_blks(const struct quota_tree *t);
bool quota_tree_blk_is_dirty(const struct quota_tree *t, uint32_t lblk);

#endif
