/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables that count right and are wrong: a write of the SIT that never
 * reached the disk, a block of two files beside one of none. The engines
 * refuse, and what could be read before can be read after.
 */
#include "config.h"

#include "volume_builder.h"
#include "base/bits.h"
#include "base/ctx.h"
#include "engine/defrag.h"
#include "tree/filemap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* As a reader finds it, whatever the tables say of its blocks. */
static void expect_content(struct vb *b, struct volume *vol,
			   const struct vb_file *f)
{
	uint8_t block[VB_BYTES], got[VB_BYTES], want[VB_BYTES];
	struct inode inode;

	assert_int_equal(inode_read(vol, f->ino, block, &inode), 0);
	for (uint32_t i = 0; i < f->map.nr; i++) {
		if (!blk_is_real(f->map.v[i]))
			continue;
		assert_int_equal(filemap_read(vol, &inode, block, i, got), 0);
		vb_pattern(f->ino, i, want);
		if (memcmp(got, want, VB_BYTES))
			fail_msg("block %u of file %u is lost", i, f->ino);
	}
	(void)b;
}

static void expect_all_content(struct vb *b)
{
	struct volume *vol = vb_open(b);

	for (size_t i = 1; i < b->files.nr; i++)
		if (!b->files.v[i]->gone)
			expect_content(b, vol, b->files.v[i]);
	volume_close(vol);
}

static int collect(struct volume *vol)
{
	struct gc_options opt = { .full = true };
	struct gc_report r;

	return gc_run(vol, &opt, &r);
}

static int defragment(struct volume *vol)
{
	struct defrag_options opt = { .full = true };
	struct defrag_report r;

	return defrag_run(vol, &opt, &r);
}

/* Both engines over the image as it is now. */
static void expect_refusal(struct vb *b)
{
	static int (*const engines[])(struct volume *) = {
		collect, defragment,
	};
	uint8_t *copy = malloc(vb_nr_bytes(b));

	assert_non_null(copy);
	memcpy(copy, b->img, vb_nr_bytes(b));
	expect_all_content(b);
	for (size_t i = 0; i < NR_OF(engines); i++) {
		struct volume *vol = vb_open(b);
		int err = engines[i](vol);

		volume_close(vol);
		expect_all_content(b);
		assert_int_equal(err, -EUCLEAN);
		assert_memory_equal(copy, b->img, vb_nr_bytes(b));
		memcpy(b->img, copy, vb_nr_bytes(b));
	}
	free(copy);
}

static void make(struct vb *b)
{
	vb_make_random(b, &(struct vb_random_opt){ .seed = 3, .leave = 8 });
}

/* One that holds nothing and never did. */
static uint32_t free_segment(const struct vb *b, uint32_t after)
{
	for (uint32_t s = after; s < b->lo.nr_main_segs; s++)
		if (!b->seg_used[s])
			return s;
	fail_msg("no free segment");
	return 0;
}

/* The fullest one of this class that no log is in. */
static uint32_t full_segment(const struct vb *b, bool nodes)
{
	uint32_t best = OD_SEG_NULL;

	for (uint32_t s = 0; s < b->lo.nr_main_segs; s++) {
		bool current = false;

		for (int t = 0; t < OD_NR_LOGS; t++)
			current |= b->log[t].segno == s;
		if (current || !b->seg[s].valid ||
		    !!log_is_node(b->seg[s].type) != nodes)
			continue;
		if (best == OD_SEG_NULL || b->seg[s].valid > b->seg[best].valid)
			best = s;
	}
	assert_int_not_equal(best, OD_SEG_NULL);
	return best;
}

/*
 * Blocks had moved from @old to @segno when the write of the SIT got lost:
 * the same number is valid, at their old place.
 */
static void lose_write(struct vb *b, uint32_t segno, uint32_t old)
{
	struct vb_seg empty = { .type = b->seg[segno].type };

	b->seg[old] = b->seg[segno];
	b->seg[segno] = empty;
	memcpy(b->seg[segno].sum, b->seg[old].sum, VB_BYTES);
	vb_write(b);
}

static void lost_write_of_data(void **state)
{
	struct vb b;

	(void)state;
	make(&b);
	lose_write(&b, full_segment(&b, false), free_segment(&b, 0));
	expect_refusal(&b);
	vb_free(&b);
}

static void lost_write_of_nodes(void **state)
{
	struct vb b;

	(void)state;
	make(&b);
	lose_write(&b, full_segment(&b, true), free_segment(&b, 0));
	expect_refusal(&b);
	vb_free(&b);
}

/* Slot @n of the inode in the image. */
static le32 *slot_of(struct vb *b, const struct vb_file *f, uint32_t n)
{
	uint8_t *block = vb_block(b, f->nodes.v[0].blk);
	struct volume *vol = vb_open(b);
	struct fault fault;
	struct inode inode;
	le32 *slot;

	assert_int_equal(inode_decode(&vol->lo, block, &inode, &fault), 0);
	slot = inode_file_addrs(&inode, block) + n;
	volume_close(vol);
	return slot;
}

static struct vb_file *file_with_blocks(struct vb *b, size_t *at)
{
	while (++*at < b->files.nr) {
		struct vb_file *f = b->files.v[*at];

		if (f->kind == VB_REG && !f->gone && f->map.nr &&
		    blk_is_real(f->map.v[0]))
			return f;
	}
	fail_msg("no such file");
	return NULL;
}

/* One file points at a block of another one; its own is nobody's. */
static void shared_block_beside_a_leaked_one(void **state)
{
	struct vb_file *one, *other;
	size_t at = 0;
	struct vb b;
	le32 *slot;

	(void)state;
	make(&b);
	one = file_with_blocks(&b, &at);
	other = file_with_blocks(&b, &at);
	slot = slot_of(&b, one, 0);
	le32_set(slot, other->map.v[0]);
	vb_sign_inode(vb_block(&b, one->nodes.v[0].blk));
	/* What the shared block holds is right for both. */
	one->map.v[0] = 0;
	expect_refusal(&b);
	vb_free(&b);
}

/* A block of data lies where the SIT has a node, and the other way round. */
static void classes_that_changed_places(void **state)
{
	struct vb b;
	uint32_t data, node;
	struct vb_seg seg;

	(void)state;
	make(&b);
	data = full_segment(&b, false);
	node = full_segment(&b, true);
	seg = b.seg[data];
	memcpy(b.seg[data].map, b.seg[node].map, OD_SIT_MAP_BYTES);
	memcpy(b.seg[node].map, seg.map, OD_SIT_MAP_BYTES);
	b.seg[data].type = b.seg[node].type;
	b.seg[node].type = seg.type;
	b.seg[data].valid = b.seg[node].valid;
	b.seg[node].valid = seg.valid;
	vb_write(&b);
	expect_refusal(&b);
	vb_free(&b);
}

/* What is right is not refused: with holes, deep files, pinned, orphans. */
static void right_tables_pass(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed < 4; seed++) {
		struct volume *vol;
		struct vb b;

		vb_make_random(&b, &(struct vb_random_opt){
			.seed = seed, .leave = 8,
		});
		vol = vb_open(&b);
		assert_int_equal(collect(vol), 0);
		volume_close(vol);
		expect_all_content(&b);
		vol = vb_open(&b);
		assert_int_equal(defragment(vol), 0);
		volume_close(vol);
		vb_verify(&b);
		vb_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lost_write_of_data),
		cmocka_unit_test(lost_write_of_nodes),
		cmocka_unit_test(shared_block_beside_a_leaked_one),
		cmocka_unit_test(classes_that_changed_places),
		cmocka_unit_test(right_tables_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
