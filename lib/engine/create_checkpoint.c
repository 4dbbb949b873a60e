/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The first checkpoint: NAT block 0, pack 1 whole, and of pack 2 both ends
 * with version 0, so that pack 1 is the newer one.
 */
#include "config.h"

#include "engine/create_int.h"
#include "base/bits.h"
#include "base/ctx.h"
#include "dev/dev.h"
#include "format/validate.h"

#include <stdlib.h>
#include <string.h>

#define RESERVED_BLK	1		/* address of nids 1 and 2: never read */

static const unsigned int data_logs[] = {
	LOG_HOT_DATA, LOG_WARM_DATA, LOG_COLD_DATA,
};
static const unsigned int node_logs[] = {
	LOG_HOT_NODE, LOG_WARM_NODE, LOG_COLD_NODE,
};

static unsigned int log_used(const struct format_plan *plan, unsigned int type)
{
	return type == LOG_HOT_NODE ? plan->nr_inodes :
	       type == LOG_HOT_DATA ? plan->nr_data_blks : 0;
}

static void set_nat(struct od_nat_entry *e, uint32_t ino, uint32_t blk)
{
	le32_set(&e->ino, ino);
	le32_set(&e->blk, blk);
}

int create_write_nat(struct dev *dev, const struct format_plan *plan)
{
	uint8_t *block = calloc(1, plan->lo.block_size);
	struct od_nat_entry *nat = (struct od_nat_entry *)block;
	int err;

	if (!block)
		return ctx_nomem(dev->ctx, "a NAT block");
	set_nat(&nat[OD_NODE_INO], OD_NODE_INO, RESERVED_BLK);
	set_nat(&nat[OD_META_INO], OD_META_INO, RESERVED_BLK);
	for (unsigned int i = 0; i < plan->nr_inodes; i++) {
		const struct format_inode *in = &plan->inodes[i];

		set_nat(&nat[in->ino], in->ino, in->node_blk);
	}
	err = dev_write(dev, nat_block_blk(&plan->lo, 0, 0), 1, block);
	free(block);
	return err;
}

static void set_logs(struct od_checkpoint *cp, const struct format_plan *plan)
{
	const uint32_t *seg = plan->geo.curseg;

	for (unsigned int i = 0; i < 8; i++) {
		le32_set(&cp->cur_node_segno[i], OD_SEG_NULL);
		le32_set(&cp->cur_data_segno[i], OD_SEG_NULL);
	}
	for (unsigned int i = 0; i < 3; i++) {
		le32_set(&cp->cur_node_segno[i], seg[node_logs[i]]);
		le32_set(&cp->cur_data_segno[i], seg[data_logs[i]]);
		le16_set(&cp->cur_node_blkoff[i],
			 (uint16_t)log_used(plan, node_logs[i]));
		le16_set(&cp->cur_data_blkoff[i],
			 (uint16_t)log_used(plan, data_logs[i]));
	}
}

static void set_counts(struct od_checkpoint *cp, const struct format_plan *plan)
{
	const struct format_geometry *geo = &plan->geo;

	le64_set(&cp->user_block_count, geo->user_blks);
	le64_set(&cp->valid_block_count, plan->nr_inodes + plan->nr_data_blks);
	le32_set(&cp->rsvd_segment_count, geo->rsvd_segs);
	le32_set(&cp->overprov_segment_count, geo->overprov_segs);
	le32_set(&cp->free_segment_count, geo->nr_main_segs - OD_NR_LOGS);
	le32_set(&cp->valid_node_count, plan->nr_inodes);
	le32_set(&cp->valid_inode_count, plan->nr_inodes);
	le32_set(&cp->next_free_nid, OD_ROOT_INO + plan->nr_inodes);
}

/* The version bitmaps stay zero: copy 0 of everything is the current one. */
static void fill_cp(const struct format_plan *plan, uint64_t version,
		    uint8_t *block)
{
	struct od_checkpoint *cp = (struct od_checkpoint *)block;
	const struct layout *lo = &plan->lo;
	uint32_t crc_off = plan->opt.large_nat ? OD_CP_BITMAPS :
			   lo->block_size - 4;

	memset(block, 0, lo->block_size);
	le64_set(&cp->checkpoint_ver, version);
	set_counts(cp, plan);
	set_logs(cp, plan);
	le32_set(&cp->ckpt_flags, plan->cp_flags);
	/* Two ends, one compact block of data summaries, three of nodes. */
	le32_set(&cp->cp_pack_total_block_count, 6 + lo->cp_payload);
	le32_set(&cp->cp_pack_start_sum, 1 + lo->cp_payload);
	le32_set(&cp->sit_ver_bitmap_bytesize, lo->sit_bitmap_bytes);
	le32_set(&cp->nat_ver_bitmap_bytesize, lo->nat_bitmap_bytes);
	le32_set(&cp->checksum_offset, crc_off);
	le32_set((le32 *)(block + crc_off), cp_block_crc(lo, block));
}

static void fill_sit_journal(const struct format_plan *plan, uint8_t *area)
{
	static const unsigned int order[] = {
		LOG_HOT_NODE, LOG_WARM_NODE, LOG_COLD_NODE,
		LOG_HOT_DATA, LOG_WARM_DATA, LOG_COLD_DATA,
	};
	struct od_sit_journal_entry *e =
		(struct od_sit_journal_entry *)(area + sizeof(le16));

	le16_set((le16 *)area, OD_NR_LOGS);
	for (unsigned int i = 0; i < OD_NR_LOGS; i++) {
		unsigned int used = log_used(plan, order[i]);

		le32_set(&e[i].segno, plan->geo.curseg[order[i]]);
		od_sit_set_vblocks(&e[i].sit, (uint16_t)used,
				   (uint8_t)order[i]);
		for (unsigned int k = 0; k < used; k++)
			bit_set_msb(e[i].sit.valid_map, k);
	}
}

/*
 * Data summaries: both journals, then the entries of the hot data log. The
 * NAT journal is empty, for NAT block 0 holds everything, and the NAT bits
 * are only true while no journal entry differs from its block.
 */
static void fill_data_summary(const struct format_plan *plan, uint8_t *block)
{
	uint32_t journal = plan->lo.sum_journal_bytes;
	struct od_sum_entry *e = (struct od_sum_entry *)(block + 2 * journal);

	memset(block, 0, plan->lo.block_size);
	fill_sit_journal(plan, block + journal);
	for (unsigned int i = 0; i < plan->nr_inodes; i++) {
		const struct format_inode *in = &plan->inodes[i];

		for (uint32_t k = 0; k < in->nr_data; k++, e++) {
			le32_set(&e->nid, in->ino);
			le16_set(&e->ofs_in_node, (uint16_t)k);
		}
	}
}

static void fill_node_summary(const struct format_plan *plan,
			      unsigned int type, uint8_t *block)
{
	struct od_sum_entry *e = sum_entries(block);

	memset(block, 0, plan->lo.block_size);
	sum_foot(&plan->lo, block)->entry_type = OD_SUM_NODE;
	for (unsigned int i = 0; i < log_used(plan, type); i++)
		le32_set(&e[i].nid, plan->inodes[i].ino);
}

/*
 * NAT bits: which NAT blocks are full (none) and which are empty (all but
 * block 0), with a value that ties them to this checkpoint. In the last
 * blocks of the pack's segment.
 */
static int write_nat_bits(struct dev *dev, const struct format_plan *plan,
			  const uint8_t *cp_block)
{
	const struct layout *lo = &plan->lo;
	const struct od_checkpoint *cp = (const struct od_checkpoint *)cp_block;
	size_t map = lo->nr_nat_blks / 8;
	uint32_t blks = (uint32_t)((8 + 2 * map + lo->block_size - 1) /
				   lo->block_size);
	uint8_t *bits = calloc(blks, lo->block_size);
	uint64_t crc;
	int err;

	if (!bits)
		return ctx_nomem(dev->ctx, "NAT bits");
	crc = le32_get(*(const le32 *)(cp_block +
				       le32_get(cp->checksum_offset)));
	le64_set((le64 *)bits, le64_get(cp->checkpoint_ver) | crc << 32);
	memset(bits + 8 + map, 0xff, map);
	bit_clear_lsb(bits + 8 + map, 0);
	err = dev_write(dev, lo->cp_blk + lo->blks_per_seg - blks, blks, bits);
	free(bits);
	return err;
}

/* Everything between the two ends of pack 1. */
static int write_middle(struct dev *dev, const struct format_plan *plan,
			uint8_t *block)
{
	uint32_t blk = plan->lo.cp_blk + 1;
	int err = 0;

	memset(block, 0, plan->lo.block_size);
	for (uint32_t i = 0; i < plan->lo.cp_payload && !err; i++)
		err = dev_write(dev, blk++, 1, block);
	if (!err) {
		fill_data_summary(plan, block);
		err = dev_write(dev, blk++, 1, block);
	}
	for (unsigned int i = 0; i < 3 && !err; i++) {
		fill_node_summary(plan, node_logs[i], block);
		err = dev_write(dev, blk++, 1, block);
	}
	return err;
}

static int write_ends(struct dev *dev, const struct format_plan *plan,
		      uint32_t first, const uint8_t *block)
{
	int err = dev_write(dev, first, 1, block);

	if (err)
		return err;
	return dev_write(dev, first + 5 + plan->lo.cp_payload, 1, block);
}

int create_write_packs(struct dev *dev, const struct format_plan *plan)
{
	const struct layout *lo = &plan->lo;
	uint8_t *block = malloc(lo->block_size);
	int err;

	if (!block)
		return ctx_nomem(dev->ctx, "a checkpoint block");
	err = write_middle(dev, plan, block);
	if (err)
		goto out;
	fill_cp(plan, plan->opt.cp_version, block);
	err = write_ends(dev, plan, lo->cp_blk, block);
	if (!err && plan->cp_flags & OD_CP_NAT_BITS)
		err = write_nat_bits(dev, plan, block);
	if (err)
		goto out;
	fill_cp(plan, 0, block);
	err = write_ends(dev, plan, lo->cp_blk + lo->blks_per_seg, block);
out:
	free(block);
	return err;
}
