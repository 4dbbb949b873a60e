/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Quota files: their trees, and the usage in them against the inodes that
 * pass 2 saw. Kernels take any usage as it is, so a wrong one is a hint; a
 * damaged tree they refuse (fs/quota/quota_tree.c).
 */
#include "config.h"

#include "check/check_int.h"

#include <errno.h>

int quota_count_inode(struct check *c, struct check_worker *w,
		      const struct inode *inode)
{
	int err = 0;

	if (!w->too_many_owners && layout_has(c->lo, OD_FEATURE_QUOTA_INO))
		err = quota_usage_add(&w->usage, c->vol, inode);
	w->too_many_owners |= err == -E2BIG;
	return err && err != -E2BIG ?
	       ctx_nomem(c->vol->ctx, "the usage of owners") : 0;
}

/* All that the threads counted, in the first; false: not known. */
static int merge(struct check *c, bool *is_known)
{
	struct check_worker *w = c->workers;
	int err = 0;

	*is_known = !w->too_many_owners &&
		    !findings_count(c->findings, SEV_ERROR);
	for (unsigned int i = 1; !err && i < c->nr_threads; i++) {
		*is_known &= !w[i].too_many_owners;
		err = quota_usage_merge(&w->usage, &w[i].usage);
		quota_usage_free(&w[i].usage);
	}
	if (err == -E2BIG)
		*is_known = false;
	return err && err != -E2BIG ?
	       ctx_nomem(c->vol->ctx, "the usage of owners") : 0;
}

static void found_usage(struct check *c, const struct quota_file *q,
			uint32_t id, const char *what, uint64_t found,
			uint64_t expected)
{
	if (found == expected)
		return;
	check_found_as(c, (&(struct finding){
			.id = P_QUOTA_USAGE, .structure = "quota entry",
			.number = id, .ino = q->ino,
			.blk = check_nid_blk(c, q->ino), .has_values = true,
			.found = found, .expected = expected }),
		       "%s of %s", what, quota_type_name(q->type));
}

static void compare_entry(struct check *c, const struct quota_file *q,
			  uint32_t id, const struct od_quota_entry *e,
			  const struct quota_use *use)
{
	uint64_t blocks = use ? use->blocks : 0;

	found_usage(c, q, id, "bytes", e ? le64_get(e->space) : 0,
		    blocks * c->lo->block_size);
	found_usage(c, q, id, "inodes", e ? le64_get(e->inodes) : 0,
		    use ? use->inodes : 0);
}

static void compare_usage(struct check *c, const struct quota_file *q)
{
	const struct quota_usage *usage = &c->workers[0].usage;
	const struct quota_use_vec *uses = &usage->use[q->type];
	struct quota_pos pos = { 0 };
	struct od_quota_entry *e;
	uint32_t id;

	while ((e = quota_next(q, &pos, &id))) {
		struct quota_use *use = quota_usage_find(usage, q->type, id);

		if (use)
			use->is_met = true;
		compare_entry(c, q, id, e, use);
	}
	for (size_t i = 0; i < uses->nr; i++)
		if (!uses->v[i].is_met)
			compare_entry(c, q, uses->v[i].id, NULL, &uses->v[i]);
}

/* A file that is not there was reported by pass 0. */
static int check_file(struct check *c, unsigned int type, bool is_known)
{
	uint32_t ino = quota_ino(c->vol, type);
	const struct nid_rec *rec = nids_get(&c->nids, ino);
	struct quota_file q;
	int err;

	if (!rec || !(rec->flags & REC_INODE))
		return 0;
	err = quota_load(c->vol, type, &q);
	if (err == -EUCLEAN || err == -EIO) {
		check_found_as(c, (&(struct finding){
				.id = P_QUOTA_FILE, .structure = "quota file",
				.number = type, .ino = ino,
				.blk = check_nid_blk(c, ino) }),
			       "%s", ctx_error(c->vol->ctx));
		ctx_clear_error(c->vol->ctx);
		return 0;
	}
	if (err)
		return err;
	if (is_known)
		compare_usage(c, &q);
	quota_free(&q);
	return 0;
}

int pass5_quota(struct check *c)
{
	bool is_known = false;
	int err = 0;

	if (!quota_has_files(c->vol))
		return 0;
	err = merge(c, &is_known);
	for (unsigned int type = 0; !err && type < OD_QUOTA_TYPES; type++)
		if (quota_ino(c->vol, type))
			err = check_file(c, type, is_known);
	return err;
}
