/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where relocated blocks are planned to go. */
#include "config.h"

#include "volume_builder.h"
#include "base/bits.h"
#include "engine/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct sum_entry entry = { .nid = 77, .ofs = 5, .version = 1 };

/* A volume and a plan over it. */
struct setup {
	struct vb b;
	struct volume *vol;
	struct alloc a;
};

static void start(struct setup *s)
{
	vb_write(&s->b);
	s->vol = vb_open(&s->b);
	assert_int_equal(alloc_init(&s->a, s->vol), 0);
}

static void stop(struct setup *s)
{
	alloc_free(&s->a);
	volume_close(s->vol);
	vb_free(&s->b);
}

static uint32_t next(struct setup *s, uint8_t type)
{
	uint32_t blk = 0;

	assert_int_equal(alloc_next(&s->a, type, entry, 100, &blk), 0);
	return blk;
}

/* Sections that the test takes away, so that what is left is known. */
static void use_secs(struct vb *b, uint32_t first, uint32_t nr)
{
	struct vb_file *f = vb_file(b, VB_REG);

	for (uint32_t s = first; s < first + nr; s++) {
		uint32_t segno = s * b->opt.segs_per_sec;

		vb_new_seg(b, LOG_COLD_DATA, segno);
		vb_map(b, f, s, seg_to_blk(&b->lo, segno) + 7);
	}
}

static void logs_go_on_where_they_are(void **state)
{
	struct setup s;
	uint32_t first;

	(void)state;
	vb_init(&s.b, &(struct vb_opt){ .nr_secs = 20, .version = 2 });
	vb_set_log(&s.b, LOG_WARM_DATA, 4, 300);
	start(&s);
	first = seg_to_blk(&s.b.lo, 4) + 300;
	for (uint32_t i = 0; i < 212; i++)
		assert_int_equal(next(&s, LOG_WARM_DATA), first + i);
	/* The next section follows. */
	assert_int_equal(next(&s, LOG_WARM_DATA), seg_to_blk(&s.b.lo, 5));
	stop(&s);
}

/* As they never do the like, but nothing forbids it. */
static void logs_that_share_a_section_share_no_block(void **state)
{
	struct setup s;
	uint8_t *given;

	(void)state;
	vb_init(&s.b, &(struct vb_opt){
		.nr_secs = 16, .segs_per_sec = 8, .version = 2 });
	for (uint8_t t = 0; t < OD_NR_LOGS; t++)
		vb_set_log(&s.b, t, 16 + t, 500);
	start(&s);
	given = calloc(1, s.b.lo.end_blk);
	assert_non_null(given);
	for (uint32_t i = 0; i < 3000; i++) {
		uint32_t blk = next(&s, (uint8_t)(i % OD_NR_LOGS));

		assert_false(given[blk]);
		given[blk] = 1;
	}
	free(given);
	stop(&s);
}

static void room_ends_where_addresses_jump(void **state)
{
	struct setup s;
	uint32_t room, blk, last;

	(void)state;
	vb_init(&s.b, &(struct vb_opt){ .nr_secs = 30, .version = 2,
					.segs_per_sec = 2 });
	vb_set_log(&s.b, LOG_WARM_DATA, 4, 100);
	use_secs(&s.b, 3, 1);
	start(&s);
	/* The rest of its section, and no more. */
	room = alloc_room(&s.a, LOG_WARM_DATA, UINT32_MAX);
	assert_int_equal(room, 412 + 512);
	last = next(&s, LOG_WARM_DATA);
	while (--room) {
		blk = next(&s, LOG_WARM_DATA);
		assert_int_equal(blk, last + 1);
		last = blk;
	}
	assert_int_equal(alloc_room(&s.a, LOG_WARM_DATA, UINT32_MAX), 0);
	alloc_expect(&s.a, LOG_WARM_DATA, 10000);
	blk = next(&s, LOG_WARM_DATA);
	assert_int_not_equal(blk, last + 1);
	/* Counting ends when there is enough, and tells no less than that. */
	room = alloc_room(&s.a, LOG_WARM_DATA, UINT32_MAX);
	assert_true(room > 4000);
	for (uint32_t enough = 1; enough < room; enough += 100) {
		uint32_t told = alloc_room(&s.a, LOG_WARM_DATA, enough);

		assert_true(told >= enough && told <= room);
		assert_true(told < enough + 2 * 1024 + 512);
	}
	stop(&s);
}

static void a_jump_takes_the_shortest_run_that_fits(void **state)
{
	struct setup s;

	(void)state;
	/* Free: 0..1, 3, 5..9, 11..12; logs at the end. */
	vb_init(&s.b, &(struct vb_opt){ .nr_secs = 20, .version = 2 });
	use_secs(&s.b, 2, 1);
	use_secs(&s.b, 4, 1);
	use_secs(&s.b, 10, 1);
	use_secs(&s.b, 13, 1);
	start(&s);
	assert_int_equal(s.a.nr_free, 10);
	assert_int_equal(alloc_jump(&s.a, LOG_HOT_DATA), 0);
	assert_int_equal(next(&s, LOG_HOT_DATA), seg_to_blk(&s.b.lo, 3));
	alloc_expect(&s.a, LOG_COLD_DATA, 3 * 512);
	assert_int_equal(alloc_jump(&s.a, LOG_COLD_DATA), 0);
	assert_int_equal(next(&s, LOG_COLD_DATA), seg_to_blk(&s.b.lo, 5));
	/* None is long enough: the longest. */
	alloc_expect(&s.a, LOG_WARM_DATA, 100 * 512);
	assert_int_equal(alloc_jump(&s.a, LOG_WARM_DATA), 0);
	assert_int_equal(next(&s, LOG_WARM_DATA), seg_to_blk(&s.b.lo, 6));
	assert_int_equal(s.a.nr_free, 7);
	/* All of it is forgotten. */
	alloc_reset(&s.a);
	assert_int_equal(s.a.nr_free, 10);
	assert_int_equal(alloc_jump(&s.a, LOG_WARM_DATA), 0);
	assert_int_equal(next(&s, LOG_WARM_DATA), seg_to_blk(&s.b.lo, 3));
	stop(&s);
}

static void without_a_free_section_it_ends(void **state)
{
	struct setup s;
	uint32_t blk, n = 0;
	int err;

	(void)state;
	vb_init(&s.b, &(struct vb_opt){ .nr_secs = 20, .version = 2 });
	use_secs(&s.b, 0, 14);
	vb_write(&s.b);
	start(&s);
	assert_int_equal(s.a.nr_free, 0);
	do {
		err = alloc_next(&s.a, LOG_WARM_NODE, entry, 0, &blk);
		n += !err;
	} while (!err);
	assert_int_equal(err, -ENOSPC);
	assert_int_equal(n, 512 - s.vol->cp.log[LOG_WARM_NODE].next);
	/* A checkpoint could not store the position behind the last block. */
	assert_int_equal(alloc_settle(&s.a), -ENOSPC);
	alloc_reset(&s.a);
	alloc_renew(&s.a, LOG_HOT_DATA);
	assert_int_equal(alloc_settle(&s.a), -ENOSPC);
	stop(&s);
}

static void a_log_at_its_last_block_moves_on(void **state)
{
	struct setup s;

	(void)state;
	vb_init(&s.b, &(struct vb_opt){ .nr_secs = 20, .version = 2 });
	vb_set_log(&s.b, LOG_WARM_DATA, 2, 511);
	vb_set_log(&s.b, LOG_COLD_DATA, 0, 511);
	start(&s);
	assert_int_equal(next(&s, LOG_WARM_DATA), seg_to_blk(&s.b.lo, 2) + 511);
	assert_int_equal(alloc_settle(&s.a), 0);
	assert_int_equal(sit_mark_valid(&s.vol->sit, seg_to_blk(&s.b.lo, 2) +
					511, LOG_WARM_DATA), 0);
	assert_int_equal(alloc_apply(&s.a), 0);
	assert_int_equal(s.vol->cp.log[LOG_WARM_DATA].segno, 3);
	assert_int_equal(s.vol->cp.log[LOG_WARM_DATA].next, 0);
	assert_int_equal(sit_get(&s.vol->sit, 3)->type, LOG_WARM_DATA);
	/* One that took nothing stays. */
	assert_int_equal(s.vol->cp.log[LOG_COLD_DATA].next, 511);
	stop(&s);
}

/* A log that fills holes, or whose section is a victim, starts afresh. */
static void logs_leave_holes_and_victims(void **state)
{
	uint8_t sum[VB_BYTES];
	uint64_t written = 0;
	struct setup s;

	(void)state;
	vb_init(&s.b, &(struct vb_opt){ .nr_secs = 20, .version = 2 });
	use_secs(&s.b, 3, 1);
	s.b.log[LOG_COLD_DATA] = (struct vb_log){ 3, 8, true };
	start(&s);
	assert_int_equal(alloc_room(&s.a, LOG_COLD_DATA, 9), 0);
	alloc_renew(&s.a, LOG_HOT_DATA);
	assert_int_equal(alloc_room(&s.a, LOG_HOT_DATA, 9), 0);
	/* The shortest run: where the log was before. */
	assert_int_equal(next(&s, LOG_COLD_DATA), seg_to_blk(&s.b.lo, 17));
	assert_int_equal(alloc_settle(&s.a), 0);
	assert_int_equal(alloc_write_summaries(&s.a, &written), 0);
	/* Both old ones: the live summaries go to the SSA. */
	assert_int_equal(written, 2);
	assert_int_equal(dev_read(s.vol->dev, s.b.lo.ssa_blk + 3, 1, sum), 0);
	assert_memory_equal(sum, s.b.seg[3].sum, 3584);
	assert_int_equal(sum_foot(&s.b.lo, sum)->entry_type, OD_SUM_DATA);
	assert_int_equal(sit_mark_valid(&s.vol->sit, seg_to_blk(&s.b.lo, 17),
					LOG_COLD_DATA), 0);
	assert_int_equal(alloc_apply(&s.a), 0);
	assert_int_equal(s.vol->cp.log[LOG_COLD_DATA].alloc_type, ALLOC_LFS);
	assert_int_equal(s.vol->cp.log[LOG_COLD_DATA].next, 1);
	assert_int_equal(s.vol->cp.log[LOG_HOT_DATA].next, 0);
	stop(&s);
}

static void ages_are_means_and_never_ahead(void **state)
{
	static const struct {
		uint64_t elapsed, was, come, mean;
	} t[] = {
		{ 5000, 1000, 2000, 1750 },	/* one old, three new */
		{ 5000, UINT64_MAX, UINT64_MAX, 5000 },
		{ UINT64_MAX, UINT64_MAX, UINT64_MAX, 1ULL << 48 },
		{ UINT64_MAX, 0, 400, 300 },
		{ 0, 7, 7, 0 },
	};

	(void)state;
	for (size_t i = 0; i < NR_OF(t); i++) {
		struct setup s;
		uint32_t blk;

		vb_init(&s.b, &(struct vb_opt){ .nr_secs = 20, .version = 2,
						.elapsed = t[i].elapsed });
		if (!t[i].elapsed)
			s.b.opt.elapsed = 0;
		vb_set_log(&s.b, LOG_WARM_DATA, 2, 0);
		vb_append(&s.b, vb_file(&s.b, VB_REG), LOG_WARM_DATA, 1);
		s.b.seg[2].mtime = t[i].was;
		start(&s);
		for (int k = 0; k < 3; k++) {
			assert_int_equal(alloc_next(&s.a, LOG_WARM_DATA, entry,
						    t[i].come, &blk), 0);
			assert_int_equal(sit_mark_valid(&s.vol->sit, blk,
							LOG_WARM_DATA), 0);
		}
		assert_int_equal(alloc_settle(&s.a), 0);
		assert_int_equal(alloc_apply(&s.a), 0);
		assert_int_equal(sit_get(&s.vol->sit, 2)->mtime, t[i].mean);
		stop(&s);
	}
}

/* Any order of requests: each block once, invalid before, logs ascending. */
static void random_requests(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		uint32_t last[OD_NR_LOGS] = { 0 }, nr = 0;
		uint8_t *given;
		struct setup s;
		int err = 0;

		vb_make_random(&s.b, &(struct vb_random_opt){
			.seed = seed, .nr_secs = 24, .segs_per_sec = 1 + seed % 3,
			.nr_files = 15, .leave = 6, .max_blocks = 300,
		});
		start(&s);
		given = calloc(1, s.b.lo.end_blk);
		assert_non_null(given);
		while (!err) {
			uint8_t t = (uint8_t)vb_random(&s.b, OD_NR_LOGS);
			uint32_t blk, segno;

			if (!vb_random(&s.b, 300))
				err = alloc_jump(&s.a, t);
			if (!err)
				err = alloc_next(&s.a, t, entry, nr, &blk);
			if (err)
				break;
			segno = blk_to_seg(&s.b.lo, blk);
			assert_false(given[blk]);
			assert_false(sit_is_valid(&s.vol->sit, blk));
			given[blk] = 1;
			nr++;
			/* In a segment of its own, or one that was free. */
			if (sit_get(&s.vol->sit, segno)->valid)
				assert_int_equal(s.vol->cp.log[t].segno, segno);
			if (last[t] && blk_to_seg(&s.b.lo, last[t]) == segno)
				assert_int_equal(blk, last[t] + 1);
			last[t] = blk;
		}
		assert_int_equal(err, -ENOSPC);
		assert_int_equal(s.a.nr_free, 0);
		assert_true(nr > 1000);
		free(given);
		stop(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logs_go_on_where_they_are),
		cmocka_unit_test(logs_that_share_a_section_share_no_block),
		cmocka_unit_test(room_ends_where_addresses_jump),
		cmocka_unit_test(a_jump_takes_the_shortest_run_that_fits),
		cmocka_unit_test(without_a_free_section_it_ends),
		cmocka_unit_test(a_log_at_its_last_block_moves_on),
		cmocka_unit_test(logs_leave_holes_and_victims),
		cmocka_unit_test(ages_are_means_and_never_ahead),
		cmocka_unit_test(random_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
