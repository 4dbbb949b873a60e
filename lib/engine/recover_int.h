/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of roll-forward share. */
#ifndef F2CORE_ENGINE_RECOVER_INT_H
#define F2CORE_ENGINE_RECOVER_INT_H

#include "engine/dir_edit.h"
#include "engine/map_edit.h"
#include "engine/recover.h"
#include "tree/inode.h"
#include "tree/pending.h"

struct ino_vec VEC_BODY(uint32_t);

struct recover {
	struct edit *ed;
	struct volume *vol;
	struct recover_stats *st;
	struct pending chain;
	struct blk_window window;	/* for the nodes of the chain */
	struct ino_vec dead;		/* lost their last name: freed at the end */
	struct inode_time now;

	/* The inode that is worked on, and a node of it; both write-through. */
	struct inode inode;
	uint8_t *iblock;
	uint8_t *node;
};

static inline struct od_inode *od_of(const uint8_t *block)
{
	return (struct od_inode *)(uintptr_t)block;
}

/*
 * Who holds the address of the valid block @blk, by its summary, if the slot
 * really has it: 1, 0 if nobody could be found, or an error.
 */
int recover_owner(struct recover *r, uint32_t blk, struct file_slot *out);

/*
 * Prove every node of the chain that will be replayed, cut the chain where
 * one is no good, and withhold what must not be written over.
 */
int recover_check(struct recover *r);

/* Load the inode of @i, or make it; r->inode and r->iblock. And write it. */
int recover_load_inode(struct recover *r, const struct pending_inode *i);
int recover_store_inode(struct recover *r);

/* The fields of an inode of the chain, its inline xattrs and its content. */
int recover_inode_fields(struct recover *r, const uint8_t *from);
int recover_inline_data(struct recover *r, const uint8_t *from);
int recover_xattr_node(struct recover *r, const uint8_t *from);

/* The name in the inode @from, for r->inode. */
int recover_dentry(struct recover *r, const uint8_t *from);
/* Free what lost its last name. */
int recover_free_dead(struct recover *r);

/* The addresses of @from, a direct node or an inode of offset @ofs. */
int recover_slots(struct recover *r, const uint8_t *from, uint32_t ofs);
/* Drop what slots[0 .. nr) of r->inode have, and make them holes. */
int recover_drop_slots(struct recover *r, le32 *addrs, uint32_t nr);
void recover_count_blocks(struct recover *r, int64_t by);

#endif
