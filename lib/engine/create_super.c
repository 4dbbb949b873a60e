/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The superblock of a new volume, from its options and geometry. */
#include "config.h"

#include "engine/create_int.h"
#include "format/validate.h"

#include <string.h>

#define MAJOR_VERSION	1
#define MINOR_VERSION	16		/* of the layout that this is */

static uint32_t log2_of(uint32_t power)
{
	return (uint32_t)__builtin_ctz(power);
}

static void set_units(struct od_super *sb, const struct format_options *opt)
{
	uint32_t log_block = log2_of(opt->block_size);
	uint32_t log_sector = log2_of(opt->sector_size);

	le32_set(&sb->log_sectorsize, log_sector);
	le32_set(&sb->log_sectors_per_block, log_block - log_sector);
	le32_set(&sb->log_blocksize, log_block);
	le32_set(&sb->log_blocks_per_seg, log2_of(OD_BLKS_PER_SEG));
	le32_set(&sb->segs_per_sec, opt->segs_per_sec);
	le32_set(&sb->secs_per_zone, opt->secs_per_zone);
}

static void set_areas(struct od_super *sb, const struct format_geometry *geo)
{
	uint32_t blk = geo->seg0_blk;

	le64_set(&sb->block_count, geo->nr_blks);
	le32_set(&sb->section_count, geo->nr_main_secs);
	le32_set(&sb->segment_count, geo->nr_segs);
	le32_set(&sb->segment_count_ckpt, 2);
	le32_set(&sb->segment_count_sit, geo->nr_sit_segs);
	le32_set(&sb->segment_count_nat, geo->nr_nat_segs);
	le32_set(&sb->segment_count_ssa, geo->nr_ssa_segs);
	le32_set(&sb->segment_count_main, geo->nr_main_segs);
	le32_set(&sb->segment0_blkaddr, blk);
	le32_set(&sb->cp_blkaddr, blk);
	blk += 2 * OD_BLKS_PER_SEG;
	le32_set(&sb->sit_blkaddr, blk);
	blk += geo->nr_sit_segs * OD_BLKS_PER_SEG;
	le32_set(&sb->nat_blkaddr, blk);
	blk += geo->nr_nat_segs * OD_BLKS_PER_SEG;
	le32_set(&sb->ssa_blkaddr, blk);
	le32_set(&sb->main_blkaddr, geo->main_blk);
	le32_set(&sb->cp_payload, geo->cp_payload);
}

static void set_texts(struct od_super *sb, const struct format_options *opt)
{
	memcpy(sb->uuid, opt->uuid, sizeof(sb->uuid));
	memcpy(sb->volume_name, opt->label, sizeof(sb->volume_name));
	memcpy(sb->version, opt->version, sizeof(opt->version));
	memcpy(sb->init_version, opt->version, sizeof(opt->version));
	memcpy(sb->extension_list, opt->ext, sizeof(sb->extension_list));
	le32_set(&sb->extension_count, opt->nr_cold_ext);
	sb->hot_ext_count = (uint8_t)opt->nr_hot_ext;
}

/* A hidden quota file is announced by one bit, whatever it counts. */
static void set_features(struct od_super *sb, const struct format_options *opt)
{
	uint64_t features = opt->features;

	if (features & OD_FEATURE_PRJQUOTA)
		features |= OD_FEATURE_QUOTA_INO;
	le32_set(&sb->feature, (uint32_t)features);
	le16_set(&sb->s_encoding, opt->encoding);
	le16_set(&sb->s_encoding_flags, opt->encoding_flags);
}

static void set_inos(struct od_super *sb, const struct format_plan *plan)
{
	le32_set(&sb->root_ino, OD_ROOT_INO);
	le32_set(&sb->node_ino, OD_NODE_INO);
	le32_set(&sb->meta_ino, OD_META_INO);
	for (unsigned int i = 0; i < plan->nr_inodes; i++) {
		const struct format_inode *in = &plan->inodes[i];

		if (in->quota_type >= 0)
			le32_set(&sb->qf_ino[in->quota_type], in->ino);
	}
}

void plan_super(struct format_plan *plan)
{
	struct od_super *sb = &plan->sb;

	memset(sb, 0, sizeof(*sb));
	le32_set(&sb->magic, OD_SUPER_MAGIC);
	le16_set(&sb->major_ver, MAJOR_VERSION);
	le16_set(&sb->minor_ver, MINOR_VERSION);
	set_units(sb, &plan->opt);
	set_areas(sb, &plan->geo);
	set_texts(sb, &plan->opt);
	set_features(sb, &plan->opt);
	set_inos(sb, plan);
	if (plan->opt.features & OD_FEATURE_SB_CHKSUM) {
		le32_set(&sb->checksum_offset, OD_SUPER_CRC_OFFSET);
		le32_set(&sb->crc, super_crc(sb));
	}
	layout_from_super(&plan->lo, sb);
}
