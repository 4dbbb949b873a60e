/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flush of NAT and SIT: which sets of entries go to a journal, which
 * blocks are read and written, and in what order; NAT bits.
 */
#include "config.h"

#include "volume_builder.h"
#include "base/bits.h"
#include "base/ctx.h"
#include "engine/commit.h"
#include "meta/journal.h"

#include <string.h>

enum { SETS = 8, PER_BLOCK = 455 };

static void must_commit(struct volume *vol, struct commit_stats *stats)
{
	int err = commit(vol, stats);

	if (err)
		print_error("commit: %s\n", ctx_error(vol->ctx));
	assert_int_equal(err, 0);
}

/* @nr entries of NAT block @i become dirty. */
static void dirty_nat_block(struct volume *vol, uint32_t i, uint32_t nr)
{
	for (uint32_t n = 0; n < nr; n++) {
		struct nat_entry e = { .ino = 9 + n, .blk = 7000 + n };

		assert_int_equal(nat_set(&vol->nat, i * PER_BLOCK + 3 + n, &e),
				 0);
	}
}

static uint8_t *nat_journal(struct volume *vol)
{
	return sum_journal(&vol->lo, vol->cp.log[LOG_HOT_DATA].sum);
}

/* Whether all entries of NAT block @i that became dirty are in the journal. */
static bool is_in_journal(struct volume *vol, uint32_t i, uint32_t nr)
{
	uint8_t *area = nat_journal(vol);
	uint32_t found = 0;

	for (unsigned int k = 0; k < journal_count(area); k++)
		found += le32_get(nat_journal_entry(area, k)->nid) /
			 PER_BLOCK == i;
	assert_true(found == 0 || found == nr);
	return found;
}

struct sets {
	uint32_t nr[SETS];		/* in NAT blocks 10, 12, 14, ...; 0: no more */
	unsigned int journal;		/* mask of the sets that fit there */
};

static const struct sets nat_sets[] = {
	{ { 20, 10, 9, 1 }, 1 << 1 | 1 << 2 | 1 << 3 },
	{ { 18, 10, 9, 1 }, 0xf },		/* 38: all of them */
	{ { 19, 10, 9, 1 }, 0xe },		/* 39: all but the largest */
	{ { 38 }, 1 },
	{ { 39 }, 0 },
	{ { 38, 1 }, 1 << 1 },
	{ { 1, 455 - 3, 37 }, 1 << 0 | 1 << 2 },
	{ { 10, 10, 10, 10, 10 }, 7 },		/* of equals the first */
	{ { 30, 20, 18 }, 1 << 1 | 1 << 2 },
	{ { 1, 1, 1, 1, 1, 1, 1, 1 }, 0xff },
	{ { 39, 39, 39 }, 0 },
};

static void check_nat_sets(const struct sets *s)
{
	struct commit_stats st = { 0 };
	uint64_t in_journal = 0, blocks = 0;
	struct volume *vol, *again;
	struct vb b;

	vb_init(&b, &(struct vb_opt){ .version = 4, .seed = 7 });
	vb_write(&b);
	vol = vb_open(&b);
	for (uint32_t k = 0; k < SETS && s->nr[k]; k++) {
		dirty_nat_block(vol, 10 + 2 * k, s->nr[k]);
		if (s->journal & 1U << k)
			in_journal += s->nr[k];
		else
			blocks++;
	}
	must_commit(vol, &st);
	assert_int_equal(st.nat_journal_hits, in_journal);
	assert_int_equal(st.nat_blocks_touched, blocks);
	assert_int_equal(st.nat_blocks_read, blocks);
	assert_int_equal(st.nat_blocks_written, blocks);
	again = vb_open(&b);
	assert_int_equal(again->findings.nr, 0);
	assert_int_equal(journal_count(nat_journal(again)), in_journal);
	for (uint32_t k = 0; k < SETS && s->nr[k]; k++) {
		uint32_t i = 10 + 2 * k, nid = i * PER_BLOCK + 3;

		assert_int_equal(is_in_journal(again, i, s->nr[k]),
				 !!(s->journal & 1U << k));
		for (uint32_t n = 0; n < s->nr[k]; n++)
			assert_int_equal(nat_get(&again->nat, nid + n).blk,
					 7000 + n);
	}
	volume_close(again);
	volume_close(vol);
	vb_free(&b);
}

static void the_smallest_nat_sets_go_to_the_journal(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_OF(nat_sets); i++)
		check_nat_sets(&nat_sets[i]);
}

/* Entries of the old journal compete like all others, in their own sets. */
static void an_old_journal_is_folded_in(void **state)
{
	struct commit_stats st = { 0 };
	struct volume *vol, *again;
	struct vb b;

	(void)state;
	vb_init(&b, &(struct vb_opt){ .version = 4 });
	vb_write(&b);
	vol = vb_open(&b);
	dirty_nat_block(vol, 10, 20);
	dirty_nat_block(vol, 12, 8);
	must_commit(vol, &st);
	assert_int_equal(st.nat_journal_hits, 28);
	volume_close(vol);

	vol = vb_open(&b);
	assert_int_equal(vol->nat.nr_dirty, 28);
	dirty_nat_block(vol, 14, 5);
	dirty_nat_block(vol, 10, 26);		/* 20 of them once more */
	memset(&st, 0, sizeof(st));
	must_commit(vol, &st);
	assert_int_equal(st.nat_journal_hits, 13);
	assert_int_equal(st.nat_blocks_written, 1);
	assert_int_equal(vol->nat.nr_dirty, 13);
	again = vb_open(&b);
	assert_false(is_in_journal(again, 10, 26));
	assert_true(is_in_journal(again, 12, 8));
	assert_true(is_in_journal(again, 14, 5));
	assert_int_equal(nat_get(&again->nat, 10 * PER_BLOCK + 28).blk, 7025);
	volume_close(again);
	volume_close(vol);
	vb_free(&b);
}

static void dirty_segs(struct volume *vol, uint32_t i, uint32_t nr)
{
	for (uint32_t n = 0; n < nr; n++)
		assert_int_equal(sit_set_mtime(&vol->sit, i * 55 + n, 77 + n),
				 0);
}

/* SIT blocks 0, 1, ...: entries in each, and which are in the journal then. */
static void the_smallest_sit_sets_go_to_the_journal(void **state)
{
	static const struct sets sets[] = {
		{ { 3, 2, 1 }, 7 },
		{ { 3, 2, 2 }, 6 },
		{ { 7, 6 }, 2 },
		{ { 7, 1, 40, 5 }, 1 << 1 | 1 << 3 },
		{ { 50, 50, 50, 50 }, 0 },
	};

	(void)state;
	for (size_t t = 0; t < NR_OF(sets); t++) {
		struct commit_stats st = { 0 };
		uint64_t entries = 0, blocks = 0;
		struct volume *vol, *again;
		struct vb b;

		vb_init(&b, &(struct vb_opt){ .nr_secs = 230, .version = 4 });
		vb_write(&b);
		vol = vb_open(&b);
		for (uint32_t k = 0; k < SETS && sets[t].nr[k]; k++) {
			dirty_segs(vol, k, sets[t].nr[k]);
			if (sets[t].journal & 1U << k)
				entries += sets[t].nr[k];
			else
				blocks++;
		}
		must_commit(vol, &st);
		assert_int_equal(st.sit_blocks_written, blocks);
		assert_int_equal(vol->sit.nr_dirty, entries);
		again = vb_open(&b);
		assert_int_equal(again->findings.nr, 0);
		assert_int_equal(again->sit.nr_dirty, entries);
		for (uint32_t k = 0; k < SETS && sets[t].nr[k]; k++)
			for (uint32_t n = 0; n < sets[t].nr[k]; n++)
				assert_int_equal(sit_get(&again->sit,
							 k * 55 + n)->mtime,
						 77 + n);
		volume_close(again);
		volume_close(vol);
		vb_free(&b);
	}
}

/* Writes to NAT blocks before the first flush, in the order they came. */
static size_t nat_writes(const struct dev *rec, const struct layout *lo,
			 uint32_t *first, uint32_t *count, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < dev_record_nr_events(rec); i++) {
		const struct dev_event *e = dev_record_event(rec, i);
		uint64_t blk = e->off / VB_BYTES;

		if (!e->len || blk < lo->nat_blk || blk >= lo->ssa_blk)
			continue;
		assert_true(n < room);
		first[n] = (uint32_t)blk;
		count[n++] = (uint32_t)(e->len / VB_BYTES);
	}
	return n;
}

/*
 * All blocks of the NAT, some in each copy: no run touches a live block, runs
 * are as long as they can be, and go up.
 */
static void writes_are_merged_and_in_address_order(void **state)
{
	enum { ROOM = VB_SEG_BLKS };
	uint32_t first[ROOM], count[ROOM], blocks = 0;
	struct commit_stats st = { 0 };
	struct dev *rec;
	struct volume *vol;
	uint8_t live[64];
	struct vb b;
	size_t n;

	(void)state;
	vb_init(&b, &(struct vb_opt){ .version = 4, .seed = 3 });
	vb_write(&b);
	assert_int_equal(dev_record_open(vb_dev(&b), &rec), 0);
	vol = vb_open_dev(&b, rec);
	memcpy(live, vol->cp.nat_bitmap, sizeof(live));
	for (uint32_t i = 0; i < VB_SEG_BLKS; i++)
		dirty_nat_block(vol, i, 45);
	must_commit(vol, &st);
	n = nat_writes(rec, &vol->lo, first, count, ROOM);
	for (size_t k = 0; k < n; k++) {
		uint32_t at = first[k] - vol->lo.nat_blk;
		bool copy = at >= VB_SEG_BLKS;

		blocks += count[k];
		if (k)
			assert_true(first[k] > first[k - 1] + count[k - 1]);
		for (uint32_t j = 0; j < count[k]; j++)
			assert_int_equal(bit_test_msb(live, (at + j) %
						      VB_SEG_BLKS), !copy);
	}
	assert_int_equal(blocks, VB_SEG_BLKS);
	assert_int_equal(st.nat_blocks_written, VB_SEG_BLKS);
	volume_close(vol);
	vb_free(&b);
}

/* What goes to the journal needs no block, and without prefetch none is less. */
static void only_blocks_that_are_written_are_read(void **state)
{
	(void)state;
	for (int no_prefetch = 0; no_prefetch < 2; no_prefetch++) {
		struct commit_stats st = { 0 };
		uint64_t reads;
		struct volume *vol;
		struct dev *dev;
		struct vb b;

		vb_init(&b, &(struct vb_opt){ .version = 4, .seed = 3 });
		vb_write(&b);
		dev = vb_dev(&b);
		vol = vb_open_dev(&b, dev);
		dirty_nat_block(vol, 10, 20);
		dirty_nat_block(vol, 12, 18);
		reads = vb_nr_reads(dev);
		must_commit(vol, &st);
		assert_int_equal(st.nat_blocks_read, 0);
		reads = vb_nr_reads(dev) - reads;	/* of the packs */

		dev->no_prefetch = no_prefetch;
		for (uint32_t i = 100; i < 160; i++)
			dirty_nat_block(vol, i, 30);
		reads += vb_nr_reads(dev);
		must_commit(vol, &st);
		assert_int_equal(st.nat_blocks_read, 60);
		reads = vb_nr_reads(dev) - reads;
		if (no_prefetch)
			assert_int_equal(reads, 60);
		else
			assert_in_range(reads, 1, 45);	/* merged */
		volume_close(vol);
		vb_free(&b);
	}
}

/* What the bits have to be, from the blocks on the device. */
static void expect_nat_bits(struct vb *b, const struct volume *vol)
{
	uint32_t pack = b->lo.cp_blk + (vol->cp.pack ? VB_SEG_BLKS : 0);
	const uint8_t *head = vb_block(b, pack);
	const uint8_t *bits = vb_block(b, pack + VB_SEG_BLKS - 1);
	const uint8_t *full = bits + 8, *empty = full + VB_SEG_BLKS / 8;
	uint32_t crc = le32_get(*(const le32 *)(head + VB_BYTES - 4));

	assert_int_equal(le64_get(*(const le64 *)bits),
			 vol->cp.version | (uint64_t)crc << 32);
	for (uint32_t i = 0; i < VB_SEG_BLKS; i++) {
		bool copy = bit_test_msb(vol->cp.nat_bitmap, i);
		const struct od_nat_entry *e = (const void *)
			vb_block(b, b->lo.nat_blk + i +
				    (copy ? VB_SEG_BLKS : 0));
		unsigned int used = i == 0;

		for (unsigned int n = 0; n < PER_BLOCK; n++)
			used += le32_get(e[n].blk) != 0;
		assert_int_equal(bit_test_lsb(full, i), used == PER_BLOCK);
		assert_int_equal(bit_test_lsb(empty, i), !used);
	}
}

static void nat_bits_are_made_again(void **state)
{
	struct commit_stats st = { 0 };
	struct volume *vol;
	struct vb b;

	(void)state;
	vb_init(&b, &(struct vb_opt){ .version = 1ULL << 40, .nat_journal = 1,
				      .set_flags = OD_CP_NAT_BITS });
	vb_write(&b);
	vol = vb_open(&b);
	for (int round = 0; round < 3; round++) {
		/* Full, one less than full, and emptied again. */
		for (uint32_t n = 0; n < PER_BLOCK; n++) {
			struct nat_entry e = { .ino = 9, .blk = 7000 };

			nat_set(&vol->nat, 20 * PER_BLOCK + n, &e);
			e.blk = n || round ? 7000 : 0;
			nat_set(&vol->nat, 21 * PER_BLOCK + n, &e);
			e.blk = round == 1 ? 7000 : 0;
			nat_set(&vol->nat, 22 * PER_BLOCK + n, &e);
			if (n > 2)
				nat_set(&vol->nat, n, &e);
		}
		dirty_nat_block(vol, 30, 1 + (uint32_t)round);
		must_commit(vol, &st);
		assert_true(vol->cp.flags & OD_CP_NAT_BITS);
		assert_int_equal(st.nat_journal_hits, 0);
		assert_int_equal(vol->nat.nr_dirty, 0);
		expect_nat_bits(&b, vol);
	}
	volume_close(vol);
	vb_free(&b);
}

static void nat_bits_give_way_to_orphans(void **state)
{
	(void)state;
	for (uint32_t blocks = 502; blocks <= 504; blocks++) {
		struct commit_stats st = { 0 };
		struct volume *vol;
		struct vb b;

		vb_init(&b, &(struct vb_opt){ .version = 9,
					      .set_flags = OD_CP_NAT_BITS });
		vb_write(&b);
		vol = vb_open(&b);
		vol->cp.nr_orphans = blocks * 1020;
		vol->cp.orphans = calloc(vol->cp.nr_orphans, 4);
		assert_non_null(vol->cp.orphans);
		dirty_nat_block(vol, 10, 2);
		must_commit(vol, &st);
		/* 8 blocks of a pack, and one of bits. */
		assert_int_equal(!!(vol->cp.flags & OD_CP_NAT_BITS),
				 8 + blocks + 1 <= 512);
		assert_int_equal(st.nat_journal_hits,
				 vol->cp.flags & OD_CP_NAT_BITS ? 0 : 2);
		volume_close(vol);
		vb_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_smallest_nat_sets_go_to_the_journal),
		cmocka_unit_test(an_old_journal_is_folded_in),
		cmocka_unit_test(the_smallest_sit_sets_go_to_the_journal),
		cmocka_unit_test(writes_are_merged_and_in_address_order),
		cmocka_unit_test(only_blocks_that_are_written_are_read),
		cmocka_unit_test(nat_bits_are_made_again),
		cmocka_unit_test(nat_bits_give_way_to_orphans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
