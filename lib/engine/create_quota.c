/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The content of a quota file of a new volume, format vfsv1 (kernel
 * fs/quota/quota_v2.c, quota_tree.c): 1 KiB blocks; a header, four levels of
 * pointers, indexed by the bytes of the id from the highest on, and one leaf
 * with the usage of the owner of the directories.
 */
#include "config.h"

#include "engine/create_int.h"

#include <string.h>

#define QUOTA_BLOCK	1024U
#define TREE_DEPTH	4U
#define GRACE_SECONDS	604800U		/* a week, the kernel's default too */

struct quota_head {
	le32	magic;
	le32	version;
	le32	block_grace;
	le32	inode_grace;
	le32	flags;
	le32	blocks;
	le32	free_blk;
	le32	free_entry;		/* first leaf with room */
};

struct quota_leaf_head {
	le32	next_free;
	le32	prev_free;
	le16	entries;
	le16	pad1;
	le32	pad2;
};

struct quota_entry {
	le32	id;
	le32	pad;
	le64	inode_hard;
	le64	inode_soft;
	le64	inodes;
	le64	block_hard;
	le64	block_soft;
	le64	space;			/* bytes */
	le64	block_time;
	le64	inode_time;
};
static_assert(sizeof(struct quota_head) == 32, "quota_head");
static_assert(sizeof(struct quota_leaf_head) == 16, "quota_leaf_head");
static_assert(sizeof(struct quota_entry) == 72, "quota_entry");

/* Project 0 owns what no project was given to. */
static uint32_t owner(const struct format_plan *plan, int type)
{
	return type == 0 ? plan->opt.uid : type == 1 ? plan->opt.gid : 0;
}

static void fill_head(uint8_t *at, int type)
{
	static const uint32_t magic[] = { 0xd9c01f11, 0xd9c01927, 0xd9c03f14 };
	struct quota_head *head = (struct quota_head *)at;

	le32_set(&head->magic, magic[type]);
	le32_set(&head->version, 1);
	le32_set(&head->block_grace, GRACE_SECONDS);
	le32_set(&head->inode_grace, GRACE_SECONDS);
	le32_set(&head->blocks, TREE_DEPTH + 2);
	le32_set(&head->free_entry, TREE_DEPTH + 1);
}

static void fill_leaf(uint8_t *at, uint32_t id, const struct format_plan *plan)
{
	struct quota_leaf_head *head = (struct quota_leaf_head *)at;
	struct quota_entry *entry = (struct quota_entry *)(head + 1);
	unsigned int dirs = 0;

	for (unsigned int i = 0; i < plan->nr_inodes; i++)
		dirs += plan->inodes[i].quota_type < 0;
	le16_set(&head->entries, 1);
	le32_set(&entry->id, id);
	le64_set(&entry->inodes, dirs);
	le64_set(&entry->space, (uint64_t)dirs * plan->lo.block_size);
}

static void fill_part(const struct format_plan *plan, int type,
		      unsigned int part, uint8_t *at)
{
	uint32_t id = owner(plan, type);

	if (part == 0) {
		fill_head(at, type);
	} else if (part <= TREE_DEPTH) {
		uint8_t index = (uint8_t)(id >> 8 * (TREE_DEPTH - part));

		le32_set((le32 *)at + index, part + 1);
	} else if (part == TREE_DEPTH + 1) {
		fill_leaf(at, id, plan);
	}
}

void quota_fill_block(const struct format_plan *plan, int type, unsigned int i,
		      uint8_t *block)
{
	unsigned int per_block = plan->lo.block_size / QUOTA_BLOCK;

	for (unsigned int k = 0; k < per_block; k++)
		fill_part(plan, type, i * per_block + k,
			  block + k * QUOTA_BLOCK);
}
