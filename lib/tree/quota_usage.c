/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counting the inodes and blocks of each owner. */
#include "config.h"

#include "tree/quota_usage.h"

#include "base/work.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define MAX_THREADS	64U
#define NO_ID		UINT32_MAX	/* of nobody: the kernel charges none */

static int add(struct quota_usage *u, unsigned int type, uint32_t id,
	       uint64_t inodes, uint64_t blocks)
{
	struct quota_use *use = quota_usage_find(u, type, id);
	struct quota_use fresh = { .id = id };

	if (!use && u->use[type].nr == QUOTA_MAX_IDS)
		return -E2BIG;
	if (!use) {
		if (map_put(&u->where[type], id, u->use[type].nr) ||
		    vec_push(&u->use[type], &fresh))
			return -ENOMEM;
		use = &u->use[type].v[u->use[type].nr - 1];
	}
	use->inodes += inodes;
	use->blocks += blocks;
	return 0;
}

int quota_usage_add(struct quota_usage *u, const struct volume *vol,
		    const struct inode *inode)
{
	const uint32_t ids[OD_QUOTA_TYPES] = {
		inode->uid, inode->gid, inode->projid,
	};
	uint64_t blocks = inode->blocks ? inode->blocks - 1 : 0;
	int err = 0;

	if (quota_is_ino(vol, inode->ino))
		return 0;
	for (unsigned int type = 0; !err && type < OD_QUOTA_TYPES; type++)
		if (ids[type] != NO_ID && quota_ino(vol, type))
			err = add(u, type, ids[type], 1, blocks);
	return err;
}

int quota_usage_merge(struct quota_usage *u, const struct quota_usage *from)
{
	int err = 0;

	for (unsigned int type = 0; type < OD_QUOTA_TYPES; type++)
		for (size_t i = 0; !err && i < from->use[type].nr; i++) {
			const struct quota_use *use = &from->use[type].v[i];

			err = add(u, type, use->id, use->inodes, use->blocks);
		}
	return err;
}

struct quota_use *quota_usage_find(const struct quota_usage *u,
				   unsigned int type, uint32_t id)
{
	uint64_t i;

	return map_get(&u->where[type], id, &i) ? &u->use[type].v[i] : NULL;
}

void quota_usage_free(struct quota_usage *u)
{
	for (unsigned int type = 0; type < OD_QUOTA_TYPES; type++) {
		map_free(&u->where[type]);
		vec_free(&u->use[type]);
	}
}

static int fail(const struct volume *vol, int err)
{
	if (err != -E2BIG)
		return ctx_nomem(vol->ctx, "the usage of owners");
	return ctx_fail(vol->ctx, err, "%s: files have more than %u owners",
			vol->dev->name, QUOTA_MAX_IDS);
}

struct usage_scan {
	struct volume *vol;
	struct quota_usage *worker;
};

static int count_inode(void *priv, unsigned int worker,
		       const struct node_visit *v)
{
	struct usage_scan *s = priv;
	struct volume *vol = s->vol;
	struct fault fault = { 0 };
	struct inode inode;
	int err;

	if (v->nat.ino != v->nid || v->nid < OD_ROOT_INO)
		return 0;
	if (!v->block)
		return ctx_fail(vol->ctx, blk_is_main(&vol->lo, v->nat.blk) ?
				-EIO : -EUCLEAN, "inode %" PRIu32 " at block %"
				PRIu32 " cannot be read", v->nid, v->nat.blk);
	if (inode_decode(&vol->lo, v->block, &inode, &fault) ||
	    inode.ino != v->nid)
		return ctx_fail(vol->ctx, -EUCLEAN, "inode %" PRIu32
				" is not sound", v->nid);
	err = quota_usage_add(&s->worker[worker], vol, &inode);
	return err ? fail(vol, err) : 0;
}

int quota_usage_scan(struct volume *vol, struct quota_usage *u)
{
	unsigned int nr = work_nr_threads(0, MAX_THREADS);
	struct usage_scan s = { .vol = vol };
	int err;

	s.worker = calloc(nr, sizeof(*s.worker));
	if (!s.worker)
		return ctx_nomem(vol->ctx, "a list of threads");
	err = node_scan(vol, nr, count_inode, &s);
	for (unsigned int i = 0; i < nr; i++) {
		if (!err) {
			err = quota_usage_merge(u, &s.worker[i]);
			err = err ? fail(vol, err) : 0;
		}
		quota_usage_free(&s.worker[i]);
	}
	free(s.worker);
	return err;
}
