/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a mount refuses, field by field; and that blocks which others wrote
 * pass, checksums included.
 */
#include "config.h"

#include "format/validate.h"
#include "known.h"
#include "tiny.h"

#include <errno.h>
#include <string.h>

#include "unit.h"

#define KNOWN_BYTES (100ULL << 20)

static void known_super_passes(void **state)
{
	struct od_super sb;
	struct fault fault;

	(void)state;
	known_fill((uint8_t *)&sb, sizeof(sb), known_super);
	assert_int_equal(super_validate(&sb, KNOWN_BYTES, &fault), 0);
	assert_int_equal(le32_get(sb.crc), super_crc(&sb));
	sb.uuid[3] ^= 1;
	assert_int_equal(super_validate(&sb, KNOWN_BYTES, &fault), -EBADMSG);
	assert_string_equal(fault.field, "crc");
}

static void known_checkpoint_passes(void **state)
{
	struct od_super sb;
	uint8_t block[4096];
	struct fault fault;
	struct layout lo;

	(void)state;
	known_fill((uint8_t *)&sb, sizeof(sb), known_super);
	known_fill(block, sizeof(block), known_checkpoint);
	layout_from_super(&lo, &sb);
	assert_int_equal(cp_block_validate(&lo, block, &fault), 0);
	assert_int_equal(cp_validate(&lo, block, &fault), 0);
	block[3000] ^= 4;
	assert_int_equal(cp_block_validate(&lo, block, &fault), -EBADMSG);
}

static void known_inode_passes(void **state)
{
	struct od_super sb;
	uint8_t block[4096];
	struct layout lo;
	uint32_t crc;

	(void)state;
	known_fill((uint8_t *)&sb, sizeof(sb), known_super);
	known_fill(block, sizeof(block), known_inode);
	layout_from_super(&lo, &sb);
	assert_true(inode_has_checksum(&lo, block));
	crc = le32_get(inode_extra(block)->i_inode_checksum);
	assert_int_not_equal(crc, 0);
	assert_int_equal(inode_checksum(&lo, sb.uuid, block), crc);
	/* What is stored does not count. */
	le32_set(&inode_extra(block)->i_inode_checksum, 0);
	assert_int_equal(inode_checksum(&lo, sb.uuid, block), crc);
	/* The footer does. */
	le32_set(&node_foot(&lo, block)->next_blk, 1);
	assert_int_not_equal(inode_checksum(&lo, sb.uuid, block), crc);
}

static void inodes_without_checksum(void **state)
{
	uint8_t block[4096];
	struct layout lo;

	(void)state;
	known_fill(block, sizeof(block), known_inode);
	layout_from_block_size(&lo, 4096);
	assert_false(inode_has_checksum(&lo, block));
	lo.features = OD_FEATURE_INODE_CHKSUM;
	le16_set(&inode_extra(block)->i_extra_isize, 11);
	assert_false(inode_has_checksum(&lo, block));
	le16_set(&inode_extra(block)->i_extra_isize, 12);
	assert_true(inode_has_checksum(&lo, block));
	((struct od_inode *)block)->i_inline &= (uint8_t)~OD_INLINE_EXTRA_ATTR;
	assert_false(inode_has_checksum(&lo, block));
}

#define SUPER(name) { #name, offsetof(struct od_super, name), \
		      sizeof(((struct od_super *)NULL)->name) }

/* Each value makes the copy invalid, and nothing divides by it. */
static void bad_super_fields_are_refused(void **state)
{
	static const struct {
		const char *name;
		size_t off, size;
	} fields[] = {
		SUPER(magic), SUPER(log_sectorsize),
		SUPER(log_sectors_per_block), SUPER(log_blocksize),
		SUPER(log_blocks_per_seg), SUPER(segs_per_sec),
		SUPER(secs_per_zone), SUPER(checksum_offset),
		SUPER(section_count), SUPER(segment_count),
		SUPER(segment_count_ckpt), SUPER(segment_count_sit),
		SUPER(segment_count_nat), SUPER(segment_count_ssa),
		SUPER(segment_count_main), SUPER(segment0_blkaddr),
		SUPER(cp_blkaddr), SUPER(sit_blkaddr), SUPER(nat_blkaddr),
		SUPER(ssa_blkaddr), SUPER(main_blkaddr), SUPER(root_ino),
		SUPER(node_ino), SUPER(meta_ino),
	};
	static const uint32_t values[] = { 0, 0xffffffff, 0x80000000,
					   0x7fffffff, 0x00800001 };
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	for (size_t i = 0; i < NR_OF(fields); i++) {
		for (size_t v = 0; v < NR_OF(values); v++) {
			struct od_super sb = *tiny_super(&t, 0);
			struct fault fault = { 0 };

			le32_set((le32 *)((uint8_t *)&sb + fields[i].off),
				 values[v]);
			le32_set(&sb.crc, super_crc(&sb));
			if (super_validate(&sb, t.dev->nr_bytes, &fault) !=
			    -EUCLEAN)
				fail_msg("%s = %u passes", fields[i].name,
					 values[v]);
			assert_non_null(fault.field);
		}
	}
	tiny_free(&t);
}

static void check_super(const struct tiny *t, const struct od_super *changed,
			uint64_t bytes, const char *field)
{
	struct od_super sb = *changed;
	struct fault fault = { 0 };

	le32_set(&sb.crc, super_crc(&sb));
	assert_int_equal(super_validate(&sb, bytes ? bytes : t->dev->nr_bytes,
					&fault), -EUCLEAN);
	assert_string_equal(fault.field, field);
}

static void other_super_rules(void **state)
{
	struct od_super sb;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	sb = *tiny_super(&t, 0);
	check_super(&t, &sb, t.dev->nr_bytes - 1, FAULT_DEVICE_SIZE);
	le32_set(&sb.cp_payload, 504);
	check_super(&t, &sb, 0, "cp_payload");
	sb = *tiny_super(&t, 0);
	le32_set(&sb.extension_count, 65);
	check_super(&t, &sb, 0, "extension_count");
	le32_set(&sb.extension_count, 60);
	sb.hot_ext_count = 5;
	check_super(&t, &sb, 0, "hot_ext_count");
	sb = *tiny_super(&t, 0);
	le32_set(&sb.segs_per_sec, 7);
	check_super(&t, &sb, 0, "segment_count_main");
	sb = *tiny_super(&t, 0);
	le64_set(&sb.block_count, 512 * (t.lo.nr_segs - 1));
	check_super(&t, &sb, 0, "segment_count");
	sb = *tiny_super(&t, 0);
	memcpy(sb.devs[0].path, "/dev/a", 6);
	le32_set(&sb.devs[0].total_segments, t.lo.nr_segs - 1);
	check_super(&t, &sb, 0, "segments of all devices");
	tiny_free(&t);
}

static void shift_areas(struct od_super *sb, uint32_t by)
{
	le32 *addrs[] = { &sb->segment0_blkaddr, &sb->cp_blkaddr,
			  &sb->sit_blkaddr, &sb->nat_blkaddr, &sb->ssa_blkaddr,
			  &sb->main_blkaddr };

	for (size_t i = 0; i < NR_OF(addrs); i++)
		le32_set(addrs[i], le32_get(*addrs[i]) + by);
}

/* Numbers that fit each other, but not our arithmetic. */
static void overflows_are_refused(void **state)
{
	struct od_super sb;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	sb = *tiny_super(&t, 0);
	shift_areas(&sb, 1U - TINY_SEG0_BLK);
	check_super(&t, &sb, 0, "segment0_blkaddr");
	/* The main area begins below 2^32 and ends at it. */
	sb = *tiny_super(&t, 0);
	shift_areas(&sb, 0U - t.lo.end_blk);
	check_super(&t, &sb, UINT64_MAX, "end of the main area");
	/* 18437 segments of 512 blocks of 455 nids are more than 2^32. */
	sb = *tiny_super(&t, 0);
	le32_set(&sb.segment_count_nat, 2 * 18437);
	check_super(&t, &sb, 0, "segment_count_nat");
	sb = *tiny_super(&t, 0);
	le32_set(&sb.segment_count, 59);
	check_super(&t, &sb, 0, "section_count");
	tiny_free(&t);
}

/* More segments than the areas need are lowered in silence by a mount. */
static void spare_segments_are_allowed(void **state)
{
	struct od_super sb;
	struct fault fault;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	sb = *tiny_super(&t, 0);
	le32_set(&sb.segment_count, t.lo.nr_segs + 1);
	le64_set(&sb.block_count, t.lo.nr_blks + 1024);
	le32_set(&sb.crc, super_crc(&sb));
	assert_int_equal(super_validate(&sb, t.dev->nr_bytes, &fault), 0);
	tiny_free(&t);
}

static void checksum_offset_of_checkpoints(void **state)
{
	struct fault fault;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ .large = true });
	assert_int_equal(cp_block_validate(&t.lo, tiny_cp(&t, 0), &fault), 0);
	/* Behind the checksum at 192 everything is covered too. */
	((uint8_t *)tiny_cp(&t, 0))[4095] ^= 1;
	assert_int_equal(cp_block_validate(&t.lo, tiny_cp(&t, 0), &fault),
			 -EBADMSG);
	le32_set(&tiny_cp(&t, 0)->checksum_offset, 191);
	assert_int_equal(cp_block_validate(&t.lo, tiny_cp(&t, 0), &fault),
			 -EUCLEAN);
	le32_set(&tiny_cp(&t, 0)->checksum_offset, 4093);
	assert_int_equal(cp_block_validate(&t.lo, tiny_cp(&t, 0), &fault),
			 -EUCLEAN);
	assert_string_equal(fault.field, "checksum_offset");
	le32_set(&tiny_cp(&t, 0)->checksum_offset, 0xffffffff);
	cp_block_crc(&t.lo, tiny_cp(&t, 0));
	tiny_free(&t);
}

static void bad_checkpoint_fields_are_named(void **state)
{
	static const struct {
		const char *name;
		size_t off, size;
		uint64_t value;
	} bad[] = {
		{ "rsvd_segment_count", 24, 4, 0 },
		{ "rsvd_segment_count", 24, 4, 0xffffffff },
		{ "rsvd_segment_count", 24, 4, 60 },
		{ "overprov_segment_count", 28, 4, 0 },
		{ "user_block_count", 8, 8, 0 },
		{ "user_block_count", 8, 8, 60 * 512 },
		{ "user_block_count", 8, 8, UINT64_MAX },
		{ "valid_block_count", 16, 8, 40 * 512 + 1 },
		{ "valid_node_count", 144, 4, 512 * 455 - 2 },
		{ "cur_node_segno[0]", 36, 4, 60 },
		{ "cur_node_segno[1]", 40, 4, 0 },
		{ "cur_data_segno[2]", 92, 4, 0xffffffff },
		{ "cur_node_segno[0]", 36, 4, 5 },
		{ "cur_data_blkoff[0]", 116, 2, 512 },
		{ "cur_node_blkoff[2]", 72, 2, 0xffff },
		{ "sit_ver_bitmap_bytesize", 156, 4, 63 },
		{ "nat_ver_bitmap_bytesize", 160, 4, 128 },
		{ "cp_pack_start_sum", 140, 4, 0 },
		{ "cp_pack_start_sum", 140, 4, 506 },
		{ "checksum_offset", 132, 4, OD_CP_LARGE_NAT_BITMAP },
	};
	struct fault fault;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	for (size_t i = 0; i < NR_OF(bad); i++) {
		uint8_t block[4096];

		memcpy(block, tiny_cp(&t, 0), sizeof(block));
		for (size_t n = 0; n < bad[i].size; n++)
			block[bad[i].off + n] =
				(uint8_t)(bad[i].value >> 8 * n);
		assert_int_equal(cp_validate(&t.lo, block, &fault), -EUCLEAN);
		assert_string_equal(fault.field, bad[i].name);
	}
	assert_int_equal(cp_validate(&t.lo, tiny_cp(&t, 0), &fault), 0);
	tiny_free(&t);
}

static void all_faults_are_listed(void **state)
{
	struct fault v[CP_MAX_FAULTS];
	struct od_checkpoint *cp;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	cp = tiny_cp(&t, 0);
	memset(cp, 0xff, sizeof(*cp));
	assert_in_range(cp_faults(&t.lo, cp, v, CP_MAX_FAULTS), 20,
			CP_MAX_FAULTS - 1);
	assert_int_equal(cp_faults(&t.lo, cp, v, 3), 3);
	tiny_free(&t);
}

/* Two logs only; the others may say anything. */
static void read_only_volumes_have_two_logs(void **state)
{
	struct fault fault;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ .features = OD_FEATURE_RO });
	le32_set(&tiny_cp(&t, 0)->cur_node_segno[1], 0);
	le32_set(&tiny_cp(&t, 0)->cur_data_segno[1], 0xffffffff);
	le32_set(&tiny_cp(&t, 0)->rsvd_segment_count, 0);
	assert_int_equal(cp_validate(&t.lo, tiny_cp(&t, 0), &fault), 0);
	le32_set(&tiny_cp(&t, 0)->cur_data_segno[0], 0);
	assert_int_equal(cp_validate(&t.lo, tiny_cp(&t, 0), &fault), -EUCLEAN);
	tiny_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_super_passes),
		cmocka_unit_test(known_checkpoint_passes),
		cmocka_unit_test(known_inode_passes),
		cmocka_unit_test(inodes_without_checksum),
		cmocka_unit_test(bad_super_fields_are_refused),
		cmocka_unit_test(other_super_rules),
		cmocka_unit_test(overflows_are_refused),
		cmocka_unit_test(spare_segments_are_allowed),
		cmocka_unit_test(checksum_offset_of_checkpoints),
		cmocka_unit_test(bad_checkpoint_fields_are_named),
		cmocka_unit_test(all_faults_are_listed),
		cmocka_unit_test(read_only_volumes_have_two_logs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
