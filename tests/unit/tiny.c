/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds the small volume of tiny.h, field by field. */
#include "config.h"

#include "tiny.h"
#include "base/bits.h"
#include "base/crc.h"
#include "meta/journal.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define CKPT_SEGS	2U
#define SIT_SEGS	2U
#define NAT_SEGS	2U
#define SSA_SEGS	1U
#define META_SEGS	(CKPT_SEGS + SIT_SEGS + NAT_SEGS + SSA_SEGS)
#define SEG_BLKS	512U
#define RSVD_SEGS	10U
#define NR_NODES	4U		/* root, file, far, one more */

uint8_t *tiny_block(const struct tiny *t, uint32_t blk)
{
	return t->data + (size_t)blk * t->lo.block_size;
}

struct od_super *tiny_super(const struct tiny *t, int copy)
{
	return (struct od_super *)(t->data + OD_SUPER_OFFSET +
				   (copy ? t->lo.block_size : 0));
}

struct od_checkpoint *tiny_cp(const struct tiny *t, int pack)
{
	return (struct od_checkpoint *)tiny_block(t, t->lo.cp_blk +
						  (pack ? SEG_BLKS : 0));
}

struct od_checkpoint *tiny_cp_foot(const struct tiny *t, int pack)
{
	uint32_t total = le32_get(tiny_cp(t, pack)->cp_pack_total_block_count);

	return (struct od_checkpoint *)
		((uint8_t *)tiny_cp(t, pack) +
		 (size_t)(total - 1) * t->lo.block_size);
}

uint8_t *tiny_sums(const struct tiny *t, int pack)
{
	return (uint8_t *)tiny_cp(t, pack) +
	       (size_t)le32_get(tiny_cp(t, pack)->cp_pack_start_sum) *
	       t->lo.block_size;
}

static uint8_t *nat_journal(const struct tiny *t, int pack)
{
	return tiny_sums(t, pack) + (t->opt.normal ? t->lo.sum_journal_off : 0);
}

static uint8_t *sit_journal(const struct tiny *t, int pack)
{
	if (t->opt.normal)
		return tiny_sums(t, pack) + 2 * (size_t)t->lo.block_size +
		       t->lo.sum_journal_off;
	return tiny_sums(t, pack) + t->lo.sum_journal_bytes;
}

uint8_t *tiny_nat_journal(const struct tiny *t)
{
	return nat_journal(t, 0);
}

uint8_t *tiny_sit_journal(const struct tiny *t)
{
	return sit_journal(t, 0);
}

uint32_t tiny_far_nid(const struct tiny *t)
{
	return 3 * t->lo.nats_per_block + 7;
}

void tiny_sign_super(const struct tiny *t)
{
	for (int i = 0; i < 2; i++) {
		struct od_super *sb = tiny_super(t, i);

		le32_set(&sb->crc, crc_update(OD_SUPER_MAGIC, sb,
					      OD_SUPER_CRC_OFFSET));
	}
}

void tiny_sign_block(const struct tiny *t, struct od_checkpoint *cp)
{
	uint8_t *b = (uint8_t *)cp;
	uint32_t ofs = le32_get(cp->checksum_offset);
	uint32_t end = t->lo.block_size - 4, crc;

	if (ofs > end)
		return;
	crc = crc_update(OD_SUPER_MAGIC, b, ofs);
	if (ofs < end)
		crc = crc_update(crc, b + ofs + 4, end - ofs);
	le32_set((le32 *)(b + ofs), crc);
}

void tiny_sign(const struct tiny *t, int pack)
{
	uint32_t total = le32_get(tiny_cp(t, pack)->cp_pack_total_block_count);

	tiny_sign_block(t, tiny_cp(t, pack));
	if (total > 1 && total <= SEG_BLKS)
		memcpy(tiny_cp_foot(t, pack), tiny_cp(t, pack),
		       t->lo.block_size);
}

static void fill_geometry(struct tiny *t, uint32_t block_size)
{
	struct layout *lo = &t->lo;

	memset(lo, 0, sizeof(*lo));
	layout_from_block_size(lo, block_size);
	lo->segs_per_sec = lo->secs_per_zone = 1;
	lo->features = t->opt.features;
	lo->cp_blk = lo->seg0_blk = TINY_SEG0_BLK;
	lo->sit_blk = lo->cp_blk + CKPT_SEGS * SEG_BLKS;
	lo->nat_blk = lo->sit_blk + SIT_SEGS * SEG_BLKS;
	lo->ssa_blk = lo->nat_blk + NAT_SEGS * SEG_BLKS;
	lo->main_blk = lo->ssa_blk + SSA_SEGS * SEG_BLKS;
	lo->end_blk = lo->main_blk + TINY_MAIN_SEGS * SEG_BLKS;
	lo->nr_blks = lo->end_blk;
	lo->nr_segs = META_SEGS + TINY_MAIN_SEGS;
	lo->nr_main_segs = lo->nr_main_secs = TINY_MAIN_SEGS;
	lo->cp_payload = t->opt.payload;
	lo->sit_copy_blks = lo->nr_nat_blks = SEG_BLKS;
	lo->nr_sit_blks = (TINY_MAIN_SEGS + lo->sits_per_block - 1) /
			  lo->sits_per_block;
	lo->nr_nids = SEG_BLKS * lo->nats_per_block;
	lo->sit_bitmap_bytes = lo->nat_bitmap_bytes = SEG_BLKS / 8;
}

static void fill_super(struct tiny *t)
{
	const struct layout *lo = &t->lo;
	struct od_super *sb = tiny_super(t, 0);
	uint32_t log = 12;

	while (1U << log < lo->block_size)
		log++;
	le32_set(&sb->magic, OD_SUPER_MAGIC);
	le16_set(&sb->major_ver, 1);
	le16_set(&sb->minor_ver, 16);
	le32_set(&sb->log_sectorsize, 9);
	le32_set(&sb->log_sectors_per_block, log - 9);
	le32_set(&sb->log_blocksize, log);
	le32_set(&sb->log_blocks_per_seg, 9);
	le32_set(&sb->segs_per_sec, 1);
	le32_set(&sb->secs_per_zone, 1);
	le64_set(&sb->block_count, lo->nr_blks);
	le32_set(&sb->section_count, TINY_MAIN_SEGS);
	le32_set(&sb->segment_count, lo->nr_segs);
	le32_set(&sb->segment_count_ckpt, CKPT_SEGS);
	le32_set(&sb->segment_count_sit, SIT_SEGS);
	le32_set(&sb->segment_count_nat, NAT_SEGS);
	le32_set(&sb->segment_count_ssa, SSA_SEGS);
	le32_set(&sb->segment_count_main, TINY_MAIN_SEGS);
	le32_set(&sb->segment0_blkaddr, lo->seg0_blk);
	le32_set(&sb->cp_blkaddr, lo->cp_blk);
	le32_set(&sb->sit_blkaddr, lo->sit_blk);
	le32_set(&sb->nat_blkaddr, lo->nat_blk);
	le32_set(&sb->ssa_blkaddr, lo->ssa_blk);
	le32_set(&sb->main_blkaddr, lo->main_blk);
	le32_set(&sb->root_ino, 3);
	le32_set(&sb->node_ino, 1);
	le32_set(&sb->meta_ino, 2);
	memset(sb->uuid, 0x5a, sizeof(sb->uuid));
	le32_set(&sb->cp_payload, t->opt.payload);
	le32_set(&sb->feature, t->opt.features | OD_FEATURE_SB_CHKSUM);
	le32_set(&sb->checksum_offset, OD_SUPER_CRC_OFFSET);
	*tiny_super(t, 1) = *sb;
	tiny_sign_super(t);
}

static void set_nat(struct od_nat_entry *e, uint8_t version, uint32_t ino,
		    uint32_t blk)
{
	e->version = version;
	le32_set(&e->ino, ino);
	le32_set(&e->blk, blk);
}

static void set_sit(struct od_sit_entry *e, uint8_t type, uint32_t first,
		    uint32_t nr)
{
	memset(e, 0, sizeof(*e));
	for (uint32_t i = first; i < first + nr; i++)
		bit_set_msb(e->valid_map, i);
	od_sit_set_vblocks(e, (uint16_t)nr, type);
	le64_set(&e->mtime, TINY_MTIME + type);
}

static void put_node(struct tiny *t, uint32_t blk, uint32_t nid, uint32_t ino)
{
	struct od_node_foot *foot = node_foot(&t->lo, tiny_block(t, blk));

	le32_set(&foot->nid, nid);
	le32_set(&foot->ino, ino);
	le64_set(&foot->cp_ver, 1);
	le32_set(&foot->next_blk, blk + 1);
}

/* NAT block 0 is in copy 0, block 3 in copy 1; the other copies lie. */
static void fill_nat(struct tiny *t)
{
	const struct layout *lo = &t->lo;
	uint32_t far = tiny_far_nid(t), n = far % lo->nats_per_block;
	struct od_nat_entry *e;

	e = (void *)tiny_block(t, lo->nat_blk);
	set_nat(&e[1], 0, 1, 1);
	set_nat(&e[2], 0, 2, 1);
	set_nat(&e[TINY_ROOT], 0, TINY_ROOT, seg_to_blk(lo, 0));
	e = (void *)tiny_block(t, lo->nat_blk + SEG_BLKS + 3);
	set_nat(&e[n], 7, far, seg_to_blk(lo, 1) + 1);
	set_nat(&e[n + 1], 0, far, seg_to_blk(lo, 1) + 2);
	for (uint32_t i = 0; i < lo->nats_per_block; i++) {
		e = (void *)tiny_block(t, lo->nat_blk + SEG_BLKS);
		set_nat(&e[i], 9, 99, 99);
		e = (void *)tiny_block(t, lo->nat_blk + 3);
		set_nat(&e[i], 9, 99, 99);
	}
	put_node(t, seg_to_blk(lo, 0), TINY_ROOT, TINY_ROOT);
	put_node(t, seg_to_blk(lo, 1), TINY_FILE, TINY_FILE);
	put_node(t, seg_to_blk(lo, 1) + 1, far, far);
	put_node(t, seg_to_blk(lo, 1) + 2, far + 1, far);
}

/* SIT block 0 is in copy 1, the last one in copy 0. */
static void fill_sit(struct tiny *t)
{
	const struct layout *lo = &t->lo;
	uint32_t last = TINY_MAIN_SEGS - 1, i = last / lo->sits_per_block;
	struct od_sit_entry *e;

	e = (void *)tiny_block(t, lo->sit_blk + SEG_BLKS);
	set_sit(&e[0], LOG_HOT_NODE, 0, 1);
	set_sit(&e[1], LOG_WARM_NODE, 0, 3);
	set_sit(&e[3], LOG_HOT_DATA, 0, 9);	/* the journal says 1 */
	set_sit(&e[4], LOG_WARM_DATA, t->opt.ssr ? 510 : 0, 2);
	if (i)
		e = (void *)tiny_block(t, lo->sit_blk + i);
	set_sit(&e[last % lo->sits_per_block], LOG_COLD_DATA, 100, 512 - 100);
	e = (void *)tiny_block(t, lo->sit_blk);
	memset(e, 0xff, lo->block_size);
}

static void set_sum(struct od_sum_entry *e, uint32_t nid, uint8_t version,
		    uint16_t ofs)
{
	le32_set(&e->nid, nid);
	e->version = version;
	le16_set(&e->ofs_in_node, ofs);
}

/* Entry @n of the summary of a data log, as the tests expect it. */
static void data_sum(struct od_sum_entry *e, unsigned int log, uint32_t n)
{
	set_sum(e, 1000 * (log + 1) + n, (uint8_t)log, (uint16_t)n);
}

static uint32_t log_next(const struct tiny *t, unsigned int log)
{
	static const uint32_t next[OD_NR_LOGS] = { 1, 2, 0, 1, 3, 0 };

	return t->opt.ssr && log == LOG_WARM_DATA ? 3 : next[log];
}

static uint32_t nr_sums(const struct tiny *t, unsigned int log)
{
	return t->opt.ssr && log == LOG_WARM_DATA ? SEG_BLKS : log_next(t, log);
}

/* The compact stream; returns how many blocks it took. */
static uint32_t put_compact(struct tiny *t, uint8_t *to)
{
	uint32_t size = sizeof(struct od_sum_entry), blk = 0;
	uint32_t off = 2 * t->lo.sum_journal_bytes;

	for (unsigned int log = 0; log < 3; log++) {
		for (uint32_t n = 0; n < nr_sums(t, log); n++) {
			if (off + size > t->lo.block_size - 5) {
				blk++;
				off = 0;
			}
			data_sum((void *)(to + (size_t)blk * t->lo.block_size +
					  off), log, n);
			off += size;
		}
	}
	return blk + 1;
}

static uint32_t put_normal(struct tiny *t, uint8_t *to)
{
	for (unsigned int log = 0; log < 3; log++) {
		uint8_t *block = to + (size_t)log * t->lo.block_size;

		for (uint32_t n = 0; n < nr_sums(t, log); n++)
			data_sum(&sum_entries(block)[n], log, n);
		sum_foot(&t->lo, block)->entry_type = OD_SUM_DATA;
	}
	return 3;
}

static uint32_t put_node_sums(struct tiny *t, uint8_t *to)
{
	uint32_t far = tiny_far_nid(t);
	uint32_t nids[3][3] = { { TINY_ROOT }, { TINY_FILE, far, far + 1 } };

	if (t->opt.crashed)
		return 0;
	for (int i = 0; i < 3; i++) {
		uint8_t *block = to + (size_t)i * t->lo.block_size;

		for (int n = 0; n < 3; n++)
			set_sum(&sum_entries(block)[n], nids[i][n], 0, 0);
		sum_foot(&t->lo, block)->entry_type = OD_SUM_NODE;
	}
	return 3;
}

static void put_journals(struct tiny *t, int pack)
{
	uint8_t *nat = nat_journal(t, pack), *sit = sit_journal(t, pack);

	journal_set_count(nat, 1);
	le32_set(&nat_journal_entry(nat, 0)->nid, TINY_FILE);
	set_nat(&nat_journal_entry(nat, 0)->nat, 2, TINY_FILE,
		seg_to_blk(&t->lo, 1));
	journal_set_count(sit, 1);
	le32_set(&sit_journal_entry(sit, 0)->segno, 3);
	set_sit(&sit_journal_entry(sit, 0)->sit, LOG_HOT_DATA, 0, 1);
}

static uint32_t put_orphans(struct tiny *t, uint8_t *to)
{
	uint32_t per = t->lo.orphans_per_block;
	uint32_t nr = (t->opt.nr_orphans + per - 1) / per;

	for (uint32_t i = 0; i < nr; i++) {
		uint8_t *block = to + (size_t)i * t->lo.block_size;
		struct od_orphan_foot *foot =
			(void *)(block + t->lo.block_size - sizeof(*foot));
		uint32_t n = t->opt.nr_orphans - i * per;

		n = n < per ? n : per;
		for (uint32_t k = 0; k < n; k++)
			le32_set(&((le32 *)block)[k], 100 + i * per + k);
		le16_set(&foot->blk_addr, (uint16_t)(i + 1));
		le16_set(&foot->blk_count, (uint16_t)nr);
		le32_set(&foot->entry_count, n);
	}
	return nr;
}

static void fill_cp_fields(struct tiny *t, struct od_checkpoint *cp)
{
	uint32_t flags = OD_CP_CRC_RECOVERY;

	flags |= t->opt.crashed ? 0 : OD_CP_UMOUNT;
	flags |= t->opt.normal ? 0 : OD_CP_COMPACT_SUM;
	flags |= t->opt.large ? OD_CP_LARGE_NAT_BITMAP : 0;
	flags |= t->opt.nr_orphans ? OD_CP_ORPHAN_PRESENT : 0;
	le64_set(&cp->user_block_count, 40 * SEG_BLKS);
	le64_set(&cp->valid_block_count, 1 + 3 + 1 + 2 + 412);
	le32_set(&cp->rsvd_segment_count, RSVD_SEGS);
	le32_set(&cp->overprov_segment_count, RSVD_SEGS + 2);
	le32_set(&cp->free_segment_count, TINY_MAIN_SEGS - 7);
	for (int i = 0; i < 8; i++) {
		le32_set(&cp->cur_node_segno[i], i < 3 ? (uint32_t)i : ~0U);
		le32_set(&cp->cur_data_segno[i], i < 3 ? 3U + (uint32_t)i : ~0U);
	}
	for (unsigned int i = 0; i < 3; i++) {
		le16_set(&cp->cur_data_blkoff[i], (uint16_t)log_next(t, i));
		le16_set(&cp->cur_node_blkoff[i], (uint16_t)log_next(t, i + 3));
	}
	cp->alloc_type[LOG_WARM_DATA] = t->opt.ssr;
	le32_set(&cp->ckpt_flags, flags);
	le32_set(&cp->valid_node_count, NR_NODES);
	le32_set(&cp->valid_inode_count, NR_NODES - 1);
	le32_set(&cp->next_free_nid, 5);
	le32_set(&cp->sit_ver_bitmap_bytesize, SEG_BLKS / 8);
	le32_set(&cp->nat_ver_bitmap_bytesize, SEG_BLKS / 8);
	le32_set(&cp->checksum_offset,
		 t->opt.large ? OD_CP_BITMAPS : t->lo.block_size - 4);
	le64_set(&cp->elapsed_time, 5000);
}

/* Format 3.5: three places. */
static void put_bitmaps(struct tiny *t, struct od_checkpoint *cp)
{
	uint8_t *b = (uint8_t *)cp, *sit = b + 192, *nat = b + 192 + 64;

	if (t->opt.large) {
		nat = b + 196;
		sit = nat + 64;
	} else if (t->opt.payload) {
		sit = b + t->lo.block_size;
		nat = b + 192;
	}
	bit_set_msb(sit, 0);
	bit_set_msb(nat, 3);
}

static void fill_pack(struct tiny *t, int pack, uint64_t version)
{
	struct od_checkpoint *cp = tiny_cp(t, pack);
	uint32_t at = 1 + t->opt.payload;
	uint8_t *b = (uint8_t *)cp;

	fill_cp_fields(t, cp);
	le64_set(&cp->checkpoint_ver, version);
	put_bitmaps(t, cp);
	at += put_orphans(t, b + (size_t)at * t->lo.block_size);
	le32_set(&cp->cp_pack_start_sum, at);
	at += t->opt.normal ?
	      put_normal(t, b + (size_t)at * t->lo.block_size) :
	      put_compact(t, b + (size_t)at * t->lo.block_size);
	at += put_node_sums(t, b + (size_t)at * t->lo.block_size);
	le32_set(&cp->cp_pack_total_block_count, at + 1);
	put_journals(t, pack);
	tiny_sign(t, pack);
}

/* A summary for the last segment, whose log is none of the six. */
static void fill_ssa(struct tiny *t)
{
	uint8_t *sum = tiny_block(t, ssa_block_blk(&t->lo, TINY_MAIN_SEGS - 1))
		       + ssa_block_off(&t->lo, TINY_MAIN_SEGS - 1);

	for (uint32_t n = 100; n < SEG_BLKS; n++)
		set_sum(&sum_entries(sum)[n], tiny_far_nid(t), 7,
			(uint16_t)(n - 100));
	sum_foot(&t->lo, sum)->entry_type = OD_SUM_DATA;
}

void tiny_make(struct tiny *t, const struct tiny_opt *opt)
{
	uint32_t block_size = opt->block_size ? opt->block_size : 4096;

	memset(t, 0, sizeof(*t));
	t->opt = *opt;
	fill_geometry(t, block_size);
	t->ctx = ctx_new();
	assert_non_null(t->ctx);
	assert_int_equal(dev_mem_open(t->ctx, NULL, (uint64_t)block_size *
				      t->lo.nr_blks, &t->dev), 0);
	t->dev->block_size = block_size;
	t->data = dev_mem_data(t->dev);
	fill_super(t);
	if (opt->features & OD_FEATURE_PACKED_SSA)
		layout_from_super(&t->lo, tiny_super(t, 0));
	fill_nat(t);
	fill_sit(t);
	fill_pack(t, 0, TINY_VERSION);
	fill_pack(t, 1, TINY_VERSION - 1);
	fill_ssa(t);
}

void tiny_free(struct tiny *t)
{
	dev_close(t->dev);
	ctx_free(t->ctx);
	memset(t, 0, sizeof(*t));
}
