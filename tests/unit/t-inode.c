/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the parts of an inode lie, against the figures of the format. */
#include "config.h"

#include "fake.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define INO 4U
#define PLAIN_FILE (S_IFREG | 0644)

static void set_extra(uint8_t *block, uint16_t size, uint16_t xattr_units)
{
	od_inode_of(block)->i_inline |= OD_INLINE_EXTRA_ATTR;
	le16_set(&inode_extra(block)->i_extra_isize, size);
	le16_set(&inode_extra(block)->i_inline_xattr_size, xattr_units);
}

/* inode_decode() fails, and names the field. */
static void expect_fault(struct fake *f, const uint8_t *block,
			 const char *field)
{
	struct inode inode;
	struct fault fault;

	assert_int_equal(inode_decode(&f->vol.lo, block, &inode, &fault),
			 -EUCLEAN);
	assert_string_equal(fault.field, field);
}

struct shape {
	uint32_t block_size;
	uint64_t features;
	uint8_t inl;
	uint16_t extra, xattr_units;
	uint32_t nr_addrs, inline_bytes, xattr_bytes;
};

/* Addresses, bytes of the inline area, bytes of the xattr area. */
static void areas_have_the_sizes_of_the_format(void **state)
{
	static const struct shape shapes[] = {
		{ 4096, 0, 0, 0, 0, 923, 3688, 0 },
		{ 4096, 0, OD_INLINE_XATTR, 0, 0, 873, 3488, 200 },
		{ 4096, 0, OD_INLINE_DENTRY, 0, 0, 873, 3488, 0 },
		{ 4096, 0, OD_INLINE_DATA, 0, 0, 923, 3688, 0 },
		{ 4096, OD_FEATURE_EXTRA_ATTR, 0, 36, 0, 914, 3652, 0 },
		{ 4096, OD_FEATURE_EXTRA_ATTR, OD_INLINE_XATTR, 36, 0,
		  864, 3452, 200 },
		{ 4096, OD_FEATURE_EXTRA_ATTR, 0, 4, 0, 922, 3684, 0 },
		{ 4096, OD_FEATURE_FLEXIBLE_INLINE_XATTR, OD_INLINE_XATTR,
		  36, 903, 11, 40, 3612 },
		{ 4096, OD_FEATURE_FLEXIBLE_INLINE_XATTR, OD_INLINE_DENTRY,
		  36, 0, 914, 3652, 0 },
		{ 16384, 0, 0, 0, 0, 3995, 15976, 0 },
		{ 16384, 0, OD_INLINE_XATTR, 0, 0, 3945, 15776, 200 },
	};

	(void)state;
	for (size_t i = 0; i < NR_OF(shapes); i++) {
		const struct shape *s = &shapes[i];
		struct inode inode;
		struct fake f;
		uint8_t *block;

		fake_init(&f, s->block_size, s->features);
		block = fake_inode(&f, INO, PLAIN_FILE, 0);
		od_inode_of(block)->i_inline = s->inl;
		if (s->extra)
			set_extra(block, s->extra, s->xattr_units);
		inode = fake_decode(&f, block);
		assert_int_equal(inode.nr_addrs, s->nr_addrs);
		assert_int_equal(inode.node_addrs, f.vol.lo.addrs_per_node);
		assert_int_equal(inode.addr_first, s->extra / 4);
		assert_int_equal(inode.inline_off, 364 + s->extra);
		assert_int_equal(inode.inline_bytes, s->inline_bytes);
		assert_int_equal(inode.xattr_bytes, s->xattr_bytes);
		if (s->xattr_bytes)
			assert_int_equal(inode.xattr_off + s->xattr_bytes,
					 s->block_size - 44);
		fake_free(&f);
	}
}

static void sizes_that_cannot_be_are_faults(void **state)
{
	static const uint16_t bad_extra[] = { 0, 2, 5, 40, 0xffff };
	struct fake f;
	uint8_t *block;

	(void)state;
	fake_init(&f, 4096, OD_FEATURE_EXTRA_ATTR |
		  OD_FEATURE_FLEXIBLE_INLINE_XATTR);
	block = fake_inode(&f, INO, PLAIN_FILE, 0);
	expect_fault(&f, block, "i_inline without extra attributes");
	for (size_t i = 0; i < NR_OF(bad_extra); i++) {
		set_extra(block, bad_extra[i], 0);
		expect_fault(&f, block, "i_extra_isize");
	}
	set_extra(block, 36, 904);
	expect_fault(&f, block, "i_inline_xattr_size");
	set_extra(block, 36, 5);
	fake_decode(&f, block);
	od_inode_of(block)->i_inline |= OD_INLINE_XATTR;
	expect_fault(&f, block, "i_inline_xattr_size");
	fake_free(&f);
}

static void a_node_is_not_an_inode(void **state)
{
	struct fake f;

	(void)state;
	fake_init(&f, 4096, 0);
	expect_fault(&f, fake_node(&f, 5, INO, 1), "footer nid of an inode");
	fake_free(&f);
}

static uint8_t *compressed_inode(struct fake *f, uint8_t log_cluster)
{
	uint8_t *block = fake_inode(f, INO, PLAIN_FILE, 0);

	set_extra(block, 36, 0);
	le32_set(&od_inode_of(block)->i_flags, OD_FLAG_COMPR);
	inode_extra(block)->i_log_cluster_size = log_cluster;
	return block;
}

static void compressed_files_have_whole_clusters(void **state)
{
	struct inode inode;
	struct fake f;
	uint8_t *block;

	(void)state;
	fake_init(&f, 4096, OD_FEATURE_EXTRA_ATTR | OD_FEATURE_COMPRESSION);
	block = compressed_inode(&f, 2);
	inode = fake_decode(&f, block);
	assert_int_equal(inode.cluster_blks, 4);
	assert_int_equal(inode.nr_addrs, 912);
	assert_int_equal(inode.node_addrs, 1016);

	block = compressed_inode(&f, 8);
	inode = fake_decode(&f, block);
	assert_int_equal(inode.nr_addrs, 768);
	assert_int_equal(inode.node_addrs, 768);

	block = compressed_inode(&f, 9);
	expect_fault(&f, block, "i_log_cluster_size");
	block = compressed_inode(&f, 1);
	expect_fault(&f, block, "i_log_cluster_size");

	/* An extra area too short for it: not compressed, whatever is there. */
	set_extra(block, 32, 0);
	inode = fake_decode(&f, block);
	assert_int_equal(inode.cluster_blks, 0);
	fake_free(&f);
}

static void device_numbers_of_both_forms(void **state)
{
	struct inode inode;
	struct fake f;
	uint8_t *block;

	(void)state;
	fake_init(&f, 4096, 0);
	block = fake_inode(&f, INO, S_IFBLK | 0600, 0);
	inode = fake_decode(&f, block);
	assert_false(inode_has_blocks(&inode));
	le32_set(&inode_file_addrs(&inode, block)[0], 0x0801);
	assert_int_equal(inode_rdev(&inode, block), 8 << 20 | 1);
	/* 259:70000 does not fit 16 bits: minor 0x11170 in two parts. */
	le32_set(&inode_file_addrs(&inode, block)[0], 0);
	le32_set(&inode_file_addrs(&inode, block)[1],
		 0x70 | 259 << 8 | 0x111 << 20);
	assert_int_equal(inode_rdev(&inode, block), 259 << 20 | 70000);
	fake_free(&f);
}

static void reading_says_what_is_wrong(void **state)
{
	struct inode inode;
	uint8_t buf[4096];
	struct fake f;
	uint8_t *block;

	(void)state;
	fake_init(&f, 4096, 0);
	assert_int_equal(inode_read(&f.vol, INO, buf, &inode), -ENOENT);
	block = fake_inode(&f, INO, PLAIN_FILE, 77);
	assert_int_equal(inode_read(&f.vol, INO, buf, &inode), 0);
	assert_int_equal(inode.size, 77);
	set_extra(block, 38, 0);
	assert_int_equal(inode_read(&f.vol, INO, buf, &inode), -EUCLEAN);
	assert_string_equal(ctx_error(f.vol.ctx),
			    "inode 4: i_extra_isize is 38, expected 36");
	le32_set(&node_foot(&f.vol.lo, block)->nid, 9);
	assert_int_equal(inode_read(&f.vol, INO, buf, &inode), -EUCLEAN);
	assert_string_equal(ctx_error(f.vol.ctx),
			    "node 4 at block 64: its footer is of node 9");
	fake_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(areas_have_the_sizes_of_the_format),
		cmocka_unit_test(sizes_that_cannot_be_are_faults),
		cmocka_unit_test(a_node_is_not_an_inode),
		cmocka_unit_test(compressed_files_have_whole_clusters),
		cmocka_unit_test(device_numbers_of_both_forms),
		cmocka_unit_test(reading_says_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
