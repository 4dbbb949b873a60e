/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening a volume as a whole, and what forbids to write one. */
#include "config.h"

#include "base/bits.h"
#include "meta/volume.h"
#include "tiny.h"

#include <errno.h>
#include <string.h>

#include "unit.h"

/* Open; on success the device is the volume's. */
static int open_it(struct tiny *t, struct volume **vol, struct findings *f)
{
	int err = volume_open(t->ctx, t->dev, vol, f);

	if (!err)
		t->dev = NULL;
	return err;
}

static struct volume *open_tiny(struct tiny *t)
{
	struct volume *vol;

	assert_int_equal(open_it(t, &vol, NULL), 0);
	return vol;
}

static void counts_are_those_of_the_builder(void **state)
{
	struct volume *vol;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	vol = open_tiny(&t);
	assert_int_equal(findings_count(&vol->findings, SEV_NOTE), 0);
	assert_int_equal(volume_free_segs(vol), vol->cp.free_segs);
	assert_int_equal(volume_free_secs(vol), vol->cp.free_segs);
	for (uint32_t s = 0; s < 60; s++) {
		assert_int_equal(volume_seg_is_current(vol, s), s < 6);
		assert_int_equal(volume_sec_is_current(vol, s), s < 6);
	}
	assert_int_equal(vol->cp.valid_blocks,
			 vol->sit.valid_nodes + vol->sit.valid_data);
	assert_int_equal(volume_can_write(vol), 0);
	volume_close(vol);
	tiny_free(&t);
}

static void sections_are_free_as_a_whole(void **state)
{
	struct volume *vol;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	for (int i = 0; i < 2; i++) {
		le32_set(&tiny_super(&t, i)->segs_per_sec, 4);
		le32_set(&tiny_super(&t, i)->section_count, 15);
	}
	tiny_sign_super(&t);
	vol = open_tiny(&t);
	assert_int_equal(volume_free_segs(vol), 53);
	assert_int_equal(volume_free_secs(vol), 12);
	assert_true(volume_sec_is_current(vol, 1));
	assert_false(volume_sec_is_current(vol, 2));
	volume_close(vol);
	tiny_free(&t);
}

/* On failure the device stays the caller's, and the findings are told. */
static void failure_leaves_device_and_findings(void **state)
{
	struct volume *vol = NULL;
	struct findings f;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	memset(tiny_cp(&t, 0), 0, 4096);
	memset(tiny_cp(&t, 1), 0, 4096);
	assert_int_equal(open_it(&t, &vol, &f), -EUCLEAN);
	assert_null(vol);
	assert_int_equal(f.counted[P_CP_PACK_BAD], 2);
	assert_int_equal(findings_count(&f, SEV_FATAL), 1);
	findings_free(&f);
	assert_int_equal(open_it(&t, &vol, NULL), -EUCLEAN);
	tiny_free(&t);
}

static void several_devices_are_told_apart_from_damage(void **state)
{
	struct volume *vol;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	for (int i = 0; i < 2; i++) {
		struct od_super *sb = tiny_super(&t, i);

		memcpy(sb->devs[0].path, "/dev/a", 6);
		memcpy(sb->devs[1].path, "/dev/b", 6);
		le32_set(&sb->devs[0].total_segments, 7);
		le32_set(&sb->devs[1].total_segments, 60);
	}
	tiny_sign_super(&t);
	assert_int_equal(open_it(&t, &vol, NULL), -EOPNOTSUPP);
	assert_non_null(strstr(ctx_error(t.ctx), "2 devices"));
	tiny_free(&t);
}

static void features_that_forbid_writing(void **state)
{
	static const struct {
		uint32_t feature;
		int err;
		const char *word;
	} table[] = {
		{ 0x40000000, -EOPNOTSUPP, "0x40000000" },
		{ OD_FEATURE_RO, -EROFS, "feature ro" },
		{ OD_FEATURE_BLKZONED, -EOPNOTSUPP, "blkzoned" },
	};

	(void)state;
	for (size_t i = 0; i < NR_OF(table); i++) {
		struct volume *vol;
		struct tiny t;

		tiny_make(&t, &(struct tiny_opt){
			  .features = table[i].feature });
		vol = open_tiny(&t);
		assert_int_equal(volume_can_write(vol), table[i].err);
		assert_non_null(strstr(ctx_error(t.ctx), table[i].word));
		volume_close(vol);
		tiny_free(&t);
	}
}

static void flags_that_forbid_writing(void **state)
{
	static const struct {
		uint32_t flag;
		const char *word;
	} table[] = {
		{ OD_CP_ERROR, "ERROR" },
		{ OD_CP_DISABLED, "DISABLED" },
		{ OD_CP_DISABLED_QUICK, "DISABLED_QUICK" },
		{ OD_CP_RESIZEFS, "RESIZEFS" },
		{ OD_CP_FSCK, NULL },
		{ OD_CP_QUOTA_NEED_FSCK, NULL },
	};

	(void)state;
	for (size_t i = 0; i < NR_OF(table); i++) {
		struct od_checkpoint *cp;
		struct volume *vol;
		struct tiny t;

		tiny_make(&t, &(struct tiny_opt){ 0 });
		cp = tiny_cp(&t, 0);
		le32_set(&cp->ckpt_flags,
			 le32_get(cp->ckpt_flags) | table[i].flag);
		tiny_sign(&t, 0);
		vol = open_tiny(&t);
		if (table[i].word) {
			assert_int_equal(volume_can_write(vol), -EUCLEAN);
			assert_non_null(strstr(ctx_error(t.ctx),
					       table[i].word));
		} else {
			assert_int_equal(volume_can_write(vol), 0);
		}
		volume_close(vol);
		tiny_free(&t);
	}
}

static void findings_forbid_writing(void **state)
{
	struct volume *vol;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	le32_set(&tiny_cp(&t, 0)->rsvd_segment_count, 0);
	tiny_sign(&t, 0);
	vol = open_tiny(&t);
	assert_int_equal(volume_can_write(vol), -EUCLEAN);
	assert_non_null(strstr(ctx_error(t.ctx), "cp-field"));
	assert_non_null(strstr(ctx_error(t.ctx), "run fsck.f2fs"));
	volume_close(vol);
	tiny_free(&t);
}

/* C15 and its neighbours: a log must not stand on or before a valid block. */
static void logs_are_checked_against_the_sit(void **state)
{
	static const struct {
		uint16_t next;
		uint8_t alloc;
		uint64_t nr;
	} table[] = {
		{ 3, ALLOC_LFS, 0 },	/* where it belongs */
		{ 2, ALLOC_LFS, 1 },	/* on a valid block */
		{ 2, ALLOC_SSR, 1 },
		{ 9, ALLOC_LFS, 0 },	/* a gap is allowed */
		{ 511, ALLOC_SSR, 0 },
	};

	(void)state;
	for (size_t i = 0; i < NR_OF(table); i++) {
		struct volume *vol;
		struct tiny t;

		tiny_make(&t, &(struct tiny_opt){ 0 });
		le16_set(&tiny_cp(&t, 0)->cur_node_blkoff[1], table[i].next);
		tiny_cp(&t, 0)->alloc_type[LOG_WARM_NODE] = table[i].alloc;
		tiny_sign(&t, 0);
		vol = open_tiny(&t);
		assert_int_equal(vol->findings.counted[P_CP_CURSEG],
				 table[i].nr);
		volume_close(vol);
		tiny_free(&t);
	}
}

static void lfs_log_before_a_valid_block(void **state)
{
	struct od_sit_entry *e;
	struct volume *vol;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	e = (struct od_sit_entry *)tiny_block(&t, t.lo.sit_blk + 512) + 1;
	bit_set_msb(e->valid_map, 400);
	od_sit_set_vblocks(e, 4, LOG_WARM_NODE);
	vol = open_tiny(&t);
	assert_int_equal(vol->findings.counted[P_CP_CURSEG], 1);
	assert_int_equal(vol->findings.v[0].found, 400);
	volume_close(vol);
	tiny_free(&t);
}

/* A failed read in the tables is an error, never a crash or a leak. */
static void each_failing_read_is_survived(void **state)
{
	bool opened = false;

	(void)state;
	for (uint64_t n = 1; n < 100 && !opened; n++) {
		struct dev_fault_plan plan = { .fail_read = n,
					       .and_all_later = true };
		struct volume *vol;
		struct tiny t;
		int err;

		tiny_make(&t, &(struct tiny_opt){ .crashed = true });
		assert_int_equal(dev_fault_open(t.dev, &plan, &t.dev), 0);
		err = open_it(&t, &vol, NULL);
		opened = !err;
		if (err)
			assert_string_not_equal(ctx_error(t.ctx), "");
		else
			volume_close(vol);
		tiny_free(&t);
	}
	assert_true(opened);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_those_of_the_builder),
		cmocka_unit_test(sections_are_free_as_a_whole),
		cmocka_unit_test(failure_leaves_device_and_findings),
		cmocka_unit_test(several_devices_are_told_apart_from_damage),
		cmocka_unit_test(features_that_forbid_writing),
		cmocka_unit_test(flags_that_forbid_writing),
		cmocka_unit_test(findings_forbid_writing),
		cmocka_unit_test(logs_are_checked_against_the_sit),
		cmocka_unit_test(lfs_log_before_a_valid_block),
		cmocka_unit_test(each_failing_read_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
