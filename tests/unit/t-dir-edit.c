/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names added, removed and replaced: in the inode, in blocks, between them;
 * hashes of every kind; directories that contradict themselves. That entries
 * lie where a kernel puts them is asked of kernels (tests/kernel/names.bats).
 */
#include "config.h"

#include "volume_builder.h"
#include "base/bits.h"
#include "check/check.h"
#include "engine/dentry_edit.h"
#include "engine/dir_edit.h"
#include "format/hash.h"
#include "tree/filemap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ROOT	OD_ROOT_INO

struct fixture {
	struct vb b;
	uint32_t file;			/* a regular one */
	struct volume *vol;
	struct edit ed;
	uint8_t block[VB_BYTES];	/* of the inode read last */
	struct inode inode;
};

static const struct inode_time now = { .sec = 1234567, .nsec = 89 };

static struct dir_name as_name(const char *text)
{
	return (struct dir_name){ .name = (const uint8_t *)text,
				  .len = strlen(text) };
}

static void start(struct fixture *f)
{
	struct vb_opt opt = { .seed = 5, .version = 7 };

	vb_init(&f->b, &opt);
	f->file = vb_file(&f->b, VB_REG)->ino;
	vb_write(&f->b);
	f->vol = vb_open(&f->b);
	assert_int_equal(edit_init(&f->ed, f->vol), 0);
}

static void stop(struct fixture *f)
{
	edit_free(&f->ed);
	volume_close(f->vol);
	vb_free(&f->b);
}

static void see(struct fixture *f, uint32_t ino)
{
	assert_int_equal(inode_read(f->vol, ino, f->block, &f->inode), 0);
}

static struct od_inode *od(struct fixture *f)
{
	return (struct od_inode *)f->block;
}

static void store(struct fixture *f)
{
	assert_int_equal(edit_write_node(&f->ed, f->inode.ino, f->block), 0);
}

static int add_as(struct fixture *f, uint32_t dir, const char *text,
		  uint32_t ino, uint8_t type)
{
	struct dir_name n = as_name(text);

	return dir_edit_add(&f->ed, dir, &n, ino, type, &now);
}

static int add(struct fixture *f, uint32_t dir, const char *text)
{
	int err = add_as(f, dir, text, f->file, OD_FT_REG);

	if (err)
		return err;
	see(f, f->file);
	le32_set(&od(f)->i_links, f->inode.links + 1);
	store(f);
	return 0;
}

static int drop(struct fixture *f, uint32_t dir, const char *text)
{
	struct dir_name n = as_name(text);
	int err = dir_edit_remove(&f->ed, dir, &n, &now);

	if (err)
		return err;
	see(f, f->file);
	le32_set(&od(f)->i_links, f->inode.links - 1);
	store(f);
	return 0;
}

static int find(struct fixture *f, uint32_t dir, const char *text,
		struct dir_found *out)
{
	struct dir_name n = as_name(text);

	return dir_edit_lookup(&f->ed, dir, &n, out);
}

/* An empty directory in its inode, of which the parent knows nothing yet. */
static uint32_t bare_dir(struct fixture *f, uint32_t parent, uint8_t inl,
			 uint8_t level)
{
	static const char *const dots[] = { ".", ".." };
	struct od_node_foot *foot = node_foot(&f->vol->lo, f->block);
	struct dentry_area area;
	struct fault fault;
	uint32_t ino;

	assert_int_equal(edit_new_nid(&f->ed, &ino), 0);
	memset(f->block, 0, VB_BYTES);
	le32_set(&foot->nid, ino);
	le32_set(&foot->ino, ino);
	le16_set(&od(f)->i_mode, S_IFDIR | 0755);
	od(f)->i_inline = OD_INLINE_EXTRA_ATTR | OD_INLINE_DENTRY | inl;
	od(f)->i_dir_level = level;
	le32_set(&od(f)->i_links, 2);
	le64_set(&od(f)->i_blocks, 1);
	le32_set(&od(f)->i_current_depth, 1);
	le16_set(&inode_extra(f->block)->i_extra_isize, 36);
	assert_int_equal(inode_decode(&f->vol->lo, f->block, &f->inode,
				      &fault), 0);
	le64_set(&od(f)->i_size, f->inode.inline_bytes);
	dentry_area_of_inode(&f->inode, f->block, &area);
	for (uint32_t i = 0; i < 2; i++)
		dentry_put(&area, &(struct dir_entry){
			.slot = i, .name = (const uint8_t *)dots[i],
			.name_len = (uint16_t)(i + 1), .file_type = OD_FT_DIR,
			.ino = i ? parent : ino,
		});
	see(f, (store(f), ino));
	return ino;
}

static uint32_t make_dir(struct fixture *f, const char *text, uint8_t inl,
			 uint8_t level)
{
	uint32_t ino = bare_dir(f, ROOT, inl, level);

	assert_int_equal(add_as(f, ROOT, text, ino, OD_FT_DIR), 0);
	return ino;
}

static void expect_clean(struct fixture *f)
{
	struct check_options opt = { .nr_threads = 1 };
	struct check_result res;
	char line[512];

	assert_int_equal(check_run(f->vol, &opt, &res), 0);
	for (size_t i = 0; i < res.findings.nr; i++) {
		finding_format(&res.findings.v[i], line, sizeof(line));
		print_error("check: %s\n", line);
	}
	assert_int_equal(res.findings.nr, 0);
	check_result_free(&res);
}

static void commit_and_check(struct fixture *f)
{
	struct commit_stats st = { 0 };

	assert_int_equal(edit_commit(&f->ed, &st), 0);
	edit_free(&f->ed);
	volume_close(f->vol);
	f->vol = vb_open(&f->b);
	expect_clean(f);
	assert_int_equal(edit_init(&f->ed, f->vol), 0);
}

static void names_in_the_inode(void **state)
{
	struct dir_found found;
	struct fixture f;
	uint32_t dir;

	(void)state;
	start(&f);
	dir = make_dir(&f, "dir", OD_INLINE_XATTR, 0);
	assert_int_equal(add(&f, dir, "first"), 0);
	assert_int_equal(add(&f, dir, "the second one"), 0);
	assert_int_equal(add(&f, dir, "first"), -EEXIST);
	assert_int_equal(find(&f, dir, "the second one", &found), 0);
	assert_int_equal(found.ino, f.file);
	assert_int_equal(found.file_type, OD_FT_REG);
	assert_int_equal(found.slot, 3);
	assert_int_equal(drop(&f, dir, "first"), 0);
	assert_int_equal(drop(&f, dir, "first"), -ENOENT);
	assert_int_equal(find(&f, dir, "first", &found), -ENOENT);
	/* Two slots do not fit where one was. */
	assert_int_equal(add(&f, dir, "123456789"), 0);
	assert_int_equal(find(&f, dir, "123456789", &found), 0);
	assert_int_equal(found.slot, 5);
	see(&f, dir);
	assert_true(f.inode.inl & OD_INLINE_DENTRY);
	assert_int_equal(f.inode.current_depth, 0);
	assert_int_equal(f.inode.mtime.sec, now.sec);
	assert_int_equal(f.inode.ctime.nsec, now.nsec);
	commit_and_check(&f);
	assert_int_equal(find(&f, dir, "the second one", &found), 0);
	stop(&f);
}

/* Fill it to the last slot, and one more. */
static uint32_t overflow(struct fixture *f, uint32_t dir)
{
	char text[16];
	uint32_t n = 0;

	do {
		snprintf(text, sizeof(text), "n%u", n++);
		assert_int_equal(add(f, dir, text), 0);
		see(f, dir);
	} while (f->inode.inl & OD_INLINE_DENTRY);
	return n;
}

static void expect_numbered(struct fixture *f, uint32_t dir, uint32_t nr)
{
	struct dir_found found;
	char text[16];

	for (uint32_t i = 0; i < nr; i++) {
		snprintf(text, sizeof(text), "n%u", i);
		assert_int_equal(find(f, dir, text, &found), 0);
	}
	assert_int_equal(find(f, dir, "..", &found), 0);
	assert_int_equal(found.slot, 1);
	assert_int_equal(found.lblk, 0);
}

static void a_full_inode_is_left(void **state)
{
	static const uint8_t forms[] = { OD_INLINE_XATTR, 0 };
	struct dir_found found;
	struct fixture f;

	(void)state;
	start(&f);
	for (size_t i = 0; i < NR_OF(forms); i++) {
		uint32_t dir = make_dir(&f, i ? "bare" : "dir", forms[i], 0);
		uint32_t slots, n;

		/* What lies in the area that inline xattrs do not use. */
		if (!(forms[i] & OD_INLINE_XATTR)) {
			see(&f, dir);
			memset(f.block + 360 + 4 * (923 - 50), 0x77, 200);
			store(&f);
		}
		slots = 8 * f.inode.inline_bytes / 153;
		n = overflow(&f, dir);
		assert_int_equal(n, slots - 2 + 1);
		assert_int_equal(f.inode.current_depth, 1);
		assert_int_equal(f.inode.size, VB_BYTES);
		assert_int_equal(f.inode.blocks, 2);
		assert_int_equal(f.inode.nr_addrs, i ? 914 : 864);
		assert_int_equal(find(&f, dir, "n7", &found), 0);
		assert_int_equal(found.slot, 9);
		expect_numbered(&f, dir, n);
	}
	commit_and_check(&f);
	stop(&f);
}

static void entries_are_spread_over_buckets(void **state)
{
	struct fixture f;
	uint32_t dir, n;

	(void)state;
	start(&f);
	dir = make_dir(&f, "level", OD_INLINE_XATTR, 2);
	n = overflow(&f, dir);
	assert_int_equal(f.inode.current_depth, 1);
	assert_true(f.inode.size >= 5ULL * VB_BYTES);
	assert_true(f.inode.blocks >= 4);
	expect_numbered(&f, dir, n);
	commit_and_check(&f);
	stop(&f);
}

static void numbered(char *text, size_t size, uint32_t i)
{
	snprintf(text, size, "%u-%.*s", i, (int)(i % 40),
		 "long, longer, longest, and longer than that");
}

/* Up to several levels, and down to two entries. */
static void growing_and_shrinking(void **state)
{
	const uint32_t nr = 6000;
	struct dir_found found;
	struct fixture f;
	struct mapping m;
	uint64_t size;
	uint32_t dir;
	char text[64];

	(void)state;
	start(&f);
	dir = make_dir(&f, "dir", OD_INLINE_XATTR, 0);
	for (uint32_t i = 0; i < nr; i++) {
		numbered(text, sizeof(text), i);
		assert_int_equal(add(&f, dir, text), 0);
	}
	see(&f, dir);
	assert_true(f.inode.current_depth >= 6);
	size = f.inode.size;
	commit_and_check(&f);
	for (uint32_t i = 0; i < nr; i++) {
		numbered(text, sizeof(text), i);
		assert_int_equal(find(&f, dir, text, &found), 0);
		assert_int_equal(drop(&f, dir, text), 0);
		if (i == nr / 2)
			commit_and_check(&f);
	}
	see(&f, dir);
	assert_int_equal(f.inode.size, size);
	assert_int_equal(f.inode.blocks, 2);
	assert_int_equal(filemap_lookup(f.vol, &f.inode, f.block, 1, &m), 0);
	assert_int_equal(m.blk, 0);
	commit_and_check(&f);
	assert_int_equal(add(&f, dir, "again"), 0);
	commit_and_check(&f);
	stop(&f);
}

static void a_directory_counts_its_own(void **state)
{
	struct dir_name dots = as_name(".."), name = as_name("child");
	struct dir_found found;
	struct fixture f;
	uint32_t a, b, child;

	(void)state;
	start(&f);
	see(&f, ROOT);
	assert_int_equal(f.inode.links, 2);
	a = make_dir(&f, "a", OD_INLINE_XATTR, 0);
	b = make_dir(&f, "b", OD_INLINE_XATTR, 0);
	see(&f, ROOT);
	assert_int_equal(f.inode.links, 4);
	child = bare_dir(&f, a, OD_INLINE_XATTR, 0);
	assert_int_equal(add_as(&f, a, "child", child, OD_FT_DIR), 0);
	see(&f, a);
	assert_int_equal(f.inode.links, 3);

	/* It gets another parent. */
	assert_int_equal(dir_edit_remove(&f.ed, a, &name, NULL), 0);
	assert_int_equal(add_as(&f, b, "child", child, OD_FT_DIR), 0);
	assert_int_equal(dir_edit_replace(&f.ed, child, &dots, b, OD_FT_DIR,
					  NULL), 0);
	assert_int_equal(find(&f, child, "..", &found), 0);
	assert_int_equal(found.ino, b);
	see(&f, child);
	assert_int_equal(f.inode.links, 2);
	assert_int_equal(f.inode.mtime.sec, 0);
	/* ".." of a wrong type. */
	assert_int_equal(dir_edit_replace(&f.ed, child, &dots, b, OD_FT_REG,
					  NULL), 0);
	assert_int_equal(dir_edit_replace(&f.ed, child, &dots, b, OD_FT_DIR,
					  NULL), 0);
	see(&f, child);
	assert_int_equal(f.inode.links, 2);
	see(&f, a);
	assert_int_equal(f.inode.links, 2);
	assert_int_equal(f.inode.mtime.sec, now.sec);
	commit_and_check(&f);

	/* An entry becomes that of a file, and of a directory again. */
	assert_int_equal(dir_edit_replace(&f.ed, b, &name, f.file, OD_FT_REG,
					  &now), 0);
	see(&f, b);
	assert_int_equal(f.inode.links, 2);
	assert_int_equal(dir_edit_replace(&f.ed, b, &name, child, OD_FT_DIR,
					  &now), 0);
	see(&f, b);
	assert_int_equal(f.inode.links, 3);
	commit_and_check(&f);

	assert_int_equal(dir_edit_remove(&f.ed, b, &dots, &now), -EINVAL);
	see(&f, b);
	le32_set(&od(&f)->i_links, 2);
	store(&f);
	assert_int_equal(dir_edit_remove(&f.ed, b, &name, &now), -EUCLEAN);
	le32_set(&od(&f)->i_links, UINT32_MAX);
	store(&f);
	assert_int_equal(add_as(&f, b, "more", child, OD_FT_DIR), -EMLINK);
	assert_int_equal(find(&f, b, "more", &found), -ENOENT);
	stop(&f);
}

/* What walks by bits must not take a second slot for an entry. */
static void slots_behind_an_entry_are_empty(void **state)
{
	struct dentry_area area;
	uint8_t block[VB_BYTES];
	struct dir_entry e = {
		.name = (const uint8_t *)"a name of more than two slots",
		.name_len = 29, .ino = 9, .hash = 5, .file_type = OD_FT_REG,
		.slot = 3,
	};
	struct fixture f;

	(void)state;
	start(&f);
	memset(block, 0xff, sizeof(block));
	dentry_area_of_block(&f.vol->lo, block, &area);
	memset(block, 0, 27);
	bit_set_lsb(block, 2);
	bit_set_lsb(block, 8);
	assert_int_equal(dentry_room(&area, 6), 9);
	assert_int_equal(dentry_room(&area, 5), 3);
	assert_int_equal(dentry_room(&area, 2), 0);
	assert_int_equal(dentry_room(&area, 206), 214);
	dentry_put(&area, &e);
	assert_int_equal(le16_get(area.entries[3].name_len), 29);
	for (int i = 4; i < 7; i++) {
		assert_true(bit_test_lsb(block, (size_t)i));
		assert_int_equal(le16_get(area.entries[i].name_len), 0);
	}
	assert_int_equal(dentry_room(&area, 1), 0);
	assert_int_equal(dentry_room(&area, 3), 9);
	dentry_clear(&area, &e);
	assert_int_equal(dentry_room(&area, 5), 3);
	assert_memory_equal(area.names + 24, "a name", 6);
	assert_false(dentry_area_is_empty(&area));
	memset(block, 0, 27);
	assert_true(dentry_area_is_empty(&area));
	stop(&f);
}

static void set_kind(struct fixture *f, uint32_t dir, uint32_t flags,
		     uint8_t advise)
{
	see(f, dir);
	le32_set(&od(f)->i_flags, flags);
	od(f)->i_advise = advise;
	store(f);
}

/* The stored hash of a name that was just added. */
static uint32_t hash_of(struct fixture *f, uint32_t dir, const char *text)
{
	struct dentry_area area;
	struct dir_entry e;

	see(f, dir);
	dentry_area_of_inode(&f->inode, f->block, &area);
	assert_true(dentry_find(&area, (const uint8_t *)text, strlen(text),
				NULL, &e));
	return e.hash;
}

static void folded_names_are_hashed(void **state)
{
	struct dir_name n = as_name("Young \xf0\x90\x95\xb0");
	struct dir_found found;
	struct fixture f;
	uint32_t dir;

	(void)state;
	start(&f);
	dir = make_dir(&f, "fold", OD_INLINE_XATTR, 0);
	set_kind(&f, dir, OD_FLAG_CASEFOLD, 0);
	assert_int_equal(add(&f, dir, "ReadMe-XYZ.txt"), 0);
	assert_int_equal(hash_of(&f, dir, "ReadMe-XYZ.txt"),
			 dentry_hash((const uint8_t *)"readme-xyz.txt", 14));
	assert_int_equal(add(&f, dir, "Not-UTF8-\xff"), 0);
	assert_int_equal(hash_of(&f, dir, "Not-UTF8-\xff"),
			 dentry_hash((const uint8_t *)"Not-UTF8-\xff", 10));
	/* What is not known takes the hash from the caller. */
	assert_int_equal(dir_edit_add(&f.ed, dir, &n, f.file, OD_FT_REG, &now),
			 -EOPNOTSUPP);
	n.has_hash = true;
	n.hash = 0x12345678;
	assert_int_equal(dir_edit_add(&f.ed, dir, &n, f.file, OD_FT_REG, &now),
			 0);
	assert_int_equal(hash_of(&f, dir, "Young \xf0\x90\x95\xb0"), 0x12345678);
	n.has_hash = false;
	assert_int_equal(dir_edit_lookup(&f.ed, dir, &n, &found), 0);
	assert_int_equal(dir_edit_remove(&f.ed, dir, &n, &now), 0);
	stop(&f);
}

static void ciphertext_is_hashed_as_it_is(void **state)
{
	static const uint8_t cipher[] = "abc/def\0ghi/jkl";
	struct dir_name n = { .name = cipher, .len = 16 };
	struct fixture f;
	uint32_t dir;

	(void)state;
	start(&f);
	dir = make_dir(&f, "secret", OD_INLINE_XATTR, 0);
	assert_int_equal(dir_edit_add(&f.ed, dir, &n, f.file, OD_FT_REG, &now),
			 -EINVAL);
	set_kind(&f, dir, 0, OD_ADVISE_ENCRYPT);
	/* A hash that is not needed is not believed. */
	n.has_hash = true;
	assert_int_equal(dir_edit_add(&f.ed, dir, &n, f.file, OD_FT_REG, &now),
			 0);
	assert_int_equal(dir_edit_add(&f.ed, dir, &n, f.file, OD_FT_REG, &now),
			 -EEXIST);
	n.has_hash = false;
	assert_int_equal(dir_edit_remove(&f.ed, dir, &n, &now), 0);
	stop(&f);
}

/* Found without the hash in any block, put by it into its bucket. */
static void hashes_with_a_key_are_the_callers(void **state)
{
	struct dir_found found;
	struct dir_name n, bare;
	struct fixture f;
	uint32_t dir;
	char text[64];

	(void)state;
	start(&f);
	dir = make_dir(&f, "both", OD_INLINE_XATTR, 0);
	set_kind(&f, dir, OD_FLAG_CASEFOLD, OD_ADVISE_ENCRYPT);
	assert_int_equal(add(&f, dir, "sixteen bytes..."), -EOPNOTSUPP);
	for (uint32_t i = 0; i < 2000; i++) {
		snprintf(text, sizeof(text), "%u%0*u", i, (int)(i % 50), i);
		n = as_name(text);
		n.has_hash = true;
		n.hash = i * 2654435761U;
		assert_int_equal(dir_edit_add(&f.ed, dir, &n, f.file,
					      OD_FT_REG, &now), 0);
		assert_int_equal(dir_edit_add(&f.ed, dir, &n, f.file,
					      OD_FT_REG, &now), -EEXIST);
	}
	bare = as_name(text);
	assert_int_equal(dir_edit_lookup(&f.ed, dir, &bare, &found), 0);
	assert_true(found.lblk > 2);
	assert_int_equal(dir_edit_replace(&f.ed, dir, &bare, ROOT, OD_FT_REG,
					  &now), 0);
	assert_int_equal(dir_edit_lookup(&f.ed, dir, &n, &found), 0);
	assert_int_equal(found.ino, ROOT);
	assert_int_equal(dir_edit_remove(&f.ed, dir, &bare, &now), 0);
	assert_int_equal(dir_edit_lookup(&f.ed, dir, &n, &found), -ENOENT);
	stop(&f);
}

static void the_name_in_an_inode(void **state)
{
	uint8_t block[VB_BYTES] = { 0 };
	struct od_inode *inode = (struct od_inode *)block;
	struct dir_name n;

	(void)state;
	assert_int_equal(dir_name_of_inode(block, &n), -EINVAL);
	le32_set(&inode->i_namelen, 256);
	assert_int_equal(dir_name_of_inode(block, &n), -EINVAL);
	le32_set(&inode->i_namelen, 16);
	memset(inode->i_name, 'x', 16);
	memcpy(inode->i_name + 16, "\x44\x33\x22\x11", 4);
	assert_int_equal(dir_name_of_inode(block, &n), 0);
	assert_int_equal(n.len, 16);
	assert_ptr_equal(n.name, inode->i_name);
	assert_false(n.has_hash);
	inode->i_advise = OD_ADVISE_ENC_NAME;
	assert_int_equal(dir_name_of_inode(block, &n), 0);
	assert_true(n.has_hash);
	assert_int_equal(n.hash, 0x11223344);
	le32_set(&inode->i_namelen, 252);
	assert_int_equal(dir_name_of_inode(block, &n), 0);
	assert_false(n.has_hash);
}

static void what_no_directory_can_hold(void **state)
{
	char text[257];
	struct fixture f;

	(void)state;
	start(&f);
	memset(text, 'n', sizeof(text));
	text[256] = 0;
	assert_int_equal(add(&f, ROOT, text), -EINVAL);
	text[255] = 0;
	assert_int_equal(add(&f, ROOT, text), 0);
	assert_int_equal(add(&f, ROOT, ""), -EINVAL);
	assert_int_equal(add(&f, ROOT, "a/b"), -EINVAL);
	assert_int_equal(add(&f, ROOT, "."), -EINVAL);
	assert_int_equal(add(&f, ROOT, ".."), -EINVAL);
	assert_int_equal(add(&f, ROOT, "..."), 0);
	assert_int_equal(add_as(&f, ROOT, "x", 2, OD_FT_REG), -EINVAL);
	assert_int_equal(add_as(&f, ROOT, "x", VB_NIDS, OD_FT_REG), -EINVAL);
	assert_int_equal(add_as(&f, ROOT, "x", f.file, OD_FT_MAX), -EINVAL);
	assert_int_equal(add(&f, f.file, "x"), -ENOTDIR);
	assert_int_equal(add(&f, 5000, "x"), -ENOTDIR);
	commit_and_check(&f);
	stop(&f);
}

static void fields_that_cannot_be(void **state)
{
	static const struct {
		size_t off;
		unsigned int bytes;
		uint32_t value;
	} bad[] = {
		{ offsetof(struct od_inode, i_current_depth), 4, 64 },
		{ offsetof(struct od_inode, i_current_depth), 4, 0xffffffff },
		{ offsetof(struct od_inode, i_dir_level), 1, 64 },
		{ offsetof(struct od_inode, i_size), 4, 0 },
		{ offsetof(struct od_inode, i_inline), 1, 0x22 },
		{ 360 + 36, 4, 1 },		/* its block 0 */
		{ 360 + 36, 4, 0xfffffffe },
	};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < NR_OF(bad); i++) {
		start(&f);
		see(&f, ROOT);
		for (unsigned int k = 0; k < bad[i].bytes; k++)
			f.block[bad[i].off + k] = (uint8_t)(bad[i].value >>
							    8 * k);
		store(&f);
		assert_int_equal(add(&f, ROOT, "x"), -EUCLEAN);
		assert_int_equal(drop(&f, ROOT, "x"), -EUCLEAN);
		stop(&f);
	}
}

/* The slots that an inline directory keeps empty become addresses. */
static void an_inline_directory_with_blocks(void **state)
{
	struct fixture f;

	(void)state;
	for (int i = 0; i < 2; i++) {
		uint32_t dir;
		char text[8];
		int err = 0;

		start(&f);
		dir = make_dir(&f, "dir", OD_INLINE_XATTR, 0);
		see(&f, dir);
		if (i)
			le32_set(&inode_addrs(f.block)[9], f.vol->lo.main_blk);
		else
			le32_set(&inode_nids(&f.vol->lo, f.block)[3], f.file);
		store(&f);
		for (int n = 0; !err && n < 200; n++) {
			snprintf(text, sizeof(text), "n%d", n);
			err = add(&f, dir, text);
		}
		assert_int_equal(err, -EUCLEAN);
		stop(&f);
	}
}

/* Else the file would lose it when the directory gets another. */
static void a_block_of_another_file_is_not_taken(void **state)
{
	struct dir_found found;
	struct fixture f;
	struct inode file;
	uint32_t blk;

	(void)state;
	start(&f);
	vb_append(&f.b, f.b.files.v[1], LOG_WARM_DATA, 3);
	edit_free(&f.ed);
	volume_close(f.vol);
	vb_write(&f.b);
	f.vol = vb_open(&f.b);
	assert_int_equal(edit_init(&f.ed, f.vol), 0);
	assert_int_equal(inode_read(f.vol, f.file, f.block, &file), 0);
	blk = le32_get(inode_file_addrs(&file, f.block)[1]);
	/* Made a directory block, so that only its owner speaks against it. */
	memset(vb_block(&f.b, blk), 0, VB_BYTES);
	see(&f, ROOT);
	le32_set(&inode_addrs(f.block)[9], blk);
	store(&f);
	assert_int_equal(find(&f, ROOT, "x", &found), -ENOENT);
	assert_int_equal(add(&f, ROOT, "x"), -EUCLEAN);
	assert_true(sit_is_valid(&f.vol->sit, blk));
	stop(&f);
}

static void bad_entries_are_passed_over(void **state)
{
	struct dentry_area area;
	struct dir_found found;
	struct fixture f;
	uint32_t dir;

	(void)state;
	start(&f);
	dir = make_dir(&f, "dir", OD_INLINE_XATTR, 0);
	assert_int_equal(add(&f, dir, "aaa"), 0);
	assert_int_equal(add(&f, dir, "bbb"), 0);
	see(&f, dir);
	dentry_area_of_inode(&f.inode, f.block, &area);
	le16_set((le16 *)(uintptr_t)&area.entries[2].name_len, 40000);
	store(&f);
	assert_int_equal(find(&f, dir, "aaa", &found), -ENOENT);
	assert_int_equal(find(&f, dir, "bbb", &found), 0);
	assert_int_equal(drop(&f, dir, "bbb"), 0);
	assert_int_equal(add(&f, dir, "ccc"), 0);
	assert_int_equal(add(&f, dir, "ddd"), 0);
	/* Nor does a kernel find what bears the hash of another name. */
	see(&f, dir);
	le32_set((le32 *)(uintptr_t)&area.entries[4].hash, 1);
	store(&f);
	assert_int_equal(find(&f, dir, "ddd", &found), -ENOENT);
	assert_int_equal(find(&f, dir, "ccc", &found), 0);
	assert_int_equal(found.slot, 3);
	stop(&f);
}

/* Bytes of a directory, each set to something: its inode, one of its blocks. */
static void damage(struct fixture *f, uint32_t dir)
{
	uint32_t nr = 1 + vb_random(&f->b, 6);
	struct mapping m;
	uint8_t *block;

	see(f, dir);
	assert_int_equal(filemap_lookup(f->vol, &f->inode, f->block,
					vb_random(&f->b, 4), &m), 0);
	if (blk_is_real(m.blk) && vb_random(&f->b, 2)) {
		block = vb_block(&f->b, m.blk);
		while (nr--)
			block[vb_random(&f->b, VB_BYTES)] =
				(uint8_t)vb_random(&f->b, 256);
		return;
	}
	while (nr--) {
		uint32_t at = vb_random(&f->b, 3) ? vb_random(&f->b, 460) :
			      vb_random(&f->b, VB_BYTES - 24);

		f->block[at] = vb_random(&f->b, 3) ?
			       (uint8_t)vb_random(&f->b, 256) : 0xff;
	}
	store(f);
}

/* Whatever is in a directory: an error at most, and no loop without end. */
static void damaged_directories(void **state)
{
	struct fixture f;
	char text[64];

	(void)state;
	for (uint32_t n = 0; n < 60; n++) {
		struct dir_found found;
		uint32_t dir;

		start(&f);
		f.b.random = 77777 + n;
		dir = make_dir(&f, "dir", n % 2 ? OD_INLINE_XATTR : 0,
			       n % 7 == 6 ? 2 : 0);
		for (uint32_t i = 0; i < n % 5 * 100; i++) {
			numbered(text, sizeof(text), i);
			assert_int_equal(add(&f, dir, text), 0);
		}
		damage(&f, dir);
		for (uint32_t i = 0; i < 300; i++) {
			numbered(text, sizeof(text), vb_random(&f.b, 600));
			if (vb_random(&f.b, 3))
				add(&f, dir, text);
			else
				drop(&f, dir, text);
			find(&f, dir, text, &found);
		}
		stop(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_in_the_inode),
		cmocka_unit_test(a_full_inode_is_left),
		cmocka_unit_test(entries_are_spread_over_buckets),
		cmocka_unit_test(growing_and_shrinking),
		cmocka_unit_test(a_directory_counts_its_own),
		cmocka_unit_test(slots_behind_an_entry_are_empty),
		cmocka_unit_test(folded_names_are_hashed),
		cmocka_unit_test(ciphertext_is_hashed_as_it_is),
		cmocka_unit_test(hashes_with_a_key_are_the_callers),
		cmocka_unit_test(the_name_in_an_inode),
		cmocka_unit_test(what_no_directory_can_hold),
		cmocka_unit_test(fields_that_cannot_be),
		cmocka_unit_test(an_inline_directory_with_blocks),
		cmocka_unit_test(a_block_of_another_file_is_not_taken),
		cmocka_unit_test(bad_entries_are_passed_over),
		cmocka_unit_test(damaged_directories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
