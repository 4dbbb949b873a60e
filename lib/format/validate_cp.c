/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Is a checkpoint block sane: checksum, and its fields against the geometry
 * (kernel fs/f2fs/checkpoint.c, get_checkpoint_version(), and super.c,
 * f2fs_sanity_check_ckpt()).
 */
#include "config.h"

#include "format/validate.h"
#include "base/crc.h"

#include <errno.h>
#include <string.h>

#define MIN_META_SEGS	8U
#define CP_PACK_ENDS	2U	/* first and last block of a pack */

/* Where faults go; those that find no room are dropped. */
struct fault_list {
	struct fault *v;
	unsigned int nr;
	unsigned int max;
};

static void add(struct fault_list *l, const char *field, uint64_t found,
		uint64_t expected)
{
	if (l->nr < l->max)
		l->v[l->nr++] = (struct fault){ field, found, expected };
}

uint32_t cp_block_crc(const struct layout *lo, const void *block)
{
	const struct od_checkpoint *cp = block;
	const uint8_t *b = block;
	uint32_t ofs = le32_get(cp->checksum_offset);
	uint32_t max = lo->block_size - (uint32_t)sizeof(le32);
	uint32_t crc;

	if (ofs > max)
		ofs = max;
	crc = crc_update(OD_SUPER_MAGIC, b, ofs);
	/* Everything but the stored checksum is covered. */
	if (ofs < max)
		crc = crc_update(crc, b + ofs + sizeof(le32), max - ofs);
	return crc;
}

int cp_block_validate(const struct layout *lo, const void *block,
		      struct fault *fault)
{
	const struct od_checkpoint *cp = block;
	uint32_t ofs = le32_get(cp->checksum_offset);
	uint32_t max = lo->block_size - (uint32_t)sizeof(le32);
	uint32_t crc, stored;

	if (ofs < OD_CP_BITMAPS || ofs > max) {
		*fault = (struct fault){ "checksum_offset", ofs, max };
		return -EUCLEAN;
	}
	stored = le32_get(*(const le32 *)((const uint8_t *)block + ofs));
	crc = cp_block_crc(lo, block);
	if (stored != crc) {
		*fault = (struct fault){ "checksum", stored, crc };
		return -EBADMSG;
	}
	return 0;
}

uint32_t cp_log_segno(const struct od_checkpoint *cp, unsigned int type)
{
	return log_is_node(type) ?
	       le32_get(cp->cur_node_segno[type - LOG_HOT_NODE]) :
	       le32_get(cp->cur_data_segno[type]);
}

uint16_t cp_log_next(const struct od_checkpoint *cp, unsigned int type)
{
	return log_is_node(type) ?
	       le16_get(cp->cur_node_blkoff[type - LOG_HOT_NODE]) :
	       le16_get(cp->cur_data_blkoff[type]);
}

bool log_is_used(const struct layout *lo, unsigned int type)
{
	return !layout_has(lo, OD_FEATURE_RO) || type == LOG_HOT_DATA ||
	       type == LOG_HOT_NODE;
}

static void check_segments(const struct layout *lo,
			   const struct od_checkpoint *cp,
			   struct fault_list *l)
{
	/* All that lies before the main area, and the reserve. */
	uint32_t meta = (lo->main_blk - lo->seg0_blk) / lo->blks_per_seg;
	uint32_t rsvd = le32_get(cp->rsvd_segment_count);
	uint32_t overprov = le32_get(cp->overprov_segment_count);
	uint64_t sum = (uint64_t)meta + rsvd;

	if (sum >= lo->nr_segs)
		add(l, "rsvd_segment_count", rsvd, lo->nr_segs - meta - 1);
	if (layout_has(lo, OD_FEATURE_RO))
		return;
	if (!rsvd || sum < MIN_META_SEGS)
		add(l, "rsvd_segment_count", rsvd,
		    meta < MIN_META_SEGS ? MIN_META_SEGS - meta : 1);
	if (!overprov)
		add(l, "overprov_segment_count", overprov, 1);
}

static void check_counts(const struct layout *lo,
			 const struct od_checkpoint *cp, struct fault_list *l)
{
	uint64_t user = le64_get(cp->user_block_count);
	uint64_t valid = le64_get(cp->valid_block_count);
	uint32_t nodes = le32_get(cp->valid_node_count);
	uint64_t segs = lo->nr_main_segs;

	if (layout_has(lo, OD_FEATURE_RO))
		segs++;
	if (!user || user >= segs * lo->blks_per_seg)
		add(l, "user_block_count", user, segs * lo->blks_per_seg - 1);
	if (valid > user)
		add(l, "valid_block_count", valid, user);
	if (nodes > lo->nr_nids - OD_ROOT_INO)
		add(l, "valid_node_count", nodes, lo->nr_nids - OD_ROOT_INO);
}

static void check_logs(const struct layout *lo,
		       const struct od_checkpoint *cp, struct fault_list *l)
{
	static const char *const segno_name[OD_NR_LOGS] = {
		"cur_data_segno[0]", "cur_data_segno[1]", "cur_data_segno[2]",
		"cur_node_segno[0]", "cur_node_segno[1]", "cur_node_segno[2]",
	};
	static const char *const next_name[OD_NR_LOGS] = {
		"cur_data_blkoff[0]", "cur_data_blkoff[1]",
		"cur_data_blkoff[2]", "cur_node_blkoff[0]",
		"cur_node_blkoff[1]", "cur_node_blkoff[2]",
	};

	for (unsigned int i = 0; i < OD_NR_LOGS; i++) {
		uint32_t segno = cp_log_segno(cp, i);

		if (!log_is_used(lo, i))
			continue;
		if (segno >= lo->nr_main_segs)
			add(l, segno_name[i], segno, lo->nr_main_segs - 1);
		if (cp_log_next(cp, i) >= lo->blks_per_seg)
			add(l, next_name[i], cp_log_next(cp, i),
			    lo->blks_per_seg - 1);
		for (unsigned int j = 0; j < i; j++)
			if (log_is_used(lo, j) && cp_log_segno(cp, j) == segno)
				add(l, segno_name[i], segno, OD_SEG_NULL);
	}
}

/*
 * The mount check counts both copies of the NAT: a stricter condition than the
 * space needed, but the kernel's.
 */
bool cp_nat_bits_fit(const struct layout *lo)
{
	uint64_t bytes = 8 + (uint64_t)lo->nr_nat_blks * 2 / 8 * 2;
	uint64_t blks = (bytes + lo->block_size - 1) / lo->block_size;

	return lo->cp_payload + CP_PACK_ENDS + OD_NR_LOGS + blks <
	       lo->blks_per_seg;
}

static void check_pack(const struct layout *lo,
		       const struct od_checkpoint *cp, struct fault_list *l)
{
	uint32_t flags = le32_get(cp->ckpt_flags);
	uint32_t sit = le32_get(cp->sit_ver_bitmap_bytesize);
	uint32_t nat = le32_get(cp->nat_ver_bitmap_bytesize);
	uint32_t start = le32_get(cp->cp_pack_start_sum);
	uint32_t ofs = le32_get(cp->checksum_offset);
	uint32_t max_start = lo->blks_per_seg - 1 - OD_NR_LOGS;

	if (sit != lo->sit_bitmap_bytes)
		add(l, "sit_ver_bitmap_bytesize", sit, lo->sit_bitmap_bytes);
	if (nat != lo->nat_bitmap_bytes)
		add(l, "nat_ver_bitmap_bytesize", nat, lo->nat_bitmap_bytes);
	if (start < lo->cp_payload + 1)
		add(l, "cp_pack_start_sum", start, lo->cp_payload + 1);
	if (start > max_start)
		add(l, "cp_pack_start_sum", start, max_start);
	if (flags & OD_CP_LARGE_NAT_BITMAP && ofs != OD_CP_BITMAPS)
		add(l, "checksum_offset", ofs, OD_CP_BITMAPS);
	/* Else it lies behind the bitmaps; in them it would change one. */
	if (!(flags & OD_CP_LARGE_NAT_BITMAP) &&
	    ofs < OD_CP_BITMAPS + lo->nat_bitmap_bytes +
		  (lo->cp_payload ? 0 : lo->sit_bitmap_bytes))
		add(l, "checksum_offset", ofs,
		    lo->block_size - (uint32_t)sizeof(le32));
	if (flags & OD_CP_NAT_BITS && !cp_nat_bits_fit(lo))
		add(l, "ckpt_flags", flags, flags & ~OD_CP_NAT_BITS);
}

unsigned int cp_faults(const struct layout *lo, const void *block,
		       struct fault *faults, unsigned int max)
{
	const struct od_checkpoint *cp = block;
	struct fault_list l = { .v = faults, .max = max };

	check_segments(lo, cp, &l);
	check_counts(lo, cp, &l);
	check_logs(lo, cp, &l);
	check_pack(lo, cp, &l);
	return l.nr;
}

int cp_validate(const struct layout *lo, const void *block,
		struct fault *fault)
{
	return cp_faults(lo, block, fault, 1) ? -EUCLEAN : 0;
}
