/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which sections are emptied, and in which order. */
#include "config.h"

#include "volume_builder.h"
#include "base/bits.h"
#include "engine/victim.h"

#include <stdlib.h>
#include <string.h>

/* @nr valid blocks, two apart, in segment @segno of @type. */
static void fill(struct vb *b, struct vb_file *f, uint32_t segno, uint8_t type,
		 uint32_t nr)
{
	vb_new_seg(b, type, segno);
	for (uint32_t i = 0; i < nr; i++)
		vb_map(b, f, (uint32_t)f->map.nr,
		       seg_to_blk(&b->lo, segno) + (nr > 256 ? i : 2 * i));
}

static void expect_list(struct volume *vol, const struct victim_options *opt,
			const uint8_t *held, const uint32_t *want, size_t nr)
{
	struct victim_vec list = { 0 };

	assert_int_equal(victim_list(vol, opt, held, &list), 0);
	for (size_t i = 0; i < list.nr && i < nr; i++)
		assert_int_equal(list.v[i].secno, want[i]);
	assert_int_equal(list.nr, nr);
	vec_free(&list);
}

static void the_emptiest_go_first(void **state)
{
	static const uint32_t data[] = { 4, 2, 5, 0 };
	static const uint32_t held_data[] = { 4, 5, 0 };
	static const uint32_t full[] = { 29, 4, 2, 5, 0, 1, 7 };
	struct victim_options opt = { .no_nodes = true };
	uint8_t held[8] = { 0 };
	struct volume *vol;
	struct vb_file *f;
	struct vb b;

	(void)state;
	vb_init(&b, &(struct vb_opt){ .nr_secs = 30, .version = 2 });
	f = vb_file(&b, VB_REG);
	fill(&b, f, 0, LOG_WARM_DATA, 200);
	fill(&b, f, 1, LOG_WARM_DATA, 512);
	fill(&b, f, 2, LOG_COLD_DATA, 100);
	vb_new_seg(&b, LOG_COLD_DATA, 3);	/* used once, empty now */
	fill(&b, f, 4, LOG_HOT_DATA, 3);
	fill(&b, f, 5, LOG_WARM_DATA, 100);	/* a tie: by number */
	fill(&b, f, 7, LOG_WARM_DATA, 512);
	vb_write(&b);
	vol = vb_open(&b);
	expect_list(vol, &opt, NULL, data, NR_OF(data));
	bit_set_lsb(held, 2);
	expect_list(vol, &opt, held, held_data, NR_OF(held_data));
	opt.full = true;
	/* Section 29 is the hot data log's with the root directory. */
	expect_list(vol, &opt, NULL, full, NR_OF(full));
	assert_int_equal(count_dirty_sections(vol), 4);
	volume_close(vol);
	vb_free(&b);
}

/* A current section is dirty for holes behind its log, not for what is to come. */
static void logs_are_dirty_only_behind_their_position(void **state)
{
	struct volume *vol;
	struct vb_file *f;
	struct vb b;

	(void)state;
	vb_init(&b, &(struct vb_opt){ .nr_secs = 20, .segs_per_sec = 2,
				      .version = 2 });
	f = vb_file(&b, VB_REG);
	vb_set_log(&b, LOG_WARM_DATA, 0, 0);
	vb_append(&b, f, LOG_WARM_DATA, 40);
	vb_set_log(&b, LOG_COLD_DATA, 2, 0);
	vb_append(&b, f, LOG_COLD_DATA, 40);
	b.log[LOG_COLD_DATA].next = 41;		/* one has gone again */
	vb_write(&b);
	vol = vb_open(&b);
	assert_false(section_is_dirty(vol, 0));
	assert_true(section_is_dirty(vol, 1));
	assert_false(section_is_dirty(vol, 5));
	/* As the kernel counts them: current ones are not among them. */
	assert_int_equal(count_dirty_sections(vol), 0);
	volume_close(vol);

	/* A segment of the section that is not the log's counts as written. */
	fill(&b, f, 1, LOG_WARM_DATA, 511);
	vb_write(&b);
	vol = vb_open(&b);
	assert_true(section_is_dirty(vol, 0));
	volume_close(vol);
	vb_map(&b, f, (uint32_t)f->map.nr, seg_to_blk(&b.lo, 1) + 511);
	vb_write(&b);
	vol = vb_open(&b);
	assert_false(section_is_dirty(vol, 0));
	volume_close(vol);

	/* A log that fills holes has written all of its segment before. */
	b.log[LOG_WARM_DATA].ssr = true;
	vb_write(&b);
	vol = vb_open(&b);
	assert_true(section_is_dirty(vol, 0));
	volume_close(vol);
	vb_free(&b);
}

static void sides_and_names_are_kept_apart(void **state)
{
	static const struct secno_range named[] = { { 1, 2 }, { 8, 9 } };
	static const uint32_t nodes[] = { 2 }, both[] = { 1, 2, 0 };
	struct victim_options opt = { 0 };
	struct volume *vol;
	struct vb_file *f;
	struct vb b;

	(void)state;
	vb_init(&b, &(struct vb_opt){ .nr_secs = 20, .version = 2 });
	vb_set_log(&b, LOG_WARM_NODE, 2, 0);
	f = vb_file(&b, VB_REG);
	for (int i = 0; i < 99; i++)
		vb_file(&b, VB_REG);
	vb_delete(&b, b.files.v[5]);
	vb_set_log(&b, LOG_WARM_NODE, 3, 0);
	fill(&b, f, 0, LOG_WARM_DATA, 200);
	fill(&b, f, 1, LOG_WARM_DATA, 7);
	vb_write(&b);
	vol = vb_open(&b);
	expect_list(vol, &opt, NULL, both, NR_OF(both));
	opt.no_data = true;
	expect_list(vol, &opt, NULL, nodes, NR_OF(nodes));
	opt = (struct victim_options){ .only = named, .nr_only = 2 };
	expect_list(vol, &opt, NULL, both, 2);
	opt = (struct victim_options){ .skip_valid = 30 };
	expect_list(vol, &opt, NULL, both, 2);
	volume_close(vol);
	vb_free(&b);
}

/* Ages up to the largest number there is: an order, and no trap. */
static void ages_that_mean_harm(void **state)
{
	static const uint64_t ages[] = { 0, 1, 5000, 1ULL << 62, UINT64_MAX - 1,
					 UINT64_MAX };
	static const enum victim_policy policies[] = {
		VICTIM_GREEDY, VICTIM_COST_BENEFIT, VICTIM_AGE_THRESHOLD,
	};

	(void)state;
	for (size_t i = 0; i < NR_OF(ages) * NR_OF(ages); i++) {
		struct volume *vol;
		struct vb_file *f;
		struct vb b;

		vb_init(&b, &(struct vb_opt){
			.nr_secs = 12, .segs_per_sec = 1 + i % 2, .version = 2,
			.elapsed = ages[i % NR_OF(ages)] });
		f = vb_file(&b, VB_REG);
		for (uint32_t s = 0; s < 4; s++) {
			fill(&b, f, s, LOG_WARM_DATA, 100 + s);
			b.seg[s].mtime = ages[(i / NR_OF(ages) + s) %
					      NR_OF(ages)];
		}
		vb_write(&b);
		vol = vb_open(&b);
		for (size_t p = 0; p < NR_OF(policies); p++) {
			struct victim_options opt = { .policy = policies[p] };
			struct victim_vec list = { 0 };

			assert_int_equal(victim_list(vol, &opt, NULL, &list),
					 0);
			assert_true(list.nr <= 4);
			vec_free(&list);
		}
		volume_close(vol);
		vb_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_emptiest_go_first),
		cmocka_unit_test(logs_are_dirty_only_behind_their_position),
		cmocka_unit_test(sides_and_names_are_kept_apart),
		cmocka_unit_test(ages_that_mean_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
