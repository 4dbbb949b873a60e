/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fragmentation counted from nodes in disk order against the extents of the
 * same files, over random maps; and the scan itself.
 */
#include "config.h"

#include "fake.h"
#include "tree/filemap.h"
#include "tree/frag.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FIRST_INO	10U
#define NR_FILES	40U
#define NR_ROUNDS	20U
#define CLUSTER		4U

static uint32_t seed;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}

/* What lies in the slots: long runs, with holes, NEW and jumps in between. */
struct pattern {
	uint32_t next_blk;
	uint32_t cluster;
};

static void fill_cluster(struct pattern *p, le32 *slots)
{
	le32_set(&slots[0], OD_BLK_COMPRESS);
	for (uint32_t i = 1; i <= 1 + random_below(CLUSTER - 1); i++) {
		p->next_blk += random_below(2) ? 1 : 7;
		le32_set(&slots[i], p->next_blk);
	}
}

static void fill(struct pattern *p, le32 *slots, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t what = random_below(400);

		if (p->cluster && i % CLUSTER == 0 && what < 30) {
			fill_cluster(p, slots + i);
			i += CLUSTER - 1;
		} else if (what == 1) {
			i += random_below(50);		/* holes */
		} else if (what == 2) {
			le32_set(&slots[i], OD_BLK_NEW);
		} else {
			p->next_blk += what < 10 ? 3 + random_below(9) : 1;
			le32_set(&slots[i], p->next_blk);
		}
	}
}

/* Nodes of a file in the order of their places in it. */
static void add_nodes(struct fake *f, uint8_t *block,
		      const struct inode *inode, struct pattern *p)
{
	uint32_t nid = inode->ino * 20;
	le32 *nids = inode_nids(&f->vol.lo, block);
	uint32_t nr_direct = random_below(5);
	uint8_t *indirect = NULL;

	for (uint32_t i = 0; i < nr_direct; i++, nid++) {
		uint32_t ofs = i < 2 ? 1 + i : 4 + i - 2;

		if (!random_below(8))
			continue;
		if (i < 2) {
			le32_set(&nids[i], nid);
		} else {
			if (!indirect) {
				indirect = fake_node(f, inode->ino * 20 + 9,
						     inode->ino, 3);
				le32_set(&nids[2], inode->ino * 20 + 9);
			}
			le32_set(&node_slots(indirect)[i - 2], nid);
		}
		fill(p, node_slots(fake_node(f, nid, inode->ino, ofs)),
		     inode->node_addrs);
	}
}

static void add_file(struct fake *f, uint32_t ino)
{
	struct pattern p = { .next_blk = 1000 + random_below(1000000) };
	uint8_t *block = fake_inode(f, ino, S_IFREG | 0644, 1 << 30);
	struct inode inode;

	if (random_below(3) == 0) {
		od_inode_of(block)->i_inline = OD_INLINE_EXTRA_ATTR;
		le16_set(&inode_extra(block)->i_extra_isize, 36);
		le32_set(&od_inode_of(block)->i_flags, OD_FLAG_COMPR);
		inode_extra(block)->i_log_cluster_size = 2;
		p.cluster = CLUSTER;
	}
	inode = fake_decode(f, block);
	if (random_below(6))
		fill(&p, inode_file_addrs(&inode, block), inode.nr_addrs);
	add_nodes(f, block, &inode, &p);
}

/* The same numbers by way of the extents, run by run. */
struct by_extents {
	struct frag sum;
	struct extent last;
	uint64_t file_extents, file_ideal;
};

static int count_extent(void *priv, const struct extent *e)
{
	struct by_extents *b = priv;

	if (e->flags & (EXT_UNWRITTEN | EXT_INLINE)) {
		b->last.len = 0;
		return 0;
	}
	b->file_extents++;
	if (e->flags & EXT_ENCODED) {
		/* A new cluster: the run begins on its boundary, which it
		 * does not if it goes on from another. */
		if (e->lblk % CLUSTER == 0)
			b->file_ideal++;
		b->last.len = 0;
		return 0;
	}
	if (!b->last.len || b->last.lblk + b->last.len != e->lblk)
		b->file_ideal++;
	b->last = *e;
	return 0;
}

static void expect_equal_counts(struct fake *f, const struct frag *got)
{
	struct by_extents b = { 0 };

	for (uint32_t ino = FIRST_INO; ino < FIRST_INO + NR_FILES; ino++) {
		uint8_t *block = fake_block(f, nat_get(&f->vol.nat, ino).blk);
		struct inode inode = fake_decode(f, block);

		b.last.len = b.file_extents = b.file_ideal = 0;
		assert_int_equal(filemap_extents(&f->vol, &inode, block,
						 count_extent, &b), 0);
		b.sum.files += b.file_extents != 0;
		b.sum.extents += b.file_extents;
		b.sum.ideal_extents += b.file_ideal;
		b.sum.fragmented_files += b.file_extents > b.file_ideal;
	}
	assert_int_equal(got->files, b.sum.files);
	assert_int_equal(got->extents, b.sum.extents);
	assert_int_equal(got->ideal_extents, b.sum.ideal_extents);
	assert_int_equal(got->fragmented_files, b.sum.fragmented_files);
	assert_int_equal(got->breaks, got->extents - got->ideal_extents);
	assert_int_equal(got->neighbours,
			 got->file_blocks - got->ideal_extents);
}

struct feeder {
	struct fake *f;
	struct frag_collector *c[2];
	uint32_t last_blk;
	uint32_t seen;
	uint32_t nr_bad;
};

static int feed(void *priv, unsigned int worker, const struct node_visit *v)
{
	struct feeder *feeder = priv;
	const struct layout *lo = &feeder->f->vol.lo;
	struct frag_collector *c = feeder->c[random_below(2)];
	struct inode inode;

	assert_int_equal(worker, 0);
	feeder->seen++;
	if (!v->block) {
		feeder->nr_bad++;
		return 0;
	}
	assert_int_equal(le32_get(node_foot(lo, v->block)->nid), v->nid);
	assert_true(v->nat.blk > feeder->last_blk);
	feeder->last_blk = v->nat.blk;
	if (v->nat.ino == v->nid) {
		inode = fake_decode(feeder->f, v->block);
		return frag_feed_inode(c, &inode, v->block);
	}
	if (node_kind(lo, foot_ofs(node_foot(lo, v->block))) != NODE_DIRECT)
		return 0;
	return frag_feed_direct(c, v->block);
}

/* Exchange node blocks, so that the disk order has nothing of the tree's. */
static void shuffle(struct fake *f)
{
	uint32_t nr = f->next_blk - f->vol.lo.main_blk;
	uint8_t a[4096], *p, *q;

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t x = f->vol.lo.main_blk + i;
		uint32_t y = f->vol.lo.main_blk + random_below(nr);
		struct nat_entry e, g;
		uint32_t xn, yn;

		p = fake_block(f, x);
		q = fake_block(f, y);
		xn = le32_get(node_foot(&f->vol.lo, p)->nid);
		yn = le32_get(node_foot(&f->vol.lo, q)->nid);
		if (x == y)
			continue;
		e = nat_get(&f->vol.nat, xn);
		g = nat_get(&f->vol.nat, yn);
		e.blk = y;
		g.blk = x;
		assert_int_equal(nat_set(&f->vol.nat, xn, &e), 0);
		assert_int_equal(nat_set(&f->vol.nat, yn, &g), 0);
		memcpy(a, p, 4096);
		memcpy(p, q, 4096);
		memcpy(q, a, 4096);
	}
}

/* Returns how many nodes there were. */
static uint32_t count_all(struct fake *f, struct frag *got)
{
	struct feeder feeder = { .f = f };

	feeder.c[0] = frag_collector_new(&f->vol.lo);
	feeder.c[1] = frag_collector_new(&f->vol.lo);
	assert_int_equal(node_scan(&f->vol, 1, feed, &feeder), 0);
	assert_int_equal(frag_finish(&f->vol, feeder.c, 2, got), 0);
	frag_collector_free(feeder.c[0]);
	frag_collector_free(feeder.c[1]);
	return feeder.seen;
}

static void counts_equal_the_extents_of_all_files(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < NR_ROUNDS; round++) {
		struct frag got = { 0 };
		struct fake f;

		seed = round;
		fake_init(&f, 4096, OD_FEATURE_EXTRA_ATTR |
			  OD_FEATURE_COMPRESSION);
		for (uint32_t i = 0; i < NR_FILES; i++)
			add_file(&f, FIRST_INO + i);
		shuffle(&f);
		assert_int_equal(count_all(&f, &got),
				 f.next_blk - f.vol.lo.main_blk);
		expect_equal_counts(&f, &got);
		fake_free(&f);
	}
}

enum { STRETCH = 700 };

/* A pinned file with a block after each 700, to the end of the volume. */
static void add_islands(struct fake *f, uint32_t ino)
{
	uint8_t *block = fake_inode(f, ino, S_IFREG | 0644, 1 << 30);
	const struct layout *lo = &f->vol.lo;
	struct inode inode;
	uint32_t n = 0;

	od_inode_of(block)->i_inline |= OD_INLINE_PIN_FILE;
	inode = fake_decode(f, block);
	for (uint32_t blk = lo->main_blk + STRETCH; blk < lo->end_blk;
	     blk += STRETCH + 1)
		le32_set(&inode_file_addrs(&inode, block)[n++], blk);
	assert_true(n && n <= inode.nr_addrs);
}

/* In pieces of 97 blocks; one hole, after the first block. */
static uint32_t add_long_file(struct fake *f, uint32_t ino)
{
	uint8_t *block = fake_inode(f, ino, S_IFREG | 0644, 1 << 30);
	struct inode inode = fake_decode(f, block);
	le32 *addrs = inode_file_addrs(&inode, block), *more;
	uint32_t n = inode.nr_addrs + inode.node_addrs;

	le32_set(&inode_nids(&f->vol.lo, block)[0], 900);
	more = node_slots(fake_node(f, 900, ino, 1));
	for (uint32_t i = 0; i < n; i++)
		if (i != 1)
			le32_set(i < inode.nr_addrs ? &addrs[i] :
				 &more[i - inode.nr_addrs],
				 100000 + i + i / 97);
	return n;
}

static void the_ideal_knows_what_cannot_move(void **state)
{
	struct frag with = { 0 }, without = { 0 };
	struct fake f;
	uint32_t n;

	(void)state;
	fake_init(&f, 4096, 0);
	n = add_long_file(&f, FIRST_INO);
	count_all(&f, &without);
	assert_int_equal(without.ideal_extents, 2);
	add_islands(&f, FIRST_INO + 1);
	count_all(&f, &with);
	/* The block before the hole, what is behind it, the pinned file. */
	assert_int_equal(with.ideal_extents,
			 1 + (n - 2 + STRETCH - 1) / STRETCH + 1);
	fake_free(&f);
}

static uint64_t ideal_of(struct fake *f)
{
	struct frag got = { 0 };

	count_all(f, &got);
	return got.ideal_extents;
}

/* Eight devices of 1,024 blocks; the first has the metadata besides. */
static void the_ideal_knows_the_ends_of_devices(void **state)
{
	struct od_super *sb;
	struct fake f;

	(void)state;
	fake_init(&f, 4096, 0);
	sb = &f.vol.super.sb;
	le32_set(&sb->segment0_blkaddr, 512);
	for (int i = 0; i < OD_MAX_DEVICES; i++)
		le32_set(&sb->devs[i].total_segments, i ? 2 : 1);
	add_long_file(&f, FIRST_INO);
	sb->devs[0].path[0] = '/';
	assert_int_equal(ideal_of(&f), 2);
	for (int i = 1; i < OD_MAX_DEVICES; i++)
		sb->devs[i].path[0] = '/';
	/* The block before the hole, and what no device holds. */
	assert_int_equal(ideal_of(&f), 1 + 2);
	/* Now the first holds all of it. */
	le32_set(&sb->devs[0].total_segments, 3);
	assert_int_equal(ideal_of(&f), 2);
	fake_free(&f);
}

enum { CAPACITY = 300 };

static void the_ideal_knows_the_capacity_of_zones(void **state)
{
	struct inode inode;
	uint8_t *block;
	struct fake f;
	uint32_t n;

	(void)state;
	fake_init(&f, 4096, 0);
	n = add_long_file(&f, FIRST_INO);
	/* A short one, as long as three zones hold, in runs of one block. */
	block = fake_inode(&f, FIRST_INO + 1, S_IFREG | 0644, 1 << 30);
	inode = fake_decode(&f, block);
	for (uint32_t i = 0; i < 3 * CAPACITY; i++)
		le32_set(&inode_file_addrs(&inode, block)[i], 5000 + 2 * i);
	f.vol.lo.zone_cap_blks = f.vol.lo.blks_per_seg;
	assert_int_equal(ideal_of(&f), 2 + 1);
	f.vol.lo.zone_cap_blks = CAPACITY;
	assert_int_equal(ideal_of(&f), 1 + (n - 2 + CAPACITY - 1) / CAPACITY +
				       3);
	fake_free(&f);
}

static int stop_at_three(void *priv, unsigned int worker,
			 const struct node_visit *v)
{
	(void)worker;
	(void)v;
	return __atomic_add_fetch((int *)priv, 1, __ATOMIC_SEQ_CST) == 3 ?
		42 : 0;
}

static void scans_hand_over_what_cannot_be_read(void **state)
{
	struct nat_entry nowhere = { .ino = 50, .blk = 5 };
	struct nat_entry twice;
	struct feeder feeder = { 0 };
	struct fake f;
	int nr = 0;

	(void)state;
	fake_init(&f, 4096, 0);
	feeder.f = &f;
	feeder.c[0] = feeder.c[1] = frag_collector_new(&f.vol.lo);
	for (uint32_t i = 0; i < 10; i++) {
		fake_inode(&f, FIRST_INO + i, S_IFREG, 0);
		f.next_blk += i * 37;
	}
	assert_int_equal(nat_set(&f.vol.nat, 50, &nowhere), 0);
	nowhere.blk = UINT32_MAX;
	assert_int_equal(nat_set(&f.vol.nat, 51, &nowhere), 0);
	assert_int_equal(node_scan(&f.vol, 1, feed, &feeder), 0);
	assert_int_equal(feeder.seen, 12);
	assert_int_equal(feeder.nr_bad, 2);
	assert_int_equal(node_scan(&f.vol, 1, stop_at_three, &nr), 42);
	assert_int_equal(nr, 3);

	/* Two nids that share a block are both visited. */
	twice = nat_get(&f.vol.nat, FIRST_INO);
	assert_int_equal(nat_set(&f.vol.nat, 60, &twice), 0);
	nr = -20;
	assert_int_equal(node_scan(&f.vol, 2, stop_at_three, &nr), 0);
	assert_int_equal(nr, -20 + 13);

	/* The end of the device is gone: those nodes are unreadable. */
	f.vol.dev->nr_bytes = 4096ULL * (f.vol.lo.main_blk + 200);
	feeder = (struct feeder){ .f = &f, .c = { feeder.c[0], feeder.c[1] } };
	assert_int_equal(nat_set(&f.vol.nat, 60, &(struct nat_entry){ 0 }), 0);
	assert_int_equal(node_scan(&f.vol, 1, feed, &feeder), 0);
	assert_int_equal(feeder.seen, 12);
	assert_int_equal(feeder.nr_bad, 2 + 6);
	frag_collector_free(feeder.c[0]);
	fake_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_equal_the_extents_of_all_files),
		cmocka_unit_test(the_ideal_knows_what_cannot_move),
		cmocka_unit_test(the_ideal_knows_the_ends_of_devices),
		cmocka_unit_test(the_ideal_knows_the_capacity_of_zones),
		cmocka_unit_test(scans_hand_over_what_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
