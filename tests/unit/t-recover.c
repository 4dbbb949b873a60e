/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chains of fsynced nodes, built block by block, and what a replay makes of
 * them: files, counts, a clean check. Then chains that no kernel would leave.
 */
#include "config.h"

#include "volume_builder.h"
#include "check/check.h"
#include "engine/recover.h"
#include "format/hash.h"
#include "tree/dir.h"
#include "tree/filemap.h"
#include "tree/xattr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define A	VB_A
#define F	OD_FOOT_FSYNC
#define D	OD_FOOT_DENT
#define NEW_NID	5000U			/* free in all volumes here */
#define NOW	1800000000
#define SIZE(n)	((uint64_t)(n) * VB_BYTES)

struct fixture {
	struct vb b;
	struct vb_file *a, *c;		/* 10 blocks; 2000, in nodes below too */
	struct volume *vol;
	struct edit ed;
	struct recover_stats st;
	uint64_t version;		/* of the chain's footers */
	uint32_t at;			/* block of the next chain node */
	uint32_t data;			/* and of the next data */
	uint8_t *before;		/* the image without a replay */
	uint8_t block[VB_BYTES];
	struct inode inode;
};

static uint32_t log_pos(const struct vb *b, int log)
{
	return seg_to_blk(&b->lo, b->log[log].segno) + b->log[log].next;
}

static void start(struct fixture *f)
{
	struct vb_opt opt = { .seed = 3, .version = 7 };

	memset(f, 0, sizeof(*f));
	vb_init(&f->b, &opt);
	f->a = vb_file(&f->b, VB_REG);
	vb_append(&f->b, f->a, LOG_WARM_DATA, 10);
	f->c = vb_file(&f->b, VB_REG);
	vb_append(&f->b, f->c, LOG_WARM_DATA, 2000);
	vb_write(&f->b);
	f->vol = vb_open(&f->b);
	f->version = cp_recovery_version(&f->vol->lo, &f->vol->cp);
	f->at = log_pos(&f->b, LOG_WARM_NODE);
	f->data = log_pos(&f->b, LOG_WARM_DATA);
}

static void stop(struct fixture *f)
{
	edit_free(&f->ed);
	volume_close(f->vol);
	vb_free(&f->b);
	free(f->before);
}

/* f->block is node @nid, as the checkpoint has it. */
static void old_node(struct fixture *f, uint32_t nid)
{
	assert_int_equal(node_read(f->vol, nid, f->block), 0);
}

static void old_inode(struct fixture *f, uint32_t ino)
{
	assert_int_equal(inode_read(f->vol, ino, f->block, &f->inode), 0);
}

/* The id of node @ofs of a file. */
static uint32_t nid_at(const struct vb_file *file, uint32_t ofs)
{
	for (size_t i = 0; i < file->nodes.nr; i++)
		if (file->nodes.v[i].ofs == ofs)
			return file->nodes.v[i].nid;
	return 0;
}

static le32 *addrs_of(struct fixture *f, bool is_inode)
{
	return is_inode ? inode_addrs(f->block) + 9 : (le32 *)f->block;
}

/* A block of data that was written after the checkpoint. */
static uint32_t new_data(struct fixture *f, uint32_t ino, uint32_t lblk)
{
	vb_pattern(ino, lblk, vb_block(&f->b, f->data));
	return f->data++;
}

/* f->block goes to the chain, with @marks. */
static uint32_t push(struct fixture *f, uint32_t marks)
{
	struct od_node_foot *foot = node_foot(&f->b.lo, f->block);

	le32_set(&foot->flag, (le32_get(foot->flag) & ~(F | D)) | marks);
	le64_set(&foot->cp_ver, f->version);
	le32_set(&foot->next_blk, f->at + 1);
	if (le32_get(foot->nid) == le32_get(foot->ino))
		vb_sign_inode(f->block);
	memcpy(vb_block(&f->b, f->at), f->block, VB_BYTES);
	return f->at++;
}

/* A new inode in f->block, with a name in the root. */
static void new_inode(struct fixture *f, uint32_t ino, const char *name)
{
	struct od_inode *od = (struct od_inode *)f->block;
	struct od_node_foot *foot = node_foot(&f->b.lo, f->block);

	memset(f->block, 0, VB_BYTES);
	le16_set(&od->i_mode, S_IFREG | 0600);
	od->i_inline = OD_INLINE_EXTRA_ATTR;
	le16_set(&inode_extra(f->block)->i_extra_isize, 36);
	le32_set(&od->i_links, 1);
	le64_set(&od->i_blocks, 1);
	le32_set(&od->i_generation, 77);
	le32_set(&od->i_pino, OD_ROOT_INO);
	le32_set(&od->i_namelen, (uint32_t)strlen(name));
	memcpy(od->i_name, name, strlen(name));
	le32_set(&foot->nid, ino);
	le32_set(&foot->ino, ino);
	le32_set(&foot->flag, OD_FOOT_COLD);
}

static int run(struct fixture *f)
{
	const struct inode_time now = { .sec = NOW, .nsec = 5 };

	f->before = malloc(vb_nr_bytes(&f->b));
	assert_non_null(f->before);
	memcpy(f->before, f->b.img, vb_nr_bytes(&f->b));
	assert_int_equal(edit_init(&f->ed, f->vol), 0);
	return recover_run(&f->ed, &now, &f->st);
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

/* Nothing that the old checkpoint or the chain reaches was written over. */
static void expect_untouched(struct fixture *f, const struct sit *old)
{
	for (uint32_t blk = f->b.lo.main_blk; blk < f->b.lo.end_blk; blk++) {
		bool is_new = (blk >= log_pos(&f->b, LOG_WARM_NODE) &&
			       blk < f->at) ||
			      (blk >= log_pos(&f->b, LOG_WARM_DATA) &&
			       blk < f->data);

		if (is_new || sit_is_valid(old, blk))
			assert_memory_equal(vb_block(&f->b, blk), f->before +
					    (size_t)blk * VB_BYTES, VB_BYTES);
	}
}

/* Replay, commit, open again, check. */
static void replay(struct fixture *f)
{
	struct commit_stats cs = { 0 };
	struct volume *old;
	int err = run(f);

	if (err)
		print_error("%s\n", ctx_error(f->b.ctx));
	assert_int_equal(err, 0);
	assert_int_equal(edit_commit(&f->ed, &cs), 0);
	edit_free(&f->ed);
	volume_close(f->vol);
	f->vol = vb_open(&f->b);
	expect_clean(f->vol);
	old = vb_open_dev(&f->b, vb_view(f->b.ctx, f->before,
					 vb_nr_bytes(&f->b)));
	expect_untouched(f, &old->sit);
	volume_close(old);
}

/* File block @lblk is block @lblk of @ino's content. */
static void expect_data(struct fixture *f, uint32_t ino, uint32_t lblk)
{
	uint8_t data[VB_BYTES], want[VB_BYTES];

	old_inode(f, ino);
	assert_int_equal(filemap_read(f->vol, &f->inode, f->block, lblk, data),
			 0);
	vb_pattern(ino, lblk, want);
	assert_memory_equal(data, want, VB_BYTES);
}

static uint32_t slot_of(struct fixture *f, uint32_t ino, uint64_t lblk)
{
	struct mapping m;

	old_inode(f, ino);
	assert_int_equal(filemap_lookup(f->vol, &f->inode, f->block, lblk, &m),
			 0);
	return m.blk;
}

static void addresses_in_an_inode(void **state)
{
	uint32_t blk[3], was;
	struct fixture f;
	le32 *addrs;

	(void)state;
	start(&f);
	old_inode(&f, f.a->ino);
	addrs = addrs_of(&f, true);
	blk[0] = new_data(&f, f.a->ino, 1);
	blk[1] = new_data(&f, f.a->ino, 10);
	blk[2] = new_data(&f, f.a->ino, 500);
	was = le32_get(addrs[1]);
	le32_set(&addrs[1], blk[0]);		/* overwritten */
	le32_set(&addrs[2], OD_BLK_NULL);	/* punched */
	le32_set(&addrs[3], OD_BLK_NEW);	/* preallocated */
	le32_set(&addrs[10], blk[1]);		/* appended */
	le32_set(&addrs[11], OD_BLK_NEW);
	le32_set(&addrs[500], blk[2]);
	le64_set(&((struct od_inode *)f.block)->i_size, SIZE(501) - 7);
	push(&f, F);
	replay(&f);

	assert_int_equal(f.st.chain_nodes, 1);
	assert_int_equal(f.st.inodes, 1);
	assert_int_equal(f.st.inodes_made, 0);
	assert_int_equal(f.st.blocks, 3);
	assert_int_equal(f.st.conflicts, 0);
	assert_int_equal(f.st.cut_at, 0);
	assert_int_equal(slot_of(&f, f.a->ino, 1), blk[0]);
	assert_int_equal(slot_of(&f, f.a->ino, 2), OD_BLK_NULL);
	assert_int_equal(slot_of(&f, f.a->ino, 3), OD_BLK_NEW);
	assert_int_equal(slot_of(&f, f.a->ino, 11), OD_BLK_NEW);
	assert_false(sit_is_valid(&f.vol->sit, was));
	for (uint32_t i = 0; i < 11; i++)
		if (i < 2 || i > 3)
			expect_data(&f, f.a->ino, i);
	expect_data(&f, f.a->ino, 500);
	assert_int_equal(f.inode.size, SIZE(501) - 7);
	assert_int_equal(f.inode.blocks, 1 + 12);
	stop(&f);
}

/* Nodes that the file has, and those that it has not, of each depth. */
static void addresses_in_nodes_below(void **state)
{
	static const struct { uint32_t ofs; uint64_t lblk; } at[] = {
		{ 1, A + 5 }, { 2, A + VB_N + 900 }, { 4, A + 2 * VB_N },
		{ 9, A + 7 * VB_N + 3 },
		{ 4 + VB_N + 1, A + (2ULL + VB_N) * VB_N + 8 },
		{ 6 + 2 * VB_N + 1, A + (2ULL + 2 * VB_N) * VB_N + 1017 },
	};
	struct fixture f;

	(void)state;
	start(&f);
	for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++) {
		uint32_t nid = nid_at(f.c, at[i].ofs);
		uint64_t first = at[i].lblk < A ? 0 : (at[i].lblk - A) % VB_N;
		struct od_node_foot *foot = node_foot(&f.b.lo, f.block);

		if (nid) {
			old_node(&f, nid);
		} else {
			memset(f.block, 0, VB_BYTES);
			le32_set(&foot->nid, NEW_NID + (uint32_t)i);
			le32_set(&foot->ino, f.c->ino);
			le32_set(&foot->flag, at[i].ofs << OD_FOOT_OFS_SHIFT |
					      OD_FOOT_COLD);
		}
		le32_set(&((le32 *)f.block)[first],
			 new_data(&f, f.c->ino, (uint32_t)at[i].lblk));
		push(&f, i % 2 ? F : 0);
	}
	replay(&f);
	assert_int_equal(f.st.inodes, 1);
	assert_int_equal(f.st.blocks, 6);
	for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++)
		expect_data(&f, f.c->ino, (uint32_t)at[i].lblk);
	/* No inode came, so the blocks say how long the file is. */
	assert_int_equal(f.inode.size, SIZE(at[5].lblk + 1));
	expect_data(&f, f.c->ino, 0);
	expect_data(&f, f.c->ino, 1999);
	stop(&f);
}

static void size_is_kept_where_the_file_says_so(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	old_inode(&f, f.a->ino);
	((struct od_inode *)f.block)->i_advise |= OD_ADVISE_KEEP_SIZE;
	le32_set(&addrs_of(&f, true)[40], OD_BLK_NEW);
	push(&f, F);
	replay(&f);
	old_inode(&f, f.a->ino);
	assert_int_equal(f.inode.size, SIZE(10));
	assert_int_equal(f.inode.blocks, 12);
	stop(&f);
}

static void fields_of_an_inode(void **state)
{
	struct od_inode *od;
	struct fixture f;

	(void)state;
	start(&f);
	old_inode(&f, f.a->ino);
	od = (struct od_inode *)f.block;
	le16_set(&od->i_mode, S_IFREG | 04751);
	le32_set(&od->i_uid, 123456);
	le32_set(&od->i_gid, 654321);
	le32_set(&od->i_links, 9);		/* not taken over */
	le32_set(&od->i_generation, 4711);	/* nor these */
	le32_set(&od->i_pino, 99);
	le64_set(&od->i_size, 12345);
	le64_set(&od->i_atime, 11);
	le64_set(&od->i_ctime, (uint64_t)-12);
	le64_set(&od->i_mtime, 13);
	le32_set(&od->i_atime_nsec, 14);
	le32_set(&od->i_ctime_nsec, 15);
	le32_set(&od->i_mtime_nsec, 16);
	le32_set(&od->i_flags, 0x80);
	le32_set(&od->i_current_depth, 5);
	od->i_advise = OD_ADVISE_COLD;
	od->i_inline |= OD_INLINE_PIN_FILE;
	push(&f, F);
	replay(&f);
	old_inode(&f, f.a->ino);
	assert_int_equal(f.inode.mode, S_IFREG | 04751);
	assert_int_equal(f.inode.uid, 123456);
	assert_int_equal(f.inode.gid, 654321);
	assert_int_equal(f.inode.links, 1);
	assert_int_equal(f.inode.generation, f.a->ino * 17);
	assert_int_equal(f.inode.pino, OD_ROOT_INO);
	assert_int_equal(f.inode.size, 12345);
	assert_int_equal(f.inode.atime.sec, 11);
	assert_int_equal(f.inode.ctime.sec, -12);
	assert_int_equal(f.inode.mtime.sec, 13);
	assert_int_equal(f.inode.atime.nsec, 14);
	assert_int_equal(f.inode.ctime.nsec, 15);
	assert_int_equal(f.inode.mtime.nsec, 16);
	assert_int_equal(f.inode.flags, 0x80);
	assert_int_equal(f.inode.advise, OD_ADVISE_COLD);
	assert_true(f.inode.inl & OD_INLINE_PIN_FILE);
	assert_int_equal(le32_get(((struct od_inode *)f.block)->
				  i_current_depth), 5);
	stop(&f);
}

/* Cases 1 to 3 of kernel fs/f2fs/recovery.c. */
static void nodes_count_up_to_the_last_fsync(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	old_inode(&f, f.a->ino);
	le32_set(&((struct od_inode *)f.block)->i_uid, 1);
	push(&f, 0);
	le32_set(&((struct od_inode *)f.block)->i_uid, 2);
	push(&f, F);
	le32_set(&((struct od_inode *)f.block)->i_uid, 3);
	push(&f, 0);
	old_inode(&f, f.c->ino);
	le32_set(&((struct od_inode *)f.block)->i_uid, 4);
	push(&f, 0);
	replay(&f);
	assert_int_equal(f.st.inodes, 1);
	assert_int_equal(f.st.chain_nodes, 4);
	old_inode(&f, f.a->ino);
	assert_int_equal(f.inode.uid, 2);
	old_inode(&f, f.c->ino);
	assert_int_equal(f.inode.uid, 1000 + f.c->ino);
	stop(&f);
}

static void make_inline(struct fixture *f, const char *text)
{
	struct od_inode *od = (struct od_inode *)f->block;

	od->i_inline |= OD_INLINE_DATA | OD_INLINE_DATA_EXIST;
	memset(f->block + OD_INODE_ADDRS + 36, 0, 4 * A + 20);
	memcpy(f->block + f->inode.inline_off, text, strlen(text));
	le64_set(&od->i_size, strlen(text));
}

static void content_goes_into_the_inode_and_out_of_it(void **state)
{
	uint32_t ino, blk;
	struct fixture f;

	(void)state;
	start(&f);
	ino = f.c->ino;
	old_inode(&f, ino);
	make_inline(&f, "few words");
	/* What may look like addresses when it is inline no more. */
	for (uint32_t i = 0; i < 10; i++)
		le32_set(&((le32 *)(f.block + f.inode.inline_off))[20 + i],
			 f.a->map.v[i]);
	push(&f, F);
	replay(&f);
	old_inode(&f, ino);
	assert_true(f.inode.inl & OD_INLINE_DATA);
	assert_int_equal(f.inode.size, 9);
	assert_int_equal(f.inode.blocks, 1);
	assert_memory_equal(f.block + f.inode.inline_off, "few words", 10);

	/* And out, by an inode. */
	f.version = cp_recovery_version(&f.vol->lo, &f.vol->cp);
	f.at = seg_to_blk(&f.b.lo, f.vol->cp.log[LOG_WARM_NODE].segno) +
	       f.vol->cp.log[LOG_WARM_NODE].next;
	f.data = seg_to_blk(&f.b.lo, f.vol->cp.log[LOG_WARM_DATA].segno) +
		 f.vol->cp.log[LOG_WARM_DATA].next;
	((struct od_inode *)f.block)->i_inline &=
		(uint8_t)~(OD_INLINE_DATA | OD_INLINE_DATA_EXIST);
	memset(f.block + f.inode.inline_off, 0, f.inode.inline_bytes);
	blk = new_data(&f, ino, 0);
	le32_set(&addrs_of(&f, true)[0], blk);
	le64_set(&((struct od_inode *)f.block)->i_size, 4000);
	push(&f, F);
	free(f.before);
	memset(&f.st, 0, sizeof(f.st));
	assert_int_equal(run(&f), 0);
	assert_int_equal(edit_commit(&f.ed, &(struct commit_stats){ 0 }), 0);
	expect_clean(f.vol);
	expect_data(&f, ino, 0);
	assert_false(f.inode.inl & OD_INLINE_DATA);
	assert_int_equal(f.inode.size, 4000);
	assert_int_equal(f.inode.blocks, 2);
	stop(&f);
}

static void put_xattr(uint8_t *to, const char *name, const char *value)
{
	struct od_xattr_head *head = (struct od_xattr_head *)to;
	struct od_xattr_entry *e = (struct od_xattr_entry *)(head + 1);

	le32_set(&head->magic, OD_XATTR_MAGIC);
	le32_set(&head->refcount, 1);
	e->name_index = 1;
	e->name_len = (uint8_t)strlen(name);
	le16_set(&e->value_size, (uint16_t)strlen(value));
	memcpy(e + 1, name, strlen(name));
	memcpy((uint8_t *)(e + 1) + strlen(name), value, strlen(value));
}

static int is_xattr(void *priv, const struct xattr *x)
{
	const char *want = priv;

	assert_int_equal(x->value_size, strlen(want));
	assert_memory_equal(x->value, want, strlen(want));
	return 1;
}

/* The second takes the place of the first, which a mount gives a new nid. */
static void xattr_nodes(void **state)
{
	static const char *const value[] = { "first", "second one" };
	struct fixture f;

	(void)state;
	start(&f);
	for (int i = 0; i < 2; i++) {
		struct od_node_foot *foot = node_foot(&f.b.lo, f.block);

		memset(f.block, 0, VB_BYTES);
		put_xattr(f.block, "name", value[i]);
		le32_set(&foot->nid, NEW_NID + (uint32_t)i);
		le32_set(&foot->ino, f.a->ino);
		le32_set(&foot->flag, OD_XATTR_NODE_OFS << OD_FOOT_OFS_SHIFT |
				      OD_FOOT_COLD);
		push(&f, i ? F : 0);
	}
	replay(&f);
	old_inode(&f, f.a->ino);
	assert_int_equal(f.inode.blocks, 12);
	assert_int_equal(xattr_iterate(f.vol, &f.inode, f.block, is_xattr,
				       (void *)(uintptr_t)value[1]), 1);
	stop(&f);
}

static void expect_name(struct fixture *f, const char *name, uint32_t ino)
{
	uint32_t found;
	int err;

	old_inode(f, OD_ROOT_INO);
	err = dir_lookup(f->vol, &f->inode, f->block, (const uint8_t *)name,
			 strlen(name), &found);
	assert_int_equal(err, ino ? 0 : -ENOENT);
	if (ino)
		assert_int_equal(found, ino);
}

static void a_new_file_gets_its_name(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	new_inode(&f, NEW_NID, "fresh");
	le32_set(&addrs_of(&f, true)[0], new_data(&f, NEW_NID, 0));
	le64_set(&((struct od_inode *)f.block)->i_size, 77);
	push(&f, F | D);
	le32_set(&addrs_of(&f, true)[1], new_data(&f, NEW_NID, 1));
	le64_set(&((struct od_inode *)f.block)->i_size, SIZE(2));
	push(&f, F);
	replay(&f);
	assert_int_equal(f.st.inodes_made, 1);
	assert_int_equal(f.st.names_added, 1);
	assert_int_equal(f.st.names_removed, 0);
	expect_name(&f, "fresh", NEW_NID);
	assert_int_equal(f.inode.mtime.sec, NOW);
	assert_int_equal(f.inode.mtime.nsec, 5);
	assert_int_equal(f.inode.ctime.sec, NOW);
	expect_data(&f, NEW_NID, 0);
	expect_data(&f, NEW_NID, 1);
	assert_int_equal(f.inode.links, 1);
	assert_int_equal(f.inode.generation, 77);
	assert_int_equal(f.inode.size, SIZE(2));
	stop(&f);
}

/* The name is there already: nothing is done to it, nor to the file. */
static void a_name_that_is_there_stays(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	old_inode(&f, f.a->ino);
	push(&f, F);
	push(&f, F | D);
	replay(&f);
	assert_int_equal(f.st.names_added + f.st.names_removed, 0);
	assert_int_equal(f.st.inodes_freed, 0);
	expect_name(&f, f.a->name, f.a->ino);
	assert_int_not_equal(f.inode.mtime.sec, NOW);
	expect_data(&f, f.a->ino, 0);
	stop(&f);
}

/* Nodes of it come before it: case 7 of kernel fs/f2fs/recovery.c. */
static void an_inode_may_come_last(void **state)
{
	struct fixture f;
	struct od_node_foot *foot;

	(void)state;
	start(&f);
	foot = node_foot(&f.b.lo, f.block);
	memset(f.block, 0, VB_BYTES);
	le32_set(&((le32 *)f.block)[3], new_data(&f, NEW_NID, A + 3));
	le32_set(&foot->nid, NEW_NID + 1);
	le32_set(&foot->ino, NEW_NID);
	le32_set(&foot->flag, 1U << OD_FOOT_OFS_SHIFT | OD_FOOT_COLD);
	push(&f, F);
	new_inode(&f, NEW_NID, "late");
	le64_set(&((struct od_inode *)f.block)->i_size, SIZE(A + 4));
	push(&f, F | D);
	replay(&f);
	expect_name(&f, "late", NEW_NID);
	expect_data(&f, NEW_NID, A + 3);
	assert_int_equal(f.inode.blocks, 3);
	stop(&f);
}

static void a_name_is_taken_from_its_last_owner(void **state)
{
	uint64_t valid;
	struct fixture f;

	(void)state;
	start(&f);
	valid = f.vol->cp.valid_blocks;
	new_inode(&f, NEW_NID, f.c->name);
	push(&f, F | D);
	replay(&f);
	assert_int_equal(f.st.names_added, 1);
	assert_int_equal(f.st.names_removed, 1);
	assert_int_equal(f.st.inodes_freed, 1);
	expect_name(&f, f.c->name, NEW_NID);
	assert_int_equal(nat_get(&f.vol->nat, f.c->ino).blk, 0);
	assert_int_equal(f.vol->cp.valid_blocks,
			 valid - 2000 - f.c->nodes.nr + 1);
	stop(&f);
}

/* One that was fsynced itself, before it was removed. */
static void a_fsynced_file_loses_its_name(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	old_inode(&f, f.a->ino);
	le32_set(&addrs_of(&f, true)[10], new_data(&f, f.a->ino, 10));
	push(&f, F);
	new_inode(&f, NEW_NID, f.a->name);
	/* It was removed, and its last block used again. */
	f.data--;
	le32_set(&addrs_of(&f, true)[0], new_data(&f, NEW_NID, 0));
	le64_set(&((struct od_inode *)f.block)->i_size, SIZE(1));
	push(&f, F | D);
	replay(&f);
	expect_name(&f, f.a->name, NEW_NID);
	expect_data(&f, NEW_NID, 0);
	assert_int_equal(nat_get(&f.vol->nat, f.a->ino).blk, 0);
	assert_int_equal(f.st.inodes_freed, 1);
	stop(&f);
}

/* The node that comes last has a block that came to two files, or slots. */
static void a_block_that_was_used_again(void **state)
{
	struct fixture f;
	uint32_t blk;

	(void)state;
	start(&f);
	old_inode(&f, f.a->ino);
	blk = new_data(&f, f.a->ino, 20);
	le32_set(&addrs_of(&f, true)[20], blk);
	push(&f, F);
	old_node(&f, nid_at(f.c, 1));
	le32_set(&((le32 *)f.block)[2], blk);
	push(&f, F);
	old_inode(&f, f.c->ino);
	le32_set(&addrs_of(&f, true)[7], blk);
	push(&f, F);
	le32_set(&addrs_of(&f, true)[8], blk);
	vb_pattern(f.c->ino, 8, vb_block(&f.b, blk));
	push(&f, F);
	replay(&f);
	assert_int_equal(f.st.conflicts, 0);
	assert_int_equal(slot_of(&f, f.a->ino, 20), 0);
	assert_int_equal(f.inode.blocks, 11);
	assert_int_equal(slot_of(&f, f.c->ino, A + 2), 0);
	assert_int_equal(slot_of(&f, f.c->ino, 7), 0);
	assert_int_equal(slot_of(&f, f.c->ino, 8), blk);
	expect_data(&f, f.c->ino, 8);
	stop(&f);
}

static void without_a_mark_nothing_happens(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	assert_int_equal(run(&f), 0);
	assert_false(f.ed.has_changed);
	assert_int_equal(f.st.chain_nodes, 0);
	edit_free(&f.ed);
	free(f.before);
	old_inode(&f, f.a->ino);
	push(&f, 0);
	assert_int_equal(run(&f), 0);
	assert_false(f.ed.has_changed);
	assert_false(f.vol->is_spoilt);
	stop(&f);
}

/* One good node, the bad one, one more that is good: only the first counts. */
static void damage(struct fixture *f, int what)
{
	struct od_node_foot *foot = node_foot(&f->b.lo, f->block);
	struct od_inode *od = (struct od_inode *)f->block;

	old_inode(f, f->c->ino);
	switch (what) {
	case 0:		/* outside the main area */
		le32_set(&addrs_of(f, true)[0], f->b.lo.end_blk);
		break;
	case 1:
		le32_set(&addrs_of(f, true)[0], 700);
		break;
	case 2:		/* itself */
		le32_set(&addrs_of(f, true)[0], f->at);
		break;
	case 3:		/* a node that is in use */
		le32_set(&addrs_of(f, true)[0], f->a->nodes.v[0].blk);
		break;
	case 4:		/* a cluster in a plain file */
		le32_set(&addrs_of(f, true)[0], OD_BLK_COMPRESS);
		break;
	case 5:		/* another kind of inode */
		le16_set(&od->i_mode, S_IFDIR | 0755);
		break;
	case 6:
		od->i_inline &= (uint8_t)~OD_INLINE_EXTRA_ATTR;
		break;
	case 7:
		le16_set(&inode_extra(od)->i_extra_isize, 400);
		break;
	case 8:
		make_inline(f, "too long");
		le64_set(&od->i_size, 4000);
		break;
	case 9:		/* an indirect node */
		le32_set(&foot->nid, NEW_NID);
		le32_set(&foot->flag, 3U << OD_FOOT_OFS_SHIFT);
		break;
	case 10:	/* past the largest file */
		le32_set(&foot->nid, NEW_NID);
		le32_set(&foot->flag, 0x1ffffff0U << OD_FOOT_OFS_SHIFT);
		break;
	case 11:	/* marked as new */
		break;
	case 12:	/* names that cannot be */
		new_inode(f, NEW_NID, "a/b");
		break;
	case 13:
		new_inode(f, NEW_NID, "..");
		break;
	case 14:
		new_inode(f, NEW_NID, "x");
		le32_set(&od->i_namelen, 0);
		break;
	case 15:
		new_inode(f, NEW_NID, "x");
		le32_set(&od->i_namelen, 256);
		break;
	case 16:	/* no directory, a file, out of range */
		new_inode(f, NEW_NID, "x");
		le32_set(&od->i_pino, NEW_NID + 5);
		break;
	case 17:
		new_inode(f, NEW_NID, "x");
		le32_set(&od->i_pino, f->a->ino);
		break;
	case 18:
		new_inode(f, NEW_NID, "x");
		le32_set(&od->i_pino, UINT32_MAX);
		break;
	case 19:	/* a new directory */
		new_inode(f, NEW_NID, "x");
		le16_set(&od->i_mode, S_IFDIR | 0755);
		break;
	case 20:	/* an inode that the NAT has, but that is a directory */
		old_inode(f, OD_ROOT_INO);
		break;
	case 21:	/* larger than any file */
		le64_set(&od->i_size, UINT64_C(4329690849280) + 1);
		break;
	default:
		fail();
	}
}

#define NR_DAMAGES 22

static void bad_nodes_cut_the_chain(void **state)
{
	struct fixture f;
	uint32_t bad;

	(void)state;
	for (int what = 0; what < NR_DAMAGES; what++) {
		start(&f);
		old_inode(&f, f.a->ino);
		le32_set(&addrs_of(&f, true)[10], new_data(&f, f.a->ino, 10));
		push(&f, F);
		damage(&f, what);
		bad = push(&f, what >= 11 && what < 20 ? F | D : F);
		old_inode(&f, f.a->ino);
		le32_set(&addrs_of(&f, true)[11], new_data(&f, f.a->ino, 11));
		push(&f, F);
		replay(&f);
		if (f.st.cut_at != bad)
			print_error("damage %d: cut at %u\n", what,
				    f.st.cut_at);
		assert_int_equal(f.st.cut_at, bad);
		assert_non_null(f.st.cut_why);
		assert_int_equal(f.st.inodes, 1);
		assert_int_equal(f.st.blocks, 1);
		expect_data(&f, f.a->ino, 10);
		assert_int_equal(slot_of(&f, f.a->ino, 11), 0);
		stop(&f);
	}
}

/* What was fsynced behind the cut only stays as the checkpoint has it. */
static void a_cut_leaves_no_half_of_a_file(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	new_inode(&f, NEW_NID, "half");
	push(&f, 0);
	old_inode(&f, f.a->ino);
	le32_set(&addrs_of(&f, true)[10], new_data(&f, f.a->ino, 10));
	push(&f, 0);
	damage(&f, 0);
	push(&f, F);
	new_inode(&f, NEW_NID, "half");
	push(&f, F | D);
	old_inode(&f, f.a->ino);
	push(&f, F);
	replay(&f);
	assert_int_equal(f.st.inodes, 0);
	assert_int_equal(f.st.blocks, 0);
	expect_name(&f, "half", 0);
	assert_int_equal(slot_of(&f, f.a->ino, 10), 0);
	stop(&f);
}

static void loops_are_replayed_once(void **state)
{
	struct fixture f;
	uint32_t first;

	(void)state;
	start(&f);
	old_inode(&f, f.a->ino);
	le32_set(&addrs_of(&f, true)[10], new_data(&f, f.a->ino, 10));
	first = push(&f, F);
	old_inode(&f, f.c->ino);
	push(&f, F);
	le32_set(&node_foot(&f.b.lo, vb_block(&f.b, first + 1))->next_blk,
		 first);
	vb_sign_inode(vb_block(&f.b, first + 1));
	replay(&f);
	assert_int_equal(f.st.chain_nodes, 2);
	assert_int_equal(f.st.cut_at, first);
	expect_data(&f, f.a->ino, 10);
	stop(&f);
}

/* A block of another file that the checkpoint has: the kernel takes it, too. */
static void a_block_in_use_is_taken_from_its_owner(void **state)
{
	struct fixture f;
	uint32_t blk;

	(void)state;
	start(&f);
	blk = f.c->map.v[1500];
	old_inode(&f, f.a->ino);
	le32_set(&addrs_of(&f, true)[10], blk);
	push(&f, F);
	replay(&f);
	assert_int_equal(f.st.cut_at, 0);
	assert_int_equal(slot_of(&f, f.a->ino, 10), blk);
	assert_int_equal(slot_of(&f, f.c->ino, 1500), 0);
	assert_int_equal(f.inode.blocks, 2000 - 1 + f.c->nodes.nr);
	stop(&f);
}

/* Words of good nodes replaced by chance, some by what could be there. */
static void scramble(struct fixture *f, uint32_t first)
{
	for (uint32_t i = 0; i < 1 + vb_random(&f->b, 6); i++) {
		uint32_t blk = first + vb_random(&f->b, f->at - first);
		uint8_t *block = vb_block(&f->b, blk);
		uint32_t at = vb_random(&f->b, VB_BYTES / 4), v;

		switch (vb_random(&f->b, 6)) {
		case 0:
			at = (VB_BYTES - 24) / 4 + vb_random(&f->b, 3);
			break;
		case 1:
			at = vb_random(&f->b, 100);
			break;
		case 2:
			at = (VB_BYTES - 4) / 4;	/* where it goes on */
			break;
		default:
			break;
		}
		switch (vb_random(&f->b, 5)) {
		case 0:
			v = vb_random(&f->b, 1U << 31) * 2 +
			    vb_random(&f->b, 2);
			break;
		case 1:
			v = vb_random(&f->b, 20);
			break;
		case 2:
			v = f->b.lo.main_blk + vb_random(&f->b, f->b.lo.end_blk -
							 f->b.lo.main_blk);
			break;
		case 3:
			v = first + vb_random(&f->b, f->at - first);
			break;
		default:
			v = f->c->map.v[vb_random(&f->b, 2000)];
			break;
		}
		le32_set(&((le32 *)block)[at], v);
	}
}

/* A chain with some of everything. */
static uint32_t long_chain(struct fixture *f)
{
	uint32_t first = f->at;

	new_inode(f, NEW_NID, "fresh");
	le32_set(&addrs_of(f, true)[0], new_data(f, NEW_NID, 0));
	push(f, F | D);
	old_inode(f, f->a->ino);
	le32_set(&addrs_of(f, true)[3], new_data(f, f->a->ino, 3));
	push(f, F);
	old_node(f, nid_at(f->c, 2));
	for (uint32_t i = 0; i < 50; i++)
		le32_set(&((le32 *)f->block)[i],
			 new_data(f, f->c->ino, A + VB_N + i));
	push(f, F);
	old_inode(f, f->a->ino);
	make_inline(f, "short");
	push(f, F);
	new_inode(f, NEW_NID + 1, f->a->name);
	push(f, F | D);
	old_node(f, nid_at(f->c, 1));
	for (uint32_t i = 0; i < 100; i++)
		le32_set(&((le32 *)f->block)[i], OD_BLK_NULL);
	push(f, 0);
	old_inode(f, f->c->ino);
	push(f, F);
	return first;
}

/* Whatever the chain says, the volume is sound or the replay is refused. */
static void chains_by_chance(void **state)
{
	uint32_t done = 0, cut = 0, nr = getenv("F2CORE_RECOVER_SEEDS") ?
		(uint32_t)atoi(getenv("F2CORE_RECOVER_SEEDS")) : 80;

	(void)state;
	for (uint32_t seed = 1; seed <= nr; seed++) {
		struct fixture f;
		uint32_t first;
		int err;

		start(&f);
		f.b.random += seed * 7919;
		first = long_chain(&f);
		scramble(&f, first);
		err = run(&f);
		if (!err) {
			struct commit_stats cs = { 0 };

			assert_int_equal(edit_commit(&f.ed, &cs), 0);
			edit_free(&f.ed);
			volume_close(f.vol);
			f.vol = vb_open(&f.b);
			expect_clean(f.vol);
			done++;
			cut += f.st.cut_at != 0;
		}
		stop(&f);
	}
	print_message("%u of %u replayed, %u cut\n", done, nr, cut);
	assert_true(done > nr / 2 && cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_in_an_inode),
		cmocka_unit_test(addresses_in_nodes_below),
		cmocka_unit_test(size_is_kept_where_the_file_says_so),
		cmocka_unit_test(fields_of_an_inode),
		cmocka_unit_test(nodes_count_up_to_the_last_fsync),
		cmocka_unit_test(content_goes_into_the_inode_and_out_of_it),
		cmocka_unit_test(xattr_nodes),
		cmocka_unit_test(a_new_file_gets_its_name),
		cmocka_unit_test(a_name_that_is_there_stays),
		cmocka_unit_test(an_inode_may_come_last),
		cmocka_unit_test(a_name_is_taken_from_its_last_owner),
		cmocka_unit_test(a_fsynced_file_loses_its_name),
		cmocka_unit_test(a_block_that_was_used_again),
		cmocka_unit_test(without_a_mark_nothing_happens),
		cmocka_unit_test(bad_nodes_cut_the_chain),
		cmocka_unit_test(a_cut_leaves_no_half_of_a_file),
		cmocka_unit_test(loops_are_replayed_once),
		cmocka_unit_test(a_block_in_use_is_taken_from_its_owner),
		cmocka_unit_test(chains_by_chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
