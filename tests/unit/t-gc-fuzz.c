/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Images with a few wrong numbers, checksums made right again: garbage
 * collection refuses, stops, or works; it neither crashes nor hangs, and no
 * more is wrong afterwards than before.
 */
#include "config.h"

#include "volume_builder.h"
#include "base/bits.h"
#include "base/crc.h"
#include "check/check.h"
#include "engine/defrag.h"
#include "tree/filemap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More of them: SEEDS=5000 tests/unit/t-gc-fuzz */
static uint64_t nr_seeds(uint64_t nr)
{
	const char *s = getenv("SEEDS");

	return s ? strtoull(s, NULL, 0) : nr;
}

/* Numbers at the edges of what they count, and some in between. */
static uint32_t strange(struct vb *b)
{
	const struct layout *lo = &b->lo;
	const uint32_t v[] = {
		0, 1, 2, 3, 511, 512, 1017, 1018, 1019, 0x1fffffff,
		UINT32_MAX, UINT32_MAX - 1, lo->main_blk - 1, lo->main_blk,
		lo->end_blk - 1, lo->end_blk, lo->nr_main_segs,
		lo->nr_main_segs - 1, VB_NIDS - 1, VB_NIDS, b->next_nid,
		vb_random(b, b->next_nid), vb_random(b, b->next_nid),
		lo->main_blk + vb_random(b, lo->end_blk - lo->main_blk),
		lo->main_blk + vb_random(b, lo->end_blk - lo->main_blk),
		vb_random(b, UINT32_MAX),
	};

	return v[vb_random(b, NR_OF(v))];
}

static struct vb_file *some_file(struct vb *b)
{
	struct vb_file *f;

	do
		f = b->files.v[vb_random(b, (uint32_t)b->files.nr)];
	while (f->gone);
	return f;
}

static const struct vb_node *some_node(struct vb *b)
{
	const struct vb_file *f = some_file(b);

	return &f->nodes.v[vb_random(b, (uint32_t)f->nodes.nr)];
}

static void poke_node(struct vb *b)
{
	const struct vb_node *n = some_node(b);
	uint8_t *block = vb_block(b, n->blk);
	uint32_t word = vb_random(b, 3) ? vb_random(b, VB_BYTES / 4) :
					  VB_BYTES / 4 - 1 - vb_random(b, 11);

	le32_set((le32 *)block + word, strange(b));
	if (!n->ofs)
		vb_sign_inode(block);
}

static void poke_inode_head(struct vb *b)
{
	uint8_t *block = vb_block(b, some_file(b)->nodes.v[0].blk);

	block[vb_random(b, 4)] = (uint8_t)vb_random(b, 256);
	block[360 + vb_random(b, 36)] = (uint8_t)vb_random(b, 256);
	vb_sign_inode(block);
}

static void poke_nat(struct vb *b)
{
	struct od_nat_entry *e = vb_nat_entry(b, some_node(b)->nid);

	if (vb_random(b, 2))
		le32_set(&e->ino, strange(b));
	else
		le32_set(&e->blk, strange(b));
}

static void poke_sum(struct vb *b)
{
	uint32_t segno = vb_random(b, b->lo.nr_main_segs);
	uint32_t blk = seg_to_blk(&b->lo, segno) + vb_random(b, VB_SEG_BLKS);
	struct od_sum_entry *e = vb_sum_entry(b, blk);

	le32_set(&e->nid, strange(b));
	if (vb_random(b, 2))
		le16_set(&e->ofs_in_node, (uint16_t)strange(b));
}

/* Bits and count agree; what they say of the blocks does not. */
static void poke_sit(struct vb *b)
{
	uint32_t s = vb_random(b, b->lo.nr_main_segs);

	for (int copy = 0; copy < 2; copy++) {
		struct od_sit_entry *e = (struct od_sit_entry *)
			vb_block(b, b->lo.sit_blk + s / 55 +
				 (copy ? VB_SEG_BLKS : 0)) + s % 55;
		uint16_t n = 0;

		bit_flip_msb(e->valid_map, vb_random(b, VB_SEG_BLKS));
		n = (uint16_t)bits_count(e->valid_map, sizeof(e->valid_map));
		od_sit_set_vblocks(e, n, (uint8_t)vb_random(b, 6));
		le64_set(&e->mtime, (uint64_t)strange(b) << vb_random(b, 33));
	}
}

static void poke_cp(struct vb *b)
{
	uint8_t *cp = vb_block(b, b->lo.cp_blk +
			       (b->opt.pack ? VB_SEG_BLKS : 0));
	uint32_t total = le32_get(((struct od_checkpoint *)cp)
				  ->cp_pack_total_block_count);

	le32_set((le32 *)cp + 2 + vb_random(b, 46), strange(b));
	le32_set((le32 *)(cp + VB_BYTES - 4),
		 crc_update(OD_SUPER_MAGIC, cp, VB_BYTES - 4));
	memcpy(cp + (total - 1) * VB_BYTES, cp, VB_BYTES);
}

/* The compact summaries with both journals. */
static void poke_pack(struct vb *b)
{
	uint8_t *cp = vb_block(b, b->lo.cp_blk +
			       (b->opt.pack ? VB_SEG_BLKS : 0));
	uint32_t at = le32_get(((struct od_checkpoint *)cp)
			       ->cp_pack_start_sum);

	le32_set((le32 *)(cp + at * VB_BYTES + vb_random(b, 2000)),
		 strange(b));
}

static void poke(struct vb *b)
{
	static void (*const how[])(struct vb *) = {
		poke_node, poke_node, poke_inode_head, poke_nat, poke_sum,
		poke_sum, poke_sit, poke_cp, poke_pack,
	};

	how[vb_random(b, NR_OF(how))](b);
}

static uint64_t nr_errors(struct volume *vol)
{
	struct check_options opt = { .nr_threads = 1 };
	struct check_result res;
	uint64_t n;

	assert_int_equal(check_run(vol, &opt, &res), 0);
	n = findings_count(&res.findings, SEV_ERROR);
	check_result_free(&res);
	return n;
}

/* Blocks of files that read as they were written; one byte each. */
struct readable {
	uint8_t *ok;
	size_t nr;
};

static void read_file(struct vb *b, struct volume *vol,
		      const struct vb_file *f, struct readable *r)
{
	uint8_t block[VB_BYTES], got[VB_BYTES], want[VB_BYTES];
	struct inode inode;
	bool found = !inode_read(vol, f->ino, block, &inode);

	(void)b;
	for (uint32_t i = 0; i < f->map.nr; i++) {
		vb_pattern(f->ino, i, want);
		r->ok[r->nr++] = found && blk_is_real(f->map.v[i]) &&
			!filemap_read(vol, &inode, block, i, got) &&
			!memcmp(got, want, VB_BYTES);
	}
}

static struct readable read_all(struct vb *b)
{
	struct readable r = { 0 };
	struct volume *vol = vb_open(b);
	size_t nr = 1;

	for (size_t i = 0; i < b->files.nr; i++)
		nr += b->files.v[i]->map.nr;
	r.ok = malloc(nr);
	assert_non_null(r.ok);
	for (size_t i = 1; i < b->files.nr; i++)
		if (!b->files.v[i]->gone)
			read_file(b, vol, b->files.v[i], &r);
	volume_close(vol);
	return r;
}

/* What could be read before, whatever else is wrong, can be read now. */
static void expect_readable(struct vb *b, uint8_t *before, uint64_t seed)
{
	uint8_t *after = b->img;
	struct readable were, are;

	b->img = before;
	were = read_all(b);
	b->img = after;
	are = read_all(b);
	assert_int_equal(were.nr, are.nr);
	for (size_t i = 0; i < are.nr; i++)
		if (were.ok[i] && !are.ok[i])
			fail_msg("seed %u: a block is lost",
				 (unsigned int)seed);
	free(were.ok);
	free(are.ok);
}

/* By either engine. */
static int move(struct volume *vol, uint64_t seed, uint64_t *commits)
{
	struct gc_options opt = {
		.full = seed % 2, .no_pack = seed % 5 == 0,
		.pack_max_blocks = seed % 3 ? 0 : 10,
	};
	struct defrag_options files = { .full = true };
	struct defrag_report d = { 0 };
	struct gc_report r = { 0 };
	int err = seed % 7 ? gc_run(vol, &opt, &r) :
			     defrag_run(vol, &files, &d);

	*commits = r.moved.commits.commits + d.commits.commits;
	return err;
}

/* Whether it was collected. @before: room for an image. */
static bool run(struct vb *b, uint64_t seed, uint8_t *before)
{
	size_t nr_bytes = vb_nr_bytes(b);
	struct volume *vol;
	uint64_t errors, commits;
	bool worked;

	if (volume_open(b->ctx, vb_dev(b), &vol, NULL))
		return false;
	memcpy(before, b->img, nr_bytes);
	errors = nr_errors(vol);
	worked = !move(vol, seed, &commits);
	volume_close(vol);
	vol = vb_open(b);
	if (nr_errors(vol) > errors)
		fail_msg("seed %u: more is wrong than before",
			 (unsigned int)seed);
	volume_close(vol);
	if (memcmp(before, b->img, nr_bytes))
		expect_readable(b, before, seed);
	return worked && commits;
}

static void wrong_numbers_do_no_harm(void **state)
{
	uint64_t worked = 0;
	uint8_t *copy, *before;
	struct vb b;

	(void)state;
	vb_make_random(&b, &(struct vb_random_opt){
		.seed = 5, .nr_secs = 30, .nr_files = 40, .leave = 5,
		.max_blocks = 1100,
	});
	b.opt.nat_journal = b.opt.sit_journal = 0;
	vb_write(&b);
	copy = malloc(vb_nr_bytes(&b));
	before = malloc(vb_nr_bytes(&b));
	assert_non_null(copy);
	assert_non_null(before);
	memcpy(copy, b.img, vb_nr_bytes(&b));
	for (uint64_t seed = 1; seed <= nr_seeds(150); seed++) {
		b.random = seed * 0x9e3779b97f4a7c15ULL;
		for (uint32_t n = 1 + vb_random(&b, 2); n; n--)
			poke(&b);
		alarm(60);
		worked += run(&b, seed, before);
		alarm(0);
		memcpy(b.img, copy, vb_nr_bytes(&b));
	}
	print_message("%u were collected\n", (unsigned int)worked);
	assert_true(worked > nr_seeds(150) / 20);
	free(before);
	free(copy);
	vb_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_numbers_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
