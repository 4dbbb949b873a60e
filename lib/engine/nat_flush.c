/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flush of the NAT: the blocks to be changed are known before the first is
 * read, so they are prefetched in one sorted batch (kernel fs/f2fs/node.c,
 * f2fs_flush_nat_entries(), reads ahead for the same reason).
 */
#include "config.h"

#include "engine/flush.h"

#include "base/bits.h"
#include "base/vec.h"
#include "dev/prefetch.h"
#include "meta/journal.h"

#include <stdlib.h>
#include <string.h>

#define RUN_BLKS 256U			/* blocks written at once at most */

struct blk_vec VEC_BODY(uint32_t);

static void encode_entry(struct od_nat_entry *od, const struct nat_entry *e)
{
	od->version = e->version;
	le32_set(&od->ino, e->ino);
	le32_set(&od->blk, e->blk);
}

static uint8_t *journal_of(struct volume *vol)
{
	return sum_journal(&vol->lo, vol->cp.log[LOG_HOT_DATA].sum);
}

/* The entries stay dirty: they still differ from their NAT blocks. */
static void flush_to_journal(struct volume *vol, struct commit_stats *stats)
{
	uint8_t *area = journal_of(vol);
	struct nat_entry e;
	uint32_t nid = 0;
	uint16_t n = 0;

	memset(area, 0, vol->lo.sum_journal_bytes);
	while (nat_next_dirty(&vol->nat, &nid, &e)) {
		struct od_nat_journal_entry *je = nat_journal_entry(area, n++);

		le32_set(&je->nid, nid++);
		encode_entry(&je->nat, &e);
	}
	journal_set_count(area, n);
	stats->nat_journal_hits += n;
}

/* NAT blocks (their numbers, ascending) that hold dirty entries. */
static int list_dirty_blocks(struct volume *vol, struct blk_vec *list)
{
	struct nat_entry e;
	uint32_t nid = 0;

	while (nat_next_dirty(&vol->nat, &nid, &e)) {
		uint32_t i = nid_to_nat_block(&vol->lo, nid);

		if (vec_push(list, &i))
			return ctx_nomem(vol->ctx, "the list of NAT blocks");
		nid = (i + 1) * vol->lo.nats_per_block;
	}
	return 0;
}

static uint32_t current_blk(const struct volume *vol, uint32_t i)
{
	return nat_block_blk(&vol->lo, i,
			     bit_test_msb(vol->cp.nat_bitmap, i));
}

static uint32_t other_blk(const struct volume *vol, uint32_t i)
{
	return nat_block_blk(&vol->lo, i,
			     !bit_test_msb(vol->cp.nat_bitmap, i));
}

static int prefetch_blocks(struct volume *vol, const struct blk_vec *list)
{
	uint32_t *blks = malloc(list->nr * sizeof(*blks));

	if (!blks)
		return ctx_nomem(vol->ctx, "the prefetch list");
	for (size_t k = 0; k < list->nr; k++)
		blks[k] = current_blk(vol, list->v[k]);
	prefetch_batch(vol->dev, blks, list->nr, PREFETCH_GAP);
	free(blks);
	return 0;
}

/* Put the dirty entries of NAT block @i over what was read into @block. */
static void apply_entries(struct volume *vol, uint32_t i, uint8_t *block)
{
	struct od_nat_entry *od = (struct od_nat_entry *)block;
	uint32_t per_block = vol->lo.nats_per_block;
	uint32_t nid = i * per_block;
	struct nat_entry e;

	while (nat_next_dirty(&vol->nat, &nid, &e) &&
	       nid_to_nat_block(&vol->lo, nid) == i) {
		encode_entry(&od[nid % per_block], &e);
		nat_clear_dirty(&vol->nat, nid++);
	}
}

/*
 * How many blocks from list->v[k] on lie side by side in their other copies.
 * A run never crosses a segment: there the copies change places.
 */
static size_t run_length(const struct volume *vol, const struct blk_vec *list,
			 size_t k)
{
	uint32_t first = other_blk(vol, list->v[k]);
	size_t n = 1;

	while (k + n < list->nr && n < RUN_BLKS &&
	       list->v[k + n] == list->v[k] + n &&
	       other_blk(vol, list->v[k + n]) == first + n)
		n++;
	return n;
}

static int rewrite_run(struct volume *vol, const struct blk_vec *list,
		       size_t k, size_t n, uint8_t *buf)
{
	uint32_t to = other_blk(vol, list->v[k]);
	int err;

	for (size_t j = 0; j < n; j++) {
		uint32_t i = list->v[k + j];
		uint8_t *block = buf + j * vol->lo.block_size;

		err = dev_read(vol->dev, current_blk(vol, i), 1, block);
		if (err)
			return err;
		apply_entries(vol, i, block);
		bit_flip_msb(vol->cp.nat_bitmap, i);
	}
	return dev_write(vol->dev, to, (uint32_t)n, buf);
}

static int flush_to_blocks(struct volume *vol, struct commit_stats *stats)
{
	uint8_t *buf = malloc((size_t)RUN_BLKS * vol->lo.block_size);
	struct blk_vec list = { 0 };
	int err;

	if (!buf) {
		err = ctx_nomem(vol->ctx, "NAT blocks");
		goto out;
	}
	err = list_dirty_blocks(vol, &list);
	if (!err)
		err = prefetch_blocks(vol, &list);
	for (size_t k = 0; !err && k < list.nr; ) {
		size_t n = run_length(vol, &list, k);

		err = rewrite_run(vol, &list, k, n, buf);
		k += n;
	}
	if (err)
		goto out;
	memset(journal_of(vol), 0, vol->lo.sum_journal_bytes);
	stats->nat_blocks_touched += list.nr;
	stats->nat_blocks_read += list.nr;
	stats->nat_blocks_written += list.nr;
	stats->blocks_written += list.nr;
out:
	vec_free(&list);
	free(buf);
	return err;
}

int nat_flush(struct volume *vol, struct commit_stats *stats)
{
	if (vol->nat.nr_dirty > vol->lo.nat_journal_max)
		return flush_to_blocks(vol, stats);
	flush_to_journal(vol, stats);
	return 0;
}
