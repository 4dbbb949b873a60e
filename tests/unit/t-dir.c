/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entries of directories, good and bad; lookup; the walk of a tree. */
#include "config.h"

#include "fake.h"
#include "base/bits.h"
#include "format/hash.h"
#include "tree/walk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define INO 4U

/* Put an entry into @slot; its bits are set for the name's length. */
static void put_entry(const struct dentry_area *area, uint32_t slot,
		      uint32_t ino, const char *name, size_t len)
{
	struct od_dentry *od = (struct od_dentry *)(uintptr_t)
			       &area->entries[slot];

	le32_set(&od->ino, ino);
	le32_set(&od->hash, dentry_hash((const uint8_t *)name, len));
	le16_set(&od->name_len, (uint16_t)len);
	memcpy((uint8_t *)(uintptr_t)area->names + 8 * slot, name, len);
	for (size_t i = 0; i < (len + 7) / 8; i++)
		bit_set_lsb((uint8_t *)(uintptr_t)area->bitmap, slot + i);
}

static void areas_lie_as_the_format_says(void **state)
{
	struct dentry_area area;
	struct inode inode;
	struct fake f;
	uint8_t *block;

	(void)state;
	fake_init(&f, 4096, 0);
	block = fake_block(&f, 1000);
	dentry_area_of_block(&f.vol.lo, block, &area);
	assert_int_equal(area.nr_slots, 214);
	assert_ptr_equal(area.bitmap, block);
	assert_ptr_equal(area.entries, block + 30);
	assert_ptr_equal(area.names, block + 2384);

	block = fake_inode(&f, INO, S_IFDIR | 0755, 3488);
	od_inode_of(block)->i_inline = OD_INLINE_DENTRY | OD_INLINE_XATTR;
	inode = fake_decode(&f, block);
	dentry_area_of_inode(&inode, block, &area);
	assert_int_equal(area.nr_slots, 182);
	assert_ptr_equal(area.bitmap, block + 364);
	assert_ptr_equal(area.entries, block + 364 + 30);
	assert_ptr_equal(area.names, block + 364 + 3488 - 8 * 182);
	fake_free(&f);
}

/* The smallest inline area that an inode can have, 40 bytes. */
static void the_smallest_area_holds_two_slots(void **state)
{
	struct dentry_area area;
	struct inode inode;
	struct fake f;
	uint8_t *block;

	(void)state;
	fake_init(&f, 4096, OD_FEATURE_FLEXIBLE_INLINE_XATTR);
	block = fake_inode(&f, INO, S_IFDIR | 0755, 40);
	od_inode_of(block)->i_inline = OD_INLINE_DENTRY |
				       OD_INLINE_EXTRA_ATTR | OD_INLINE_XATTR;
	le16_set(&inode_extra(block)->i_extra_isize, 36);
	le16_set(&inode_extra(block)->i_inline_xattr_size, 903);
	inode = fake_decode(&f, block);
	dentry_area_of_inode(&inode, block, &area);
	assert_int_equal(area.nr_slots, 2);
	assert_true((const uint8_t *)area.entries > area.bitmap);
	assert_ptr_equal(area.names + 16, block + inode.xattr_off);
	fake_free(&f);
}

static void bad_lengths_are_passed_over(void **state)
{
	char long_name[255];
	struct dentry_area area;
	struct dir_entry e;
	struct fake f;
	uint32_t slot = 0;

	(void)state;
	memset(long_name, 'n', sizeof(long_name));
	fake_init(&f, 4096, 0);
	dentry_area_of_block(&f.vol.lo, fake_block(&f, 1000), &area);
	assert_int_equal(dentry_next(&area, &slot, &e), 0);

	slot = 0;
	put_entry(&area, 0, 5, "12345678", 8);
	put_entry(&area, 3, 6, "123456789", 9);
	put_entry(&area, 5, 7, "x", 1);
	le16_set((le16 *)(uintptr_t)&area.entries[5].name_len, 0);
	put_entry(&area, 6, 8, "x", 1);
	le16_set((le16 *)(uintptr_t)&area.entries[6].name_len, 256);
	put_entry(&area, 182, 9, long_name, 255);	/* to the last slot */
	assert_int_equal(dentry_next(&area, &slot, &e), 1);
	assert_int_equal(e.slot, 0);
	assert_int_equal(slot, 1);
	assert_int_equal(dentry_next(&area, &slot, &e), 1);
	assert_int_equal(e.ino, 6);
	assert_int_equal(e.name_len, 9);
	assert_memory_equal(e.name, "123456789", 9);
	assert_int_equal(slot, 5);
	assert_int_equal(dentry_next(&area, &slot, &e), -EUCLEAN);
	assert_int_equal(slot, 6);
	assert_int_equal(dentry_next(&area, &slot, &e), -EUCLEAN);
	assert_int_equal(slot, 7);
	assert_int_equal(dentry_next(&area, &slot, &e), 1);
	assert_int_equal(e.ino, 9);
	assert_int_equal(slot, 214);
	assert_int_equal(dentry_next(&area, &slot, &e), 0);

	/* One slot further on the name would leave the area. */
	memset(fake_block(&f, 1000), 0, 4096);
	bit_set_lsb((uint8_t *)(uintptr_t)area.bitmap, 183);
	le16_set((le16 *)(uintptr_t)&area.entries[183].name_len, 255);
	slot = 0;
	assert_int_equal(dentry_next(&area, &slot, &e), -EUCLEAN);
	assert_int_equal(slot, 184);
	fake_free(&f);
}

/* A directory of two levels with @nr blocks mapped from block 2000 on. */
static uint8_t *make_dir(struct fake *f, uint32_t ino, uint32_t nr)
{
	uint8_t *block = fake_inode(f, ino, S_IFDIR | 0755, 4096ULL * nr);

	le32_set(&od_inode_of(block)->i_current_depth, 2);
	for (uint32_t i = 0; i < nr; i++)
		le32_set(&inode_addrs(block)[i], 2000 + i);
	return block;
}

static int count_entry(void *priv, const struct dir_entry *e)
{
	assert_true(e->name_len >= 1);
	*(int *)priv += 1;
	return 0;
}

static void entries_are_found_in_their_buckets(void **state)
{
	const uint8_t name[] = "a name";
	uint32_t hash = dentry_hash(name, 6);
	uint64_t lblk = dir_bucket_lblk(1, 0, hash % 2);
	struct dentry_area area;
	struct inode inode;
	struct fake f;
	uint8_t *block;
	uint32_t ino = 0;
	int nr = 0;

	(void)state;
	fake_init(&f, 4096, 0);
	block = make_dir(&f, INO, 6);
	inode = fake_decode(&f, block);
	assert_int_equal(dir_lookup(&f.vol, &inode, block, name, 6, &ino),
			 -ENOENT);
	dentry_area_of_block(&f.vol.lo,
			     fake_block(&f, 2000 + (uint32_t)lblk + 1), &area);
	put_entry(&area, 9, 77, (const char *)name, 6);
	assert_int_equal(dir_lookup(&f.vol, &inode, block, name, 6, &ino), 0);
	assert_int_equal(ino, 77);
	assert_int_equal(dir_lookup(&f.vol, &inode, block, name, 5, &ino),
			 -ENOENT);
	assert_int_equal(dir_iterate(&f.vol, &inode, block, count_entry, &nr),
			 0);
	assert_int_equal(nr, 1);

	/* A level that is not in use is not looked at, nor is a block past
	 * the size; where hashes are not the name's, all blocks are. */
	inode.current_depth = 1;
	assert_int_equal(dir_lookup(&f.vol, &inode, block, name, 6, &ino),
			 -ENOENT);
	inode.flags = OD_FLAG_CASEFOLD;
	assert_int_equal(dir_lookup(&f.vol, &inode, block, name, 6, &ino), 0);
	inode.size = 4096 * lblk;
	assert_int_equal(dir_lookup(&f.vol, &inode, block, name, 6, &ino),
			 -ENOENT);
	fake_free(&f);
}

static void numbers_that_mean_harm_end_a_lookup(void **state)
{
	const uint8_t name[] = "a name";
	struct inode inode;
	struct fake f;
	uint8_t *block;
	uint32_t ino;

	(void)state;
	fake_init(&f, 4096, 0);
	block = make_dir(&f, INO, 6);
	le32_set(&od_inode_of(block)->i_current_depth, UINT32_MAX);
	le64_set(&od_inode_of(block)->i_size, UINT64_MAX);
	for (int level = 0; level < 256; level += 15) {
		od_inode_of(block)->i_dir_level = (uint8_t)level;
		inode = fake_decode(&f, block);
		assert_int_equal(dir_lookup(&f.vol, &inode, block, name, 6,
					    &ino), -ENOENT);
	}
	le16_set(&od_inode_of(block)->i_mode, S_IFREG);
	inode = fake_decode(&f, block);
	assert_int_equal(dir_lookup(&f.vol, &inode, block, name, 6, &ino),
			 -ENOTDIR);
	fake_free(&f);
}

/* An inline directory whose entries a test adds. */
struct inline_dir {
	struct dentry_area area;
	uint32_t slot;
};

static struct inline_dir make_inline(struct fake *f, uint32_t ino)
{
	uint8_t *block = fake_inode(f, ino, S_IFDIR | 0755, 3488);
	struct inline_dir d = { 0 };
	struct inode inode;

	od_inode_of(block)->i_inline = OD_INLINE_DENTRY;
	inode = fake_decode(f, block);
	dentry_area_of_inode(&inode, block, &d.area);
	return d;
}

static void add_to(struct inline_dir *d, uint32_t ino, const char *name)
{
	put_entry(&d->area, d->slot, ino, name, strlen(name));
	d->slot += (uint32_t)(strlen(name) + 7) / 8;
}

static int add_line(void *priv, const struct walk_visit *v)
{
	char *text = priv;

	sprintf(text + strlen(text), "%s %u\n", v->path, v->inode->ino);
	return 0;
}

static void walks_are_in_order_and_end(void **state)
{
	struct inline_dir root, sub;
	char text[512] = "";
	struct fake f;
	uint32_t ino;

	(void)state;
	fake_init(&f, 4096, 0);
	root = make_inline(&f, OD_ROOT_INO);
	sub = make_inline(&f, 10);
	fake_inode(&f, 11, S_IFREG | 0644, 0);
	add_to(&root, OD_ROOT_INO, ".");
	add_to(&root, OD_ROOT_INO, "..");
	add_to(&root, 11, "z");
	add_to(&root, 10, "sub");
	add_to(&root, 11, "a long name");
	add_to(&root, 99, "free");
	add_to(&sub, 10, ".");
	add_to(&sub, OD_ROOT_INO, "..");
	add_to(&sub, OD_ROOT_INO, "loop");
	add_to(&sub, 11, "f");
	add_to(&sub, 10, "again");
	assert_int_equal(walk_tree(&f.vol, add_line, text), -EUCLEAN);
	assert_string_equal(text, "/ 3\n/a long name 11\n/sub 10\n"
			    "/sub/again 10\n/sub/f 11\n/sub/loop 3\n/z 11\n");
	assert_string_equal(ctx_error(f.vol.ctx),
			    "/free names inode 99, which is free");

	assert_int_equal(walk_lookup(&f.vol, "/", &ino), 0);
	assert_int_equal(ino, OD_ROOT_INO);
	assert_int_equal(walk_lookup(&f.vol, "//sub/loop/sub/f/", &ino), 0);
	assert_int_equal(ino, 11);
	assert_int_equal(walk_lookup(&f.vol, "/sub/f/x", &ino), -ENOENT);
	assert_int_equal(walk_lookup(&f.vol, "/su", &ino), -ENOENT);
	assert_int_equal(walk_lookup(&f.vol, "/free/x", &ino), -ENOENT);
	fake_free(&f);
}

static const struct dev_ops *under;
static size_t nr_hinted, nr_read;

static void note_hint(struct dev *dev, uint64_t off, size_t len)
{
	assert_in_range(off / dev->block_size, 2000, 2005);
	assert_int_equal(nr_read, 0);
	nr_hinted += len / dev->block_size;
}

static int note_read(struct dev *dev, uint64_t off, size_t len, void *buf)
{
	nr_read++;
	return under->read(dev, off, len, buf);
}

static void blocks_are_hinted_before_the_first_is_read(void **state)
{
	struct inode inode;
	struct dev_ops ops;
	struct fake f;
	uint8_t *block;
	int nr = 0;

	(void)state;
	fake_init(&f, 4096, 0);
	under = f.vol.dev->ops;
	ops = *under;
	ops.prefetch = note_hint;
	ops.read = note_read;
	f.vol.dev->ops = &ops;
	block = make_dir(&f, INO, 6);
	inode = fake_decode(&f, block);
	for (int no_prefetch = 0; no_prefetch < 2; no_prefetch++) {
		f.vol.dev->no_prefetch = no_prefetch;
		nr_hinted = nr_read = 0;
		assert_int_equal(dir_iterate(&f.vol, &inode, block,
					     count_entry, &nr), 0);
		assert_int_equal(nr_hinted, no_prefetch ? 0 : 6);
		assert_int_equal(nr_read, 6);
	}
	f.vol.dev->ops = under;
	fake_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(areas_lie_as_the_format_says),
		cmocka_unit_test(the_smallest_area_holds_two_slots),
		cmocka_unit_test(bad_lengths_are_passed_over),
		cmocka_unit_test(entries_are_found_in_their_buckets),
		cmocka_unit_test(numbers_that_mean_harm_end_a_lookup),
		cmocka_unit_test(walks_are_in_order_and_end),
		cmocka_unit_test(blocks_are_hinted_before_the_first_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
