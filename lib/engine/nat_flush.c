/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flush of the NAT. The blocks to be changed are known before the first is
 * read, so they are prefetched in one sorted batch (kernel fs/f2fs/node.c,
 * f2fs_flush_nat_entries(), reads ahead for the same reason). They pass through
 * a buffer that holds a stretch of the table: read in address order, changed,
 * written in address order to the other copies.
 */
#include "config.h"

#include "engine/flush.h"

#include "base/bits.h"
#include "dev/prefetch.h"
#include "engine/flush_sets.h"
#include "engine/nat_bits.h"
#include "meta/journal.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES (2U << 20)

/* NAT blocks with dirty entries in one stretch of the table. */
struct stretch {
	struct volume *vol;
	const struct flush_set *sets;
	size_t nr;
	uint8_t *buf;			/* a slot for each block of the stretch */
	uint32_t slots;			/* a power of two, within a segment */
};

static void encode_entry(struct od_nat_entry *od, const struct nat_entry *e)
{
	od->version = e->version;
	le32_set(&od->ino, e->ino);
	le32_set(&od->blk, e->blk);
}

static int list_sets(struct volume *vol, struct flush_sets *sets)
{
	struct nat_entry e;

	for (uint32_t nid = 0; nat_next_dirty(&vol->nat, &nid, &e); nid++)
		if (flush_sets_add(sets, nid_to_nat_block(&vol->lo, nid)))
			return ctx_nomem(vol->ctx, "the list of NAT blocks");
	return 0;
}

/* The next dirty entry of NAT block @i from *@nid on. */
static bool next_of_block(const struct volume *vol, uint32_t i, uint32_t *nid,
			  struct nat_entry *e)
{
	return *nid < (i + 1) * vol->lo.nats_per_block &&
	       nat_next_dirty(&vol->nat, nid, e) &&
	       nid_to_nat_block(&vol->lo, *nid) == i;
}

/*
 * The journal is written anew. What came from the old one is among the dirty
 * entries, which stay dirty: they still differ from their NAT blocks.
 */
static void write_journal(struct volume *vol, const struct flush_set *sets,
			  size_t nr, struct commit_stats *stats)
{
	uint8_t *area = sum_journal(&vol->lo, vol->cp.log[LOG_HOT_DATA].sum);
	struct nat_entry e;
	uint16_t n = 0;

	memset(area, 0, vol->lo.sum_journal_bytes);
	for (size_t k = 0; k < nr; k++) {
		uint32_t nid = sets[k].i * vol->lo.nats_per_block;

		while (next_of_block(vol, sets[k].i, &nid, &e)) {
			struct od_nat_journal_entry *je =
				nat_journal_entry(area, n++);

			le32_set(&je->nid, nid++);
			encode_entry(&je->nat, &e);
		}
	}
	journal_set_count(area, n);
	stats->nat_journal_hits += n;
}

/* The copy that the live checkpoint selects; it is read, never written. */
static int live_copy(const struct volume *vol, uint32_t i)
{
	return bit_test_msb(vol->cp.nat_bitmap, i);
}

static uint8_t *slot_of(const struct stretch *s, uint32_t i)
{
	return s->buf + (size_t)(i % s->slots) * s->vol->lo.block_size;
}

/* How many blocks from sets[k] on lie side by side and have one live copy. */
static uint32_t run_length(const struct stretch *s, size_t k)
{
	uint32_t i = s->sets[k].i, n = 1;

	while (k + n < s->nr && s->sets[k + n].i == i + n &&
	       live_copy(s->vol, i + n) == live_copy(s->vol, i))
		n++;
	return n;
}

/* Without prefetch each block is waited for by itself, as for comparison. */
static int read_copy(const struct stretch *s, int copy)
{
	struct volume *vol = s->vol;
	uint32_t n;

	for (size_t k = 0; k < s->nr; k += n) {
		uint32_t i = s->sets[k].i;
		int err;

		n = vol->dev->no_prefetch ? 1 : run_length(s, k);
		if (live_copy(vol, i) != copy)
			continue;
		err = dev_read(vol->dev, nat_block_blk(&vol->lo, i, copy), n,
			       slot_of(s, i));
		if (err)
			return err;
	}
	return 0;
}

static int write_copy(const struct stretch *s, int copy,
		      struct commit_stats *stats)
{
	struct volume *vol = s->vol;
	uint32_t n;

	for (size_t k = 0; k < s->nr; k += n) {
		uint32_t i = s->sets[k].i;
		int err;

		n = run_length(s, k);
		if (live_copy(vol, i) == copy)
			continue;
		err = flush_write(vol, nat_block_blk(&vol->lo, i, copy), n,
				  slot_of(s, i), stats);
		if (err)
			return err;
	}
	return 0;
}

/* Put the dirty entries of NAT block @i over what was read. */
static void apply_entries(const struct stretch *s, uint32_t i)
{
	struct od_nat_entry *od = (struct od_nat_entry *)slot_of(s, i);
	uint32_t first = i * s->vol->lo.nats_per_block, nid = first;
	struct nat_entry e;

	while (next_of_block(s->vol, i, &nid, &e)) {
		encode_entry(&od[nid - first], &e);
		nat_clear_dirty(&s->vol->nat, nid++);
	}
}

static int rewrite_stretch(const struct stretch *s, struct commit_stats *stats)
{
	int err = read_copy(s, 0);

	if (!err)
		err = read_copy(s, 1);
	if (err)
		return err;
	for (size_t k = 0; k < s->nr; k++)
		apply_entries(s, s->sets[k].i);
	err = write_copy(s, 0, stats);
	if (!err)
		err = write_copy(s, 1, stats);
	for (size_t k = 0; k < s->nr; k++)
		bit_flip_msb(s->vol->cp.nat_bitmap, s->sets[k].i);
	return err;
}

/* In a stretch of a segment or less all of copy 0 lies before all of copy 1. */
static int rewrite_all(struct stretch *s, struct prefetch *pf,
		       const struct flush_set *sets, size_t nr,
		       struct commit_stats *stats)
{
	int err = 0;

	for (size_t k = 0; !err && k < nr; k += s->nr) {
		uint32_t stretch = sets[k].i / s->slots;

		s->sets = sets + k;
		s->nr = 1;
		while (k + s->nr < nr && s->sets[s->nr].i / s->slots == stretch)
			s->nr++;
		prefetch_reach(pf, k);
		err = rewrite_stretch(s, stats);
	}
	return err;
}

static int write_blocks(struct volume *vol, const struct flush_set *sets,
			size_t nr, struct commit_stats *stats)
{
	struct stretch s = {
		.vol = vol, .slots = BUFFER_BYTES / vol->lo.block_size,
	};
	struct prefetch pf;
	uint32_t *blks;
	int err;

	if (!nr)
		return 0;
	if (s.slots > vol->lo.blks_per_seg)
		s.slots = vol->lo.blks_per_seg;
	s.buf = malloc((size_t)s.slots * vol->lo.block_size);
	blks = malloc(nr * sizeof(*blks));
	if (!s.buf || !blks) {
		err = ctx_nomem(vol->ctx, "NAT blocks");
		goto out;
	}
	for (size_t k = 0; k < nr; k++)
		blks[k] = nat_block_blk(&vol->lo, sets[k].i,
					live_copy(vol, sets[k].i));
	prefetch_start(&pf, vol->dev, blks, nr, PREFETCH_GAP, PREFETCH_WINDOW);
	err = rewrite_all(&s, &pf, sets, nr, stats);
	stats->nat_blocks_touched += nr;
	stats->nat_blocks_read += nr;
	stats->nat_blocks_written += nr;
out:
	free(blks);
	free(s.buf);
	return err;
}

int nat_flush(struct volume *vol, struct commit_stats *stats)
{
	struct flush_sets sets = { 0 };
	int err = list_sets(vol, &sets);

	if (!err) {
		/* NAT bits tell of the blocks alone (format 3.7). */
		uint32_t room = nat_bits_kept(vol) ? 0 :
				vol->lo.nat_journal_max;
		size_t n = flush_sets_share(&sets, room);

		write_journal(vol, sets.v, n, stats);
		err = write_blocks(vol, sets.v + n, sets.nr - n, stats);
	}
	vec_free(&sets);
	return err;
}
