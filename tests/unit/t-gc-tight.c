/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Garbage collection where there is hardly any room: it works, or ends before
 * the first write; it never ends with fewer free sections, and it ends.
 */
#include "config.h"

#include "volume_builder.h"
#include "base/ctx.h"
#include "engine/gc.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More of them: SEEDS=500 tests/unit/t-gc-tight */
static uint64_t nr_seeds(uint64_t nr)
{
	const char *s = getenv("SEEDS");

	return s ? strtoull(s, NULL, 0) : nr;
}

/* 0 to 3 segments are left, 2 to 25 % of the files are deleted again. */
static void make_full(struct vb *b, uint64_t seed)
{
	static const uint32_t sizes[] = { 3, 20, 60, 400, 1100 };
	static const uint32_t every[] = { 4, 8, 16, 50 };
	uint32_t size = sizes[seed % NR_OF(sizes)];

	vb_make_random(b, &(struct vb_random_opt){
		.seed = seed, .segs_per_sec = seed % 7 == 6 ? 2 : 1,
		.nr_secs = 30 + (uint32_t)(seed % 9),
		.nr_files = 400, .leave = (uint32_t)(seed / 5 % 4), .full = true,
		.max_blocks = size, .delete_every = every[seed / 20 % 4],
	});
}

static void a_full_volume_never_loses(void **state)
{
	uint64_t gains = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= nr_seeds(40); seed++) {
		struct gc_options opt = {
			.full = seed % 4 == 3, .no_pack = seed % 8 == 5,
		};
		uint8_t *copy;
		struct volume *vol;
		struct gc_report r;
		struct vb b;
		int err;

		make_full(&b, seed);
		copy = malloc(vb_nr_bytes(&b));
		assert_non_null(copy);
		memcpy(copy, b.img, vb_nr_bytes(&b));
		vol = vb_open(&b);
		alarm(60);
		err = gc_run(vol, &opt, &r);
		alarm(0);
		if (err)
			print_error("gc: %s\n", ctx_error(b.ctx));
		assert_int_equal(err, 0);
		volume_close(vol);
		vb_verify(&b);
		if (!r.moved.commits.commits)
			assert_memory_equal(copy, b.img, vb_nr_bytes(&b));
		assert_true(r.after.extents <= r.before.extents +
					       r.moved.extents_split);
		/* No block moves twice, but those put behind a log first. */
		assert_true(r.moved.data_moved <= r.before.file_blocks +
			    3 * blks_per_sec(&b.lo));
		if (opt.full)
			assert_int_equal(r.moved.extents_split, 0);
		else
			assert_true(r.free_secs_after >= r.free_secs_before);
		gains += r.free_secs_after > r.free_secs_before;
		free(copy);
		vb_free(&b);
	}
	assert_true(gains > nr_seeds(40) / 4);
}

/* A log at its last block, in a segment that has no hole. */
static void fill_log(struct vb *b, struct vb_file *f, uint8_t type)
{
	while (b->log[type].next < 511)
		vb_append(b, f, type, 1);
}

/*
 * One victim of each type of data, with a few blocks, and all logs at their
 * last block: emptying the three opens more sections than it frees, for each
 * log is to move on.
 */
static void gains_that_each_log_eats_up(void **state)
{
	struct gc_options opt = { 0 };
	struct gc_report r;
	struct volume *vol;
	struct vb_file *f;
	struct vb b;

	(void)state;
	vb_init(&b, &(struct vb_opt){ .nr_secs = 30, .version = 3 });
	f = vb_file(&b, VB_REG);
	for (uint8_t t = 0; t < 3; t++)
		fill_log(&b, f, t);
	for (uint8_t t = 0; t < 3; t++) {
		uint32_t segno = vb_new_seg(&b, t, t);

		f = vb_file(&b, VB_REG);
		for (uint32_t i = 0; i < 10; i++)
			vb_map(&b, f, (uint32_t)f->map.nr,
			       seg_to_blk(&b.lo, segno) + 3 * i);
	}
	for (uint32_t k = 1; b.log[LOG_WARM_NODE].next < 511; k++)
		vb_map(&b, f, VB_A + VB_N * k, OD_BLK_NEW);
	vb_write(&b);
	vol = vb_open(&b);
	assert_int_equal(gc_run(vol, &opt, &r), 0);
	assert_true(r.free_secs_after >= r.free_secs_before);
	volume_close(vol);
	vb_verify(&b);
	vb_free(&b);
}

/*
 * Each moved block costs a node of its own, and the nodes lie among others
 * that stay: data sections that pay, node sections that hardly do.
 */
static void gains_that_nodes_eat_up(void **state)
{
	(void)state;
	for (uint32_t left = 0; left < 6; left++) {
		struct gc_options opt = { 0 };
		struct gc_report r;
		struct volume *vol;
		struct vb_file *f;
		struct vb b;
		uint32_t n = 0;

		vb_init(&b, &(struct vb_opt){ .nr_secs = 14 + left,
					      .version = 3 });
		f = vb_file(&b, VB_REG);
		for (uint32_t s = 0; s < 3; s++)
			vb_new_seg(&b, LOG_WARM_DATA, s);
		vb_new_seg(&b, LOG_COLD_DATA, 3);
		/* One of six nodes has its block in a victim. */
		for (uint32_t k = 0; k < 6 * 225; k++) {
			uint32_t blk = k % 6 ? vb_place(&b, LOG_COLD_DATA) :
				seg_to_blk(&b.lo, n % 3) + 2 * (n / 3);

			n += k % 6 == 0;
			vb_map(&b, f, VB_A + VB_N * k, blk);
		}
		vb_write(&b);
		vol = vb_open(&b);
		assert_int_equal(gc_run(vol, &opt, &r), 0);
		assert_true(r.free_secs_after >= r.free_secs_before);
		volume_close(vol);
		vb_verify(&b);
		vb_free(&b);
	}
}

static uint64_t reads_of_run(struct vb *b, const struct gc_options *opt,
			     struct gc_report *r)
{
	struct volume *vol;
	uint64_t reads;

	vb_write(b);
	vol = vb_open(b);
	alarm(60);
	assert_int_equal(gc_run(vol, opt, r), 0);
	alarm(0);
	reads = vb_nr_reads(vol->dev);
	volume_close(vol);
	return reads;
}

/*
 * A file in one run that is longer than all free space, so that none of it can
 * move without being cut: that is found out once, not for each section.
 */
static void a_run_that_no_space_holds_costs_few_plans(void **state)
{
	uint64_t reads[2];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct gc_options opt = { .full = true };
		uint32_t secs = 60 << i;
		struct gc_report r;
		struct vb_file *f;
		struct vb b;

		vb_init(&b, &(struct vb_opt){ .nr_secs = secs + 26,
					      .version = 3 });
		f = vb_file(&b, VB_REG);
		for (uint32_t s = 0; s < secs; s++)
			vb_new_seg(&b, LOG_COLD_DATA, s);
		for (uint32_t k = 0; k < secs * VB_SEG_BLKS; k++)
			vb_map(&b, f, k, b.lo.main_blk + k);
		reads[i] = reads_of_run(&b, &opt, &r);
		assert_int_equal(r.sections_skipped, secs);
		assert_int_equal(r.stopped_by, GC_STOP_SPACE);
		assert_int_equal(r.moved.extents_split, 0);
		assert_int_equal(r.after.extents, r.before.extents);
		vb_verify(&b);
		vb_free(&b);
	}
	assert_true(reads[1] < 3 * reads[0]);
}

/* Nor is every victim tried where there is room for none. */
static void without_any_room_it_soon_ends(void **state)
{
	struct gc_options opt = { .full = true };
	struct gc_report r;
	struct vb_file *f;
	struct vb b;

	(void)state;
	vb_init(&b, &(struct vb_opt){ .nr_secs = 200, .version = 3 });
	f = vb_file(&b, VB_REG);
	for (uint32_t s = 0; s < 194; s++) {
		vb_new_seg(&b, LOG_COLD_DATA, s);
		for (uint32_t k = 0; k < 9; k++)
			vb_map(&b, f, 20 * s + 2 * k,
			       seg_to_blk(&b.lo, s) + 5 * k);
	}
	for (uint8_t t = 0; t < OD_NR_LOGS; t++)
		b.log[t].next = 511;
	reads_of_run(&b, &opt, &r);
	assert_int_equal(r.free_secs_before, 0);
	assert_int_equal(r.moved.commits.commits, 0);
	assert_int_equal(r.stopped_by, GC_STOP_SPACE);
	assert_true(r.sections_skipped <= 64 * 2);
	vb_verify(&b);
	vb_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_volume_never_loses),
		cmocka_unit_test(gains_that_each_log_eats_up),
		cmocka_unit_test(gains_that_nodes_eat_up),
		cmocka_unit_test(a_run_that_no_space_holds_costs_few_plans),
		cmocka_unit_test(without_any_room_it_soon_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
