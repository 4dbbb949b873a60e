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

/* The nid and the offset of chain node @n; marks are kept. */
static void name_node(struct fake *f, uint32_t n, uint32_t nid, uint32_t ino,
		      uint32_t ofs)
{
	struct od_node_foot *foot = node_foot(&f->vol.lo,
					      fake_block(f, chain_blk(f, n)));

	le32_set(&foot->nid, nid);
	le32_set(&foot->ino, ino);
	le32_set(&foot->flag, (le32_get(foot->flag) & 7) |
			      ofs << OD_FOOT_OFS_SHIFT);
}

/* Inode 10 + n / 4 in each fourth node with @marks, then three of its nodes. */
static void setup_inodes(struct fake *f, uint32_t nr, uint32_t marks)
{
	setup(f, nr);
	for (uint32_t n = 0; n < nr; n++) {
		set_node(f, n, CP_VERSION, n % 4 ? 0 : marks,
			 chain_blk(f, n + 1));
		name_node(f, n, n % 4 ? 1000 + n : 10 + n / 4, 10 + n / 4,
			  n % 4);
	}
}

static void know_inode(struct fake *f, uint32_t ino)
{
	struct nat_entry e = { .ino = ino, .blk = f->vol.lo.main_blk };

	assert_int_equal(nat_set(&f->vol.nat, ino, &e), 0);
}

static void the_chain_is_read_with_its_inodes(void **state)
{
	const struct pending_inode *i;
	struct pending p;
	struct fake f;

	(void)state;
	setup_inodes(&f, 40, OD_FOOT_FSYNC | OD_FOOT_DENT);
	assert_int_equal(pending_read(&f.vol, &p), 0);
	assert_int_equal(p.nodes.nr, 40);
	assert_int_equal(p.inodes.nr, 10);
	assert_int_equal(p.cut_at, 0);
	for (uint32_t n = 0; n < 40; n++) {
		assert_int_equal(p.nodes.v[n].blk, chain_blk(&f, n));
		assert_true(pending_has_blk(&p, &f.vol.lo, chain_blk(&f, n)));
		assert_false(pending_has_blk(&p, &f.vol.lo,
					     chain_blk(&f, n) + 1));
		i = pending_inode_of(&p, n);
		/* What comes after the last fsync does not count. */
		if (n % 4) {
			assert_null(i);
			continue;
		}
		assert_non_null(i);
		assert_int_equal(i->ino, 10 + n / 4);
		assert_int_equal(i->made_by, n);
		assert_int_equal(i->last, n);
		assert_int_equal(i->dentry, n);
	}
	pending_free(&p);
	fake_free(&f);
}

/* Cases 5 to 8 of kernel fs/f2fs/recovery.c. */
static void an_inode_is_made_by_both_marks_only(void **state)
{
	const struct pending_inode *i;
	struct pending p;
	struct fake f;

	(void)state;
	setup_inodes(&f, 4, OD_FOOT_FSYNC);
	assert_int_equal(pending_read(&f.vol, &p), 0);
	assert_int_equal(p.inodes.nr, 0);
	assert_true(p.has_fsync);
	pending_free(&p);

	/* The inode comes last: all of its nodes count. */
	name_node(&f, 0, 1000, 10, 1);
	name_node(&f, 3, 10, 10, 0);
	set_node(&f, 3, CP_VERSION, OD_FOOT_FSYNC | OD_FOOT_DENT, 0);
	assert_int_equal(pending_read(&f.vol, &p), 0);
	assert_int_equal(p.inodes.nr, 1);
	i = pending_inode_of(&p, 0);
	assert_non_null(i);
	assert_int_equal(i->made_by, 3);
	assert_int_equal(i->last, 3);
	pending_free(&p);

	/* One that the NAT has needs no mark of its own. */
	know_inode(&f, 10);
	set_node(&f, 3, CP_VERSION, 0, 0);
	name_node(&f, 3, 10, 10, 0);
	assert_int_equal(pending_read(&f.vol, &p), 0);
	assert_int_equal(p.inodes.nr, 1);
	i = pending_inode_of(&p, 0);
	assert_int_equal(i->made_by, PENDING_NONE);
	assert_int_equal(i->dentry, PENDING_NONE);
	assert_int_equal(i->last, 0);
	assert_null(pending_inode_of(&p, 3));
	pending_free(&p);
	fake_free(&f);
}

static void chains_that_cannot_be_are_cut(void **state)
{
	struct pending p;
	struct fake f;

	(void)state;
	for (int what = 0; what < 6; what++) {
		setup_inodes(&f, 40, OD_FOOT_FSYNC | OD_FOOT_DENT);
		if (what == 0)		/* nids out of range */
			name_node(&f, 20, UINT32_MAX, UINT32_MAX, 0);
		else if (what == 1)
			name_node(&f, 20, f.vol.lo.nr_nids, f.vol.lo.nr_nids, 0);
		else if (what == 2)
			name_node(&f, 20, 2, 2, 0);
		else if (what == 3)	/* offset 0, but not the inode */
			name_node(&f, 20, 16, 15, 0);
		else if (what == 4)
			name_node(&f, 20, 15, 15, 7);
		else			/* marked as new, but known */
			know_inode(&f, 15);
		assert_int_equal(pending_read(&f.vol, &p), 0);
		assert_int_equal(p.nodes.nr, 20);
		assert_int_equal(p.inodes.nr, 5);
		assert_int_equal(p.cut_at, chain_blk(&f, 20));
		assert_non_null(p.cut_why);
		pending_free(&p);
		fake_free(&f);
	}
}

static void each_node_of_a_loop_is_met_once(void **state)
{
	struct pending p;
	struct fake f;

	(void)state;
	for (uint32_t to = 0; to < 40; to++) {
		setup_inodes(&f, 40, OD_FOOT_FSYNC | OD_FOOT_DENT);
		set_node(&f, 39, CP_VERSION, 0, chain_blk(&f, to));
		name_node(&f, 39, 5000, 19, 3);
		assert_int_equal(pending_read(&f.vol, &p), 0);
		assert_int_equal(p.nodes.nr, 40);
		assert_int_equal(p.inodes.nr, 10);
		assert_int_equal(p.cut_at, chain_blk(&f, to));
		pending_free(&p);
		fake_free(&f);
	}
}

/* What was fsynced after the cut only is not recovered. */
static void a_later_cut_drops_what_came_after(void **state)
{
	struct pending p;
	struct fake f;

	(void)state;
	setup_inodes(&f, 40, OD_FOOT_FSYNC | OD_FOOT_DENT);
	for (uint32_t n = 4; n < 40; n += 4) {	/* all of inode 10 */
		name_node(&f, n, 10, 10, 0);
		set_node(&f, n, CP_VERSION, OD_FOOT_FSYNC, chain_blk(&f, n + 1));
		name_node(&f, n, 10, 10, 0);
	}
	assert_int_equal(pending_read(&f.vol, &p), 0);
	assert_int_equal(p.inodes.nr, 1);
	assert_int_equal(p.inodes.v[0].last, 36);
	assert_int_equal(pending_cut(&f.vol, &p, 30, "a reason"), 0);
	assert_int_equal(p.nodes.nr, 30);
	assert_int_equal(p.inodes.v[0].last, 28);
	assert_int_equal(p.cut_at, chain_blk(&f, 30));
	assert_string_equal(p.cut_why, "a reason");
	assert_int_equal(pending_cut(&f.vol, &p, 0, "another"), 0);
	assert_int_equal(p.nodes.nr + p.inodes.nr, 0);
	pending_free(&p);
	fake_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_are_counted_up_to_the_end),
		cmocka_unit_test(half_of_the_version_may_do),
		cmocka_unit_test(loops_end),
		cmocka_unit_test(the_chain_is_read_with_its_inodes),
		cmocka_unit_test(an_inode_is_made_by_both_marks_only),
		cmocka_unit_test(chains_that_cannot_be_are_cut),
		cmocka_unit_test(each_node_of_a_loop_is_met_once),
		cmocka_unit_test(a_later_cut_drops_what_came_after),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
