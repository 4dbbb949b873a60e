/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quota files: the tree under insertions and removals, damaged ones, and what
 * a refresh makes of them.
 */
#include "config.h"

#include "volume_builder.h"
#include "engine/quota_edit.h"
#include "engine/quota_tree.h"
#include "tree/quota_usage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GRACE	1000U
#define NR_IDS	700U

struct fixture {
	struct vb b;
	struct vb_file *quota;
	struct volume *vol;
	uint32_t nr_logged;
};

static void count_log(void *priv, enum ctx_level level, const char *module,
		      const char *text)
{
	struct fixture *f = priv;

	(void)text;
	if (level == CTX_WARNING && !strcmp(module, "quota"))
		f->nr_logged++;
}

/* The block of the image that has quota block @n. */
static uint8_t *file_block(const struct fixture *f, uint32_t n)
{
	return vb_block(&f->b, f->quota->map.v[n / 4]) +
	       n % 4 * OD_QUOTA_BLOCK;
}

/* An empty tree in a file of @nr_blks blocks; files of @nr_files owners. */
static void start(struct fixture *f, uint32_t nr_blks, uint32_t nr_files)
{
	struct vb_opt opt = { .seed = 5, .version = 7 };
	struct od_quota_head *head;

	memset(f, 0, sizeof(*f));
	vb_init(&f->b, &opt);
	f->b.lo.features |= OD_FEATURE_QUOTA_INO;
	f->quota = vb_file(&f->b, VB_REG);
	vb_append(&f->b, f->quota, LOG_HOT_DATA, nr_blks);
	for (uint32_t i = 0; i < nr_files; i++)
		vb_append(&f->b, vb_file(&f->b, VB_REG), LOG_WARM_DATA, i % 5);
	vb_write(&f->b);
	for (unsigned int copy = 0; copy < 2; copy++) {
		struct od_super *sb = (void *)(f->b.img + copy * VB_BYTES +
					       OD_SUPER_OFFSET);

		le32_set(&sb->qf_ino[0], f->quota->ino);
	}
	for (uint32_t i = 0; i < nr_blks; i++)
		memset(vb_block(&f->b, f->quota->map.v[i]), 0, VB_BYTES);
	head = (struct od_quota_head *)file_block(f, 0);
	le32_set(&head->magic, OD_QUOTA_MAGIC_USER);
	le32_set(&head->version, 1);
	le32_set(&head->block_grace, GRACE);
	le32_set(&head->inode_grace, GRACE);
	le32_set(&head->blocks, 2);
	ctx_set_log(f->b.ctx, count_log, f);
	f->vol = vb_open(&f->b);
}

static void stop(struct fixture *f)
{
	volume_close(f->vol);
	vb_free(&f->b);
}

static void load(struct fixture *f, struct quota_tree *t)
{
	struct quota_file q;

	assert_int_equal(quota_load(f->vol, 0, &q), 0);
	assert_int_equal(quota_tree_init(t, &q, VB_BYTES), 0);
}

/* What changed goes into the image; the file has room for it. */
static void store(struct fixture *f, const struct quota_tree *t)
{
	for (uint32_t i = 0; i < quota_tree_blks(t); i++) {
		uint8_t *to = vb_block(&f->b, f->quota->map.v[i]);
		const uint8_t *now = quota_block(&t->q, i * 4);

		if (quota_tree_blk_is_dirty(t, i))
			memcpy(to, now, VB_BYTES);
		else
			assert_memory_equal(to, now, VB_BYTES);
	}
}

/* Ids that share leaves and nodes of every level. */
static uint32_t id_of(uint32_t i)
{
	return i % 3 == 0 ? i / 3 : i % 3 == 1 ? i * 0x10203U : i << 22 | 9;
}

static void put(struct quota_tree *t, uint32_t id)
{
	struct od_quota_entry e = { 0 };

	le32_set(&e.id, id);
	le64_set(&e.space, id + 1ULL);
	assert_int_equal(quota_tree_insert(t, &e), 0);
}

/* The file holds exactly the ids of @has, in order. */
static void expect_ids(struct fixture *f, const bool *has)
{
	struct quota_pos pos = { 0 };
	struct od_quota_entry *e;
	struct quota_file q;
	uint64_t last = 0;
	uint32_t id, nr = 0;

	assert_int_equal(quota_load(f->vol, 0, &q), 0);
	while ((e = quota_next(&q, &pos, &id))) {
		assert_int_equal(le32_get(e->id), id);
		assert_int_equal(le64_get(e->space), id + 1ULL);
		assert_true(!nr || id > last);
		last = id;
		nr++;
	}
	for (uint32_t i = 0; i < NR_IDS; i++)
		nr -= has[i];
	assert_int_equal(nr, 0);
	quota_free(&q);
}

static void ids_come_and_go(void **state)
{
	bool has[NR_IDS] = { false };
	struct quota_tree t;
	struct fixture f;
	uint32_t most = 0;

	(void)state;
	start(&f, 700, 0);
	for (uint32_t round = 0; round < 40; round++) {
		load(&f, &t);
		for (uint32_t k = 0; k < 100; k++) {
			uint32_t i = vb_random(&f.b, NR_IDS);

			if (has[i] && round % 4 == 3)
				quota_tree_remove(&t, id_of(i));
			else if (!has[i] && round % 4 != 3)
				put(&t, id_of(i));
			else
				continue;
			has[i] = !has[i];
		}
		store(&f, &t);
		quota_tree_free(&t);
		expect_ids(&f, has);
	}
	/* All of it comes back, and takes the blocks that were freed. */
	load(&f, &t);
	most = t.q.nr;
	for (uint32_t i = 0; i < NR_IDS; i++)
		if (has[i])
			quota_tree_remove(&t, id_of(i));
	assert_int_equal(le32_get(quota_head(&t.q)->free_leaf), 0);
	for (uint32_t i = 0; i < NR_IDS; i++)
		if (has[i])
			put(&t, id_of(i));
	assert_int_equal(t.q.nr, most);
	store(&f, &t);
	quota_tree_free(&t);
	expect_ids(&f, has);
	stop(&f);
}

/* A leaf takes 14, then there is one more; a full one is in no list. */
static void leaves_fill_up(void **state)
{
	struct quota_tree t;
	struct fixture f;
	uint32_t first;

	(void)state;
	start(&f, 3, 0);
	load(&f, &t);
	for (uint32_t id = 0; id < 13; id++)
		put(&t, id);
	first = le32_get(quota_head(&t.q)->free_leaf);
	assert_int_equal(t.q.nr, 6);
	put(&t, 13);
	assert_int_equal(le32_get(quota_head(&t.q)->free_leaf), 0);
	put(&t, 14);
	assert_int_equal(t.q.nr, 7);
	assert_int_equal(le32_get(quota_head(&t.q)->free_leaf), 6);
	quota_tree_remove(&t, 2);
	assert_int_equal(le32_get(quota_head(&t.q)->free_leaf), first);
	quota_tree_remove(&t, 14);
	assert_int_equal(le32_get(quota_head(&t.q)->free_blk), 6);
	store(&f, &t);
	quota_tree_free(&t);
	load(&f, &t);
	quota_tree_free(&t);
	stop(&f);
}

/* A tree of two leaves: 2, 3, 4 lead to leaf 5; of id 14 and others to 6. */
static void two_leaves(struct fixture *f)
{
	struct quota_tree t;

	start(f, 4, 0);
	load(f, &t);
	for (uint32_t id = 0; id < 17; id++)
		put(&t, id);
	quota_tree_remove(&t, 3);
	put(&t, 0x01000000);
	quota_tree_remove(&t, 0x01000000);
	store(f, &t);
	quota_tree_free(&t);
}

static void damage_is_seen(void **state)
{
	static const struct {
		uint32_t n, at, value;	/* quota block, le32 in it */
	} pokes[] = {
		{ 0, 0, OD_QUOTA_MAGIC_GROUP }, { 0, 1, 0 }, { 0, 1, 2 },
		{ 0, 5, 0 }, { 0, 5, 1 }, { 0, 5, 4 }, { 0, 5, 17 },
		{ 0, 5, ~0U },
		{ 0, 6, 1 }, { 0, 6, 5 }, { 0, 6, 99 }, { 0, 6, ~0U },
		{ 0, 7, 1 }, { 0, 7, 2 }, { 0, 7, 6 }, { 0, 7, 99 },
		{ 0, 7, ~0U }, { 0, 7, 7 },
		{ 1, 0, 1 }, { 1, 0, 3 }, { 1, 0, 99 }, { 1, 0, ~0U },
		{ 1, 7, 2 }, { 1, 7, 7 }, { 1, 0, 0 },
		{ 2, 0, 1 }, { 2, 0, 2 }, { 2, 1, 4 }, { 2, 1, 5 },
		{ 4, 0, 0 }, { 4, 0, 4 }, { 4, 0, 6 }, { 4, 0, 99 },
		{ 4, 77, 5 }, { 4, 0, 1 },
		{ 5, 0, 99 }, { 5, 1, 99 }, { 5, 2, 12 }, { 5, 2, 14 },
		{ 5, 4 + 18, 77 }, { 5, 4 + 18, 0 },
		{ 6, 0, 5 }, { 6, 0, 6 }, { 6, 0, ~0U }, { 6, 1, 0 },
		{ 6, 1, ~0U }, { 6, 2, 0 }, { 6, 200, 1 },
		{ 7, 0, 7 }, { 7, 0, 5 }, { 7, 0, ~0U },
	};
	struct quota_file q;
	struct fixture f;

	(void)state;
	two_leaves(&f);
	assert_int_equal(quota_load(f.vol, 0, &q), 0);
	assert_int_equal(le32_get(quota_head(&q)->free_leaf), 5);
	assert_int_equal(q.nr, 10);
	quota_free(&q);
	for (size_t i = 0; i < NR_OF(pokes); i++) {
		le32 *at = (le32 *)file_block(&f, pokes[i].n) + pokes[i].at;
		uint32_t old = le32_get(*at);

		assert_int_not_equal(old, pokes[i].value);
		le32_set(at, pokes[i].value);
		if (quota_load(f.vol, 0, &q) != -EUCLEAN)
			fail_msg("poke %zu was not seen", i);
		assert_string_not_equal(ctx_error(f.b.ctx), "");
		le32_set(at, old);
	}
	stop(&f);
}

/* Whatever passes the proof can be worked on. */
static void any_damage_is_survived(void **state)
{
	uint32_t nr_passed = 0;
	struct quota_tree t;
	struct quota_file q;
	struct fixture f;

	(void)state;
	two_leaves(&f);
	for (uint32_t i = 0; i < 30000; i++) {
		uint32_t n = vb_random(&f.b, 10), at = vb_random(&f.b, 20);
		le32 *word = (le32 *)file_block(&f, n) + at;
		uint32_t old = le32_get(*word);
		int err;

		le32_set(word, vb_random(&f.b, 12));
		err = quota_load(f.vol, 0, &q);
		assert_true(!err || err == -EUCLEAN);
		if (!err) {
			nr_passed++;
			assert_int_equal(quota_tree_init(&t, &q, VB_BYTES), 0);
			put(&t, 0x55555555);
			for (uint32_t id = 0; id < 17; id += 4)
				quota_tree_remove(&t, id);
			for (uint32_t id = 20; id < 50; id++)
				put(&t, id);
			quota_tree_free(&t);
		}
		le32_set(word, old);
	}
	assert_in_range(nr_passed, 100, 29000);
	stop(&f);
}

static struct od_quota_entry *entry_of(struct quota_tree *t, uint32_t id)
{
	struct quota_pos pos = { 0 };
	struct od_quota_entry *e;
	uint32_t at;

	while ((e = quota_next(&t->q, &pos, &at)))
		if (at == id)
			return e;
	return NULL;
}

static void set_limits(struct fixture *f, uint32_t id, uint64_t blocks,
		       uint64_t inodes, uint64_t space)
{
	struct od_quota_entry e = { 0 };
	struct quota_tree t;

	load(f, &t);
	le32_set(&e.id, id);
	le64_set(&e.block_soft, blocks);
	le64_set(&e.inode_soft, inodes);
	le64_set(&e.space, space);
	le64_set(&e.inodes, space / VB_BYTES);
	le64_set(&e.block_time, space ? 77 : 0);
	assert_int_equal(quota_tree_insert(&t, &e), 0);
	store(f, &t);
	quota_tree_free(&t);
}

static void refresh(struct fixture *f, struct quota_stats *st)
{
	struct commit_stats commits = { 0 };
	struct edit ed;

	memset(st, 0, sizeof(*st));
	assert_int_equal(edit_init(&ed, f->vol), 0);
	assert_int_equal(quota_refresh(&ed, 5000, st), 0);
	assert_true(ed.has_changed);
	assert_int_equal(edit_commit(&ed, &commits), 0);
	edit_free(&ed);
	volume_close(f->vol);
	f->vol = vb_open(&f->b);
}

/* Every file has an owner of its own here; the file grows for them. */
static void usage_is_that_of_the_inodes(void **state)
{
	struct od_quota_entry *e;
	struct quota_stats st;
	struct quota_tree t;
	struct fixture f;
	uint32_t first;

	(void)state;
	start(&f, 3, 400);
	first = f.quota->ino + 1;
	f.vol->cp.flags |= OD_CP_QUOTA_NEED_FSCK;
	set_limits(&f, 1000 + first, 9, 9, 900 * VB_BYTES);
	set_limits(&f, 1000 + first + 3, 8, 1, 0);
	set_limits(&f, 1000 + first + 4, 1, 0, 9 * VB_BYTES);
	set_limits(&f, 77, 0, 0, VB_BYTES);
	set_limits(&f, 78, 1, 0, VB_BYTES);
	refresh(&f, &st);
	assert_false(st.is_marked);
	assert_int_equal(f.vol->cp.flags & OD_CP_QUOTA_NEED_FSCK, 0);
	assert_int_equal(st.files, 1);
	assert_int_equal(st.ids_changed, 5);
	assert_int_equal(st.ids_added, 398);	/* and the root's */
	assert_int_equal(st.ids_removed, 1);
	load(&f, &t);
	assert_null(entry_of(&t, 77));
	assert_null(entry_of(&t, 1000 + f.quota->ino));
	e = entry_of(&t, 78);
	assert_int_equal(le64_get(e->space), 0);
	assert_int_equal(le64_get(e->block_time), 0);
	for (uint32_t i = 0; i < 400; i++) {
		e = entry_of(&t, 1000 + first + i);
		assert_non_null(e);
		assert_int_equal(le64_get(e->inodes), 1);
		assert_int_equal(le64_get(e->space), i % 5 * VB_BYTES);
	}
	/* Limits are kept; time stops below one and starts above. */
	e = entry_of(&t, 1000 + first);
	assert_int_equal(le64_get(e->block_soft), 9);
	assert_int_equal(le64_get(e->block_time), 0);
	e = entry_of(&t, 1000 + first + 3);
	assert_int_equal(le64_get(e->block_time), 5000 + GRACE);
	assert_int_equal(le64_get(e->inode_time), 0);
	e = entry_of(&t, 1000 + first + 4);
	assert_int_equal(le64_get(e->block_time), 77);
	quota_tree_free(&t);
	/* Once more: nothing is another. */
	refresh(&f, &st);
	assert_int_equal(st.ids_changed + st.ids_added + st.blocks_written, 0);
	stop(&f);
}

static void a_damaged_file_is_marked_and_left(void **state)
{
	struct quota_stats st;
	struct fixture f;
	uint8_t *before;

	(void)state;
	start(&f, 3, 20);
	before = malloc(3 * VB_BYTES);
	assert_non_null(before);
	le32_set((le32 *)file_block(&f, 1), 9);
	for (unsigned int i = 0; i < 3; i++)
		memcpy(before + i * VB_BYTES, file_block(&f, i * 4), VB_BYTES);
	refresh(&f, &st);
	assert_true(st.is_marked);
	assert_int_equal(f.nr_logged, 1);
	assert_true(f.vol->cp.flags & OD_CP_QUOTA_NEED_FSCK);
	for (unsigned int i = 0; i < 3; i++)
		assert_memory_equal(before + i * VB_BYTES,
				    file_block(&f, i * 4), VB_BYTES);
	free(before);
	stop(&f);
}

/* All of the volume's blocks are in use: the file cannot grow. */
static void no_room_is_no_failure(void **state)
{
	struct quota_stats st;
	struct fixture f;

	(void)state;
	start(&f, 1, 20);
	f.vol->cp.user_blocks = f.vol->cp.valid_blocks;
	refresh(&f, &st);
	assert_true(st.is_marked);
	assert_int_equal(f.nr_logged, 1);
	assert_true(f.vol->cp.flags & OD_CP_QUOTA_NEED_FSCK);
	stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_come_and_go),
		cmocka_unit_test(leaves_fill_up),
		cmocka_unit_test(damage_is_seen),
		cmocka_unit_test(any_damage_is_survived),
		cmocka_unit_test(usage_is_that_of_the_inodes),
		cmocka_unit_test(a_damaged_file_is_marked_and_left),
		cmocka_unit_test(no_room_is_no_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
