/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chains of fsynced nodes behind the warm node log, and such that loop. */
#include "config.h"

#include "fake.h"
#include "tree/pending.h"

#define CP_VERSION 0x1234567800000099ULL
#define SEG	3U
#define NEXT	7U

/* Chain block @n lies 3 blocks after the one before it. */
static uint32_t chain_blk(const struct fake *f, uint32_t n)
{
	return seg_to_blk(&f->vol.lo, SEG) + NEXT + 3 * n;
}

static void set_node(struct fake *f, uint32_t n, uint64_t version,
		     uint32_t flags, uint32_t next)
{
	struct od_node_foot *foot = node_foot(&f->vol.lo,
					      fake_block(f, chain_blk(f, n)));

	le64_set(&foot->cp_ver, version);
	le32_set(&foot->flag, flags);
	le32_set(&foot->next_blk, next);
}

/* A chain of @nr nodes, every second of them marked. */
static void setup(struct fake *f, uint32_t nr)
{
	fake_init(f, 4096, 0);
	f->vol.cp.version = CP_VERSION;
	f->vol.cp.log[LOG_WARM_NODE].segno = SEG;
	f->vol.cp.log[LOG_WARM_NODE].next = NEXT;
	for (uint32_t n = 0; n < nr; n++)
		set_node(f, n, CP_VERSION, n % 2 ? OD_FOOT_FSYNC : OD_FOOT_DENT,
			 chain_blk(f, n + 1));
}

static uint64_t pending(struct fake *f)
{
	uint64_t nr = UINT64_MAX;

	assert_int_equal(pending_fsyncs(&f->vol, &nr), 0);
	return nr;
}

static void marks_are_counted_up_to_the_end(void **state)
{
	struct fake f;

	(void)state;
	setup(&f, 0);
	assert_int_equal(pending(&f), 0);
	fake_free(&f);
	setup(&f, 101);
	assert_int_equal(pending(&f), 50);
	/* A node of another checkpoint ends the chain. */
	set_node(&f, 20, CP_VERSION - 1, OD_FOOT_FSYNC, chain_blk(&f, 21));
	assert_int_equal(pending(&f), 10);
	/* So does an address outside the main area. */
	set_node(&f, 9, CP_VERSION, OD_FOOT_FSYNC, f.vol.lo.end_blk);
	assert_int_equal(pending(&f), 5);
	set_node(&f, 9, CP_VERSION, OD_FOOT_FSYNC, f.vol.lo.main_blk - 1);
	assert_int_equal(pending(&f), 5);
	fake_free(&f);
}

static void half_of_the_version_may_do(void **state)
{
	struct fake f;

	(void)state;
	setup(&f, 1);
	set_node(&f, 0, CP_VERSION & UINT32_MAX, OD_FOOT_FSYNC, 0);
	assert_int_equal(pending(&f), 0);
	f.vol.cp.flags = OD_CP_NOCRC_RECOVERY;
	assert_int_equal(pending(&f), 1);
	set_node(&f, 0, CP_VERSION + 1, OD_FOOT_FSYNC, 0);
	assert_int_equal(pending(&f), 0);
	fake_free(&f);
}

static void loops_end(void **state)
{
	struct fake f;

	(void)state;
	for (uint32_t nr = 1; nr < 40; nr++) {
		for (uint32_t to = 0; to < nr; to++) {
			setup(&f, nr);
			set_node(&f, nr - 1, CP_VERSION, OD_FOOT_FSYNC,
				 chain_blk(&f, to));
			assert_in_range(pending(&f), nr / 2, 4 * nr);
			fake_free(&f);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_are_counted_up_to_the_end),
		cmocka_unit_test(half_of_the_version_may_do),
		cmocka_unit_test(loops_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
