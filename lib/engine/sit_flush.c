/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flush of the SIT: blocks are rebuilt whole from memory, none is read. */
#include "config.h"

#include "engine/flush.h"

#include "base/bits.h"
#include "meta/journal.h"

#include <stdlib.h>
#include <string.h>

#define RUN_BLKS 64U			/* blocks written at once at most */

static uint8_t *journal_of(struct volume *vol)
{
	return sum_journal(&vol->lo, vol->cp.log[LOG_COLD_DATA].sum);
}

/* The entries stay dirty: they still differ from their SIT blocks. */
static void flush_to_journal(struct volume *vol)
{
	uint8_t *area = journal_of(vol);
	uint32_t segno = 0;
	uint16_t n = 0;

	memset(area, 0, vol->lo.sum_journal_bytes);
	while (sit_next_dirty(&vol->sit, &segno)) {
		struct od_sit_journal_entry *je = sit_journal_entry(area, n++);

		le32_set(&je->segno, segno);
		sit_encode(sit_get(&vol->sit, segno), &je->sit);
		segno++;
	}
	journal_set_count(area, n);
}

static uint32_t other_blk(const struct volume *vol, uint32_t i)
{
	return sit_block_blk(&vol->lo, i,
			     !bit_test_msb(vol->cp.sit_bitmap, i));
}

static void clear_dirty(struct volume *vol, uint32_t i)
{
	uint32_t first = i * vol->lo.sits_per_block;
	uint32_t segno = first;

	while (sit_next_dirty(&vol->sit, &segno) &&
	       segno < first + vol->lo.sits_per_block)
		sit_clear_dirty(&vol->sit, segno++);
}

static int write_run(struct volume *vol, uint32_t to, uint32_t n,
		     const uint8_t *buf, struct commit_stats *stats)
{
	if (!n)
		return 0;
	stats->sit_blocks_written += n;
	stats->blocks_written += n;
	return dev_write(vol->dev, to, n, buf);
}

static int flush_to_blocks(struct volume *vol, struct commit_stats *stats)
{
	uint8_t *buf = malloc((size_t)RUN_BLKS * vol->lo.block_size);
	uint32_t segno = 0, to = 0, n = 0;
	int err = 0;

	if (!buf)
		return ctx_nomem(vol->ctx, "SIT blocks");
	while (!err && sit_next_dirty(&vol->sit, &segno)) {
		uint32_t i = segno / vol->lo.sits_per_block;

		if (n == RUN_BLKS || (n && other_blk(vol, i) != to + n)) {
			err = write_run(vol, to, n, buf, stats);
			n = 0;
		}
		if (!n)
			to = other_blk(vol, i);
		sit_encode_block(&vol->sit, i,
				 buf + (size_t)n++ * vol->lo.block_size);
		bit_flip_msb(vol->cp.sit_bitmap, i);
		clear_dirty(vol, i);
	}
	if (!err)
		err = write_run(vol, to, n, buf, stats);
	memset(journal_of(vol), 0, vol->lo.sum_journal_bytes);
	free(buf);
	return err;
}

int sit_flush(struct volume *vol, struct commit_stats *stats)
{
	if (vol->sit.nr_dirty > vol->lo.sit_journal_max)
		return flush_to_blocks(vol, stats);
	flush_to_journal(vol);
	return 0;
}
