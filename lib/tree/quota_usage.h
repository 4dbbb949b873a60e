/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What quotas should say: inodes and space of each user, group and project,
 * counted from the inodes as the kernel charges them (fs/f2fs/f2fs.h,
 * f2fs_i_blocks_write(), inc_valid_node_count()): every inode is one, its
 * space is i_blocks without the inode itself; quota files are not counted.
 */
#ifndef F2CORE_TREE_QUOTA_USAGE_H
#define F2CORE_TREE_QUOTA_USAGE_H

#include "base/map.h"
#include "base/vec.h"
#include "tree/quota.h"

struct quota_use {
	uint32_t id;
	bool is_met;			/* for those who compare */
	uint64_t inodes;
	uint64_t blocks;
};

struct quota_use_vec VEC_BODY(struct quota_use);

struct quota_usage {
	struct map where[OD_QUOTA_TYPES];	/* id -> index */
	struct quota_use_vec use[OD_QUOTA_TYPES];
};

/* Owners of one type beyond these are not counted: memory has a bound. */
#define QUOTA_MAX_IDS	(1U << 18)

/* Count one inode more. 0, -ENOMEM or -E2BIG. */
int quota_usage_add(struct quota_usage *u, const struct volume *vol,
		    const struct inode *inode);
/* Add what @from has. As above. */
int quota_usage_merge(struct quota_usage *u, const struct quota_usage *from);
/* That of an id, or NULL. */
struct quota_use *quota_usage_find(const struct quota_usage *u,
				   unsigned int type, uint32_t id);
void quota_usage_free(struct quota_usage *u);

/*
 * Count all inodes of the volume, as it is in memory; *@u is empty. -EUCLEAN
 * with a message: an inode cannot be decoded; -E2BIG: too many owners.
 */
int quota_usage_scan(struct volume *vol, struct quota_usage *u);

#endif
