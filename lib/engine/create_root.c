/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files of a new volume: the root directory, quota files, lost+found.
 * Their inodes fill the start of the hot node log and their blocks that of
 * the hot data log, in this order.
 */
#include "config.h"

#include "engine/create_int.h"
#include "base/bits.h"
#include "base/ctx.h"
#include "dev/dev.h"
#include "format/hash.h"
#include "format/validate.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define QUOTA_BLKS	2U
#define QUOTA_BYTES	(6 * 1024)
#define NODE_CP_VER	1		/* no checkpoint is before it */

static const char lost_found[] = "lost+found";

static bool is_dir(const struct format_inode *in)
{
	return in->quota_type < 0;
}

static bool is_root(const struct format_inode *in)
{
	return in->ino == OD_ROOT_INO;
}

static void add_inode(struct format_plan *plan, int quota_type)
{
	unsigned int n = plan->nr_inodes++;
	struct format_inode *in = &plan->inodes[n];

	in->ino = OD_ROOT_INO + n;
	in->quota_type = quota_type;
	in->nr_data = quota_type < 0 ? 1 : QUOTA_BLKS;
	in->node_blk = plan_log_blk(plan, LOG_HOT_NODE) + n;
	in->data_blk = plan_log_blk(plan, LOG_HOT_DATA) + plan->nr_data_blks;
	plan->nr_data_blks += in->nr_data;
}

void plan_inodes(struct format_plan *plan)
{
	uint64_t features = plan->opt.features;

	plan->nr_inodes = 0;
	plan->nr_data_blks = 0;
	add_inode(plan, -1);
	if (features & OD_FEATURE_QUOTA_INO) {
		add_inode(plan, 0);
		add_inode(plan, 1);
	}
	if (features & OD_FEATURE_PRJQUOTA)
		add_inode(plan, 2);
	if (features & OD_FEATURE_LOST_FOUND)
		add_inode(plan, -1);
}

/* As far as the last field that the features use. */
static uint16_t extra_isize(uint64_t features)
{
	if (features & OD_FEATURE_COMPRESSION)
		return 36;
	if (features & OD_FEATURE_INODE_CRTIME)
		return 24;
	if (features & OD_FEATURE_INODE_CHKSUM)
		return 12;
	if (features & OD_FEATURE_PRJQUOTA)
		return 8;
	return 4;
}

static void set_times(struct od_inode *inode, uint64_t time)
{
	le64_set(&inode->i_atime, time);
	le64_set(&inode->i_ctime, time);
	le64_set(&inode->i_mtime, time);
}

/* Returns the index of the first address. */
static unsigned int set_extra(const struct format_plan *plan, uint8_t *block)
{
	struct od_inode *inode = (struct od_inode *)block;
	struct od_inode_extra *extra = inode_extra(block);
	uint64_t features = plan->opt.features;

	if (!(features & OD_FEATURE_EXTRA_ATTR))
		return 0;
	inode->i_inline = OD_INLINE_EXTRA_ATTR;
	le16_set(&extra->i_extra_isize, extra_isize(features));
	if (features & OD_FEATURE_INODE_CRTIME)
		le64_set(&extra->i_crtime, plan->opt.time);
	return extra_isize(features) / 4U;
}

static void set_kind(const struct format_plan *plan,
		     const struct format_inode *in, struct od_inode *inode)
{
	bool has_child = plan->opt.features & OD_FEATURE_LOST_FOUND;

	if (!is_dir(in)) {
		le16_set(&inode->i_mode, S_IFREG | 0600);
		le32_set(&inode->i_links, 1);
		le64_set(&inode->i_size, QUOTA_BYTES);
		le32_set(&inode->i_flags, OD_FLAG_IMMUTABLE);
		return;
	}
	le64_set(&inode->i_size, plan->lo.block_size);
	le32_set(&inode->i_current_depth, 1);
	if (is_root(in)) {
		le16_set(&inode->i_mode, S_IFDIR | 0755);
		le32_set(&inode->i_links, has_child ? 3 : 2);
		return;
	}
	le16_set(&inode->i_mode, S_IFDIR | 0700);
	le32_set(&inode->i_links, 2);
	le32_set(&inode->i_pino, OD_ROOT_INO);
	le32_set(&inode->i_namelen, sizeof(lost_found) - 1);
	memcpy(inode->i_name, lost_found, sizeof(lost_found) - 1);
}

static void fill_inode(const struct format_plan *plan,
		       const struct format_inode *in, uint8_t *block)
{
	struct od_inode *inode = (struct od_inode *)block;
	struct od_node_foot *foot = node_foot(&plan->lo, block);
	unsigned int first;

	set_kind(plan, in, inode);
	le32_set(&inode->i_uid, plan->opt.uid);
	le32_set(&inode->i_gid, plan->opt.gid);
	le64_set(&inode->i_blocks, 1 + in->nr_data);
	set_times(inode, plan->opt.time);
	first = set_extra(plan, block);
	for (uint32_t i = 0; i < in->nr_data; i++)
		le32_set(&inode_addrs(block)[first + i], in->data_blk + i);
	le32_set(&foot->nid, in->ino);
	le32_set(&foot->ino, in->ino);
	le64_set(&foot->cp_ver, NODE_CP_VER);
	le32_set(&foot->next_blk, in->node_blk + 1);
	/* Last, for it covers the footer. */
	if (inode_has_checksum(&plan->lo, block))
		le32_set(&inode_extra(block)->i_inode_checksum,
			 inode_checksum(&plan->lo, plan->opt.uuid, block));
}

static void set_dentry(const struct layout *lo, uint8_t *block,
		       unsigned int slot, const char *name, uint32_t ino)
{
	size_t len = strlen(name);
	uint8_t *head = block + lo->dentry_bitmap_bytes + lo->dentry_reserved;
	struct od_dentry *d = (struct od_dentry *)head + slot;
	uint8_t *names = head + lo->dentries_per_block * sizeof(*d);

	le32_set(&d->hash, dentry_hash((const uint8_t *)name, len));
	le32_set(&d->ino, ino);
	le16_set(&d->name_len, (uint16_t)len);
	d->file_type = OD_FT_DIR;
	memcpy(names + slot * OD_SLOT_LEN, name, len);
	for (size_t i = 0; i * OD_SLOT_LEN < len; i++)
		bit_set_lsb(block, slot + i);
}

static void fill_dir_block(const struct format_plan *plan,
			   const struct format_inode *in, uint8_t *block)
{
	const struct format_inode *last = &plan->inodes[plan->nr_inodes - 1];

	set_dentry(&plan->lo, block, 0, ".", in->ino);
	set_dentry(&plan->lo, block, 1, "..", OD_ROOT_INO);
	if (is_root(in) && plan->opt.features & OD_FEATURE_LOST_FOUND)
		set_dentry(&plan->lo, block, 2, lost_found, last->ino);
}

static int write_inode(struct dev *dev, const struct format_plan *plan,
		       const struct format_inode *in, uint8_t *block)
{
	uint32_t size = plan->lo.block_size;
	int err;

	for (uint32_t i = 0; i < in->nr_data; i++) {
		memset(block, 0, size);
		if (is_dir(in))
			fill_dir_block(plan, in, block);
		else
			quota_fill_block(plan, in->quota_type, i, block);
		err = dev_write(dev, in->data_blk + i, 1, block);
		if (err)
			return err;
	}
	memset(block, 0, size);
	fill_inode(plan, in, block);
	return dev_write(dev, in->node_blk, 1, block);
}

int create_write_inodes(struct dev *dev, const struct format_plan *plan)
{
	uint8_t *block = malloc(plan->lo.block_size);
	int err = 0;

	if (!block)
		return ctx_nomem(dev->ctx, "an inode");
	for (unsigned int i = 0; i < plan->nr_inodes && !err; i++)
		err = write_inode(dev, plan, &plan->inodes[i], block);
	free(block);
	return err;
}
