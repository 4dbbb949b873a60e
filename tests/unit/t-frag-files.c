/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The yardstick file by file, and of free space, against plain counting. */
#include "config.h"

#include "volume_builder.h"
#include "base/ctx.h"
#include "tree/frag_files.h"

#include <math.h>
#include <string.h>

#define NR_SEEDS	8U

static void make(struct vb *b, uint64_t seed)
{
	vb_make_random(b, &(struct vb_random_opt){
		.seed = seed, .segs_per_sec = seed % 2 ? 1 : 3, .leave = 6,
	});
}

/* From the builder's own map of a file. */
static struct frag_file count_file(const struct vb_file *f)
{
	struct frag_file out = { .ino = f->ino };
	uint32_t prev = 0;

	for (size_t i = 0; i < f->map.nr; i++) {
		uint32_t blk = f->map.v[i];

		if (!blk_is_real(blk)) {
			prev = 0;
			continue;
		}
		out.blocks++;
		out.ideal += !prev;
		out.extents += blk != prev + 1;
		prev = blk;
	}
	return out;
}

static void expect_file(const struct vb_file *f,
			const struct frag_file_vec *files, struct frag *sum)
{
	struct frag_file want = count_file(f);
	const struct frag_file *got = frag_find(files, f->ino);

	if (f->gone || !want.blocks) {
		assert_null(got);
		return;
	}
	assert_non_null(got);
	assert_int_equal(got->blocks, want.blocks);
	assert_int_equal(got->extents, want.extents);
	assert_int_equal(got->ideal, want.ideal);
	sum->files++;
	sum->file_blocks += want.blocks;
	sum->extents += want.extents;
	sum->ideal_extents += want.ideal;
	sum->fragmented_files += want.extents > want.ideal;
}

static void lists_have_each_file_once(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		struct frag_file_vec files = { 0 };
		struct frag sum = { 0 }, total, alone;
		struct volume *vol;
		struct vb b;

		make(&b, seed);
		vol = vb_open(&b);
		assert_int_equal(frag_list(vol, seed % 3, &files, &total), 0);
		for (size_t i = 1; i < files.nr; i++)
			assert_true(files.v[i - 1].ino < files.v[i].ino);
		for (size_t i = 0; i < b.files.nr; i++)
			expect_file(b.files.v[i], &files, &sum);
		assert_true(files.nr > 10);
		assert_int_equal(files.nr, sum.files);
		assert_int_equal(total.files, sum.files);
		assert_int_equal(total.file_blocks, sum.file_blocks);
		assert_int_equal(total.extents, sum.extents);
		assert_int_equal(total.ideal_extents, sum.ideal_extents);
		assert_int_equal(total.fragmented_files, sum.fragmented_files);
		assert_int_equal(frag_scan(vol, 0, &alone), 0);
		assert_memory_equal(&alone, &total, sizeof(total));
		assert_null(frag_find(&files, 0));
		assert_null(frag_find(&files, UINT32_MAX));
		vec_free(&files);
		volume_close(vol);
		vb_free(&b);
	}
}

/* Block by block, with runs that end the run before them. */
static void count_free(const struct volume *vol, struct frag *out)
{
	const struct layout *lo = &vol->lo;
	uint64_t run = 0;

	for (uint32_t blk = lo->main_blk; blk <= lo->end_blk; blk++) {
		unsigned int size = 0;

		if (blk < lo->end_blk && !sit_is_valid(&vol->sit, blk)) {
			run++;
			continue;
		}
		if (!run)
			continue;
		while ((UINT64_C(2) << size) <= run)
			size++;
		out->free_runs++;
		out->free_blocks += run;
		out->runs_by_size[size]++;
		out->blocks_by_size[size] += run;
		if (run > out->longest_free_run)
			out->longest_free_run = run;
		run = 0;
	}
}

static void count_sections(const struct volume *vol, struct frag *out)
{
	const struct layout *lo = &vol->lo;
	uint32_t per_sec = lo->segs_per_sec * lo->blks_per_seg;

	for (uint32_t sec = 0; sec < lo->nr_main_secs; sec++) {
		uint32_t first = sec * lo->segs_per_sec;
		uint32_t valid = 0;
		bool current = false;
		uint8_t type = 0;

		for (uint32_t i = first; i < first + lo->segs_per_sec; i++) {
			const struct sit_seg *seg = sit_get(&vol->sit, i);

			if (!valid && seg->valid)
				type = seg->type;
			valid += seg->valid;
			for (int log = 0; log < OD_NR_LOGS; log++)
				current |= vol->cp.log[log].segno == i;
		}
		if (!valid && !current)
			out->whole_free_blocks += per_sec;
		if (valid && valid < per_sec && !current) {
			out->dirty_secs++;
			out->dirty_secs_by_type[type]++;
		}
	}
}

static void free_space_is_as_counted(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		struct frag want = { 0 }, got = { .files = 3, .extents = 7 };
		struct volume *vol;
		struct vb b;

		make(&b, seed);
		vol = vb_open(&b);
		count_free(vol, &want);
		count_sections(vol, &want);
		frag_free_space(vol, &got);
		assert_int_equal(got.files, 3);
		assert_int_equal(got.extents, 7);
		assert_int_equal(got.free_blocks, want.free_blocks);
		assert_int_equal(got.free_runs, want.free_runs);
		assert_int_equal(got.longest_free_run, want.longest_free_run);
		assert_int_equal(got.whole_free_blocks, want.whole_free_blocks);
		assert_int_equal(got.dirty_secs, want.dirty_secs);
		assert_memory_equal(got.dirty_secs_by_type,
				    want.dirty_secs_by_type,
				    sizeof(want.dirty_secs_by_type));
		assert_memory_equal(got.runs_by_size, want.runs_by_size,
				    sizeof(want.runs_by_size));
		assert_memory_equal(got.blocks_by_size, want.blocks_by_size,
				    sizeof(want.blocks_by_size));
		volume_close(vol);
		vb_free(&b);
	}
}

static void expect_score(uint32_t blocks, uint32_t extents, uint32_t ideal,
			 double want)
{
	struct frag_file f = {
		.blocks = blocks, .extents = extents, .ideal = ideal,
	};

	assert_true(fabs(frag_score(&f) - want) < 1e-9);
}

static void scores_span_0_to_100(void **state)
{
	(void)state;
	expect_score(1, 1, 1, 0);
	expect_score(1000, 1, 1, 0);
	expect_score(1000, 40, 40, 0);
	expect_score(101, 2, 1, 8);
	expect_score(101, 11, 1, 80);
	expect_score(101, 101, 1, 100);
	expect_score(1001, 551, 1, 90);
	expect_score(2, 2, 1, 100);
	/* What no file has, but an image may say. */
	expect_score(5, 1, 7, 0);
	expect_score(5, 7, 5, 0);
	expect_score(5, 700, 2, 100);
	expect_score(0, 3, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_have_each_file_once),
		cmocka_unit_test(free_space_is_as_counted),
		cmocka_unit_test(scores_span_0_to_100),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
