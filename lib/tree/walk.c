/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every path of a volume. Each directory on the way down keeps its sorted
 * entries and a place in them; the stack grows on the heap, and a bitmap of
 * the directories met keeps every one from being entered twice.
 */
#include "config.h"

#include "tree/walk.h"
#include "base/map.h"
#include "base/vec.h"
#include "dev/prefetch.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define HINT_ENTRIES	1024U

struct entry {
	uint32_t ino;
	uint32_t name;			/* offset in the level's names */
	uint16_t len;
};

struct entry_vec VEC_BODY(struct entry);
struct byte_vec VEC_BODY(char);

/* One directory on the way down. */
struct level {
	struct entry_vec entries;
	struct byte_vec names;		/* of all entries */
	size_t next;
	size_t path_len;		/* of the directory itself */
};

struct level_vec VEC_BODY(struct level);

struct walk {
	struct volume *vol;
	walk_fn *fn;
	void *priv;
	struct level_vec levels;
	struct byte_vec path;
	struct map seen;		/* inos of directories */
	uint8_t *block;
	int bad;			/* of a directory that was cut short */
};

static int push_bytes(struct byte_vec *v, const void *bytes, size_t nr)
{
	if (vec_reserve(v, v->nr + nr + 1))
		return -ENOMEM;
	memcpy(v->v + v->nr, bytes, nr);
	v->nr += nr;
	v->v[v->nr] = '\0';
	return 0;
}

static bool is_dot(const struct dir_entry *e)
{
	return e->name[0] == '.' &&
	       (e->name_len == 1 || (e->name_len == 2 && e->name[1] == '.'));
}

static int collect(void *priv, const struct dir_entry *e)
{
	struct level *l = priv;
	struct entry entry = {
		.ino = e->ino,
		.name = (uint32_t)l->names.nr,
		.len = e->name_len,
	};

	if (is_dot(e))
		return 0;
	if (l->names.nr > UINT32_MAX - OD_NAME_LEN ||
	    push_bytes(&l->names, e->name, e->name_len))
		return -ENOMEM;
	return vec_push(&l->entries, &entry);
}

static int compare_entries(const void *a, const void *b, void *names)
{
	const struct entry *x = a, *y = b;
	const char *n = names;
	int ret = memcmp(n + x->name, n + y->name,
			 x->len < y->len ? x->len : y->len);

	return ret ? ret : (int)x->len - (int)y->len;
}

static void free_level(struct level *l)
{
	vec_free(&l->entries);
	vec_free(&l->names);
}

/* Hints for the inodes of the entries that come next. */
static void hint_inodes(struct walk *w, const struct level *l)
{
	size_t nr_left = l->entries.nr - l->next;
	uint32_t blks[HINT_ENTRIES];
	size_t nr = 0;

	for (size_t i = 0; i < nr_left && i < HINT_ENTRIES; i++) {
		uint32_t ino = l->entries.v[l->next + i].ino;
		uint32_t blk = nat_get(&w->vol->nat, ino).blk;

		if (blk_is_main(&w->vol->lo, blk))
			blks[nr++] = blk;
	}
	if (nr > 1)
		prefetch_batch(w->vol->dev, blks, nr, PREFETCH_GAP);
}

/* Enter the directory whose block and path are the present ones. */
static int enter(struct walk *w, const struct inode *inode)
{
	struct level l = { .path_len = w->path.nr };
	int err;

	if (map_get(&w->seen, inode->ino, NULL))
		return 0;
	if (map_put(&w->seen, inode->ino, 1))
		return ctx_nomem(w->vol->ctx, "the directories of a walk");
	err = dir_iterate(w->vol, inode, w->block, collect, &l);
	if (err == -EUCLEAN) {
		w->bad = err;
		err = 0;
	}
	if (!err && l.entries.nr)
		qsort_r(l.entries.v, l.entries.nr, sizeof(*l.entries.v),
			compare_entries, l.names.v);
	if (!err && vec_push(&w->levels, &l))
		err = -ENOMEM;
	if (err)
		free_level(&l);
	return err == -ENOMEM ?
		ctx_nomem(w->vol->ctx, "the entries of a directory") : err;
}

static int visit(struct walk *w, uint32_t ino)
{
	struct walk_visit v = { .path = w->path.v, .block = w->block };
	struct inode inode;
	int err;

	err = inode_read(w->vol, ino, w->block, &inode);
	if (err == -ENOENT)
		err = ctx_fail(w->vol->ctx, -EUCLEAN, "%s names inode %" PRIu32
			       ", which is free", w->path.v, ino);
	if (err == -EUCLEAN) {
		w->bad = err;
		return 0;
	}
	if (err)
		return err;
	v.inode = &inode;
	err = w->fn(w->priv, &v);
	if (!err && inode_is_dir(&inode))
		err = enter(w, &inode);
	return err;
}

static int next_entry(struct walk *w)
{
	struct level *l = &w->levels.v[w->levels.nr - 1];
	const struct entry *e;

	if (l->next == l->entries.nr) {
		free_level(l);
		w->levels.nr--;
		return 0;
	}
	if (l->next % HINT_ENTRIES == 0)
		hint_inodes(w, l);
	e = &l->entries.v[l->next++];
	w->path.nr = l->path_len > 1 ? l->path_len : 0;
	if (push_bytes(&w->path, "/", 1) ||
	    push_bytes(&w->path, l->names.v + e->name, e->len))
		return ctx_nomem(w->vol->ctx, "a path");
	return visit(w, e->ino);
}

int walk_below(struct volume *vol, const char *path, uint32_t ino, walk_fn *fn,
	       void *priv)
{
	struct walk w = { .vol = vol, .fn = fn, .priv = priv };
	int err;

	w.block = malloc(vol->lo.block_size);
	if (!w.block || push_bytes(&w.path, path, strlen(path))) {
		err = ctx_nomem(vol->ctx, "the walk of a tree");
		goto out;
	}
	err = visit(&w, ino);
	while (!err && w.levels.nr)
		err = next_entry(&w);
	if (!err)
		err = w.bad;
out:
	while (w.levels.nr)
		free_level(&w.levels.v[--w.levels.nr]);
	vec_free(&w.levels);
	vec_free(&w.path);
	map_free(&w.seen);
	free(w.block);
	return err;
}

int walk_tree(struct volume *vol, walk_fn *fn, void *priv)
{
	return walk_below(vol, "/", OD_ROOT_INO, fn, priv);
}

int walk_lookup(struct volume *vol, const char *path, uint32_t *ino)
{
	uint32_t at = OD_ROOT_INO;
	struct inode inode;
	uint8_t *block = malloc(vol->lo.block_size);
	int err = block ? 0 : ctx_nomem(vol->ctx, "a node block");

	while (!err) {
		size_t len;

		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (!len)
			break;
		err = inode_read(vol, at, block, &inode);
		if (!err && !inode_is_dir(&inode))
			err = -ENOENT;
		if (!err)
			err = len > OD_NAME_LEN ? -ENOENT :
			      dir_lookup(vol, &inode, block,
					 (const uint8_t *)path, len, &at);
		path += len;
	}
	free(block);
	if (!err)
		*ino = at;
	return err;
}
