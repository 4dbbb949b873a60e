/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flush of the SIT: blocks are rebuilt whole from memory, none is read, and
 * written in address order (kernel fs/f2fs/segment.c,
 * f2fs_flush_sit_entries()).
 */
#include "config.h"

#include "engine/flush.h"

#include "base/bits.h"
#include "engine/flush_sets.h"
#include "meta/journal.h"

#include <stdlib.h>
#include <string.h>

#define RUN_BLKS 64U			/* blocks written at once at most */

static int list_sets(struct volume *vol, struct flush_sets *sets)
{
	for (uint32_t segno = 0; sit_next_dirty(&vol->sit, &segno); segno++)
		if (flush_sets_add(sets, segno / vol->lo.sits_per_block))
			return ctx_nomem(vol->ctx, "the list of SIT blocks");
	return 0;
}

/* The next dirty segment of SIT block @i from *@segno on. */
static bool next_of_block(const struct volume *vol, uint32_t i,
			  uint32_t *segno)
{
	return sit_next_dirty(&vol->sit, segno) &&
	       *segno / vol->lo.sits_per_block == i;
}

/* The entries stay dirty: they still differ from their SIT blocks. */
static void write_journal(struct volume *vol, const struct flush_set *sets,
			  size_t nr)
{
	uint8_t *area = sum_journal(&vol->lo, vol->cp.log[LOG_COLD_DATA].sum);
	uint16_t n = 0;

	memset(area, 0, vol->lo.sum_journal_bytes);
	for (size_t k = 0; k < nr; k++) {
		uint32_t segno = sets[k].i * vol->lo.sits_per_block;

		for (; next_of_block(vol, sets[k].i, &segno); segno++) {
			struct od_sit_journal_entry *je =
				sit_journal_entry(area, n++);

			le32_set(&je->segno, segno);
			sit_encode(sit_get(&vol->sit, segno), &je->sit);
		}
	}
	journal_set_count(area, n);
}

static int live_copy(const struct volume *vol, uint32_t i)
{
	return bit_test_msb(vol->cp.sit_bitmap, i);
}

/* How many blocks from sets[k] on lie side by side and have one live copy. */
static uint32_t run_length(const struct volume *vol,
			   const struct flush_set *sets, size_t nr, size_t k)
{
	uint32_t i = sets[k].i, n = 1;

	while (n < RUN_BLKS && k + n < nr && sets[k + n].i == i + n &&
	       live_copy(vol, i + n) == live_copy(vol, i))
		n++;
	return n;
}

/* Blocks whose live copy is the other one; the bitmap stays as it is. */
static int write_copy(struct volume *vol, const struct flush_set *sets,
		      size_t nr, int copy, uint8_t *buf,
		      struct commit_stats *stats)
{
	uint32_t n;

	for (size_t k = 0; k < nr; k += n) {
		uint32_t i = sets[k].i;
		int err;

		n = run_length(vol, sets, nr, k);
		if (live_copy(vol, i) == copy)
			continue;
		for (uint32_t j = 0; j < n; j++)
			sit_encode_block(&vol->sit, i + j, buf +
					 (size_t)j * vol->lo.block_size);
		err = flush_write(vol, sit_block_blk(&vol->lo, i, copy), n,
				  buf, stats);
		if (err)
			return err;
		stats->sit_blocks_written += n;
	}
	return 0;
}

static void set_written(struct volume *vol, uint32_t i)
{
	uint32_t segno = i * vol->lo.sits_per_block;

	bit_flip_msb(vol->cp.sit_bitmap, i);
	while (next_of_block(vol, i, &segno))
		sit_clear_dirty(&vol->sit, segno++);
}

static int write_blocks(struct volume *vol, const struct flush_set *sets,
			size_t nr, struct commit_stats *stats)
{
	uint8_t *buf;
	int err;

	if (!nr)
		return 0;
	buf = malloc((size_t)RUN_BLKS * vol->lo.block_size);
	if (!buf)
		return ctx_nomem(vol->ctx, "SIT blocks");
	err = write_copy(vol, sets, nr, 0, buf, stats);
	if (!err)
		err = write_copy(vol, sets, nr, 1, buf, stats);
	for (size_t k = 0; k < nr; k++)
		set_written(vol, sets[k].i);
	free(buf);
	return err;
}

int sit_flush(struct volume *vol, struct commit_stats *stats)
{
	struct flush_sets sets = { 0 };
	int err = list_sets(vol, &sets);

	if (!err) {
		size_t n = flush_sets_share(&sets, vol->lo.sit_journal_max);

		write_journal(vol, sets.v, n);
		err = write_blocks(vol, sets.v + n, sets.nr - n, stats);
	}
	vec_free(&sets);
	return err;
}
