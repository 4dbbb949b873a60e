/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The NAT in memory: copies, journal, changes. */
#include "config.h"

#include "meta/journal.h"
#include "meta/nat.h"
#include "tiny.h"

#include <errno.h>
#include <string.h>

#include "unit.h"

struct loaded {
	struct tiny t;
	struct findings f;
	struct checkpoint cp;
	struct nat nat;
};

static void load(struct loaded *l)
{
	findings_init(&l->f);
	assert_int_equal(cp_load(l->t.dev, &l->t.lo, &l->f, &l->cp), 0);
	assert_int_equal(nat_load(l->t.dev, &l->t.lo, &l->cp, &l->f, &l->nat),
			 0);
}

static void unload(struct loaded *l)
{
	nat_free(&l->nat);
	cp_free(&l->cp);
	findings_free(&l->f);
}

static void check(const struct nat *nat, uint32_t nid, uint32_t ino,
		  uint32_t blk, uint8_t version)
{
	struct nat_entry e = nat_get(nat, nid);

	assert_int_equal(e.ino, ino);
	assert_int_equal(e.blk, blk);
	assert_int_equal(e.version, version);
}

static void entries_come_from_the_current_copy(void **state)
{
	struct loaded l;
	uint32_t far;

	(void)state;
	tiny_make(&l.t, &(struct tiny_opt){ 0 });
	load(&l);
	far = tiny_far_nid(&l.t);
	check(&l.nat, 3, 3, seg_to_blk(&l.t.lo, 0), 0);
	check(&l.nat, far, far, seg_to_blk(&l.t.lo, 1) + 1, 7);
	check(&l.nat, far + 1, far, seg_to_blk(&l.t.lo, 1) + 2, 0);
	check(&l.nat, far + 2, 0, 0, 0);
	/* Only the two blocks that hold something take memory. */
	for (uint32_t i = 0; i < l.t.lo.nr_nat_blks; i++)
		assert_int_equal(l.nat.pages[i] != NULL, i == 0 || i == 3);
	assert_int_equal(findings_count(&l.f, SEV_NOTE), 0);
	unload(&l);
	tiny_free(&l.t);
}

static void reserved_and_far_nids_read_as_free(void **state)
{
	struct loaded l;

	(void)state;
	tiny_make(&l.t, &(struct tiny_opt){ 0 });
	load(&l);
	for (uint32_t nid = 0; nid < 3; nid++)
		check(&l.nat, nid, 0, 0, 0);
	check(&l.nat, l.t.lo.nr_nids, 0, 0, 0);
	check(&l.nat, 0xffffffff, 0, 0, 0);
	unload(&l);
	tiny_free(&l.t);
}

static void journal_overrides_and_is_dirty(void **state)
{
	struct nat_entry e;
	struct loaded l;
	uint32_t nid = 0;

	(void)state;
	tiny_make(&l.t, &(struct tiny_opt){ .normal = true });
	load(&l);
	check(&l.nat, TINY_FILE, 4, seg_to_blk(&l.t.lo, 1), 2);
	assert_int_equal(l.nat.nr_dirty, 1);
	assert_true(nat_next_dirty(&l.nat, &nid, &e));
	assert_int_equal(nid, TINY_FILE);
	assert_int_equal(e.version, 2);
	nid++;
	assert_false(nat_next_dirty(&l.nat, &nid, &e));
	unload(&l);
	tiny_free(&l.t);
}

static void put(uint8_t *area, unsigned int n, uint32_t nid, uint32_t blk)
{
	le32_set(&nat_journal_entry(area, n)->nid, nid);
	le32_set(&nat_journal_entry(area, n)->nat.ino, nid);
	le32_set(&nat_journal_entry(area, n)->nat.blk, blk);
}

/* C16: only the bad entries are dropped. */
static void bad_journal_entries_are_dropped(void **state)
{
	struct loaded l;
	uint8_t *area;

	(void)state;
	tiny_make(&l.t, &(struct tiny_opt){ 0 });
	area = tiny_nat_journal(&l.t);
	put(area, 1, 0, 9000);
	put(area, 2, 2, 9000);
	put(area, 3, l.t.lo.nr_nids, 9000);
	put(area, 4, 0xffffffff, 9000);
	put(area, 5, TINY_FILE, 9000);		/* there already */
	put(area, 6, 77, 9077);
	journal_set_count(area, 7);
	load(&l);
	assert_int_equal(l.f.counted[P_NAT_JOURNAL], 5);
	check(&l.nat, TINY_FILE, 4, seg_to_blk(&l.t.lo, 1), 2);
	check(&l.nat, 77, 77, 9077, 0);
	assert_int_equal(l.nat.nr_dirty, 2);
	unload(&l);
	tiny_free(&l.t);
}

static void journal_count_is_clipped(void **state)
{
	struct loaded l;
	uint8_t *area;

	(void)state;
	tiny_make(&l.t, &(struct tiny_opt){ 0 });
	area = tiny_nat_journal(&l.t);
	for (unsigned int i = 0; i < l.t.lo.nat_journal_max; i++)
		put(area, i, 50 + i, 9000 + i);
	journal_set_count(area, 0xffff);
	load(&l);
	assert_int_equal(l.f.counted[P_NAT_JOURNAL], 1);
	assert_int_equal(l.nat.nr_dirty, 38);
	check(&l.nat, 87, 87, 9037, 0);
	unload(&l);
	tiny_free(&l.t);
}

static void walk_visits_the_used_in_order(void **state)
{
	struct nat_entry e;
	struct loaded l;
	uint32_t want[4], nid = 0, n = 0;

	(void)state;
	tiny_make(&l.t, &(struct tiny_opt){ 0 });
	load(&l);
	want[0] = 3;
	want[1] = 4;
	want[2] = tiny_far_nid(&l.t);
	want[3] = want[2] + 1;
	for (; nat_next(&l.nat, &nid, &e); nid++) {
		assert_in_range(n, 0, 3);
		assert_int_equal(nid, want[n++]);
		assert_int_equal(e.blk, nat_get(&l.nat, nid).blk);
	}
	assert_int_equal(n, 4);
	nid = l.t.lo.nr_nids;
	assert_false(nat_next(&l.nat, &nid, &e));
	nid = 0xffffffff;
	assert_false(nat_next(&l.nat, &nid, &e));
	assert_false(nat_next_dirty(&l.nat, &nid, &e));
	unload(&l);
	tiny_free(&l.t);
}

static void changes_are_dirty_until_cleared(void **state)
{
	const struct nat_entry e = { 9, 12345, 250 }, none = { 0, 0, 251 };
	struct nat_entry got;
	struct loaded l;
	uint32_t last, nid = 5;

	(void)state;
	tiny_make(&l.t, &(struct tiny_opt){ 0 });
	load(&l);
	last = l.t.lo.nr_nids - 1;
	assert_int_equal(nat_set(&l.nat, last, &e), 0);
	assert_int_equal(nat_set(&l.nat, last, &e), 0);
	assert_int_equal(l.nat.nr_dirty, 2);
	check(&l.nat, last, 9, 12345, 250);
	assert_true(nat_next(&l.nat, &nid, &got));
	assert_int_equal(nid, tiny_far_nid(&l.t));
	assert_int_equal(nat_set(&l.nat, last, &none), 0);
	nid = tiny_far_nid(&l.t) + 2;
	assert_false(nat_next(&l.nat, &nid, &got));
	assert_true(nat_next_dirty(&l.nat, &nid, &got));
	assert_int_equal(nid, last);
	assert_int_equal(got.version, 251);
	nat_clear_dirty(&l.nat, last);
	nat_clear_dirty(&l.nat, last);
	nat_clear_dirty(&l.nat, 455 * 9);
	assert_int_equal(l.nat.nr_dirty, 1);
	unload(&l);
	tiny_free(&l.t);
}

static void blocks_encode_to_what_was_read(void **state)
{
	struct loaded l;
	uint8_t block[4096];

	(void)state;
	tiny_make(&l.t, &(struct tiny_opt){ 0 });
	journal_set_count(tiny_nat_journal(&l.t), 0);
	load(&l);
	nat_encode_block(&l.nat, 0, block);
	assert_memory_equal(block, tiny_block(&l.t, l.t.lo.nat_blk), 4096);
	nat_encode_block(&l.nat, 3, block);
	assert_memory_equal(block, tiny_block(&l.t, l.t.lo.nat_blk + 515),
			    4096);
	nat_encode_block(&l.nat, 4, block);
	for (size_t i = 0; i < sizeof(block); i++)
		assert_int_equal(block[i], 0);
	unload(&l);
	tiny_free(&l.t);
}

/* Runs of one copy with gaps of every length: each block comes from its own. */
static void alternating_copies_are_told_apart(void **state)
{
	struct loaded l;
	uint8_t *bitmap;

	(void)state;
	tiny_make(&l.t, &(struct tiny_opt){ 0 });
	bitmap = (uint8_t *)tiny_cp(&l.t, 0) + 192 + 64;
	for (uint32_t i = 0; i < 64; i++)
		bitmap[i] = (uint8_t)(i % 3 ? i * 37 : i % 2 ? 0xff : 0);
	tiny_sign(&l.t, 0);
	for (uint32_t i = 0; i < 512; i++) {
		for (int copy = 0; copy < 2; copy++) {
			struct od_nat_entry *e = (void *)tiny_block(&l.t,
				nat_block_blk(&l.t.lo, i, copy));

			memset(&e[9], 0, sizeof(e[9]));
			le32_set(&e[9].blk, 2 * i + (uint32_t)copy + 1);
		}
	}
	load(&l);
	for (uint32_t i = 0; i < 512; i++) {
		uint32_t copy = bitmap[i / 8] >> (7 - i % 8) & 1;

		check(&l.nat, 455 * i + 9, 0, 2 * i + copy + 1, 0);
	}
	unload(&l);
	tiny_free(&l.t);
}

static void read_error_fails_the_load(void **state)
{
	struct dev_fault_plan plan = { .fail_read = 1 };
	struct loaded l;

	(void)state;
	tiny_make(&l.t, &(struct tiny_opt){ 0 });
	findings_init(&l.f);
	assert_int_equal(cp_load(l.t.dev, &l.t.lo, &l.f, &l.cp), 0);
	assert_int_equal(dev_fault_open(l.t.dev, &plan, &l.t.dev), 0);
	assert_int_equal(nat_load(l.t.dev, &l.t.lo, &l.cp, &l.f, &l.nat),
			 -EIO);
	assert_string_not_equal(ctx_error(l.t.ctx), "");
	cp_free(&l.cp);
	findings_free(&l.f);
	tiny_free(&l.t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_come_from_the_current_copy),
		cmocka_unit_test(reserved_and_far_nids_read_as_free),
		cmocka_unit_test(journal_overrides_and_is_dirty),
		cmocka_unit_test(bad_journal_entries_are_dropped),
		cmocka_unit_test(journal_count_is_clipped),
		cmocka_unit_test(walk_visits_the_used_in_order),
		cmocka_unit_test(changes_are_dirty_until_cleared),
		cmocka_unit_test(blocks_encode_to_what_was_read),
		cmocka_unit_test(alternating_copies_are_told_apart),
		cmocka_unit_test(read_error_fails_the_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
