/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Builds a checkpoint pack from the checkpoint in memory and stores it in the
 * slot that is not live (format 3.4; kernel fs/f2fs/checkpoint.c,
 * do_checkpoint()). The last block is written alone, between two flushes: it
 * is what makes the pack valid.
 */
#include "config.h"

#include "engine/flush.h"

#include "engine/nat_bits.h"
#include "format/validate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct pack {
	uint8_t *blocks;		/* nr of them, in the order of the pack */
	uint32_t room;
	uint32_t nr;
	uint8_t *nat_bits;		/* blocks at the segment's end, or NULL */
	size_t block_size;
};

static uint8_t *pack_block(const struct pack *p, uint32_t i)
{
	return p->blocks + i * p->block_size;
}

static uint8_t *pack_append(struct pack *p)
{
	return pack_block(p, p->nr++);
}

/*
 * Entries a log has to store: what was written, or the whole segment if holes
 * of it were reused.
 */
static uint32_t nr_entries(const struct layout *lo, const struct curseg *log)
{
	return log->alloc_type == ALLOC_SSR ? lo->blks_per_seg : log->next;
}

/* Whether the data summaries fit into two blocks (format 4.5). */
static bool summaries_are_compact(const struct volume *vol)
{
	const struct layout *lo = &vol->lo;
	size_t esz = sizeof(struct od_sum_entry), fsz = sizeof(struct od_sum_foot);
	size_t first = (lo->block_size - 2 * lo->sum_journal_bytes - fsz) / esz;
	size_t second = (lo->block_size - fsz) / esz;
	size_t total = 0;

	for (int t = LOG_HOT_DATA; t <= LOG_COLD_DATA; t++)
		total += nr_entries(lo, &vol->cp.log[t]);
	return total <= first + second;
}

static void append_compact(const struct volume *vol, struct pack *p)
{
	const struct layout *lo = &vol->lo;
	size_t esz = sizeof(struct od_sum_entry);
	size_t limit = lo->block_size - sizeof(struct od_sum_foot);
	size_t off = 2 * lo->sum_journal_bytes;
	uint8_t *block = pack_append(p);

	memcpy(block, sum_journal(lo, vol->cp.log[LOG_HOT_DATA].sum),
	       lo->sum_journal_bytes);
	memcpy(block + lo->sum_journal_bytes,
	       sum_journal(lo, vol->cp.log[LOG_COLD_DATA].sum),
	       lo->sum_journal_bytes);
	for (int t = LOG_HOT_DATA; t <= LOG_COLD_DATA; t++) {
		const struct curseg *log = &vol->cp.log[t];

		for (uint32_t i = 0; i < nr_entries(lo, log); i++) {
			if (off + esz > limit) {
				block = pack_append(p);
				off = 0;
			}
			memcpy(block + off, sum_entries(log->sum) + i, esz);
			off += esz;
		}
	}
}

static void append_summary(const struct volume *vol, struct pack *p, int t)
{
	uint8_t *block = pack_append(p);

	memcpy(block, vol->cp.log[t].sum, vol->lo.sum_bytes);
	sum_foot(&vol->lo, block)->entry_type =
		log_is_node((unsigned int)t) ? OD_SUM_NODE : OD_SUM_DATA;
}

static void append_orphans(const struct volume *vol, struct pack *p)
{
	const struct checkpoint *cp = &vol->cp;
	uint32_t per_block = vol->lo.orphans_per_block;
	uint32_t nr_blocks = (cp->nr_orphans + per_block - 1) / per_block;

	for (uint32_t b = 0; b < nr_blocks; b++) {
		uint32_t first = b * per_block;
		uint32_t n = cp->nr_orphans - first < per_block ?
			     cp->nr_orphans - first : per_block;
		le32 *inos = (le32 *)pack_append(p);
		struct od_orphan_foot *foot =
			(struct od_orphan_foot *)(inos + per_block);

		for (uint32_t i = 0; i < n; i++)
			le32_set(&inos[i], cp->orphans[first + i]);
		le16_set(&foot->blk_addr, (uint16_t)(b + 1));
		le16_set(&foot->blk_count, (uint16_t)nr_blocks);
		le32_set(&foot->entry_count, n);
	}
}

/* Copy a bitmap that begins at byte @off of the first block and may run on
 * through the payload blocks, jumping over nothing (format 3.5). */
static void put_bytes(struct pack *p, size_t off, const uint8_t *from,
		      size_t n)
{
	memcpy(p->blocks + off, from, n);
}

static void put_bitmaps(const struct volume *vol, struct pack *p)
{
	const struct layout *lo = &vol->lo;
	const struct checkpoint *cp = &vol->cp;

	if (cp->flags & OD_CP_LARGE_NAT_BITMAP) {
		put_bytes(p, OD_CP_LARGE_BITMAPS, cp->nat_bitmap,
			  lo->nat_bitmap_bytes);
		put_bytes(p, OD_CP_LARGE_BITMAPS + lo->nat_bitmap_bytes,
			  cp->sit_bitmap, lo->sit_bitmap_bytes);
	} else if (lo->cp_payload) {
		put_bytes(p, OD_CP_BITMAPS, cp->nat_bitmap,
			  lo->nat_bitmap_bytes);
		put_bytes(p, p->block_size, cp->sit_bitmap,
			  lo->sit_bitmap_bytes);
	} else {
		put_bytes(p, OD_CP_BITMAPS, cp->sit_bitmap,
			  lo->sit_bitmap_bytes);
		put_bytes(p, OD_CP_BITMAPS + lo->sit_bitmap_bytes,
			  cp->nat_bitmap, lo->nat_bitmap_bytes);
	}
}

static void put_logs(const struct volume *vol, struct od_checkpoint *od)
{
	for (int t = 0; t < OD_NR_LOGS; t++) {
		const struct curseg *log = &vol->cp.log[t];
		int i = t % 3;

		if (log_is_node((unsigned int)t)) {
			le32_set(&od->cur_node_segno[i], log->segno);
			le16_set(&od->cur_node_blkoff[i], log->next);
		} else {
			le32_set(&od->cur_data_segno[i], log->segno);
			le16_set(&od->cur_data_blkoff[i], log->next);
		}
		od->alloc_type[t] = log->alloc_type;
	}
}

/*
 * Flags of a clean unmount. Node footers are compared with version and CRC,
 * as every kernel's own checkpoint sets it. "All trimmed" is dropped, a hint
 * that is not true any more.
 */
static uint32_t new_flags(const struct checkpoint *cp, bool compact,
			  bool nat_bits)
{
	uint32_t flags = cp->flags;

	flags &= ~(OD_CP_NAT_BITS | OD_CP_TRIMMED | OD_CP_FASTBOOT |
		   OD_CP_NOCRC_RECOVERY | OD_CP_ORPHAN_PRESENT |
		   OD_CP_COMPACT_SUM);
	flags |= OD_CP_UMOUNT | OD_CP_CRC_RECOVERY;
	if (cp->nr_orphans)
		flags |= OD_CP_ORPHAN_PRESENT;
	if (compact)
		flags |= OD_CP_COMPACT_SUM;
	if (nat_bits)
		flags |= OD_CP_NAT_BITS;
	return flags;
}

/*
 * Before the bitmaps if they are the large ones, else behind them; where it
 * would lie in them it is moved to the end of the block.
 */
static uint32_t checksum_offset(const struct layout *lo, uint32_t flags,
				uint32_t ofs)
{
	uint32_t end = lo->block_size - (uint32_t)sizeof(le32);
	uint32_t bitmaps = lo->nat_bitmap_bytes +
			   (lo->cp_payload ? 0 : lo->sit_bitmap_bytes);

	if (flags & OD_CP_LARGE_NAT_BITMAP)
		return OD_CP_BITMAPS;
	return ofs < OD_CP_BITMAPS + bitmaps || ofs > end ? end : ofs;
}

/* What the geometry says, and what a damaged live head may have lost. */
static void put_sizes(const struct volume *vol, struct od_checkpoint *od,
		      uint32_t flags)
{
	const struct layout *lo = &vol->lo;
	const struct checkpoint *cp = &vol->cp;
	uint32_t ofs = le32_get(od->checksum_offset);

	le32_set(&od->rsvd_segment_count, cp->rsvd_segs);
	le32_set(&od->overprov_segment_count, cp->overprov_segs);
	le32_set(&od->sit_ver_bitmap_bytesize, lo->sit_bitmap_bytes);
	le32_set(&od->nat_ver_bitmap_bytesize, lo->nat_bitmap_bytes);
	le32_set(&od->checksum_offset, checksum_offset(lo, flags, ofs));
	le32_set(&od->next_free_nid, cp->next_free_nid < lo->nr_nids ?
				     cp->next_free_nid : 0);
}

static void put_head(const struct volume *vol, struct pack *p, uint32_t flags,
		     uint32_t start_sum)
{
	const struct checkpoint *cp = &vol->cp;
	struct od_checkpoint *od = (struct od_checkpoint *)p->blocks;
	uint32_t crc_off;

	le64_set(&od->checkpoint_ver, cp->version + 1);
	le64_set(&od->user_block_count, cp->user_blocks);
	le64_set(&od->valid_block_count, cp->valid_blocks);
	le32_set(&od->free_segment_count, volume_free_segs(vol));
	le32_set(&od->ckpt_flags, flags);
	le32_set(&od->cp_pack_total_block_count, p->nr);
	le32_set(&od->cp_pack_start_sum, start_sum);
	le32_set(&od->valid_node_count, cp->valid_nodes);
	le32_set(&od->valid_inode_count, cp->valid_inodes);
	put_sizes(vol, od, flags);
	put_logs(vol, od);
	put_bitmaps(vol, p);
	crc_off = le32_get(od->checksum_offset);
	le32_set((le32 *)(p->blocks + crc_off),
		 cp_block_crc(&vol->lo, p->blocks));
}

uint32_t pack_most_blks(const struct volume *vol)
{
	const struct layout *lo = &vol->lo;
	uint32_t orphan_blocks = (vol->cp.nr_orphans + lo->orphans_per_block -
				  1) / lo->orphans_per_block;

	return 2 + lo->cp_payload + orphan_blocks + 3 + 3;
}

static int pack_new(struct volume *vol, struct pack *p)
{
	const struct layout *lo = &vol->lo;

	p->block_size = lo->block_size;
	p->room = pack_most_blks(vol);
	if (p->room > lo->blks_per_seg)
		return ctx_fail(vol->ctx, -ENOSPC, "checkpoint pack: %" PRIu32
				" orphans do not fit", vol->cp.nr_orphans);
	p->blocks = calloc(p->room, p->block_size);
	if (!p->blocks)
		return ctx_nomem(vol->ctx, "the checkpoint pack");
	if (nat_bits_kept(vol)) {
		p->nat_bits = malloc(nat_bits_blks(lo) * p->block_size);
		return p->nat_bits ? 0 : ctx_nomem(vol->ctx, "NAT bits");
	}
	if (vol->cp.flags & OD_CP_NAT_BITS)
		ctx_log(vol->ctx, CTX_WARNING, "commit", "%s: the list of "
			"orphans leaves no room for NAT bits: they are dropped",
			vol->dev->name);
	return 0;
}

static void pack_build(struct volume *vol, struct pack *p)
{
	const struct checkpoint *cp = &vol->cp;
	bool compact = summaries_are_compact(vol);
	uint32_t start_sum;

	/* Bytes of the live block that are not ours to know are kept. */
	memcpy(pack_append(p), cp->head, p->block_size);
	p->nr += vol->lo.cp_payload;
	append_orphans(vol, p);
	start_sum = p->nr;
	if (compact)
		append_compact(vol, p);
	else
		for (int t = LOG_HOT_DATA; t <= LOG_COLD_DATA; t++)
			append_summary(vol, p, t);
	for (int t = LOG_HOT_NODE; t <= LOG_COLD_NODE; t++)
		append_summary(vol, p, t);
	p->nr++;
	put_head(vol, p, new_flags(cp, compact, p->nat_bits), start_sum);
	memcpy(pack_block(p, p->nr - 1), p->blocks, p->block_size);
	if (p->nat_bits)
		nat_bits_fill(vol, p->blocks, p->nat_bits);
}

static int barrier(struct volume *vol, double *ms)
{
	double start = flush_clock_ms();
	int err = dev_flush(vol->dev);

	*ms += flush_clock_ms() - start;
	return err;
}

/*
 * The block where the last one will be may be the last one of a pack of this
 * very version, whose first block was lost. With it the new pack would be
 * whole before all of it is durable: it goes first.
 */
static int wipe_twin(struct volume *vol, const struct pack *p, uint32_t blk)
{
	const struct od_checkpoint *head = (const void *)p->blocks;
	uint8_t *block = malloc(p->block_size);
	const struct od_checkpoint *there = (const void *)block;
	struct fault fault;
	int err = 0;

	if (!block)
		return ctx_nomem(vol->ctx, "a block");
	if (!dev_read(vol->dev, blk, 1, block) &&
	    !cp_block_validate(&vol->lo, block, &fault) &&
	    le64_get(there->checkpoint_ver) == le64_get(head->checkpoint_ver)) {
		memset(block, 0, p->block_size);
		err = dev_write(vol->dev, blk, 1, block);
		if (!err)
			err = dev_flush(vol->dev);
	}
	free(block);
	return err;
}

static int write_nat_bits(struct volume *vol, const struct pack *p,
			  uint32_t first, struct commit_stats *stats)
{
	uint32_t n = nat_bits_blks(&vol->lo);

	if (!p->nat_bits)
		return 0;
	stats->blocks_written += n;
	return dev_write(vol->dev, first + vol->lo.blks_per_seg - n, n,
			 p->nat_bits);
}

/*
 * Everything but the last block becomes durable first: a pack whose last
 * block is old or missing has two versions, and the live pack stays live.
 */
static int pack_write(struct volume *vol, const struct pack *p,
		      struct commit_stats *stats)
{
	uint32_t first = cp_pack_blk(&vol->lo, !vol->cp.pack);
	int err = wipe_twin(vol, p, first + p->nr - 1);

	if (!err)
		err = dev_write(vol->dev, first, p->nr - 1, p->blocks);
	if (!err)
		err = write_nat_bits(vol, p, first, stats);
	if (!err)
		err = barrier(vol, &stats->sync_ms);
	if (!err)
		err = dev_write(vol->dev, first + p->nr - 1, 1,
				pack_block(p, p->nr - 1));
	if (!err)
		err = barrier(vol, &stats->barriers_ms);
	if (!err)
		stats->blocks_written += p->nr;
	return err;
}

/* The pack on the device is the live one now. */
static void adopt(struct volume *vol, const struct pack *p)
{
	struct checkpoint *cp = &vol->cp;
	const struct od_checkpoint *od = (const struct od_checkpoint *)p->blocks;

	memcpy(cp->head, p->blocks, p->block_size);
	cp->pack = !cp->pack;
	cp->version++;
	cp->flags = le32_get(od->ckpt_flags);
	cp->free_segs = le32_get(od->free_segment_count);
	cp->state[cp->pack] = PACK_VALID;
	cp->pack_version[cp->pack] = cp->version;
}

int pack_store(struct volume *vol, struct commit_stats *stats)
{
	double start = flush_clock_ms();
	double flushed = stats->sync_ms + stats->barriers_ms;
	struct pack p = { 0 };
	int err;

	err = pack_new(vol, &p);
	if (!err) {
		pack_build(vol, &p);
		err = pack_write(vol, &p, stats);
	}
	if (!err)
		adopt(vol, &p);
	free(p.nat_bits);
	free(p.blocks);
	flushed = stats->sync_ms + stats->barriers_ms - flushed;
	stats->checkpoint_ms += flush_clock_ms() - start - flushed;
	return err;
}
