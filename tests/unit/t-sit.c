/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The SIT in memory: copies, journal, changes and counts. */
#include "config.h"

#include "base/bits.h"
#include "meta/journal.h"
#include "meta/sit.h"
#include "tiny.h"

#include <errno.h>
#include <string.h>

#include "unit.h"

struct loaded {
	struct tiny t;
	struct findings f;
	struct checkpoint cp;
	struct sit sit;
};

static void load(struct loaded *l)
{
	findings_init(&l->f);
	assert_int_equal(cp_load(l->t.dev, &l->t.lo, &l->f, &l->cp), 0);
	assert_int_equal(sit_load(l->t.dev, &l->t.lo, &l->cp, &l->f, &l->sit),
			 0);
}

static void unload(struct loaded *l)
{
	sit_free(&l->sit);
	cp_free(&l->cp);
	findings_free(&l->f);
}

static struct od_sit_entry *entry(struct loaded *l, uint32_t segno)
{
	return (struct od_sit_entry *)
		tiny_block(&l->t, l->t.lo.sit_blk + 512) + segno;
}

static void entries_come_from_the_current_copy(void **state)
{
	struct loaded l;

	(void)state;
	tiny_make(&l.t, &(struct tiny_opt){ 0 });
	load(&l);
	assert_int_equal(sit_get(&l.sit, 0)->valid, 1);
	assert_int_equal(sit_get(&l.sit, 0)->type, LOG_HOT_NODE);
	assert_int_equal(sit_get(&l.sit, 1)->valid, 3);
	assert_int_equal(sit_get(&l.sit, 2)->valid, 0);
	assert_int_equal(sit_get(&l.sit, 4)->valid, 2);
	assert_int_equal(sit_get(&l.sit, 59)->valid, 412);
	assert_int_equal(sit_get(&l.sit, 59)->type, LOG_COLD_DATA);
	assert_int_equal(sit_get(&l.sit, 59)->mtime, TINY_MTIME + 2);
	assert_int_equal(l.sit.valid_nodes, 4);
	assert_int_equal(l.sit.valid_data, 1 + 2 + 412);
	assert_true(sit_is_valid(&l.sit, seg_to_blk(&l.t.lo, 59) + 100));
	assert_false(sit_is_valid(&l.sit, seg_to_blk(&l.t.lo, 59) + 99));
	assert_int_equal(findings_count(&l.f, SEV_NOTE), 0);
	unload(&l);
	tiny_free(&l.t);
}

static void journal_overrides_and_is_dirty(void **state)
{
	struct loaded l;
	uint32_t segno = 0;

	(void)state;
	tiny_make(&l.t, &(struct tiny_opt){ .normal = true });
	load(&l);
	assert_int_equal(sit_get(&l.sit, 3)->valid, 1);
	assert_int_equal(l.sit.nr_dirty, 1);
	assert_true(sit_next_dirty(&l.sit, &segno));
	assert_int_equal(segno, 3);
	segno++;
	assert_false(sit_next_dirty(&l.sit, &segno));
	unload(&l);
	tiny_free(&l.t);
}

/* C18: "512 vs 508". The bitmap wins. */
static void count_that_differs_is_found(void **state)
{
	struct loaded l;

	(void)state;
	tiny_make(&l.t, &(struct tiny_opt){ 0 });
	od_sit_set_vblocks(entry(&l, 1), 7, LOG_WARM_NODE);
	load(&l);
	assert_int_equal(l.f.counted[P_SIT_COUNT], 1);
	assert_int_equal(l.f.v[0].number, 1);
	assert_int_equal(l.f.v[0].found, 7);
	assert_int_equal(l.f.v[0].expected, 3);
	assert_int_equal(l.f.v[0].blk, l.t.lo.sit_blk + 512);
	assert_int_equal(sit_get(&l.sit, 1)->valid, 3);
	unload(&l);
	tiny_free(&l.t);
}

static void type_above_five_is_found_and_made_safe(void **state)
{
	struct loaded l;

	(void)state;
	tiny_make(&l.t, &(struct tiny_opt){ 0 });
	od_sit_set_vblocks(entry(&l, 1), 3, 6);
	od_sit_set_vblocks(entry(&l, 2), 0, 63);
	load(&l);
	assert_int_equal(l.f.counted[P_SIT_TYPE], 2);
	assert_in_range(sit_get(&l.sit, 1)->type, 0, LOG_COLD_NODE);
	assert_in_range(sit_get(&l.sit, 2)->type, 0, LOG_COLD_NODE);
	unload(&l);
	tiny_free(&l.t);
}

/* C16: only the bad entries are dropped. */
static void bad_journal_entries_are_dropped(void **state)
{
	struct loaded l;
	uint8_t *area;

	(void)state;
	tiny_make(&l.t, &(struct tiny_opt){ 0 });
	area = tiny_sit_journal(&l.t);
	le32_set(&sit_journal_entry(area, 1)->segno, 60);
	le32_set(&sit_journal_entry(area, 2)->segno, 0xffffffff);
	le32_set(&sit_journal_entry(area, 3)->segno, 3);
	le32_set(&sit_journal_entry(area, 4)->segno, 40);
	bit_set_msb(sit_journal_entry(area, 4)->sit.valid_map, 9);
	od_sit_set_vblocks(&sit_journal_entry(area, 4)->sit, 1, LOG_HOT_DATA);
	journal_set_count(area, 5);
	load(&l);
	assert_int_equal(l.f.counted[P_SIT_JOURNAL], 3);
	assert_int_equal(sit_get(&l.sit, 3)->valid, 1);
	assert_int_equal(sit_get(&l.sit, 40)->valid, 1);
	assert_int_equal(l.sit.nr_dirty, 2);
	unload(&l);
	journal_set_count(area, 0xffff);
	load(&l);
	assert_int_equal(l.f.v[0].found, 0xffff);
	assert_int_equal(l.f.v[0].expected, 6);
	unload(&l);
	tiny_free(&l.t);
}

static void marks_change_map_and_counts(void **state)
{
	struct loaded l;
	uint32_t blk;

	(void)state;
	tiny_make(&l.t, &(struct tiny_opt){ 0 });
	load(&l);
	blk = seg_to_blk(&l.t.lo, 50) + 511;
	assert_int_equal(sit_mark_invalid(&l.sit, blk), -EUCLEAN);
	assert_int_equal(sit_mark_valid(&l.sit, blk, LOG_WARM_NODE), 0);
	assert_int_equal(sit_mark_valid(&l.sit, blk, LOG_WARM_NODE), -EUCLEAN);
	assert_true(sit_is_valid(&l.sit, blk));
	assert_int_equal(sit_get(&l.sit, 50)->type, LOG_WARM_NODE);
	assert_int_equal(l.sit.valid_nodes, 5);
	/* A segment in use keeps its type. */
	assert_int_equal(sit_mark_valid(&l.sit, blk - 1, LOG_HOT_DATA), 0);
	assert_int_equal(sit_get(&l.sit, 50)->type, LOG_WARM_NODE);
	assert_int_equal(l.sit.valid_nodes, 6);
	assert_int_equal(sit_set_type(&l.sit, 50, LOG_COLD_DATA), 0);
	assert_int_equal(l.sit.valid_nodes, 4);
	assert_int_equal(l.sit.valid_data, 415 + 2);
	assert_int_equal(sit_mark_invalid(&l.sit, blk), 0);
	assert_int_equal(sit_mark_invalid(&l.sit, blk - 1), 0);
	assert_int_equal(l.sit.valid_data, 415);
	assert_int_equal(sit_get(&l.sit, 50)->valid, 0);
	assert_int_equal(sit_set_mtime(&l.sit, 51, 77), 0);
	assert_int_equal(sit_get(&l.sit, 51)->mtime, 77);
	assert_int_equal(l.sit.nr_dirty, 3);
	sit_clear_dirty(&l.sit, 50);
	sit_clear_dirty(&l.sit, 50);
	assert_int_equal(l.sit.nr_dirty, 2);
	unload(&l);
	tiny_free(&l.t);
}

static void dirty_segments_are_walked_across_blocks(void **state)
{
	static const uint32_t want[] = { 0, 3, 54, 55, 59 };
	struct loaded l;
	uint32_t segno = 0, n = 0;

	(void)state;
	tiny_make(&l.t, &(struct tiny_opt){ 0 });
	load(&l);
	for (size_t i = 0; i < NR_OF(want); i++)
		assert_int_equal(sit_set_mtime(&l.sit, want[i], 1), 0);
	for (; sit_next_dirty(&l.sit, &segno); segno++)
		assert_int_equal(segno, want[n++]);
	assert_int_equal(n, NR_OF(want));
	segno = 60;
	assert_false(sit_next_dirty(&l.sit, &segno));
	unload(&l);
	tiny_free(&l.t);
}

static void blocks_encode_to_what_was_read(void **state)
{
	struct loaded l;
	uint8_t block[4096];

	(void)state;
	tiny_make(&l.t, &(struct tiny_opt){ 0 });
	journal_set_count(tiny_sit_journal(&l.t), 0);
	load(&l);
	sit_encode_block(&l.sit, 0, block);
	assert_memory_equal(block, entry(&l, 0), 4096);
	sit_encode_block(&l.sit, 1, block);
	assert_memory_equal(block, tiny_block(&l.t, l.t.lo.sit_blk + 1), 4096);
	unload(&l);
	tiny_free(&l.t);
}

static void sections_sum_their_segments(void **state)
{
	struct loaded l;

	(void)state;
	tiny_make(&l.t, &(struct tiny_opt){ 0 });
	l.t.lo.segs_per_sec = 4;
	l.t.lo.nr_main_secs = 15;
	load(&l);
	assert_int_equal(sit_sec_valid(&l.sit, 0), 1 + 3 + 0 + 1);
	assert_int_equal(sit_sec_valid(&l.sit, 1), 2);
	assert_int_equal(sit_sec_valid(&l.sit, 14), 412);
	unload(&l);
	tiny_free(&l.t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_come_from_the_current_copy),
		cmocka_unit_test(journal_overrides_and_is_dirty),
		cmocka_unit_test(count_that_differs_is_found),
		cmocka_unit_test(type_above_five_is_found_and_made_safe),
		cmocka_unit_test(bad_journal_entries_are_dropped),
		cmocka_unit_test(marks_change_map_and_counts),
		cmocka_unit_test(dirty_segments_are_walked_across_blocks),
		cmocka_unit_test(blocks_encode_to_what_was_read),
		cmocka_unit_test(sections_sum_their_segments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
