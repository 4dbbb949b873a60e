/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slots of file blocks at every depth of the tree; i_blocks, hints, counts. */
#include "config.h"

#include "volume_builder.h"
#include "check/check.h"
#include "engine/map_edit.h"
#include "tree/filemap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define N	VB_N
#define A	VB_A

struct fixture {
	struct vb b;
	struct vb_file *file;		/* ten blocks */
	struct volume *vol;
	struct edit ed;
	uint8_t block[VB_BYTES];
	struct inode inode;
};

static void start(struct fixture *f)
{
	struct vb_opt opt = { .seed = 3, .version = 7 };

	vb_init(&f->b, &opt);
	f->file = vb_file(&f->b, VB_REG);
	vb_append(&f->b, f->file, LOG_WARM_DATA, 10);
	vb_write(&f->b);
	f->vol = vb_open(&f->b);
	assert_int_equal(edit_init(&f->ed, f->vol), 0);
}

static void read_file(struct fixture *f)
{
	assert_int_equal(inode_read(f->vol, f->file->ino, f->block, &f->inode),
			 0);
}

/* The size that the blocks have, as the caller's part. */
static void set_size(struct fixture *f, uint64_t blks)
{
	read_file(f);
	le64_set(&((struct od_inode *)f->block)->i_size, blks * VB_BYTES);
	assert_int_equal(edit_write_node(&f->ed, f->file->ino, f->block), 0);
}

static void stop(struct fixture *f)
{
	edit_free(&f->ed);
	volume_close(f->vol);
	vb_free(&f->b);
}

static void expect_clean(struct volume *vol)
{
	struct check_options opt = { .nr_threads = 1 };
	struct check_result res;
	char line[512];

	assert_int_equal(check_run(vol, &opt, &res), 0);
	for (size_t i = 0; i < res.findings.nr; i++) {
		finding_format(&res.findings.v[i], line, sizeof(line));
		print_error("check: %s\n", line);
	}
	assert_int_equal(res.findings.nr, 0);
	check_result_free(&res);
}

/* Make it durable, open it again, and have all of it checked. */
static void commit_and_check(struct fixture *f)
{
	struct commit_stats st = { 0 };

	assert_int_equal(edit_commit(&f->ed, &st), 0);
	edit_free(&f->ed);
	volume_close(f->vol);
	f->vol = vb_open(&f->b);
	expect_clean(f->vol);
	assert_int_equal(edit_init(&f->ed, f->vol), 0);
}

static void put_pattern(struct fixture *f, uint64_t lblk)
{
	uint8_t data[VB_BYTES];
	struct file_slot slot;

	vb_pattern(f->file->ino, (uint32_t)lblk, data);
	assert_int_equal(map_edit_slot(&f->ed, f->file->ino, lblk, &slot), 0);
	assert_int_equal(slot.blk, 0);
	assert_int_equal(map_edit_write(&f->ed, &slot, LOG_WARM_DATA, data),
			 0);
	assert_true(blk_is_main(&f->vol->lo, slot.blk));
}

static void expect_pattern(struct fixture *f, uint64_t lblk)
{
	uint8_t data[VB_BYTES], want[VB_BYTES];

	read_file(f);
	vb_pattern(f->file->ino, (uint32_t)lblk, want);
	assert_int_equal(filemap_read(f->vol, &f->inode, f->block, lblk, data),
			 0);
	assert_memory_equal(data, want, VB_BYTES);
}

/* One block at each depth, and the nodes that the format counts for it. */
static void slots_at_every_depth(void **state)
{
	static const struct {
		uint64_t lblk;
		uint32_t ofs;		/* of the node that holds it */
		uint32_t slot;
		uint64_t made;		/* nodes */
	} at[] = {
		{ 20, 0, 20, 0 },
		{ A + 3, 1, 3, 1 },
		{ A + 4, 1, 4, 0 },
		{ A + N, 2, 0, 1 },
		{ A + 2 * N, 4, 0, 2 },
		{ A + 3 * N + 5, 5, 5, 1 },
		{ A + 2 * N + N * N + 6, 5 + N, 6, 2 },
		{ A + 2ULL * N + 2ULL * N * N + 7, 7 + 2 * N, 7, 3 },
		{ A + 2ULL * N + 3ULL * N * N + 8, 8 + 3 * N, 8, 2 },
	};
	struct fixture f;
	uint64_t blocks, valid;
	uint32_t nodes, inodes;
	struct mapping m;

	(void)state;
	start(&f);
	read_file(&f);
	blocks = f.inode.blocks;
	valid = f.vol->cp.valid_blocks;
	nodes = f.vol->cp.valid_nodes;
	inodes = f.vol->cp.valid_inodes;
	for (size_t i = 0; i < NR_OF(at); i++) {
		put_pattern(&f, at[i].lblk);
		blocks += 1 + at[i].made;
		valid += 1 + at[i].made;
		nodes += (uint32_t)at[i].made;
		read_file(&f);
		assert_int_equal(f.inode.blocks, blocks);
		assert_int_equal(f.vol->cp.valid_blocks, valid);
		assert_int_equal(f.vol->cp.valid_nodes, nodes);
		assert_int_equal(f.vol->cp.valid_inodes, inodes);
		assert_int_equal(filemap_lookup(f.vol, &f.inode, f.block,
						at[i].lblk, &m), 0);
		assert_int_equal(m.ofs, at[i].slot);
		assert_int_equal(node_read(f.vol, m.nid, f.block), 0);
		assert_int_equal(foot_ofs(node_foot(&f.vol->lo, f.block)),
				 at[i].ofs);
		assert_true(le32_get(node_foot(&f.vol->lo, f.block)->flag) &
			    OD_FOOT_COLD);
	}
	set_size(&f, at[NR_OF(at) - 1].lblk + 1);
	commit_and_check(&f);
	for (size_t i = 0; i < NR_OF(at); i++)
		expect_pattern(&f, at[i].lblk);
	stop(&f);
}

/* Nids come in ascending order from where the checkpoint says. */
static void nids_ascend(void **state)
{
	struct fixture f;
	struct file_slot slot[2];
	uint32_t next;

	(void)state;
	start(&f);
	next = f.vol->cp.next_free_nid;
	assert_int_equal(map_edit_slot(&f.ed, f.file->ino, A, &slot[0]), 0);
	assert_int_equal(map_edit_slot(&f.ed, f.file->ino, A + 2 * N,
				       &slot[1]), 0);
	assert_true(slot[0].nid >= next);
	assert_int_equal(slot[1].nid, slot[0].nid + 2);
	assert_int_equal(f.vol->cp.next_free_nid, slot[1].nid + 1);
	stop(&f);
}

static void a_dropped_block_is_a_hole(void **state)
{
	struct file_slot slot;
	struct fixture f;
	uint64_t valid;
	uint32_t blk;

	(void)state;
	start(&f);
	put_pattern(&f, A + 9);
	set_size(&f, A + 10);
	valid = f.vol->cp.valid_blocks;
	assert_int_equal(map_edit_slot(&f.ed, f.file->ino, 4, &slot), 0);
	blk = slot.blk;
	assert_int_equal(map_edit_drop(&f.ed, &slot), 0);
	assert_int_equal(slot.blk, 0);
	assert_false(sit_is_valid(&f.vol->sit, blk));
	assert_int_equal(map_edit_slot(&f.ed, f.file->ino, A + 9, &slot), 0);
	assert_int_equal(map_edit_drop(&f.ed, &slot), 0);
	assert_int_equal(f.vol->cp.valid_blocks, valid - 2);
	commit_and_check(&f);
	read_file(&f);
	assert_int_equal(f.inode.blocks, 1 + 9 + 1);	/* the node stays */
	stop(&f);
}

/* Reserved blocks count; what they become does not count again. */
static void a_reserved_slot_is_counted_once(void **state)
{
	uint8_t data[VB_BYTES] = { 1 };
	struct file_slot slot;
	struct fixture f;
	uint64_t valid;

	(void)state;
	start(&f);
	valid = f.vol->cp.valid_blocks;
	set_size(&f, 31);
	assert_int_equal(map_edit_slot(&f.ed, f.file->ino, 30, &slot), 0);
	edit_reserve_block(&f.ed);
	assert_int_equal(map_edit_set(&f.ed, &slot, OD_BLK_NEW), 0);
	read_file(&f);
	assert_int_equal(f.inode.blocks, 12);
	assert_int_equal(map_edit_write(&f.ed, &slot, LOG_WARM_DATA, data), 0);
	read_file(&f);
	assert_int_equal(f.inode.blocks, 12);
	assert_int_equal(f.vol->cp.valid_blocks, valid + 1);
	commit_and_check(&f);
	stop(&f);
}

static void a_hint_that_covers_the_block_is_emptied(void **state)
{
	uint8_t data[VB_BYTES];
	struct file_slot slot;
	struct fixture f;

	(void)state;
	start(&f);
	put_pattern(&f, 20);
	read_file(&f);
	assert_int_equal(f.inode.ext_len, 10);
	vb_pattern(f.file->ino, 9, data);
	assert_int_equal(map_edit_slot(&f.ed, f.file->ino, 9, &slot), 0);
	assert_int_equal(map_edit_write(&f.ed, &slot, LOG_WARM_DATA, data), 0);
	read_file(&f);
	assert_int_equal(f.inode.ext_len, 0);
	set_size(&f, 21);
	commit_and_check(&f);
	expect_pattern(&f, 9);
	stop(&f);
}

static void what_cannot_be_is_refused(void **state)
{
	struct file_slot slot;
	struct fixture f;
	uint8_t *node;

	(void)state;
	start(&f);
	assert_int_equal(map_edit_slot(&f.ed, f.file->ino,
				       A + 2ULL * N + 2ULL * N * N +
				       (uint64_t)N * N * N, &slot), -EFBIG);
	assert_int_equal(map_edit_slot(&f.ed, f.file->ino, ~0ULL, &slot),
			 -EFBIG);
	assert_int_equal(map_edit_slot(&f.ed, 4000, 0, &slot), -EUCLEAN);

	/* A child whose footer has another place. */
	assert_int_equal(map_edit_slot(&f.ed, f.file->ino, A, &slot), 0);
	node = vb_block(&f.b, nat_get(&f.vol->nat, slot.nid).blk);
	le32_set(&node_foot(&f.vol->lo, node)->flag, 2 << OD_FOOT_OFS_SHIFT);
	assert_int_equal(map_edit_slot(&f.ed, f.file->ino, A, &slot),
			 -EUCLEAN);

	/* An i_blocks that would wrap. */
	read_file(&f);
	le64_set(&((struct od_inode *)f.block)->i_blocks, 1);
	assert_int_equal(edit_write_node(&f.ed, f.file->ino, f.block), 0);
	assert_int_equal(map_edit_slot(&f.ed, f.file->ino, 3, &slot), 0);
	assert_int_equal(map_edit_drop(&f.ed, &slot), -EUCLEAN);

	read_file(&f);
	((struct od_inode *)f.block)->i_inline |= OD_INLINE_DATA;
	assert_int_equal(edit_write_node(&f.ed, f.file->ino, f.block), 0);
	assert_int_equal(map_edit_slot(&f.ed, f.file->ino, 0, &slot), -EINVAL);
	stop(&f);
}

/* A mount refuses a volume with more blocks valid than users may have. */
static void a_full_volume_takes_no_block(void **state)
{
	uint8_t data[VB_BYTES] = { 1 };
	struct file_slot slot;
	struct fixture f;

	(void)state;
	start(&f);
	f.vol->cp.user_blocks = f.vol->cp.valid_blocks + 1;
	assert_int_equal(map_edit_slot(&f.ed, f.file->ino, A, &slot), 0);
	assert_int_equal(map_edit_slot(&f.ed, f.file->ino, A + N, &slot),
			 -ENOSPC);
	assert_int_equal(map_edit_slot(&f.ed, f.file->ino, A, &slot), 0);
	assert_int_equal(map_edit_write(&f.ed, &slot, LOG_WARM_DATA, data),
			 -ENOSPC);
	/* One in the place of another. */
	assert_int_equal(map_edit_slot(&f.ed, f.file->ino, 0, &slot), 0);
	assert_int_equal(map_edit_write(&f.ed, &slot, LOG_WARM_DATA, data), 0);
	stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_at_every_depth),
		cmocka_unit_test(nids_ascend),
		cmocka_unit_test(a_dropped_block_is_a_hole),
		cmocka_unit_test(a_reserved_slot_is_counted_once),
		cmocka_unit_test(a_hint_that_covers_the_block_is_emptied),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(a_full_volume_takes_no_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
