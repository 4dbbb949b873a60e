/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Geometry: the figures of the format at each block size, units both ways. */
#include "config.h"

#include "tiny.h"

#include "unit.h"

static void figures_at_4k(void **state)
{
	struct layout lo;

	(void)state;
	layout_from_block_size(&lo, 4096);
	assert_int_equal(lo.sits_per_block, 55);
	assert_int_equal(lo.nats_per_block, 455);
	assert_int_equal(lo.sum_slots, 512);
	assert_int_equal(lo.sum_journal_off, 3584);
	assert_int_equal(lo.sum_journal_bytes, 507);
	assert_int_equal(lo.nat_journal_max, 38);
	assert_int_equal(lo.sit_journal_max, 6);
	assert_int_equal(lo.orphans_per_block, 1020);
	assert_int_equal(lo.addrs_per_inode, 923);
	assert_int_equal(lo.addrs_per_node, 1018);
	assert_int_equal(lo.dentries_per_block, 214);
	assert_int_equal(lo.dentry_bitmap_bytes, 27);
	assert_int_equal(lo.dentry_reserved, 3);
}

static void figures_at_16k(void **state)
{
	struct layout lo;

	(void)state;
	layout_from_block_size(&lo, 16384);
	assert_int_equal(lo.sits_per_block, 221);
	assert_int_equal(lo.nats_per_block, 1820);
	assert_int_equal(lo.sum_slots, 2048);
	assert_int_equal(lo.sum_journal_bytes, 2043);
	assert_int_equal(lo.nat_journal_max, 157);
	assert_int_equal(lo.sit_journal_max, 26);
	assert_int_equal(lo.orphans_per_block, 4092);
	assert_int_equal(lo.addrs_per_inode, 3995);
	assert_int_equal(lo.addrs_per_node, 4090);
	assert_int_equal(lo.dentries_per_block, 856);
	assert_int_equal(lo.dentry_bitmap_bytes, 107);
	assert_int_equal(lo.dentry_reserved, 13);
}

static void packed_summaries_are_4k(void **state)
{
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ .block_size = 16384,
		  .features = OD_FEATURE_PACKED_SSA });
	assert_int_equal(t.lo.sum_bytes, 4096);
	assert_int_equal(t.lo.sum_journal_bytes, 507);
	assert_int_equal(t.lo.nat_journal_max, 38);
	assert_int_equal(ssa_block_blk(&t.lo, 7), t.lo.ssa_blk + 1);
	assert_int_equal(ssa_block_off(&t.lo, 7), 3 * 4096);
	tiny_free(&t);
}

static void super_gives_what_the_builder_laid(void **state)
{
	struct layout lo;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ .payload = 1 });
	layout_from_super(&lo, tiny_super(&t, 0));
	assert_int_equal(lo.main_blk, t.lo.main_blk);
	assert_int_equal(lo.end_blk, t.lo.end_blk);
	assert_int_equal(lo.nr_segs, t.lo.nr_segs);
	assert_int_equal(lo.sit_copy_blks, 512);
	assert_int_equal(lo.nr_sit_blks, 2);
	assert_int_equal(lo.nr_nat_blks, 512);
	assert_int_equal(lo.nr_nids, 512 * 455);
	assert_int_equal(lo.sit_bitmap_bytes, 64);
	assert_int_equal(lo.nat_bitmap_bytes, 64);
	assert_int_equal(lo.cp_payload, 1);
	tiny_free(&t);
}

static void units_turn_both_ways(void **state)
{
	struct tiny t;
	uint32_t blk;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	blk = seg_to_blk(&t.lo, 17) + 300;
	assert_true(blk_is_main(&t.lo, blk));
	assert_int_equal(blk_to_seg(&t.lo, blk), 17);
	assert_int_equal(blk_in_seg(&t.lo, blk), 300);
	assert_false(blk_is_main(&t.lo, t.lo.main_blk - 1));
	assert_false(blk_is_main(&t.lo, t.lo.end_blk));
	assert_false(blk_is_main(&t.lo, OD_BLK_NEW));
	assert_true(blk_is_real(t.lo.main_blk));
	assert_false(blk_is_real(OD_BLK_COMPRESS));
	tiny_free(&t);
}

/* Copies of the NAT alternate segment by segment. */
static void nat_copies_alternate(void **state)
{
	struct layout lo = { .nat_blk = 1000, .blks_per_seg = 512 };

	(void)state;
	assert_int_equal(nat_block_blk(&lo, 0, 0), 1000);
	assert_int_equal(nat_block_blk(&lo, 511, 0), 1511);
	assert_int_equal(nat_block_blk(&lo, 0, 1), 1512);
	assert_int_equal(nat_block_blk(&lo, 512, 0), 2024);
	assert_int_equal(nat_block_blk(&lo, 513, 1), 2537);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_at_4k),
		cmocka_unit_test(figures_at_16k),
		cmocka_unit_test(packed_summaries_are_4k),
		cmocka_unit_test(super_gives_what_the_builder_laid),
		cmocka_unit_test(units_turn_both_ways),
		cmocka_unit_test(nat_copies_alternate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
