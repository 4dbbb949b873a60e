/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inode packing: the queue, its bound, and runs that are not cut. */
#include "config.h"

#include "volume_builder.h"
#include "base/bits.h"
#include "engine/pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct setup {
	struct vb b;
	struct volume *vol;
	struct txn t;
};

static void start(struct setup *s)
{
	vb_write(&s->b);
	s->vol = vb_open(&s->b);
	assert_int_equal(txn_init(&s->t, s->vol), 0);
	s->t.queue_max = PACK_DEFAULT_MAX;
}

static void stop(struct setup *s)
{
	txn_free(&s->t);
	volume_close(s->vol);
	vb_free(&s->b);
}

/* Plan to empty sections 0 to @nr - 1. */
static int plan(struct setup *s, uint32_t nr)
{
	int err;

	txn_reset(&s->t);
	for (uint32_t i = 0; i < nr; i++)
		assert_int_equal(txn_add_section(&s->t, i), 0);
	err = txn_resolve(&s->t);
	assert_int_equal(err, 0);
	return txn_place(&s->t);
}

static int by_file(const void *pa, const void *pb)
{
	const struct move *a = pa, *b = pb;

	if (a->ino != b->ino)
		return a->ino < b->ino ? -1 : 1;
	return a->lblk < b->lblk ? -1 : a->lblk > b->lblk;
}

/* Extents of the moves, before or after; each place is used once. */
static uint32_t extents(struct setup *s, bool after)
{
	uint8_t *seen = calloc(1, s->b.lo.end_blk);
	struct move *v = s->t.moves.v;
	uint32_t n = 0, prev = 0;

	assert_non_null(seen);
	qsort(v, s->t.moves.nr, sizeof(*v), by_file);
	for (size_t i = 0; i < s->t.moves.nr; i++) {
		uint32_t blk = after ? v[i].dst : v[i].src;

		assert_true(blk_is_main(&s->b.lo, blk));
		assert_false(seen[blk]);
		seen[blk] = 1;
		n += !i || v[i].ino != v[i - 1].ino ||
		     v[i].lblk != v[i - 1].lblk + 1 || blk != prev + 1;
		prev = blk;
	}
	free(seen);
	return n;
}

/* @nr files whose runs of @run blocks lie in turn from section 0 on. */
static void make_turns(struct setup *s, uint32_t nr, uint32_t run,
		       uint32_t blocks)
{
	struct vb_file *f[8];
	uint32_t blk;

	vb_init(&s->b, &(struct vb_opt){ .nr_secs = 40, .version = 4 });
	blk = s->b.lo.main_blk;
	for (uint32_t i = 0; i < nr; i++)
		f[i] = vb_file(&s->b, VB_REG);
	for (uint32_t at = 0; at < blocks; at += run) {
		for (uint32_t i = 0; i < nr; i++) {
			for (uint32_t k = 0; k < run; k++, blk++) {
				uint32_t segno = blk_to_seg(&s->b.lo, blk);

				if (!s->b.seg_used[segno])
					vb_new_seg(&s->b, LOG_WARM_DATA,
						   segno);
				vb_map(&s->b, f[i], at + k, blk);
			}
		}
	}
}

static uint32_t nr_secs(const struct setup *s)
{
	uint32_t n = 0;

	while (s->b.seg[n].valid)
		n++;
	return n;
}

static void inodes_are_packed_in_file_order(void **state)
{
	struct setup s;

	(void)state;
	make_turns(&s, 4, 1, 300);
	start(&s);
	assert_int_equal(plan(&s, nr_secs(&s)), 0);
	assert_int_equal(s.t.moves.nr, 1200);
	assert_int_equal(extents(&s, false), 1200);
	/* And one more where the section of the log ends. */
	assert_int_equal(extents(&s, true), 5);
	assert_int_equal(s.t.queue_drains, 0);
	stop(&s);
}

static void scan_order_is_the_order_of_sources(void **state)
{
	uint32_t jumps = 0;
	struct setup s;

	(void)state;
	make_turns(&s, 4, 1, 300);
	start(&s);
	s.t.no_pack = true;
	assert_int_equal(plan(&s, nr_secs(&s)), 0);
	for (size_t i = 1; i < s.t.moves.nr; i++) {
		assert_true(s.t.moves.v[i].src > s.t.moves.v[i - 1].src);
		jumps += s.t.moves.v[i].dst != s.t.moves.v[i - 1].dst + 1;
	}
	assert_int_equal(jumps, 1);
	assert_int_equal(extents(&s, true), 1200);
	stop(&s);
}

/* What a bound of @max costs: never more extents, all blocks placed. */
static void bounded(uint32_t nr, uint32_t run, uint32_t blocks, uint32_t max)
{
	struct setup s;
	uint32_t before, after;

	make_turns(&s, nr, run, blocks);
	start(&s);
	s.t.queue_max = max;
	assert_int_equal(plan(&s, nr_secs(&s)), 0);
	before = extents(&s, false);
	after = extents(&s, true);
	assert_true(after <= before + s.t.extents_split);
	assert_int_equal(s.t.extents_split, 0);
	assert_int_equal(s.t.moved_at_once, 0);
	if (max < s.t.moves.nr)
		assert_true(s.t.queue_drains >= s.t.moves.nr / (max + run) - 1);
	stop(&s);
}

static void a_bound_drains_early_and_cuts_no_run(void **state)
{
	static const uint32_t max[] = { 1, 2, 3, 10, 63, 64, 65, 100, 5000 };
	static const uint32_t run[] = { 1, 2, 7, 10, 60, 100, 300 };

	(void)state;
	for (size_t i = 0; i < NR_OF(max); i++)
		for (size_t k = 0; k < NR_OF(run); k++)
			bounded(2, run[k], 600 / run[k] * run[k], max[i]);
}

/*
 * A run that is longer than the bound, and than what is left of the section
 * the log is in: it goes into the next one as a whole.
 */
static void a_long_run_is_not_cut_at_a_jump(void **state)
{
	static const uint32_t max[] = { 1, 64, 200, 5000 };

	(void)state;
	for (size_t i = 0; i < NR_OF(max); i++) {
		for (int no_pack = 0; no_pack < 2; no_pack++) {
			struct vb_file *f;
			struct setup s;

			vb_init(&s.b, &(struct vb_opt){ .nr_secs = 40,
							.version = 4 });
			f = vb_file(&s.b, VB_REG);
			vb_new_seg(&s.b, LOG_WARM_DATA, 0);
			for (uint32_t k = 0; k < 300; k++)
				vb_map(&s.b, f, k, s.b.lo.main_blk + 7 + k);
			/* 112 blocks are left, behind them is no free one. */
			vb_set_log(&s.b, LOG_WARM_DATA, 3, 400);
			vb_new_seg(&s.b, LOG_COLD_DATA, 4);
			vb_map(&s.b, f, 500, seg_to_blk(&s.b.lo, 4));
			start(&s);
			s.t.queue_max = max[i];
			s.t.no_pack = no_pack;
			assert_int_equal(plan(&s, 1), 0);
			assert_int_equal(s.t.moves.nr, 300);
			assert_int_equal(extents(&s, true), 1);
			stop(&s);
		}
	}
}

/* With @every record missing all blocks find a place, none is left behind. */
static void records_that_cannot_be_had(void **state)
{
	static const unsigned int every[] = { 1, 2, 4, 7 };

	(void)state;
	for (size_t i = 0; i < NR_OF(every); i++) {
		struct setup s;

		make_turns(&s, 3, 5, 400);
		start(&s);
		s.t.fail_record_every = every[i];
		assert_int_equal(plan(&s, nr_secs(&s)), 0);
		assert_int_equal(s.t.moves.nr, 1200);
		assert_true(s.t.moved_at_once >= 1200 / every[i] / 2);
		/* A run goes as a whole, if not with its file. */
		assert_true(extents(&s, true) <= extents(&s, false));
		/* The next plan starts with an empty queue. */
		s.t.fail_record_every = 0;
		assert_int_equal(plan(&s, 1), 0);
		assert_int_equal(s.t.moved_at_once, 0);
		assert_int_equal(extents(&s, true), 3);
		stop(&s);
	}
}

/* A file that no free run holds is cut only if it must be, and counted. */
static void a_file_larger_than_any_free_run(void **state)
{
	struct setup s;
	uint32_t after;

	(void)state;
	make_turns(&s, 2, 1, 600);
	/* Only single sections are free: 4, 6, 8, ... */
	for (uint32_t segno = 3; segno < 34; segno += 2)
		if (!s.b.seg_used[segno]) {
			vb_new_seg(&s.b, LOG_COLD_DATA, segno);
			vb_map(&s.b, s.b.files.v[1], 600 + segno * 2,
			       seg_to_blk(&s.b.lo, segno));
		}
	start(&s);
	/* One-block extents: pieces are no loss. */
	assert_int_equal(plan(&s, 2), 0);
	after = extents(&s, true);
	assert_true(after <= 8);
	assert_int_equal(s.t.extents_split, 0);
	stop(&s);
}

/* The same file as a single run. */
static void a_run_larger_than_any_free_run(void **state)
{
	struct setup s;

	(void)state;
	make_turns(&s, 1, 1, 600);
	for (uint32_t segno = 2; segno < 34; segno += 2)
		if (!s.b.seg_used[segno]) {
			vb_new_seg(&s.b, LOG_COLD_DATA, segno);
			vb_map(&s.b, s.b.files.v[1], 600 + segno * 2,
			       seg_to_blk(&s.b.lo, segno));
		}
	for (int no_pack = 0; no_pack < 2; no_pack++) {
		start(&s);
		s.t.no_pack = no_pack;
		assert_int_equal(plan(&s, 2), -ENOSPC);
		s.t.may_split = true;
		assert_int_equal(plan(&s, 2), 0);
		assert_int_equal(extents(&s, true), 1 + s.t.extents_split);
		assert_true(s.t.extents_split >= 1);
		s.t.queue_max = 64;
		assert_int_equal(plan(&s, 2), 0);
		assert_int_equal(extents(&s, true), 1 + s.t.extents_split);
		txn_free(&s.t);
		volume_close(s.vol);
	}
	vb_free(&s.b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inodes_are_packed_in_file_order),
		cmocka_unit_test(scan_order_is_the_order_of_sources),
		cmocka_unit_test(a_bound_drains_early_and_cuts_no_run),
		cmocka_unit_test(a_long_run_is_not_cut_at_a_jump),
		cmocka_unit_test(records_that_cannot_be_had),
		cmocka_unit_test(a_file_larger_than_any_free_run),
		cmocka_unit_test(a_run_larger_than_any_free_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
