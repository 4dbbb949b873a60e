/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Geometry from the superblock and from the block size. */
#include "config.h"

#include "format/layout.h"

#include <string.h>

#define PACKED_SUM_BYTES 4096U

static void set_summary_geometry(struct layout *lo, uint32_t sum_bytes)
{
	lo->sum_bytes = sum_bytes;
	lo->sum_slots = sum_bytes / 8;
	lo->sum_journal_off =
		lo->sum_slots * (uint32_t)sizeof(struct od_sum_entry);
	lo->sum_journal_bytes = sum_bytes -
		(uint32_t)sizeof(struct od_sum_foot) - lo->sum_journal_off;
	lo->nat_journal_max = (lo->sum_journal_bytes - 2) /
		(uint32_t)sizeof(struct od_nat_journal_entry);
	lo->sit_journal_max = (lo->sum_journal_bytes - 2) /
		(uint32_t)sizeof(struct od_sit_journal_entry);
}

void layout_from_block_size(struct layout *lo, uint32_t block_size)
{
	memset(lo, 0, sizeof(*lo));
	lo->block_size = block_size;
	lo->blks_per_seg = OD_BLKS_PER_SEG;
	lo->sits_per_block = block_size / (uint32_t)sizeof(struct od_sit_entry);
	lo->nats_per_block = block_size / (uint32_t)sizeof(struct od_nat_entry);
	lo->orphans_per_block = block_size / 4 - 4;
	lo->addrs_per_inode = (block_size - OD_INODE_ADDRS - 5 * 4 -
			       (uint32_t)sizeof(struct od_node_foot)) / 4;
	lo->addrs_per_node =
		(block_size - (uint32_t)sizeof(struct od_node_foot)) / 4;
	/* 19 bytes and one bit a slot: kernel NR_DENTRY_IN_BLOCK. */
	lo->dentries_per_block = 8 * block_size / (19 * 8 + 1);
	lo->dentry_bitmap_bytes = (lo->dentries_per_block + 7) / 8;
	lo->dentry_reserved = block_size - 19 * lo->dentries_per_block -
			      lo->dentry_bitmap_bytes;
	set_summary_geometry(lo, block_size);
}

void layout_from_super(struct layout *lo, const struct od_super *sb)
{
	layout_from_block_size(lo, 1U << le32_get(sb->log_blocksize));
	lo->segs_per_sec = le32_get(sb->segs_per_sec);
	lo->secs_per_zone = le32_get(sb->secs_per_zone);
	lo->nr_blks = le64_get(sb->block_count);
	lo->features = le32_get(sb->feature);

	lo->seg0_blk = le32_get(sb->segment0_blkaddr);
	lo->cp_blk = le32_get(sb->cp_blkaddr);
	lo->sit_blk = le32_get(sb->sit_blkaddr);
	lo->nat_blk = le32_get(sb->nat_blkaddr);
	lo->ssa_blk = le32_get(sb->ssa_blkaddr);
	lo->main_blk = le32_get(sb->main_blkaddr);

	lo->nr_segs = le32_get(sb->segment_count);
	lo->nr_ssa_segs = le32_get(sb->segment_count_ssa);
	lo->nr_main_segs = le32_get(sb->segment_count_main);
	lo->nr_main_secs = le32_get(sb->section_count);
	lo->end_blk = lo->main_blk + lo->nr_main_segs * lo->blks_per_seg;
	lo->sit_copy_blks =
		le32_get(sb->segment_count_sit) / 2 * lo->blks_per_seg;
	lo->nr_sit_blks = (lo->nr_main_segs + lo->sits_per_block - 1) /
			  lo->sits_per_block;
	lo->nr_nat_blks =
		le32_get(sb->segment_count_nat) / 2 * lo->blks_per_seg;
	lo->nr_nids = lo->nr_nat_blks * lo->nats_per_block;
	lo->cp_payload = le32_get(sb->cp_payload);
	lo->sit_bitmap_bytes = lo->sit_copy_blks / 8;
	lo->nat_bitmap_bytes = lo->nr_nat_blks / 8;
	if (layout_has(lo, OD_FEATURE_PACKED_SSA))
		set_summary_geometry(lo, PACKED_SUM_BYTES);
}

uint32_t ssa_block_blk(const struct layout *lo, uint32_t segno)
{
	if (!layout_has(lo, OD_FEATURE_PACKED_SSA))
		return lo->ssa_blk + segno;
	return lo->ssa_blk + segno / (lo->block_size / PACKED_SUM_BYTES);
}

uint32_t ssa_block_off(const struct layout *lo, uint32_t segno)
{
	if (!layout_has(lo, OD_FEATURE_PACKED_SSA))
		return 0;
	return segno % (lo->block_size / PACKED_SUM_BYTES) * PACKED_SUM_BYTES;
}
