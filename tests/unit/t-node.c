/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Node offsets against an enumeration of the tree as it is defined: offsets
 * are dealt out depth first, file blocks in file order.
 */
#include "config.h"

#include "tree/node.h"

#include "unit.h"

struct walk {
	struct layout lo;
	uint32_t next_ofs;
	uint64_t next_lblk;
	uint32_t inode_addrs;
	uint32_t node_addrs;
};

static void walk_init(struct walk *w, uint32_t block_size, uint32_t cluster)
{
	layout_from_block_size(&w->lo, block_size);
	w->inode_addrs = w->lo.addrs_per_inode - 9;
	w->node_addrs = w->lo.addrs_per_node;
	if (cluster) {
		w->inode_addrs -= w->inode_addrs % cluster;
		w->node_addrs -= w->node_addrs % cluster;
	}
	w->next_ofs = 1;
	w->next_lblk = w->inode_addrs;
}

static void visit_direct(struct walk *w, uint32_t ofs)
{
	assert_int_equal(ofs, w->next_ofs++);
	assert_int_equal(node_kind(&w->lo, ofs), NODE_DIRECT);
	assert_int_equal(node_first_lblk(&w->lo, ofs, w->inode_addrs,
					 w->node_addrs), w->next_lblk);
	w->next_lblk += w->node_addrs;
}

static void visit_indirect(struct walk *w, uint32_t ofs)
{
	assert_int_equal(ofs, w->next_ofs++);
	assert_int_equal(node_kind(&w->lo, ofs), NODE_INDIRECT);
	for (uint32_t i = 0; i < w->lo.addrs_per_node; i++)
		visit_direct(w, node_child_ofs(&w->lo, ofs, i));
}

static void visit_all(struct walk *w)
{
	uint32_t top;

	assert_int_equal(node_kind(&w->lo, 0), NODE_INODE);
	assert_int_equal(node_first_lblk(&w->lo, 0, w->inode_addrs,
					 w->node_addrs), 0);
	visit_direct(w, node_child_ofs(&w->lo, 0, 0));
	visit_direct(w, node_child_ofs(&w->lo, 0, 1));
	visit_indirect(w, node_child_ofs(&w->lo, 0, 2));
	visit_indirect(w, node_child_ofs(&w->lo, 0, 3));
	top = node_child_ofs(&w->lo, 0, 4);
	assert_int_equal(top, w->next_ofs++);
	assert_int_equal(node_kind(&w->lo, top), NODE_DOUBLE);
	for (uint32_t i = 0; i < w->lo.addrs_per_node; i++)
		visit_indirect(w, node_child_ofs(&w->lo, top, i));
	assert_int_equal(node_kind(&w->lo, w->next_ofs), NODE_BAD);
	assert_int_equal(node_kind(&w->lo, OD_XATTR_NODE_OFS), NODE_XATTR);
	assert_int_equal(node_kind(&w->lo, OD_XATTR_NODE_OFS - 1), NODE_BAD);
}

static void offsets_follow_the_tree_4k(void **state)
{
	struct walk w;

	(void)state;
	walk_init(&w, 4096, 0);
	visit_all(&w);
	/* The largest file: A + 2N + 2N^2 + N^3. */
	assert_true(w.next_lblk == 914 + 2036 + 2 * 1036324ULL + 1054977832ULL);
}

static void offsets_follow_the_tree_16k(void **state)
{
	struct walk w;

	(void)state;
	walk_init(&w, 16384, 0);
	visit_all(&w);
}

static void compressed_files_round_their_nodes_down(void **state)
{
	struct walk w;

	(void)state;
	walk_init(&w, 4096, 16);
	assert_int_equal(w.node_addrs, 1008);
	visit_all(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offsets_follow_the_tree_4k),
		cmocka_unit_test(offsets_follow_the_tree_16k),
		cmocka_unit_test(compressed_files_round_their_nodes_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
