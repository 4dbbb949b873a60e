/* SPDX-License-Identifier: GPL-2.0-or-later */
/* File maps of every depth, extents, and trees that mean harm. */
#include "config.h"

#include "fake.h"
#include "base/vec.h"
#include "tree/filemap.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define INO 4U

struct mapping_vec VEC_BODY(struct mapping);
struct extent_vec VEC_BODY(struct extent);

static int add_mapping(void *priv, const struct mapping *m)
{
	return vec_push((struct mapping_vec *)priv, m);
}

static int add_extent(void *priv, const struct extent *e)
{
	return vec_push((struct extent_vec *)priv, e);
}

static int ignore_extent(void *priv, const struct extent *e)
{
	(void)priv;
	(void)e;
	return 0;
}

static void set_nid(struct fake *f, uint8_t *inode, int i, uint32_t nid)
{
	le32_set(&inode_nids(&f->vol.lo, inode)[i], nid);
}

static void set_slot(uint8_t *node, uint32_t i, uint32_t value)
{
	le32_set(&node_slots(node)[i], value);
}

/* A node below the inode at @ofs, in slot @i of its parent. */
static uint8_t *child(struct fake *f, uint8_t *parent, uint32_t i,
		      uint32_t nid, uint32_t ofs)
{
	set_slot(parent, i, nid);
	return fake_node(f, nid, INO, ofs);
}

static void expect_extents(struct fake *f, const uint8_t *block,
			   const struct extent *want, size_t nr)
{
	struct inode inode = fake_decode(f, block);
	struct extent_vec got = { 0 };

	assert_int_equal(filemap_extents(&f->vol, &inode, block, add_extent,
					 &got), 0);
	assert_int_equal(got.nr, nr);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(got.v[i].lblk, want[i].lblk);
		assert_int_equal(got.v[i].blk, want[i].blk);
		assert_int_equal(got.v[i].len, want[i].len);
		assert_int_equal(got.v[i].flags, want[i].flags);
	}
	vec_free(&got);
}

/* One slot at each place of interest: depth 0 to 3, first and last. */
static uint8_t *deep_file(struct fake *f, struct mapping_vec *want)
{
	uint32_t n = f->vol.lo.addrs_per_node;
	uint64_t a = f->vol.lo.addrs_per_inode;
	uint64_t nn = (uint64_t)n * n;
	uint8_t *inode = fake_inode(f, INO, S_IFREG | 0644, UINT64_MAX);
	const struct mapping m[] = {
		{ 0, 100, INO, 0 },
		{ a - 1, 200, INO, (uint32_t)a - 1 },
		{ a, 300, 11, 0 },
		{ a + n - 1, 301, 11, n - 1 },
		{ a + 2 * n - 1, OD_BLK_NEW, 12, n - 1 },
		{ a + 2 * n + 7, 400, 14, 7 },
		{ a + 2 * n + nn - 1, 500, 15, n - 1 },
		{ a + 2 * n + nn + n, 600, 17, 0 },
		{ a + 2 * n + 2 * nn, 700, 20, 0 },
		{ a + 2 * n + 2 * nn + nn * n - 1, 800, 22, n - 1 },
	};
	uint8_t *node, *top;

	le32_set(&inode_addrs(inode)[0], 100);
	le32_set(&inode_addrs(inode)[a - 1], 200);
	set_nid(f, inode, 0, 11);
	node = fake_node(f, 11, INO, 1);
	set_slot(node, 0, 300);
	set_slot(node, n - 1, 301);
	set_nid(f, inode, 1, 12);
	set_slot(fake_node(f, 12, INO, 2), n - 1, OD_BLK_NEW);
	set_nid(f, inode, 2, 13);
	node = fake_node(f, 13, INO, 3);
	set_slot(child(f, node, 0, 14, 4), 7, 400);
	set_slot(child(f, node, n - 1, 15, 3 + n), n - 1, 500);
	set_nid(f, inode, 3, 16);
	node = fake_node(f, 16, INO, 4 + n);
	set_slot(child(f, node, 1, 17, 6 + n), 0, 600);
	set_nid(f, inode, 4, 18);
	top = fake_node(f, 18, INO, 5 + 2 * n);
	node = child(f, top, 0, 19, 6 + 2 * n);
	set_slot(child(f, node, 0, 20, 7 + 2 * n), 0, 700);
	node = child(f, top, n - 1, 21, 6 + 2 * n + (n - 1) * (n + 1));
	set_slot(child(f, node, n - 1, 22, 5 + 2 * n + n * (n + 1)), n - 1,
		 800);
	for (size_t i = 0; i < NR_OF(m); i++)
		assert_int_equal(vec_push(want, &m[i]), 0);
	return inode;
}

static void expect_mapping(const struct mapping *got,
			   const struct mapping *want)
{
	assert_int_equal(got->lblk, want->lblk);
	assert_int_equal(got->blk, want->blk);
	assert_int_equal(got->nid, want->nid);
	assert_int_equal(got->ofs, want->ofs);
}

static void every_depth_is_mapped(uint32_t block_size)
{
	struct mapping_vec want = { 0 }, got = { 0 };
	struct mapping m;
	struct inode inode;
	struct fake f;
	uint8_t *block;

	fake_init(&f, block_size, 0);
	block = deep_file(&f, &want);
	inode = fake_decode(&f, block);
	assert_int_equal(filemap_walk(&f.vol, &inode, block, add_mapping,
				      &got), 0);
	assert_int_equal(got.nr, want.nr);
	for (size_t i = 0; i < want.nr; i++) {
		expect_mapping(&got.v[i], &want.v[i]);
		assert_int_equal(filemap_lookup(&f.vol, &inode, block,
						want.v[i].lblk, &m), 0);
		expect_mapping(&m, &want.v[i]);
	}
	/* The block past the largest file, and one in a missing subtree. */
	assert_int_equal(filemap_lookup(&f.vol, &inode, block,
					want.v[want.nr - 1].lblk + 1, &m), 0);
	assert_int_equal(m.blk, OD_BLK_NULL);
	assert_int_equal(filemap_lookup(&f.vol, &inode, block, UINT64_MAX,
					&m), 0);
	assert_int_equal(m.nid, 0);
	assert_int_equal(filemap_lookup(&f.vol, &inode, block,
					want.v[7].lblk - 1, &m), 0);
	assert_int_equal(m.nid, 0);
	vec_free(&want);
	vec_free(&got);
	fake_free(&f);
}

static void every_depth_is_mapped_4k(void **state)
{
	(void)state;
	every_depth_is_mapped(4096);
}

static void every_depth_is_mapped_16k(void **state)
{
	(void)state;
	every_depth_is_mapped(16384);
}

struct order {
	uint32_t nids[16];
	size_t nr;
};

static int add_nid(void *priv, uint32_t nid, uint32_t ofs, const void *block)
{
	struct order *o = priv;

	(void)ofs;
	assert_non_null(block);
	assert_true(o->nr < NR_OF(o->nids));
	o->nids[o->nr++] = nid;
	return 0;
}

static void nodes_come_parents_first(void **state)
{
	static const uint32_t order[] = {
		30, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
	};
	struct mapping_vec want = { 0 };
	struct order got = { 0 };
	struct inode inode;
	struct fake f;
	uint8_t *block;

	(void)state;
	fake_init(&f, 4096, 0);
	block = deep_file(&f, &want);
	le32_set(&od_inode_of(block)->i_xattr_nid, 30);
	fake_node(&f, 30, INO, OD_XATTR_NODE_OFS);
	inode = fake_decode(&f, block);
	assert_int_equal(filemap_walk_nodes(&f.vol, &inode, block, add_nid,
					    &got), 0);
	assert_int_equal(got.nr, NR_OF(order));
	assert_memory_equal(got.nids, order, sizeof(order));
	vec_free(&want);
	fake_free(&f);
}

static void set_addrs(uint8_t *block, uint32_t i, uint32_t nr, uint32_t blk)
{
	for (uint32_t k = 0; k < nr; k++)
		le32_set(&inode_addrs(block)[i + k], blk + k);
}

static void runs_go_on_across_nodes(void **state)
{
	const struct extent want[] = {
		{ 0, 1000, 923 + 2, 0 },
		{ 925, 0, 2, EXT_UNWRITTEN },
		{ 927, 2000, 1, 0 },
		{ 928, 1999, 1, 0 },
		{ 930, 2000, 1, 0 },
	};
	struct fake f;
	uint8_t *block, *node;

	(void)state;
	fake_init(&f, 4096, 0);
	block = fake_inode(&f, INO, S_IFREG | 0644, 4096);
	set_addrs(block, 0, 923, 1000);
	set_nid(&f, block, 0, 11);
	node = fake_node(&f, 11, INO, 1);
	set_slot(node, 0, 1923);
	set_slot(node, 1, 1924);
	set_slot(node, 2, OD_BLK_NEW);
	set_slot(node, 3, OD_BLK_NEW);
	set_slot(node, 4, 2000);
	set_slot(node, 5, 1999);
	set_slot(node, 7, 2000);
	expect_extents(&f, block, want, NR_OF(want));
	fake_free(&f);
}

static void inline_data_is_one_run_unless_empty(void **state)
{
	const struct extent want = { 0, 0, 1, EXT_INLINE };
	struct fake f;
	uint8_t *block;

	(void)state;
	fake_init(&f, 4096, 0);
	block = fake_inode(&f, INO, S_IFREG | 0644, 5);
	od_inode_of(block)->i_inline = OD_INLINE_DATA;
	/* Data that looks like addresses and nids. */
	memset(block + OD_INODE_ADDRS, 0x41, 4096 - 24 - OD_INODE_ADDRS);
	expect_extents(&f, block, &want, 1);
	le64_set(&od_inode_of(block)->i_size, 0);
	expect_extents(&f, block, NULL, 0);
	fake_free(&f);
}

static uint8_t *compressed_file(struct fake *f)
{
	uint8_t *block = fake_inode(f, INO, S_IFREG | 0644, 40960);

	od_inode_of(block)->i_inline = OD_INLINE_EXTRA_ATTR;
	le16_set(&inode_extra(block)->i_extra_isize, 36);
	le32_set(&od_inode_of(block)->i_flags, OD_FLAG_COMPR);
	inode_extra(block)->i_log_cluster_size = 2;
	return block;
}

/*
 * What f2fs_fiemap() makes of clusters: each apart, cut where its blocks are
 * not adjacent, the slots behind its last block counted to the last run.
 */
static void clusters_are_runs_of_their_own(void **state)
{
	const struct extent want[] = {
		{ 0, 1000, 4, EXT_ENCODED },
		{ 4, 1001, 4, EXT_ENCODED },
		{ 8, 1003, 2, EXT_ENCODED },
		{ 10, 1007, 2, EXT_ENCODED },
		{ 12, 1008, 4, 0 },
		{ 912, 3000, 1, 0 },
		{ 912 + 1015, 3001, 1, 0 },
	};
	struct inode inode;
	struct fake f;
	uint8_t *block, *node;
	uint8_t buf[4096];

	(void)state;
	fake_init(&f, 4096, OD_FEATURE_EXTRA_ATTR | OD_FEATURE_COMPRESSION);
	block = compressed_file(&f);
	set_addrs(block, 9, 1, OD_BLK_COMPRESS);
	set_addrs(block, 10, 1, 1000);
	set_addrs(block, 11, 1, OD_BLK_NEW);
	set_addrs(block, 12, 1, OD_BLK_NEW);
	set_addrs(block, 13, 1, OD_BLK_COMPRESS);	/* released */
	set_addrs(block, 14, 2, 1001);
	set_addrs(block, 17, 1, OD_BLK_COMPRESS);
	set_addrs(block, 18, 2, 1003);
	set_addrs(block, 20, 1, 1007);
	set_addrs(block, 21, 4, 1008);
	/* Slots behind the last whole cluster are not the file's. */
	set_addrs(block, 9 + 912, 1, 4000);
	set_nid(&f, block, 0, 11);
	node = fake_node(&f, 11, INO, 1);
	set_slot(node, 0, 3000);
	set_slot(node, 1015, 3001);
	set_slot(node, 1016, 4001);
	expect_extents(&f, block, want, NR_OF(want));

	inode = fake_decode(&f, block);
	assert_int_equal(filemap_read(&f.vol, &inode, block, 1, buf),
			 -EOPNOTSUPP);
	assert_int_equal(filemap_read(&f.vol, &inode, block, 12, buf), 0);
	/* A mark in the middle of a cluster. */
	set_addrs(block, 22, 1, OD_BLK_COMPRESS);
	assert_int_equal(filemap_extents(&f.vol, &inode, block, ignore_extent,
					 NULL), -EUCLEAN);
	fake_free(&f);
}

static void blocks_are_read(void **state)
{
	static const uint8_t zeros[4096];
	uint8_t buf[4096];
	struct inode inode;
	struct fake f;
	uint8_t *block;

	(void)state;
	fake_init(&f, 4096, 0);
	block = fake_inode(&f, INO, S_IFREG | 0644, 16384);
	inode = fake_decode(&f, block);
	set_addrs(block, 0, 1, 1000);
	set_addrs(block, 1, 1, OD_BLK_NEW);
	set_addrs(block, 3, 1, f.vol.lo.end_blk);
	memset(fake_block(&f, 1000), 0x5a, 4096);
	assert_int_equal(filemap_read(&f.vol, &inode, block, 0, buf), 0);
	assert_memory_equal(buf, fake_block(&f, 1000), 4096);
	assert_int_equal(filemap_read(&f.vol, &inode, block, 1, buf), 0);
	assert_memory_equal(buf, zeros, 4096);
	memset(buf, 1, sizeof(buf));
	assert_int_equal(filemap_read(&f.vol, &inode, block, 2, buf), 0);
	assert_memory_equal(buf, zeros, 4096);
	assert_int_equal(filemap_read(&f.vol, &inode, block, 3, buf),
			 -EUCLEAN);
	fake_free(&f);
}

/* Walk @block's tree, which is to be refused. */
static void expect_refusal(struct fake *f, const uint8_t *block)
{
	struct mapping_vec got = { 0 };
	struct inode inode = fake_decode(f, block);

	assert_int_equal(filemap_walk(&f->vol, &inode, block, add_mapping,
				      &got), -EUCLEAN);
	vec_free(&got);
}

static void trees_that_are_none_end_the_walk(void **state)
{
	struct fake f;
	uint8_t *block, *node;
	uint32_t n;

	(void)state;
	fake_init(&f, 4096, 0);
	n = f.vol.lo.addrs_per_node;
	block = fake_inode(&f, INO, S_IFREG | 0644, 4096);
	set_nid(&f, block, 0, 11);
	expect_refusal(&f, block);		/* free */
	set_nid(&f, block, 0, INO);
	expect_refusal(&f, block);		/* the inode itself */
	set_nid(&f, block, 0, f.vol.lo.nr_nids);
	expect_refusal(&f, block);		/* past the NAT */
	set_nid(&f, block, 0, OD_META_INO);
	expect_refusal(&f, block);
	set_nid(&f, block, 0, 11);
	fake_node(&f, 11, INO, 2);
	expect_refusal(&f, block);		/* another place */
	fake_node(&f, 11, 99, 1);
	expect_refusal(&f, block);		/* another file's */
	fake_node(&f, 11, INO, 1);
	set_nid(&f, block, 1, 11);
	expect_refusal(&f, block);		/* shared by two places */
	set_nid(&f, block, 1, 0);

	/* An indirect node that is its own child, and one in a double one. */
	node = fake_node(&f, 13, INO, 3);
	set_nid(&f, block, 2, 13);
	set_slot(node, 0, 13);
	expect_refusal(&f, block);
	set_nid(&f, block, 2, 0);
	node = fake_node(&f, 18, INO, 5 + 2 * n);
	set_nid(&f, block, 4, 18);
	fake_node(&f, 19, INO, 6 + 2 * n);
	for (uint32_t i = 0; i < n; i++)
		set_slot(node, i, 19);
	expect_refusal(&f, block);
	fake_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_depth_is_mapped_4k),
		cmocka_unit_test(every_depth_is_mapped_16k),
		cmocka_unit_test(nodes_come_parents_first),
		cmocka_unit_test(runs_go_on_across_nodes),
		cmocka_unit_test(inline_data_is_one_run_unless_empty),
		cmocka_unit_test(clusters_are_runs_of_their_own),
		cmocka_unit_test(blocks_are_read),
		cmocka_unit_test(trees_that_are_none_end_the_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
