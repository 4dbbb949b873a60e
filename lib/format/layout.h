/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Geometry of a volume in plain numbers, and the only place where one unit
 * turns into another: blk (block address), segno and secno (from the start of
 * the main area), nid, and the slots of SIT, NAT and SSA blocks.
 *
 * Source: kernel fs/f2fs/segment.h, fs/f2fs/node.h.
 */
#ifndef F2CORE_FORMAT_LAYOUT_H
#define F2CORE_FORMAT_LAYOUT_H

#include <stdbool.h>

#include "format/ondisk.h"

struct layout {
	uint32_t block_size;		/* bytes */
	uint32_t blks_per_seg;		/* 512 */
	uint32_t segs_per_sec;
	uint32_t secs_per_zone;
	uint64_t nr_blks;		/* block_count of the superblock */
	uint64_t features;		/* OD_FEATURE_, 64 bits wide on purpose */

	uint32_t seg0_blk;
	uint32_t cp_blk;
	uint32_t sit_blk;
	uint32_t nat_blk;
	uint32_t ssa_blk;
	uint32_t main_blk;
	uint32_t end_blk;		/* first block after the main area */

	uint32_t nr_segs;		/* of the volume, from segment 0 */
	uint32_t nr_ssa_segs;
	uint32_t nr_main_segs;
	uint32_t nr_main_secs;
	uint32_t sit_copy_blks;		/* blocks of one SIT copy */
	uint32_t nr_sit_blks;		/* of those, blocks in use */
	uint32_t nr_nat_blks;		/* of one NAT copy */
	uint32_t nr_nids;		/* nids the NAT has room for */
	uint32_t zone_cap_blks;		/* usable in a section; 0: all.
					 * Of the device, not the superblock */
	uint32_t cp_payload;		/* blocks */
	uint32_t sit_bitmap_bytes;
	uint32_t nat_bitmap_bytes;

	uint32_t sits_per_block;	/* 55 at 4 KiB */
	uint32_t nats_per_block;	/* 455 */
	uint32_t sum_bytes;		/* size of one summary: 4096 */
	uint32_t sum_slots;		/* entry slots E of a summary block: 512 */
	uint32_t sum_journal_off;	/* byte of the journal: 3584 */
	uint32_t sum_journal_bytes;	/* 507 */
	uint32_t nat_journal_max;	/* 38 entries */
	uint32_t sit_journal_max;	/* 6 */
	uint32_t orphans_per_block;	/* 1020 */
	uint32_t addrs_per_inode;	/* AI: 923, extra area and xattrs included */
	uint32_t addrs_per_node;	/* N: 1018 */
	uint32_t dentries_per_block;	/* 214 */
	uint32_t dentry_bitmap_bytes;	/* 27 */
	uint32_t dentry_reserved;	/* 3 */
};

/* The numbers that follow from the block size alone; the rest is zero. */
void layout_from_block_size(struct layout *lo, uint32_t block_size);

/* The caller proved @sb with super_validate(). */
void layout_from_super(struct layout *lo, const struct od_super *sb);

static inline bool layout_has(const struct layout *lo, uint64_t feature)
{
	return lo->features & feature;
}

static inline bool blk_is_main(const struct layout *lo, uint32_t blk)
{
	return blk >= lo->main_blk && blk < lo->end_blk;
}

/* True for a real address, false for a hole, NEW and COMPRESS. */
static inline bool blk_is_real(uint32_t blk)
{
	return blk != OD_BLK_NULL && blk < OD_BLK_COMPRESS;
}

/* The caller proved blk_is_main(). */
static inline uint32_t blk_to_seg(const struct layout *lo, uint32_t blk)
{
	return (blk - lo->main_blk) / lo->blks_per_seg;
}

static inline uint32_t blk_in_seg(const struct layout *lo, uint32_t blk)
{
	return (blk - lo->main_blk) % lo->blks_per_seg;
}

static inline uint32_t seg_to_blk(const struct layout *lo, uint32_t segno)
{
	return lo->main_blk + segno * lo->blks_per_seg;
}

static inline uint32_t seg_to_sec(const struct layout *lo, uint32_t segno)
{
	return segno / lo->segs_per_sec;
}

static inline uint32_t sec_to_seg(const struct layout *lo, uint32_t secno)
{
	return secno * lo->segs_per_sec;
}

static inline uint32_t blk_to_sec(const struct layout *lo, uint32_t blk)
{
	return seg_to_sec(lo, blk_to_seg(lo, blk));
}

static inline uint32_t blks_per_sec(const struct layout *lo)
{
	return lo->blks_per_seg * lo->segs_per_sec;
}

/* SIT block @i (from 0) in copy 0 or 1. */
static inline uint32_t sit_block_blk(const struct layout *lo, uint32_t i,
				     int copy)
{
	return lo->sit_blk + i + (copy ? lo->sit_copy_blks : 0);
}

/* NAT block @i in copy 0 or 1: the copies alternate segment by segment. */
static inline uint32_t nat_block_blk(const struct layout *lo, uint32_t i,
				     int copy)
{
	uint32_t in_seg = i % lo->blks_per_seg;

	return lo->nat_blk + 2 * (i - in_seg) + in_seg +
	       (copy ? lo->blks_per_seg : 0);
}

static inline uint32_t nid_to_nat_block(const struct layout *lo, uint32_t nid)
{
	return nid / lo->nats_per_block;
}

/*
 * SSA block that holds the summary of @segno, and the byte in it: 0 but with
 * packed_ssa, where a larger block holds one summary each 4096 bytes.
 */
uint32_t ssa_block_blk(const struct layout *lo, uint32_t segno);
uint32_t ssa_block_off(const struct layout *lo, uint32_t segno);

/* Parts of a node block of lo->block_size bytes. */
static inline struct od_node_foot *node_foot(const struct layout *lo,
					     const void *block)
{
	return (struct od_node_foot *)((uint8_t *)(uintptr_t)block +
				       lo->block_size -
				       sizeof(struct od_node_foot));
}

static inline le32 *inode_addrs(const void *block)
{
	return (le32 *)((uint8_t *)(uintptr_t)block + OD_INODE_ADDRS);
}

static inline struct od_inode_extra *inode_extra(const void *block)
{
	return (struct od_inode_extra *)((uint8_t *)(uintptr_t)block +
					 OD_INODE_ADDRS);
}

static inline le32 *inode_nids(const struct layout *lo, const void *block)
{
	return (le32 *)((uint8_t *)(uintptr_t)block + lo->block_size -
			sizeof(struct od_node_foot) - 5 * sizeof(le32));
}

/* Addresses of a direct node, nids of an indirect one: N of them. */
static inline le32 *node_slots(const void *block)
{
	return (le32 *)(uintptr_t)block;
}

/* Parts of a summary block. */
static inline struct od_sum_entry *sum_entries(const void *block)
{
	return (struct od_sum_entry *)(uintptr_t)block;
}

static inline uint8_t *sum_journal(const struct layout *lo, const void *block)
{
	return (uint8_t *)(uintptr_t)block + lo->sum_journal_off;
}

static inline struct od_sum_foot *sum_foot(const struct layout *lo,
					   const void *block)
{
	return (struct od_sum_foot *)((uint8_t *)(uintptr_t)block +
				      lo->sum_journal_off +
				      lo->sum_journal_bytes);
}

#endif
