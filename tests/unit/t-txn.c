/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Volumes that lie about who owns what: nothing is moved, nothing written. */
#include "config.h"

#include "volume_builder.h"
#include "base/ctx.h"
#include "engine/gc.h"
#include "engine/txn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BIG	(VB_A + 60U)		/* blocks of a file with a direct node */

/*
 * Two files whose blocks lie in turn in segment 0, their nodes in segment 1;
 * both segments are dirty.
 */
struct pair {
	struct vb b;
	struct vb_file *f, *g, *empty;
};

static void make_pair(struct pair *p)
{
	struct vb *b = &p->b;

	vb_init(b, &(struct vb_opt){ .nr_secs = 24, .version = 50 });
	vb_set_log(b, LOG_WARM_DATA, 0, 0);
	vb_set_log(b, LOG_WARM_NODE, 1, 0);
	p->f = vb_file(b, VB_REG);
	p->g = vb_file(b, VB_REG);
	p->empty = vb_file(b, VB_REG);
	for (uint32_t i = VB_A - 60; i < BIG; i++) {
		vb_map(b, p->f, i, vb_place(b, LOG_WARM_DATA));
		vb_map(b, p->g, i, vb_place(b, LOG_WARM_DATA));
	}
	vb_set_log(b, LOG_WARM_DATA, 2, 0);
	vb_set_log(b, LOG_WARM_NODE, 3, 0);
	vb_write(b);
}

static uint8_t *inode_block(struct vb *b, const struct vb_file *f)
{
	return vb_block(b, f->nodes.v[0].blk);
}

/* The direct node at offset 1. */
static uint8_t *direct_block(struct vb *b, const struct vb_file *f)
{
	assert_int_equal(f->nodes.v[1].ofs, 1);
	return vb_block(b, f->nodes.v[1].blk);
}

/* gc stops at what the test did to the image, with words that hold @why. */
static void expect_stopped(struct pair *p, const char *why,
			   struct gc_report *r)
{
	static const struct gc_options opt = { .full = true };
	struct vb *b = &p->b;
	struct volume *vol = vb_open(b);
	int err;

	ctx_clear_error(b->ctx);
	err = gc_run(vol, &opt, r);
	if (!strstr(ctx_error(b->ctx), why))
		print_error("\"%s\" instead of \"%s\"\n", ctx_error(b->ctx),
			    why);
	assert_int_equal(err, -EUCLEAN);
	assert_non_null(strstr(ctx_error(b->ctx), why));
	volume_close(vol);
}

/* And nothing at all was written before. */
static void expect_refused(struct pair *p, const char *why)
{
	struct vb *b = &p->b;
	uint8_t *copy = malloc(vb_nr_bytes(b));
	struct gc_report r;

	assert_non_null(copy);
	memcpy(copy, b->img, vb_nr_bytes(b));
	expect_stopped(p, why, &r);
	assert_int_equal(r.moved.commits.commits, 0);
	assert_memory_equal(copy, b->img, vb_nr_bytes(b));
	free(copy);
	vb_free(b);
}

static void a_sound_pair_is_moved(void **state)
{
	struct gc_options opt = { .full = true };
	struct gc_report r;
	struct volume *vol;
	struct pair p;

	(void)state;
	make_pair(&p);
	vol = vb_open(&p.b);
	assert_int_equal(gc_run(vol, &opt, &r), 0);
	assert_int_equal(r.before.extents, 2 * 120 + 1);
	assert_int_equal(r.after.extents, 3);
	volume_close(vol);
	vb_verify(&p.b);
	vb_free(&p.b);
}

static void two_nodes_of_one_place(void **state)
{
	struct pair p;

	(void)state;
	make_pair(&p);
	/* The second file's direct node says that it is the first file's. */
	le32_set(&node_foot(&p.b.lo, direct_block(&p.b, p.g))->ino, p.f->ino);
	le32_set(&vb_nat_entry(&p.b, p.g->nodes.v[1].nid)->ino, p.f->ino);
	expect_refused(&p, "both are at offset 1");
}

static void an_inode_with_a_node_offset(void **state)
{
	struct pair p;

	(void)state;
	make_pair(&p);
	le32_set(&node_foot(&p.b.lo, inode_block(&p.b, p.f))->flag, 1 << 3);
	vb_sign_inode(inode_block(&p.b, p.f));
	expect_refused(&p, "node offset 1");
}

static void a_slot_that_the_file_does_not_use(void **state)
{
	struct od_super *sb;
	struct od_inode *od;
	struct pair p;

	(void)state;
	make_pair(&p);
	/* Clusters of 4: 912 addresses in the inode, not 914. */
	for (int i = 0; i < 2; i++) {
		sb = (void *)(p.b.img + i * VB_BYTES + OD_SUPER_OFFSET);
		le32_set(&sb->feature, le32_get(sb->feature) |
				       OD_FEATURE_COMPRESSION);
	}
	od = (void *)inode_block(&p.b, p.f);
	le32_set(&od->i_flags, OD_FLAG_COMPR);
	inode_extra(od)->i_log_cluster_size = 2;
	vb_sign_inode((void *)od);
	expect_refused(&p, "");
}

/* The same in a direct node: 1016 of 1018 are used. */
static void a_slot_of_a_node_that_the_file_does_not_use(void **state)
{
	struct od_super *sb;
	struct od_inode *od;
	uint32_t blk;
	struct pair p;
	le32 *slots;

	(void)state;
	make_pair(&p);
	for (int i = 0; i < 2; i++) {
		sb = (void *)(p.b.img + i * VB_BYTES + OD_SUPER_OFFSET);
		le32_set(&sb->feature, le32_get(sb->feature) |
				       OD_FEATURE_COMPRESSION);
	}
	od = (void *)inode_block(&p.b, p.f);
	le32_set(&od->i_flags, OD_FLAG_COMPR);
	inode_extra(od)->i_log_cluster_size = 2;
	for (uint32_t i = 912; i < VB_A; i++) {	/* let them be of no use */
		blk = p.f->map.v[i];
		le32_set(&inode_addrs(od)[9 + i], 0);
		slots = node_slots(direct_block(&p.b, p.f));
		le32_set(&slots[1016 + i - 912], blk);
		le32_set(&vb_sum_entry(&p.b, blk)->nid, p.f->nodes.v[1].nid);
		vb_sum_entry(&p.b, blk)->version =
			p.b.nat[p.f->nodes.v[1].nid].version;
		le16_set(&vb_sum_entry(&p.b, blk)->ofs_in_node,
			 (uint16_t)(1016 + i - 912));
	}
	vb_sign_inode((void *)od);
	expect_refused(&p, "none of the 1016");
}

static void an_inode_that_is_none(void **state)
{
	struct pair p;

	(void)state;
	make_pair(&p);
	le32_set(&vb_nat_entry(&p.b, p.f->ino)->ino, p.g->ino);
	le32_set(&node_foot(&p.b.lo, inode_block(&p.b, p.f))->ino, p.g->ino);
	expect_refused(&p, "");
}

/* Its block would be written over, or its new place be among data. */
static void a_node_where_the_sit_has_data(void **state)
{
	uint32_t blk;
	struct pair p;

	(void)state;
	make_pair(&p);
	blk = p.f->map.v[BIG - 1];
	memcpy(vb_block(&p.b, blk), inode_block(&p.b, p.f), VB_BYTES);
	le32_set(&vb_nat_entry(&p.b, p.f->ino)->blk, blk);
	expect_refused(&p, "");
}

static void a_node_where_the_sit_has_nothing(void **state)
{
	uint32_t blk = 0;
	struct pair p;

	(void)state;
	make_pair(&p);
	blk = seg_to_blk(&p.b.lo, 10);
	memcpy(vb_block(&p.b, blk), inode_block(&p.b, p.f), VB_BYTES);
	le32_set(&vb_nat_entry(&p.b, p.f->ino)->blk, blk);
	expect_refused(&p, "the SIT does not know");
}

static void a_wrong_checksum_is_not_made_right(void **state)
{
	struct od_inode *od;
	struct pair p;

	(void)state;
	make_pair(&p);
	od = (void *)inode_block(&p.b, p.f);
	le32_set(&od->i_uid, 0);
	expect_refused(&p, "i_inode_checksum");
}

static void summaries_that_lie(void **state)
{
	struct gc_report r;
	struct pair p;
	uint32_t blk;

	(void)state;
	make_pair(&p);
	le16_set(&vb_sum_entry(&p.b, p.f->map.v[900])->ofs_in_node, 60000);
	expect_refused(&p, "slot 60000");

	make_pair(&p);
	le32_set(&vb_sum_entry(&p.b, p.f->map.v[900])->nid, 0xfffffff0);
	expect_refused(&p, "does not own it");

	make_pair(&p);
	le32_set(&vb_sum_entry(&p.b, p.f->map.v[900])->nid, 3000);
	expect_refused(&p, "does not own it");

	/* Two valid blocks of one slot. */
	make_pair(&p);
	*vb_sum_entry(&p.b, p.f->map.v[900]) =
		*vb_sum_entry(&p.b, p.f->map.v[901]);
	expect_refused(&p, "slot 901");

	/* A node that is not written again for its data, but moves. */
	make_pair(&p);
	le32_set(&vb_sum_entry(&p.b, p.empty->nodes.v[0].blk)->nid, p.g->ino);
	expect_stopped(&p, "does not own it", &r);
	vb_free(&p.b);

	make_pair(&p);
	blk = blk_to_seg(&p.b.lo, p.f->map.v[900]);
	sum_foot(&p.b.lo, vb_block(&p.b, p.b.lo.ssa_blk + blk))->entry_type =
		OD_SUM_NODE;
	expect_refused(&p, "summary of segment 0");

	/* Of an xattr node, and of a node with an offset that no tree has. */
	make_pair(&p);
	le32_set(&node_foot(&p.b.lo, direct_block(&p.b, p.f))->flag,
		 OD_XATTR_NODE_OFS << 3);
	expect_refused(&p, "");
	make_pair(&p);
	le32_set(&node_foot(&p.b.lo, direct_block(&p.b, p.f))->flag,
		 0x1ffffff0U << 3);
	expect_refused(&p, "");
}

static void nodes_that_lie(void **state)
{
	struct od_inode *od;
	struct pair p;

	(void)state;
	make_pair(&p);
	le32_set(&node_foot(&p.b.lo, direct_block(&p.b, p.f))->ino, p.g->ino);
	expect_refused(&p, "its footer says");

	make_pair(&p);
	le32_set(&node_slots(direct_block(&p.b, p.f))[3], p.f->map.v[0] + 1);
	expect_refused(&p, "");

	/* No addresses are left in it. */
	make_pair(&p);
	od = (void *)inode_block(&p.b, p.f);
	le16_set(&inode_extra(od)->i_extra_isize, 37);
	vb_sign_inode((void *)od);
	expect_refused(&p, "");

	make_pair(&p);
	od = (void *)inode_block(&p.b, p.f);
	od->i_inline |= OD_INLINE_DATA;
	vb_sign_inode((void *)od);
	expect_refused(&p, "");
}

/* Only nodes move: there is no list of moves at all. */
static void nodes_alone(void **state)
{
	struct gc_options opt = { 0 };
	struct gc_report r;
	struct volume *vol;
	struct vb b;

	(void)state;
	vb_init(&b, &(struct vb_opt){ .nr_secs = 24, .version = 2 });
	vb_set_log(&b, LOG_WARM_NODE, 0, 0);
	for (int i = 0; i < 200; i++)
		vb_file(&b, VB_REG);
	for (int i = 1; i <= 200; i += 2)
		vb_delete(&b, b.files.v[i]);
	vb_set_log(&b, LOG_WARM_NODE, 1, 0);
	vb_write(&b);
	vol = vb_open(&b);
	assert_int_equal(gc_run(vol, &opt, &r), 0);
	assert_int_equal(r.moved.data_moved, 0);
	assert_int_equal(r.moved.nodes_moved, 100);
	assert_int_equal(r.sections_freed, 1);
	volume_close(vol);
	vb_verify(&b);
	vb_free(&b);
}

/* Each direct node brings its inode along, which may have one already. */
static void a_plan_ends_where_its_records_are_too_many(void **state)
{
	struct volume *vol;
	struct pair p;
	struct txn t;

	(void)state;
	make_pair(&p);
	vol = vb_open(&p.b);
	assert_int_equal(txn_init(&t, vol), 0);
	for (uint64_t missing = 0; missing < 2; missing++) {
		txn_reset(&t);
		assert_int_equal(txn_add_section(&t, 0), 0);
		assert_int_equal(t.moves.nr, 240);
		t.most_bytes = 240 * sizeof(struct move) +
			       6 * sizeof(struct txn_node) - missing;
		assert_int_equal(txn_resolve(&t), missing ? -E2BIG : 0);
	}
	t.most_bytes = 0;
	txn_reset(&t);
	assert_int_equal(txn_add_section(&t, 0), 0);
	assert_int_equal(txn_resolve(&t), 0);
	txn_free(&t);
	volume_close(vol);
	vb_free(&p.b);
}

/* Of node sections fewer, as a node's record is larger than a block's. */
static void the_most_blocks_of_a_transaction(void **state)
{
	struct volume *vol;
	struct pair p;

	(void)state;
	make_pair(&p);
	vol = vb_open(&p.b);
	vol->sit.valid_data = 1000;
	vol->sit.valid_nodes = 500;
	assert_int_equal(txn_most_blocks(vol, false), (20 << 20) / (28 + 30));
	assert_int_equal(txn_most_blocks(vol, true), (20 << 20) / 60);
	vol->sit.valid_nodes = 3000;
	assert_int_equal(txn_most_blocks(vol, false), (20 << 20) / (28 + 60));
	assert_int_equal(txn_most_bytes(vol, 0), 24 << 20);
	assert_int_equal(txn_most_bytes(vol, 1 << 20), 2 * 88 << 20);
	volume_close(vol);
	vb_free(&p.b);
}

/* Each section of a pinned file is found once, not one of them a plan. */
static void pinned_files_cost_one_plan(void **state)
{
	uint64_t reads[2];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct gc_options opt = { .full = true };
		struct gc_report r;
		struct vb_file *f;
		struct volume *vol;
		struct vb b;

		vb_init(&b, &(struct vb_opt){ .nr_secs = 100, .version = 2 });
		f = vb_file(&b, VB_PINNED);
		for (uint32_t s = 0; s < 10 + 30 * i; s++) {
			vb_set_log(&b, LOG_COLD_DATA, s, 0);
			vb_append(&b, f, LOG_COLD_DATA, 511);
		}
		vb_set_log(&b, LOG_COLD_DATA, 60, 0);
		vb_append(&b, vb_file(&b, VB_REG), LOG_COLD_DATA, 100);
		vb_write(&b);
		vol = vb_open(&b);
		assert_int_equal(gc_run(vol, &opt, &r), 0);
		reads[i] = vb_nr_reads(vol->dev);
		assert_int_equal(r.sections_skipped, 10 + 30 * i);
		volume_close(vol);
		vb_verify(&b);
		vb_free(&b);
	}
	assert_true(reads[1] < 4 * reads[0]);
}

/* A mistake of whoever plans: it is seen before it costs anything. */
static void a_plan_over_a_block_in_use_is_not_written(void **state)
{
	struct volume *vol;
	struct pair p;
	struct txn t;
	uint8_t *copy;

	(void)state;
	make_pair(&p);
	copy = malloc(vb_nr_bytes(&p.b));
	assert_non_null(copy);
	memcpy(copy, p.b.img, vb_nr_bytes(&p.b));
	for (int i = 0; i < 3; i++) {
		vol = vb_open(&p.b);
		assert_int_equal(txn_init(&t, vol), 0);
		txn_reset(&t);
		assert_int_equal(txn_add_section(&t, 0), 0);
		assert_int_equal(txn_add_section(&t, 1), 0);
		assert_int_equal(txn_resolve(&t), 0);
		t.queue_max = 1000;
		assert_int_equal(txn_place(&t), 0);
		if (i == 0)
			t.moves.v[5].dst = p.g->nodes.v[0].blk;
		else if (i == 1)
			t.nodes.v[1].dst = t.moves.v[0].src;
		else
			t.moves.v[0].dst = vol->lo.main_blk - 1;
		assert_int_equal(txn_write(&t), -EFAULT);
		assert_non_null(strstr(ctx_error(p.b.ctx), "not free"));
		assert_memory_equal(copy, p.b.img, vb_nr_bytes(&p.b));
		txn_free(&t);
		volume_close(vol);
	}
	free(copy);
	vb_free(&p.b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_pair_is_moved),
		cmocka_unit_test(two_nodes_of_one_place),
		cmocka_unit_test(an_inode_with_a_node_offset),
		cmocka_unit_test(a_slot_that_the_file_does_not_use),
		cmocka_unit_test(a_slot_of_a_node_that_the_file_does_not_use),
		cmocka_unit_test(an_inode_that_is_none),
		cmocka_unit_test(a_node_where_the_sit_has_data),
		cmocka_unit_test(a_node_where_the_sit_has_nothing),
		cmocka_unit_test(a_wrong_checksum_is_not_made_right),
		cmocka_unit_test(summaries_that_lie),
		cmocka_unit_test(nodes_that_lie),
		cmocka_unit_test(nodes_alone),
		cmocka_unit_test(a_plan_ends_where_its_records_are_too_many),
		cmocka_unit_test(the_most_blocks_of_a_transaction),
		cmocka_unit_test(pinned_files_cost_one_plan),
		cmocka_unit_test(a_plan_over_a_block_in_use_is_not_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
