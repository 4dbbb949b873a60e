/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Is a superblock sane: the rules of a kernel's mount (kernel fs/f2fs/super.c,
 * sanity_check_raw_super() and sanity_check_area_boundary()) and what our own
 * arithmetic needs on top. Also the checksum of inodes. Checkpoints are in
 * validate_cp.c.
 */
#include "config.h"

#include "format/validate.h"
#include "base/crc.h"

#include <errno.h>
#include <string.h>

#define MIN_LOG_BLOCK	12U
#define MAX_LOG_BLOCK	16U
#define MIN_LOG_SECTOR	9U
#define MAX_PAYLOAD	503U	/* a segment less two cp blocks and six sums */

/* Addresses from OD_BLK_COMPRESS on are not addresses. */
#define MAX_END_BLK	((uint64_t)OD_BLK_COMPRESS)

static int bad(struct fault *fault, const char *field, uint64_t found,
	       uint64_t expected)
{
	fault->field = field;
	fault->found = found;
	fault->expected = expected;
	return -EUCLEAN;
}

static uint64_t div_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

uint32_t super_crc(const struct od_super *sb)
{
	return crc_update(OD_SUPER_MAGIC, sb, OD_SUPER_CRC_OFFSET);
}

static int check_identity(const struct od_super *sb, struct fault *fault)
{
	uint32_t magic = le32_get(sb->magic);
	uint32_t ofs = le32_get(sb->checksum_offset);
	uint32_t crc = le32_get(sb->crc);

	if (magic != OD_SUPER_MAGIC)
		return bad(fault, "magic", magic, OD_SUPER_MAGIC);
	if (!(le32_get(sb->feature) & OD_FEATURE_SB_CHKSUM))
		return 0;
	if (ofs != OD_SUPER_CRC_OFFSET)
		return bad(fault, "checksum_offset", ofs, OD_SUPER_CRC_OFFSET);
	if (crc != super_crc(sb)) {
		bad(fault, "crc", crc, super_crc(sb));
		return -EBADMSG;
	}
	return 0;
}

static int check_sizes(const struct od_super *sb, struct fault *fault)
{
	uint32_t block = le32_get(sb->log_blocksize);
	uint32_t sector = le32_get(sb->log_sectorsize);
	uint32_t per_block = le32_get(sb->log_sectors_per_block);
	uint32_t per_seg = le32_get(sb->log_blocks_per_seg);

	if (block < MIN_LOG_BLOCK || block > MAX_LOG_BLOCK)
		return bad(fault, "log_blocksize", block, MIN_LOG_BLOCK);
	if (per_seg != 9)
		return bad(fault, "log_blocks_per_seg", per_seg, 9);
	if (sector < MIN_LOG_SECTOR || sector > block)
		return bad(fault, "log_sectorsize", sector, MIN_LOG_SECTOR);
	if (per_block != block - sector)
		return bad(fault, "log_sectors_per_block", per_block,
			   block - sector);
	return 0;
}

static int check_counts(const struct od_super *sb, struct fault *fault)
{
	uint32_t segs = le32_get(sb->segment_count);
	uint32_t main_segs = le32_get(sb->segment_count_main);
	uint32_t secs = le32_get(sb->section_count);
	uint32_t per_sec = le32_get(sb->segs_per_sec);
	uint32_t per_zone = le32_get(sb->secs_per_zone);
	uint64_t blks = le64_get(sb->block_count);

	if (segs < OD_MIN_SEGS)
		return bad(fault, "segment_count", segs, OD_MIN_SEGS);
	if (segs > OD_MAX_SEGS)
		return bad(fault, "segment_count", segs, OD_MAX_SEGS);
	if (per_sec < 1 || per_sec > segs)
		return bad(fault, "segs_per_sec", per_sec, 1);
	if (secs < 1 || secs > main_segs)
		return bad(fault, "section_count", secs, main_segs / per_sec);
	if (main_segs != (uint64_t)secs * per_sec)
		return bad(fault, "segment_count_main", main_segs,
			   (uint64_t)secs * per_sec);
	if (segs / per_sec < secs)
		return bad(fault, "section_count", secs, segs / per_sec);
	if (segs > blks / OD_BLKS_PER_SEG)
		return bad(fault, "segment_count", segs, blks / OD_BLKS_PER_SEG);
	if (per_zone < 1 || per_zone > secs)
		return bad(fault, "secs_per_zone", per_zone, 1);
	return 0;
}

/* The tables must have room for what the main area needs of them. */
static int check_tables(const struct od_super *sb, struct fault *fault)
{
	uint64_t block = 1ULL << le32_get(sb->log_blocksize);
	uint64_t main_segs = le32_get(sb->segment_count_main);
	uint32_t ckpt = le32_get(sb->segment_count_ckpt);
	uint64_t sit = le32_get(sb->segment_count_sit) / 2;
	uint64_t nat = le32_get(sb->segment_count_nat) / 2;
	uint64_t ssa = le32_get(sb->segment_count_ssa);
	uint64_t sit_need = div_up(main_segs,
				   block / sizeof(struct od_sit_entry));
	uint64_t per_nat = block / sizeof(struct od_nat_entry);
	uint64_t ssa_need = main_segs;

	if (ckpt < 2)
		return bad(fault, "segment_count_ckpt", ckpt, 2);
	if (sit * OD_BLKS_PER_SEG < sit_need)
		return bad(fault, "segment_count_sit", sit * 2,
			   2 * div_up(sit_need, OD_BLKS_PER_SEG));
	if (nat < 1)
		return bad(fault, "segment_count_nat", nat * 2, 2);
	if (nat * OD_BLKS_PER_SEG * per_nat > UINT32_MAX)
		return bad(fault, "segment_count_nat", nat * 2,
			   UINT32_MAX / (OD_BLKS_PER_SEG * per_nat) * 2);
	if (le32_get(sb->feature) & OD_FEATURE_RO)
		return 0;
	if (le32_get(sb->feature) & OD_FEATURE_PACKED_SSA)
		ssa_need = div_up(main_segs, block / 4096);
	if (ssa * OD_BLKS_PER_SEG < ssa_need)
		return bad(fault, "segment_count_ssa", ssa,
			   div_up(ssa_need, OD_BLKS_PER_SEG));
	return 0;
}

/* The areas follow each other without a gap, in this order. */
static int check_areas(const struct od_super *sb, struct fault *fault)
{
	const struct {
		const char *field;
		le32 blk;
		le32 segs;
	} areas[] = {
		{ "cp_blkaddr", sb->cp_blkaddr, sb->segment_count_ckpt },
		{ "sit_blkaddr", sb->sit_blkaddr, sb->segment_count_sit },
		{ "nat_blkaddr", sb->nat_blkaddr, sb->segment_count_nat },
		{ "ssa_blkaddr", sb->ssa_blkaddr, sb->segment_count_ssa },
		{ "main_blkaddr", sb->main_blkaddr, sb->segment_count_main },
	};
	uint64_t seg0 = le32_get(sb->segment0_blkaddr);
	uint64_t segs = le32_get(sb->segment_count);
	uint64_t next = seg0;

	/* Both superblock copies lie before it. */
	if (seg0 < 2)
		return bad(fault, "segment0_blkaddr", seg0, 2);
	for (size_t i = 0; i < sizeof(areas) / sizeof(areas[0]); i++) {
		if (le32_get(areas[i].blk) != next)
			return bad(fault, areas[i].field,
				   le32_get(areas[i].blk), next);
		next += (uint64_t)le32_get(areas[i].segs) * OD_BLKS_PER_SEG;
	}
	if (next > seg0 + segs * OD_BLKS_PER_SEG)
		return bad(fault, "segment_count", segs,
			   (next - seg0) / OD_BLKS_PER_SEG);
	if (next > MAX_END_BLK)
		return bad(fault, "end of the main area", next, MAX_END_BLK);
	return 0;
}

static int check_devices(const struct od_super *sb, uint64_t dev_bytes,
			 struct fault *fault)
{
	uint64_t end = le32_get(sb->main_blkaddr) +
		       (uint64_t)le32_get(sb->segment_count_main) *
		       OD_BLKS_PER_SEG;
	uint64_t have = dev_bytes >> le32_get(sb->log_blocksize);
	uint64_t segs = 0;

	if (!sb->devs[0].path[0]) {
		if (have < end)
			return bad(fault, FAULT_DEVICE_SIZE, have, end);
		return 0;
	}
	for (int i = 0; i < OD_MAX_DEVICES && sb->devs[i].path[0]; i++)
		segs += le32_get(sb->devs[i].total_segments);
	if (segs != le32_get(sb->segment_count))
		return bad(fault, "segments of all devices", segs,
			   le32_get(sb->segment_count));
	return 0;
}

static int check_rest(const struct od_super *sb, struct fault *fault)
{
	uint32_t cold = le32_get(sb->extension_count);
	uint32_t payload = le32_get(sb->cp_payload);

	if (cold > OD_MAX_EXTENSIONS)
		return bad(fault, "extension_count", cold, OD_MAX_EXTENSIONS);
	if (sb->hot_ext_count > OD_MAX_EXTENSIONS - cold)
		return bad(fault, "hot_ext_count", sb->hot_ext_count,
			   OD_MAX_EXTENSIONS - cold);
	if (payload > MAX_PAYLOAD)
		return bad(fault, "cp_payload", payload, MAX_PAYLOAD);
	if (le32_get(sb->node_ino) != OD_NODE_INO)
		return bad(fault, "node_ino", le32_get(sb->node_ino),
			   OD_NODE_INO);
	if (le32_get(sb->meta_ino) != OD_META_INO)
		return bad(fault, "meta_ino", le32_get(sb->meta_ino),
			   OD_META_INO);
	if (le32_get(sb->root_ino) != OD_ROOT_INO)
		return bad(fault, "root_ino", le32_get(sb->root_ino),
			   OD_ROOT_INO);
	return 0;
}

/* Each step may rely on what the ones before it proved. */
int super_validate(const struct od_super *sb, uint64_t dev_bytes,
		   struct fault *fault)
{
	int err = check_identity(sb, fault);

	if (!err)
		err = check_sizes(sb, fault);
	if (!err)
		err = check_counts(sb, fault);
	if (!err)
		err = check_tables(sb, fault);
	if (!err)
		err = check_areas(sb, fault);
	if (!err)
		err = check_devices(sb, dev_bytes, fault);
	if (!err)
		err = check_rest(sb, fault);
	return err;
}

/* Bytes of extra area from which on i_inode_checksum is in it. */
#define EXTRA_WITH_CHECKSUM \
	(offsetof(struct od_inode_extra, i_inode_checksum) + sizeof(le32))

uint32_t inode_checksum(const struct layout *lo, const uint8_t uuid[16],
			const void *block)
{
	const uint8_t *b = block;
	const struct od_inode *inode = block;
	const size_t ofs = OD_INODE_ADDRS +
		offsetof(struct od_inode_extra, i_inode_checksum);
	const le32 zero = { { 0 } };
	uint32_t crc;

	crc = crc_update(0xFFFFFFFFU, uuid, 16);
	crc = crc_update(crc, &node_foot(lo, block)->ino, sizeof(le32));
	crc = crc_update(crc, &inode->i_generation, sizeof(le32));
	crc = crc_update(crc, b, ofs);
	crc = crc_update(crc, &zero, sizeof(zero));
	return crc_update(crc, b + ofs + sizeof(zero),
			  lo->block_size - ofs - sizeof(zero));
}

bool inode_has_checksum(const struct layout *lo, const void *block)
{
	const struct od_inode *inode = block;

	return layout_has(lo, OD_FEATURE_INODE_CHKSUM) &&
	       inode->i_inline & OD_INLINE_EXTRA_ATTR &&
	       le16_get(inode_extra(block)->i_extra_isize) >=
	       EXTRA_WITH_CHECKSUM;
}
