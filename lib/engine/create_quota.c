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

#define GRACE_SECONDS	604800U		/* a week, the kernel's default too */

/* Project 0 owns what no project was given to. */
static uint32_t owner(const struct format_plan *plan, int type)
{
	return type == 0 ? plan->opt.uid : type == 1 ? plan->opt.gid : 0;
}

static void fill_head(uint8_t *at, int type)
{
	static const uint32_t magic[OD_QUOTA_TYPES] = {
		OD_QUOTA_MAGIC_USER, OD_QUOTA_MAGIC_GROUP,
		OD_QUOTA_MAGIC_PROJECT,
	};
	struct od_quota_head *head = (struct od_quota_head *)at;

	le32_set(&head->magic, magic[type]);
	le32_set(&head->version, OD_QUOTA_VERSION);
	le32_set(&head->block_grace, GRACE_SECONDS);
	le32_set(&head->inode_grace, GRACE_SECONDS);
	le32_set(&head->blocks, OD_QUOTA_DEPTH + 2);
	le32_set(&head->free_leaf, OD_QUOTA_DEPTH + 1);
}

static void fill_leaf(uint8_t *at, uint32_t id, const struct format_plan *plan)
{
	struct od_quota_leaf *head = (struct od_quota_leaf *)at;
	struct od_quota_entry *entry = (struct od_quota_entry *)(head + 1);
	unsigned int dirs = 0;

	for (unsigned int i = 0; i < plan->nr_inodes; i++)
		dirs += plan->inodes[i].quota_type < 0;
	le16_set(&head->nr_entries, 1);
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
	} else if (part <= OD_QUOTA_DEPTH) {
		uint8_t index = (uint8_t)(id >> 8 * (OD_QUOTA_DEPTH - part));

		le32_set((le32 *)at + index, part + 1);
	} else if (part == OD_QUOTA_DEPTH + 1) {
		fill_leaf(at, id, plan);
	}
}

void quota_fill_block(const struct format_plan *plan, int type, unsigned int i,
		      uint8_t *block)
{
	unsigned int per_block = plan->lo.block_size / OD_QUOTA_BLOCK;

	for (unsigned int k = 0; k < per_block; k++)
		fill_part(plan, type, i * per_block + k,
			  block + k * OD_QUOTA_BLOCK);
}
