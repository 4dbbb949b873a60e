/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packs that are half there, and checkpoints that forbid a commit. */
#include "config.h"

#include "volume_builder.h"
#include "base/ctx.h"
#include "engine/commit.h"
#include "format/validate.h"

#include <errno.h>
#include <string.h>

static void must_commit(struct volume *vol, struct commit_stats *stats)
{
	assert_int_equal(commit(vol, stats), 0);
}

/* @nr entries become dirty; the first address is @blk. */
static void change_nat(struct volume *vol, uint32_t nr, uint32_t blk)
{
	for (uint32_t i = 0; i < nr; i++) {
		struct nat_entry e = { .ino = 100 + i, .blk = blk + i };

		assert_int_equal(nat_set(&vol->nat, 1000 + i * 7, &e), 0);
	}
}

/*
 * The other pack: a last block of the next version at the place where ours
 * will be, its first block lost. Our first blocks must not make it whole.
 */
static void a_twin_of_the_last_block_is_no_danger(void **state)
{
	struct dev_fault_plan plan = { 0 };
	struct commit_stats s = { 0 };
	struct volume *vol;
	uint8_t *twin;
	struct dev *dev;
	struct vb b;

	(void)state;
	vb_init(&b, &(struct vb_opt){ .version = 6 });
	vb_write(&b);
	/* A commit whose first block is then lost. */
	vol = vb_open(&b);
	change_nat(vol, 100, 5001);
	must_commit(vol, &s);
	volume_close(vol);
	memset(vb_block(&b, b.lo.cp_blk + VB_SEG_BLKS), 0, VB_BYTES);
	twin = vb_block(&b, b.lo.cp_blk + VB_SEG_BLKS + 5);
	assert_int_equal(le64_get(((struct od_checkpoint *)twin)
				  ->checkpoint_ver), 7);

	/* Another of the same length, cut off before its last block. */
	do {
		plan.fail_write++;
		plan.and_all_later = true;
		assert_int_equal(dev_fault_open(vb_dev(&b), &plan, &dev), 0);
		vol = vb_open_dev(&b, dev);
		assert_int_equal(vol->cp.version, 6);
		change_nat(vol, 20, 5002);
		if (!commit(vol, &s))
			break;
		volume_close(vol);
		vol = vb_open(&b);
		assert_int_equal(vol->cp.version, 6);
		volume_close(vol);
	} while (plan.fail_write < 20);
	assert_true(plan.fail_write < 20);
	volume_close(vol);
	vol = vb_open(&b);
	assert_int_equal(vol->cp.version, 7);
	assert_int_equal(nat_get(&vol->nat, 1000).blk, 5002);
	volume_close(vol);
	vb_free(&b);
}

static void a_volume_is_spoilt_by_a_commit_that_failed(void **state)
{
	struct dev_fault_plan plan = { .fail_flush = 1 };
	struct commit_stats s = { .sit_blocks_written = 5 }, was = s;
	struct volume *vol;
	struct dev *dev;
	struct vb b;

	(void)state;
	vb_init(&b, &(struct vb_opt){ .version = 6 });
	vb_write(&b);
	assert_int_equal(dev_fault_open(vb_dev(&b), &plan, &dev), 0);
	vol = vb_open_dev(&b, dev);
	change_nat(vol, 100, 5001);
	assert_int_equal(volume_can_write(vol), 0);
	assert_int_equal(commit(vol, &s), -EIO);
	assert_memory_equal(&s, &was, sizeof(s));
	assert_int_equal(volume_can_write(vol), -EIO);
	volume_close(vol);
	vb_verify(&b);
	vb_free(&b);
}

/* Either end of the other pack, written in its first @bytes only. */
static void cut_at(struct vb *b, uint32_t blk, const uint8_t *old,
		   uint32_t bytes, bool is_error)
{
	uint8_t new[VB_BYTES];
	uint8_t *block = vb_block(b, blk);
	struct volume *vol;

	memcpy(new, block, VB_BYTES);
	memcpy(block + bytes, old + bytes, VB_BYTES - bytes);
	vol = vb_open(b);
	assert_int_equal(vol->cp.version, 6);
	assert_int_equal(!volume_can_write(vol), !is_error);
	volume_close(vol);
	memcpy(block, new, VB_BYTES);
}

static void a_pack_torn_at_a_sector_is_no_damage(void **state)
{
	static const uint8_t zeros[VB_BYTES];
	uint8_t old[VB_BYTES], flip[VB_BYTES];
	struct commit_stats s = { 0 };
	struct volume *vol;
	uint32_t head, foot;
	struct vb b;

	(void)state;
	vb_init(&b, &(struct vb_opt){ .version = 6 });
	vb_write(&b);
	head = b.lo.cp_blk + VB_SEG_BLKS;
	foot = head + 5;
	memcpy(old, vb_block(&b, foot), VB_BYTES);
	vol = vb_open(&b);
	must_commit(vol, &s);
	volume_close(vol);
	for (uint32_t at = 512; at < VB_BYTES; at += 512) {
		cut_at(&b, foot, old, at, false);
		cut_at(&b, foot, zeros, at, false);
	}
	/* Damage of a whole pack is not taken for it. */
	for (uint32_t at = 0; at < VB_BYTES - 4; at += 100) {
		memcpy(flip, vb_block(&b, foot), VB_BYTES);
		flip[at] ^= 1;
		cut_at(&b, foot, flip, 0, at < VB_BYTES - 512);
		memcpy(flip, vb_block(&b, head), VB_BYTES);
		flip[at] ^= 1;
		cut_at(&b, head, flip, 0, true);
	}
	/* The last block comes after the first: now it was never written. */
	memcpy(vb_block(&b, foot), old, VB_BYTES);
	for (uint32_t at = 512; at < VB_BYTES; at += 512) {
		cut_at(&b, head, old, at, false);
		cut_at(&b, head, zeros, at, false);
	}
	vb_free(&b);
}

static void expect_not_writable(const struct vb *b, struct volume *vol,
				const char *why)
{
	assert_int_equal(volume_can_write(vol), -EUCLEAN);
	if (!strstr(ctx_error(b->ctx), why))
		print_error("%s\n", ctx_error(b->ctx));
	assert_non_null(strstr(ctx_error(b->ctx), why));
}

/* Where the next checksum would change a version bit. */
static void a_checksum_inside_a_bitmap_forbids_it(void **state)
{
	const uint32_t at = 192 + 64 + 60;
	struct od_checkpoint *cp;
	struct volume *vol;
	uint32_t last;
	struct vb b;

	(void)state;
	vb_init(&b, &(struct vb_opt){ .version = 6 });
	vb_write(&b);
	cp = (struct od_checkpoint *)vb_block(&b, b.lo.cp_blk);
	last = le32_get(cp->cp_pack_total_block_count) - 1;
	le32_set(&cp->checksum_offset, at);
	le32_set((le32 *)((uint8_t *)cp + at), cp_block_crc(&b.lo, cp));
	memcpy(vb_block(&b, b.lo.cp_blk + last), cp, VB_BYTES);
	vol = vb_open(&b);
	expect_not_writable(&b, vol, "checksum_offset");
	volume_close(vol);
	vb_free(&b);
}

static void a_log_among_blocks_of_the_other_class_forbids_it(void **state)
{
	struct volume *vol;
	struct vb b;

	(void)state;
	vb_init(&b, &(struct vb_opt){ .version = 6 });
	b.seg[b.log[LOG_HOT_DATA].segno].type = LOG_HOT_NODE;
	vb_write(&b);
	vol = vb_open(&b);
	expect_not_writable(&b, vol, "class");
	volume_close(vol);
	vb_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_twin_of_the_last_block_is_no_danger),
		cmocka_unit_test(a_volume_is_spoilt_by_a_commit_that_failed),
		cmocka_unit_test(a_pack_torn_at_a_sector_is_no_damage),
		cmocka_unit_test(a_checksum_inside_a_bitmap_forbids_it),
		cmocka_unit_test(a_log_among_blocks_of_the_other_class_forbids_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
