/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All files are loaded and changed in memory before the first block is
 * written, so that what cannot be done leaves nothing behind.
 */
#include "config.h"

#include "engine/quota_edit.h"

#include "engine/map_edit.h"
#include "engine/quota_tree.h"
#include "tree/filemap.h"
#include "tree/quota_usage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct refresh {
	struct edit *ed;
	uint64_t now;
	struct quota_stats *st;
	struct quota_usage usage;
	struct quota_tree tree[OD_QUOTA_TYPES];
};

struct id_vec VEC_BODY(uint32_t);

/*
 * Below a soft limit no time runs; it starts when the limit is passed (kernel
 * fs/quota/dquot.c, dquot_decr_space(), dquot_add_space()).
 */
static void settle_time(le64 *time, uint64_t soft, uint64_t was, uint64_t now,
			uint64_t deadline)
{
	if (now < was && now <= soft)
		le64_set(time, 0);
	else if (now > was && soft && now > soft && !le64_get(*time))
		le64_set(time, deadline);
}

static uint64_t kib(uint64_t n)
{
	return n > UINT64_MAX / 1024 ? UINT64_MAX : n * 1024;
}

/* Whether anything changed. */
static bool set_usage(const struct refresh *r, struct od_quota_entry *e,
		      const struct od_quota_head *head,
		      const struct quota_use *use)
{
	uint64_t space = use ? use->blocks * r->ed->vol->lo.block_size : 0;
	uint64_t inodes = use ? use->inodes : 0;
	uint64_t had_space = le64_get(e->space);
	uint64_t had_inodes = le64_get(e->inodes);

	if (space == had_space && inodes == had_inodes)
		return false;
	settle_time(&e->block_time, kib(le64_get(e->block_soft)), had_space,
		    space, r->now + le32_get(head->block_grace));
	settle_time(&e->inode_time, le64_get(e->inode_soft), had_inodes,
		    inodes, r->now + le32_get(head->inode_grace));
	le64_set(&e->space, space);
	le64_set(&e->inodes, inodes);
	return true;
}

/* The kernel keeps no entry for those who own nothing without a limit. */
static bool is_idle(const struct od_quota_entry *e)
{
	return !(le64_get(e->space) | le64_get(e->inodes) |
		 le64_get(e->block_hard) | le64_get(e->block_soft) |
		 le64_get(e->inode_hard) | le64_get(e->inode_soft));
}

/* The entries that are there; those to be dropped are listed. */
static int update_entries(struct refresh *r, struct quota_tree *t,
			  struct id_vec *idle)
{
	const struct od_quota_head *head = quota_head(&t->q);
	struct quota_pos pos = { 0 };
	struct od_quota_entry *e;
	uint32_t id;

	while ((e = quota_next(&t->q, &pos, &id))) {
		struct quota_use *use = quota_usage_find(&r->usage, t->q.type,
							 id);

		if (use)
			use->is_met = true;
		if (!set_usage(r, e, head, use))
			continue;
		quota_tree_touch(t, e);
		r->st->ids_changed++;
		if (is_idle(e) && vec_push(idle, &id))
			return -ENOMEM;
	}
	return 0;
}

static int compare_uses(const void *a, const void *b)
{
	const struct quota_use *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* Those the file does not know. The map of ids is of no use afterwards. */
static int add_entries(struct refresh *r, struct quota_tree *t)
{
	struct quota_use_vec *uses = &r->usage.use[t->q.type];
	int err = 0;

	vec_sort(uses, compare_uses);
	for (size_t i = 0; !err && i < uses->nr; i++) {
		struct od_quota_entry e = { 0 };

		if (uses->v[i].is_met)
			continue;
		le32_set(&e.id, uses->v[i].id);
		set_usage(r, &e, quota_head(&t->q), &uses->v[i]);
		err = quota_tree_insert(t, &e);
		r->st->ids_added++;
	}
	return err;
}

static int update(struct refresh *r, struct quota_tree *t)
{
	struct id_vec idle = { 0 };
	int err = update_entries(r, t, &idle);

	for (size_t i = 0; !err && i < idle.nr; i++) {
		quota_tree_remove(t, idle.v[i]);
		r->st->ids_removed++;
	}
	vec_free(&idle);
	if (!err)
		err = add_entries(r, t);
	return err ? ctx_nomem(r->ed->vol->ctx, "a quota file") : 0;
}

static int load(struct refresh *r)
{
	struct volume *vol = r->ed->vol;
	int err = 0;

	for (unsigned int type = 0; !err && type < OD_QUOTA_TYPES; type++) {
		struct quota_file q;

		if (!quota_ino(vol, type))
			continue;
		err = quota_load(vol, type, &q);
		if (err)
			break;
		if (quota_tree_init(&r->tree[type], &q, vol->lo.block_size))
			err = ctx_nomem(vol->ctx, "a quota file");
		quota_free(&q);
	}
	if (!err)
		err = quota_usage_scan(vol, &r->usage);
	for (unsigned int type = 0; !err && type < OD_QUOTA_TYPES; type++)
		if (r->tree[type].q.data)
			err = update(r, &r->tree[type]);
	return err;
}

static int read_inode(struct edit *ed, uint32_t ino, struct inode *inode,
		      uint8_t **block)
{
	*block = malloc(ed->vol->lo.block_size);
	if (!*block)
		return ctx_nomem(ed->vol->ctx, "an inode");
	return inode_read(ed->vol, ino, *block, inode);
}

/* The log of the file's first block: what grows goes there too. */
static int log_of(struct edit *ed, uint32_t ino, uint8_t *type)
{
	const struct volume *vol = ed->vol;
	struct file_slot slot;
	int err = map_edit_slot(ed, ino, 0, &slot);

	*type = LOG_WARM_DATA;
	if (err || !blk_is_main(&vol->lo, slot.blk))
		return err;
	*type = sit_get(&vol->sit, blk_to_seg(&vol->lo, slot.blk))->type;
	if (log_is_node(*type))
		*type = LOG_WARM_DATA;
	return 0;
}

static int write_size(struct edit *ed, const struct quota_tree *t)
{
	uint64_t size = (uint64_t)t->q.nr * OD_QUOTA_BLOCK;
	struct inode inode;
	uint8_t *block;
	int err = read_inode(ed, t->q.ino, &inode, &block);

	if (!err && inode.size < size) {
		le64_set(&((struct od_inode *)block)->i_size, size);
		err = edit_write_node(ed, t->q.ino, block);
	}
	free(block);
	return err;
}

static int write_tree(struct refresh *r, const struct quota_tree *t)
{
	uint32_t nr = quota_tree_blks(t);
	uint8_t type;
	int err = log_of(r->ed, t->q.ino, &type);

	for (uint32_t lblk = 0; !err && lblk < nr; lblk++) {
		struct file_slot slot;

		if (!quota_tree_blk_is_dirty(t, lblk))
			continue;
		err = map_edit_slot(r->ed, t->q.ino, lblk, &slot);
		if (!err)
			err = map_edit_write(r->ed, &slot, type,
					     quota_block(&t->q, lblk *
							 t->per_blk));
		r->st->blocks_written++;
	}
	return err ? err : write_size(r->ed, t);
}

/* Blocks that one file adds, and those that are written at most, with nodes. */
static void count_blocks(const struct refresh *r, const struct quota_tree *t,
			 uint64_t *more, uint64_t *written)
{
	uint32_t nr = quota_tree_blks(t), had = t->nr_blks_had;
	uint64_t dirty = 0;

	for (uint32_t lblk = 0; lblk < nr; lblk++)
		dirty += quota_tree_blk_is_dirty(t, lblk);
	if (!dirty)
		return;
	if (nr > had)
		*more += nr - had + nr / r->ed->vol->lo.addrs_per_node + 3;
	*written += dirty + 1 + nr / r->ed->vol->lo.addrs_per_node + 3;
}

/*
 * What has no place must not end a replay. Sections are counted as if the
 * logs could take nothing more where they stand, which is on the safe side.
 */
static int prove_room(const struct refresh *r)
{
	const struct volume *vol = r->ed->vol;
	uint64_t more = 0, written = 0, secs;

	for (unsigned int type = 0; type < OD_QUOTA_TYPES; type++)
		if (r->tree[type].q.data)
			count_blocks(r, &r->tree[type], &more, &written);
	secs = written / blks_per_sec(&vol->lo) + (written ? 2 : 0);
	if (vol->cp.valid_blocks + more <= vol->cp.user_blocks &&
	    secs <= r->ed->alloc.nr_free)
		return 0;
	return ctx_fail(vol->ctx, -ENOSPC, "%s: no room for %" PRIu64 " blocks "
			"of quota files", vol->dev->name, written);
}

/* Why the files stay as they are; -EUCLEAN and the like are no failure. */
static int leave_marked(struct refresh *r, int err)
{
	struct volume *vol = r->ed->vol;

	if (err != -EUCLEAN && err != -EINVAL && err != -E2BIG &&
	    err != -ENOSPC)
		return err;
	ctx_log(vol->ctx, CTX_WARNING, "quota", "%s; usage in the quota files "
		"was not brought up to date, kernels will not use them until a "
		"check has repaired them", ctx_error(vol->ctx));
	ctx_clear_error(vol->ctx);
	if (!(vol->cp.flags & OD_CP_QUOTA_NEED_FSCK))
		r->ed->has_changed = true;
	vol->cp.flags |= OD_CP_QUOTA_NEED_FSCK;
	*r->st = (struct quota_stats){ .is_marked = true };
	return 0;
}

static int write_all(struct refresh *r)
{
	int err = 0;

	for (unsigned int type = 0; !err && type < OD_QUOTA_TYPES; type++) {
		if (!r->tree[type].q.data)
			continue;
		err = write_tree(r, &r->tree[type]);
		r->st->files++;
	}
	if (err)
		return err;
	r->ed->vol->cp.flags &= ~OD_CP_QUOTA_NEED_FSCK;
	findings_drop(&r->ed->vol->findings, P_CP_FLAG_QUOTA);
	r->ed->has_changed = true;
	return 0;
}

bool quota_needs_refresh(const struct volume *vol)
{
	return vol->cp.flags & OD_CP_QUOTA_NEED_FSCK && quota_has_files(vol);
}

int quota_refresh(struct edit *ed, uint64_t now, struct quota_stats *st)
{
	struct refresh r = { .ed = ed, .now = now, .st = st };
	int err;

	if (!quota_has_files(ed->vol))
		return 0;
	err = load(&r);
	if (!err)
		err = prove_room(&r);
	err = err ? leave_marked(&r, err) : write_all(&r);
	for (unsigned int type = 0; type < OD_QUOTA_TYPES; type++)
		quota_tree_free(&r.tree[type]);
	quota_usage_free(&r.usage);
	return err;
}
