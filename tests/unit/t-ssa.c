/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Summaries: of current segments from the checkpoint, of others from the SSA. */
#include "config.h"

#include "meta/ssa.h"
#include "tiny.h"

#include <errno.h>
#include <string.h>

#include "unit.h"

static struct volume *open_tiny(struct tiny *t, const struct tiny_opt *opt)
{
	struct volume *vol;

	tiny_make(t, opt);
	assert_int_equal(volume_open(t->ctx, t->dev, &vol, NULL), 0);
	t->dev = NULL;			/* the volume's now */
	return vol;
}

static void close_tiny(struct tiny *t, struct volume *vol)
{
	volume_close(vol);
	tiny_free(t);
}

static void read_segments(const struct tiny_opt *opt)
{
	uint8_t sum[16384];
	struct sum_entry e;
	struct tiny t;
	struct volume *vol = open_tiny(&t, opt);

	assert_int_equal(ssa_read(vol, 59, sum), 0);
	e = sum_decode(&sum_entries(sum)[300]);
	assert_int_equal(e.nid, tiny_far_nid(&t));
	assert_int_equal(e.version, 7);
	assert_int_equal(e.ofs, 200);
	assert_int_equal(sum_foot(&vol->lo, sum)->entry_type, OD_SUM_DATA);
	/* A current segment, whose block in the SSA is stale. */
	assert_int_equal(ssa_read(vol, 4, sum), 0);
	e = sum_decode(&sum_entries(sum)[1]);
	assert_int_equal(e.nid, 2001);
	assert_int_equal(e.version, LOG_WARM_DATA);
	assert_int_equal(e.ofs, 1);
	close_tiny(&t, vol);
}

static void live_summaries_are_read(void **state)
{
	(void)state;
	read_segments(&(struct tiny_opt){ 0 });
	read_segments(&(struct tiny_opt){ .block_size = 16384 });
	read_segments(&(struct tiny_opt){ .block_size = 16384,
		      .features = OD_FEATURE_PACKED_SSA });
}

static void segments_out_of_range_are_refused(void **state)
{
	uint8_t sum[4096];
	struct tiny t;
	struct volume *vol = open_tiny(&t, &(struct tiny_opt){ 0 });

	(void)state;
	assert_int_equal(ssa_read(vol, 60, sum), -ERANGE);
	assert_int_equal(ssa_read(vol, OD_SEG_NULL, sum), -ERANGE);
	assert_int_equal(ssa_write(vol, 60, sum), -ERANGE);
	ssa_prefetch(vol, 59, 1);
	ssa_prefetch(vol, 59, 2);
	ssa_prefetch(vol, 0xffffffff, 0xffffffff);
	close_tiny(&t, vol);
}

/* Read-only volumes come without a summary area. */
static void volume_without_summaries(void **state)
{
	uint8_t sum[4096];
	struct volume *vol;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ .features = OD_FEATURE_RO });
	for (int i = 0; i < 2; i++) {
		struct od_super *sb = tiny_super(&t, i);

		/* The NAT takes its place. */
		le32_set(&sb->segment_count_ssa, 0);
		le32_set(&sb->segment_count_nat, 3);
		le32_set(&sb->ssa_blkaddr, t.lo.main_blk);
	}
	tiny_sign_super(&t);
	assert_int_equal(volume_open(t.ctx, t.dev, &vol, NULL), 0);
	t.dev = NULL;
	assert_int_equal(ssa_read(vol, 3, sum), 0);
	assert_int_equal(ssa_read(vol, 59, sum), -EUCLEAN);
	assert_int_equal(ssa_write(vol, 59, sum), -EUCLEAN);
	close_tiny(&t, vol);
}

static void write_keeps_the_neighbours(void **state)
{
	uint8_t mine[4096], got[4096], before[4096];
	struct tiny t;
	struct volume *vol = open_tiny(&t, &(struct tiny_opt){
		.block_size = 16384, .features = OD_FEATURE_PACKED_SSA });

	(void)state;
	memset(mine, 0x77, sizeof(mine));
	assert_int_equal(ssa_read(vol, 59, before), 0);
	assert_int_equal(ssa_write(vol, 58, mine), 0);
	assert_int_equal(ssa_read(vol, 58, got), 0);
	assert_memory_equal(got, mine, sizeof(mine));
	assert_int_equal(ssa_read(vol, 59, got), 0);
	assert_memory_equal(got, before, sizeof(before));
	close_tiny(&t, vol);
}

static void entries_encode_and_decode(void **state)
{
	const struct sum_entry e = { 0x12345678, 0x9abc, 0xde };
	struct od_sum_entry od;

	(void)state;
	sum_encode(&od, e);
	assert_memory_equal(&od, "\x78\x56\x34\x12\xde\xbc\x9a", 7);
	assert_int_equal(sum_decode(&od).nid, e.nid);
	assert_int_equal(sum_decode(&od).ofs, e.ofs);
	assert_int_equal(sum_decode(&od).version, e.version);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(live_summaries_are_read),
		cmocka_unit_test(segments_out_of_range_are_refused),
		cmocka_unit_test(volume_without_summaries),
		cmocka_unit_test(write_keeps_the_neighbours),
		cmocka_unit_test(entries_encode_and_decode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
