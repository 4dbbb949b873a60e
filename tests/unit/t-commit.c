/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A commit: what was changed in memory is what the next reader finds. */
#include "config.h"

#include "volume_builder.h"
#include "base/ctx.h"
#include "engine/commit.h"
#include "format/validate.h"
#include "meta/journal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void expect_same_logs(const struct volume *a, const struct volume *z)
{
	const size_t esz = sizeof(struct od_sum_entry);

	for (unsigned int t = 0; t < OD_NR_LOGS; t++) {
		const struct curseg *x = &a->cp.log[t], *y = &z->cp.log[t];
		size_t nr = x->alloc_type == ALLOC_SSR ? VB_SEG_BLKS : x->next;

		assert_int_equal(x->segno, y->segno);
		assert_int_equal(x->next, y->next);
		assert_int_equal(x->alloc_type, y->alloc_type);
		assert_memory_equal(x->sum, y->sum, nr * esz);
	}
	assert_memory_equal(sum_journal(&a->lo, a->cp.log[LOG_HOT_NODE].sum),
			    sum_journal(&z->lo, z->cp.log[LOG_HOT_NODE].sum),
			    a->lo.sum_journal_bytes);
}

static void expect_same_tables(const struct volume *a, const struct volume *z)
{
	for (uint32_t nid = 0; nid < a->lo.nr_nids; nid++) {
		struct nat_entry x = nat_get(&a->nat, nid);
		struct nat_entry y = nat_get(&z->nat, nid);

		assert_int_equal(x.ino, y.ino);
		assert_int_equal(x.blk, y.blk);
		assert_int_equal(x.version, y.version);
	}
	for (uint32_t s = 0; s < a->lo.nr_main_segs; s++)
		assert_memory_equal(sit_get(&a->sit, s), sit_get(&z->sit, s),
				    sizeof(struct sit_seg));
}

static void expect_same_cp(const struct checkpoint *x,
			   const struct checkpoint *y)
{
	assert_int_equal(x->pack, y->pack);
	assert_int_equal(x->version, y->version);
	assert_int_equal(x->flags, y->flags);
	assert_int_equal(x->user_blocks, y->user_blocks);
	assert_int_equal(x->valid_blocks, y->valid_blocks);
	assert_int_equal(x->valid_nodes, y->valid_nodes);
	assert_int_equal(x->valid_inodes, y->valid_inodes);
	assert_int_equal(x->rsvd_segs, y->rsvd_segs);
	assert_int_equal(x->overprov_segs, y->overprov_segs);
	assert_int_equal(x->free_segs, y->free_segs);
	assert_int_equal(x->next_free_nid, y->next_free_nid);
	assert_int_equal(x->elapsed_time, y->elapsed_time);
	assert_int_equal(x->nr_orphans, y->nr_orphans);
	if (x->nr_orphans)
		assert_memory_equal(x->orphans, y->orphans,
				    4 * x->nr_orphans);
}

/* @vol was committed: a reader of the device finds the same, without faults. */
static void expect_read_back(struct vb *b, struct volume *vol)
{
	struct volume *again = vb_open(b);

	assert_int_equal(again->findings.nr, 0);
	assert_int_equal(volume_can_write(again), 0);
	expect_same_cp(&vol->cp, &again->cp);
	expect_same_tables(vol, again);
	expect_same_logs(vol, again);
	volume_close(again);
}

static void must_commit(struct vb *b, struct volume *vol,
			struct commit_stats *stats)
{
	int err = commit(vol, stats);

	if (err)
		print_error("commit: %s\n", ctx_error(b->ctx));
	assert_int_equal(err, 0);
}

/* @nr entries become dirty, spread over several NAT blocks. */
static void change_nat(struct volume *vol, uint32_t nr, uint32_t salt)
{
	for (uint32_t i = 0; i < nr; i++) {
		struct nat_entry e = {
			.ino = 100 + i, .blk = 5000 + i + salt,
			.version = (uint8_t)(i + salt),
		};

		assert_int_equal(nat_set(&vol->nat, 1000 + i * 7, &e), 0);
	}
}

static void change_sit(struct volume *vol, uint32_t nr, uint32_t salt)
{
	for (uint32_t i = 0; i < nr; i++)
		assert_int_equal(sit_set_mtime(&vol->sit, i * 3 % vol->lo.nr_main_segs,
					       10 + salt + i), 0);
}

static void round_trip(const struct vb_opt *opt, uint32_t nr_nat,
		       uint32_t nr_sit, struct commit_stats *stats)
{
	struct volume *vol;
	struct vb b;

	vb_init(&b, opt);
	vb_write(&b);
	vol = vb_open(&b);
	memset(stats, 0, sizeof(*stats));
	change_nat(vol, nr_nat, 1);
	change_sit(vol, nr_sit, 1);
	must_commit(&b, vol, stats);
	assert_int_equal(vol->cp.version, opt->version + 1);
	assert_int_equal(vol->cp.pack, !opt->pack);
	expect_read_back(&b, vol);
	/* And back into the other pack and the other copies. */
	change_nat(vol, nr_nat, 2);
	change_sit(vol, nr_sit, 2);
	must_commit(&b, vol, stats);
	assert_int_equal(vol->cp.pack, opt->pack);
	expect_read_back(&b, vol);
	volume_close(vol);
	vb_free(&b);
}

static void journals_are_used_as_long_as_they_hold_it(void **state)
{
	static const uint32_t nat[] = { 0, 1, 36, 37, 38, 39, 500, 3000 };
	static const uint32_t sit[] = { 0, 1, 4, 5, 6, 7, 60, 100 };
	struct vb_opt opt = {
		.nr_secs = 101, .version = 5, .nat_journal = 1,
		.sit_journal = 1,
	};
	struct commit_stats s;

	/* The entries of the old journal are others. */
	(void)state;
	for (size_t i = 0; i < NR_OF(nat); i++) {
		bool fits = nat[i] + 1 <= 38;

		round_trip(&opt, nat[i], 0, &s);
		if (fits)
			assert_int_equal(s.nat_journal_hits, 2 * (nat[i] + 1));
		else	/* it stays, as a small set, and what else fits */
			assert_in_range(s.nat_journal_hits, 2, 2 * 38);
		assert_int_equal(!s.nat_blocks_written, fits);
	}
	for (size_t i = 0; i < NR_OF(sit); i++) {
		round_trip(&opt, 0, sit[i], &s);
		assert_int_equal(!s.sit_blocks_written, sit[i] + 1 <= 6);
	}
}

static void every_place_of_the_bitmaps(void **state)
{
	struct commit_stats s;

	(void)state;
	for (uint32_t i = 0; i < 32; i++) {
		struct vb_opt opt = {
			.nr_secs = 101, .version = 40 + i, .seed = i,
			.pack = (int)(i & 1), .large = i & 2,
			.payload = i & 4 ? 1 + i / 8 : 0, .normal = i & 8,
			.crashed = i & 16,
		};

		round_trip(&opt, 100 * (i & 3), 20 * (i & 5), &s);
	}
}

static void orphans_go_into_the_new_pack(void **state)
{
	static const uint32_t nr[] = { 0, 1, 1019, 1020, 1021, 2040, 5000 };
	struct commit_stats s;

	(void)state;
	for (size_t i = 0; i < NR_OF(nr); i++) {
		struct vb_opt opt = {
			.version = 9, .extra_orphans = nr[i],
			.payload = i & 1, .normal = i & 2,
		};

		round_trip(&opt, 5, 5, &s);
	}
}

/* Logs with so many entries in sum; the last byte of each is its number. */
static void fill_logs(struct vb *b, const uint16_t next[3])
{
	for (uint8_t t = 0; t < 3; t++) {
		struct vb_seg *seg;

		vb_set_log(b, t, t, next[t]);
		seg = &b->seg[t];
		for (uint32_t i = 0; i < VB_SEG_BLKS; i++)
			le16_set(&sum_entries(seg->sum)[i].ofs_in_node,
				 (uint16_t)(1000 * t + i));
	}
}

static void summaries_are_compact_if_they_fit(void **state)
{
	static const struct {
		uint16_t next[3];
		bool ssr, compact;
		uint32_t total;		/* blocks of the pack */
	} t[] = {
		{ { 0, 0, 0 }, false, true, 6 },
		{ { 200, 200, 39 }, false, true, 6 },	/* 439 */
		{ { 200, 200, 40 }, false, true, 7 },
		{ { 511, 511, 0 }, false, true, 7 },
		{ { 511, 1, 511 }, false, true, 7 },	/* 1023 */
		{ { 511, 2, 511 }, false, false, 8 },
		{ { 511, 511, 511 }, false, false, 8 },
		{ { 10, 3, 20 }, true, true, 7 },	/* 512 of the SSR log */
		{ { 511, 3, 0 }, true, true, 7 },
		{ { 511, 3, 1 }, true, false, 8 },
	};

	(void)state;
	for (size_t i = 0; i < NR_OF(t); i++) {
		struct commit_stats s = { 0 };
		struct volume *vol;
		struct vb b;

		vb_init(&b, &(struct vb_opt){ .version = 3, .seed = i });
		fill_logs(&b, t[i].next);
		b.log[LOG_WARM_DATA].ssr = t[i].ssr;
		vb_write(&b);
		vol = vb_open(&b);
		change_nat(vol, 7, 0);
		must_commit(&b, vol, &s);
		assert_int_equal(!!(vol->cp.flags & OD_CP_COMPACT_SUM),
				 t[i].compact);
		assert_int_equal(le32_get(((struct od_checkpoint *)vol->cp.head)
					  ->cp_pack_total_block_count),
				 t[i].total);
		expect_read_back(&b, vol);
		volume_close(vol);
		vb_free(&b);
	}
}

static void versions_may_wrap(void **state)
{
	static const uint64_t v[] = { 0, 1, UINT32_MAX, 1ULL << 63,
				      UINT64_MAX - 1, UINT64_MAX };
	struct commit_stats s;

	(void)state;
	for (size_t i = 0; i < NR_OF(v); i++)
		round_trip(&(struct vb_opt){ .version = v[i],
					     .pack = (int)(i & 1) },
			   50, 9, &s);
}

static uint32_t flags_after(uint32_t clear, uint32_t set)
{
	struct vb_opt opt = {
		.version = 6, .clear_flags = clear, .set_flags = set,
	};
	struct commit_stats s = { 0 };
	struct volume *vol;
	uint32_t flags;
	struct vb b;

	vb_init(&b, &opt);
	vb_write(&b);
	vol = vb_open(&b);
	must_commit(&b, vol, &s);
	flags = vol->cp.flags;
	assert_int_equal(flags, le32_get(((struct od_checkpoint *)
					  vol->cp.head)->ckpt_flags));
	volume_close(vol);
	vb_free(&b);
	return flags;
}

static void flags_are_those_of_a_clean_unmount(void **state)
{
	const uint32_t plain = OD_CP_UMOUNT | OD_CP_CRC_RECOVERY |
			       OD_CP_COMPACT_SUM;

	(void)state;
	assert_int_equal(flags_after(0, 0), plain);
	assert_int_equal(flags_after(OD_CP_CRC_RECOVERY, 0), plain);
	assert_int_equal(flags_after(0, OD_CP_TRIMMED | OD_CP_FASTBOOT |
				     OD_CP_NOCRC_RECOVERY), plain);
	assert_int_equal(flags_after(0, OD_CP_NAT_BITS),
			 plain | OD_CP_NAT_BITS);
	assert_int_equal(flags_after(0, OD_CP_FSCK | OD_CP_QUOTA_NEED_FSCK),
			 plain | OD_CP_FSCK | OD_CP_QUOTA_NEED_FSCK);
}

static void too_many_orphans_are_refused(void **state)
{
	struct commit_stats s = { 0 };
	struct volume *vol, *again;
	struct vb b;

	(void)state;
	vb_init(&b, &(struct vb_opt){ .version = 6 });
	vb_write(&b);
	vol = vb_open(&b);
	vol->cp.nr_orphans = 505 * 1020 + 1;
	vol->cp.orphans = calloc(vol->cp.nr_orphans, 4);
	assert_non_null(vol->cp.orphans);
	assert_int_equal(commit(vol, &s), -ENOSPC);
	volume_close(vol);
	again = vb_open(&b);
	assert_int_equal(again->cp.version, 6);
	vb_verify_volume(&b, again);
	volume_close(again);
	vb_free(&b);
}

/* Bytes of the first block that no version knows stay as they are. */
static void unknown_bytes_are_kept(void **state)
{
	struct commit_stats s = { 0 };
	struct volume *vol;
	uint8_t *head;
	uint32_t last;
	struct vb b;

	(void)state;
	vb_init(&b, &(struct vb_opt){ .version = 6 });
	vb_write(&b);
	head = vb_block(&b, b.lo.cp_blk);
	head[3000] = 0x5a;		/* behind both bitmaps */
	le32_set((le32 *)(head + VB_BYTES - 4), cp_block_crc(&b.lo, head));
	last = le32_get(((struct od_checkpoint *)head)
			->cp_pack_total_block_count) - 1;
	memcpy(head + (size_t)last * VB_BYTES, head, VB_BYTES);
	vol = vb_open(&b);
	must_commit(&b, vol, &s);
	assert_int_equal(vb_block(&b, b.lo.cp_blk + VB_SEG_BLKS)[3000], 0x5a);
	expect_read_back(&b, vol);
	volume_close(vol);
	vb_free(&b);
}

/* Like a kernel's: version @version in the first block of @pack. */
static void put_checkpoint(struct vb *b, int pack, uint64_t version)
{
	struct od_checkpoint *head = (void *)
		vb_block(b, b->lo.cp_blk + (pack ? VB_SEG_BLKS : 0));

	le64_set(&head->checkpoint_ver, version);
}

/* A kernel that mounts an image file respects no lock. */
static void a_checkpoint_of_somebody_else_is_not_written_over(void **state)
{
	struct vb_opt opt = { .version = 50 };

	(void)state;
	for (int live = 0; live < 2; live++) {
		struct commit_stats stats = { 0 };
		struct volume *vol;
		uint8_t *copy;
		struct vb b;

		vb_init(&b, &opt);
		vb_write(&b);
		vol = vb_open(&b);
		change_nat(vol, 500, 1);
		change_sit(vol, 60, 1);
		put_checkpoint(&b, live ? opt.pack : !opt.pack, 51);
		copy = malloc(vb_nr_bytes(&b));
		assert_non_null(copy);
		memcpy(copy, b.img, vb_nr_bytes(&b));
		assert_int_equal(commit(vol, &stats), -EBUSY);
		assert_non_null(strstr(ctx_error(b.ctx), "somebody else"));
		assert_memory_equal(copy, b.img, vb_nr_bytes(&b));
		assert_int_equal(volume_can_write(vol), -EIO);
		free(copy);
		volume_close(vol);
		vb_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(journals_are_used_as_long_as_they_hold_it),
		cmocka_unit_test(every_place_of_the_bitmaps),
		cmocka_unit_test(orphans_go_into_the_new_pack),
		cmocka_unit_test(summaries_are_compact_if_they_fit),
		cmocka_unit_test(versions_may_wrap),
		cmocka_unit_test(flags_are_those_of_a_clean_unmount),
		cmocka_unit_test(too_many_orphans_are_refused),
		cmocka_unit_test(unknown_bytes_are_kept),
		cmocka_unit_test(a_checkpoint_of_somebody_else_is_not_written_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
