/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choosing files by path. What is there under the very name is meant by it,
 * also when it looks like a glob. Without globs only what is chosen is walked.
 */
#include "config.h"

#include "api/select.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

struct choice {
	char *path;			/* absolute and clean */
	uint32_t ino;			/* 0: a glob */
	bool matched;
};

struct choice_vec VEC_BODY(struct choice);

struct select {
	struct volume *vol;
	struct choice_vec choices;
	walk_fn *fn;
	void *priv;
	char *inside;			/* the chosen folder that is walked */
};

/* "/a/b" of "a//b/", "./a/b" and "/x/../a/b". */
static char *clean_path(const char *from)
{
	char *out = malloc(strlen(from) + 2), *to = out;

	if (!out)
		return NULL;
	while (*(from += strspn(from, "/"))) {
		size_t len = strcspn(from, "/");

		if (len == 2 && !memcmp(from, "..", 2)) {
			while (to > out && *--to != '/')
				;
		} else if (len != 1 || *from != '.') {
			*to++ = '/';
			memcpy(to, from, len);
			to += len;
		}
		from += len;
	}
	if (to == out)
		*to++ = '/';
	*to = '\0';
	return out;
}

static bool is_below(const char *dir, const char *path)
{
	size_t len = strlen(dir);

	if (len == 1)
		return true;
	return !strncmp(dir, path, len) && (!path[len] || path[len] == '/');
}

/* The order of a walk: a directory before all names that begin with its. */
static int compare_choices(const void *a, const void *b)
{
	const unsigned char *x = (const void *)((const struct choice *)a)->path;
	const unsigned char *y = (const void *)((const struct choice *)b)->path;

	while (*x && *x == *y)
		x++, y++;
	if (*x && *y && (*x == '/' || *y == '/'))
		return *x == '/' ? -1 : 1;
	return *x - *y;
}

static int add_choice(struct select *s, const char *path)
{
	struct choice c = { 0 };
	int err;

	if (!*path)
		return ctx_fail(s->vol->ctx, -ENOENT, "a path is empty");
	c.path = clean_path(path);
	if (!c.path)
		return ctx_nomem(s->vol->ctx, "a path");
	err = walk_lookup(s->vol, c.path, &c.ino);
	if (err == -ENOENT && strpbrk(path, "*?["))
		err = 0;
	else if (err == -ENOENT)
		err = ctx_fail(s->vol->ctx, err, "%s: there is no '%s' on the volume",
			       s->vol->dev->name, c.path);
	if (!err && vec_push(&s->choices, &c))
		err = ctx_nomem(s->vol->ctx, "the list of paths");
	if (err)
		free(c.path);
	return err;
}

static bool has_globs(const struct select *s)
{
	for (size_t i = 0; i < s->choices.nr; i++)
		if (!s->choices.v[i].ino)
			return true;
	return false;
}

/* Every choice is tried, so that it is known which matched nothing. */
static bool is_chosen(struct select *s, const char *path)
{
	bool chosen = false;

	for (size_t i = 0; i < s->choices.nr; i++) {
		struct choice *c = &s->choices.v[i];

		if (c->ino ? strcmp(c->path, path) : fnmatch(c->path, path, 0))
			continue;
		c->matched = true;
		chosen = true;
	}
	return chosen;
}

static int visit(void *priv, const struct walk_visit *v)
{
	struct select *s = priv;
	bool chosen = is_chosen(s, v->path);

	if (!s->inside || !is_below(s->inside, v->path)) {
		if (!chosen)
			return 0;
		free(s->inside);
		s->inside = strdup(v->path);
		if (!s->inside)
			return ctx_nomem(s->vol->ctx, "a path");
	}
	return s->fn(s->priv, v);
}

static int walk_all(struct select *s, unsigned int flags)
{
	int err = walk_tree(s->vol, visit, s);

	if (err || flags & SELECT_MAY_MISS)
		return err;
	for (size_t i = 0; i < s->choices.nr; i++)
		if (!s->choices.v[i].matched)
			return ctx_fail(s->vol->ctx, -ENOENT, "%s: nothing on the volume matches '%s'",
					s->vol->dev->name,
					s->choices.v[i].path);
	return 0;
}

/* Only what is below the choices, without those that are below another. */
static int walk_each(struct select *s)
{
	const struct choice *last = NULL;
	int bad = 0;

	vec_sort(&s->choices, compare_choices);
	for (size_t i = 0; i < s->choices.nr; i++) {
		const struct choice *c = &s->choices.v[i];
		int err;

		if (last && is_below(last->path, c->path))
			continue;
		last = c;
		err = walk_below(s->vol, c->path, c->ino, s->fn, s->priv);
		if (err && err != -EUCLEAN)
			return err;
		bad = err ? err : bad;
	}
	return bad;
}

int select_walk(struct volume *vol, const char *const *paths, size_t nr,
		unsigned int flags, walk_fn *fn, void *priv)
{
	struct select s = { .vol = vol, .fn = fn, .priv = priv };
	int err = 0;

	for (size_t i = 0; !err && i < nr; i++)
		err = add_choice(&s, paths[i]);
	if (!err)
		err = has_globs(&s) ? walk_all(&s, flags) : walk_each(&s);
	for (size_t i = 0; i < s.choices.nr; i++)
		free(s.choices.v[i].path);
	vec_free(&s.choices);
	free(s.inside);
	return err;
}

struct inodes {
	struct volume *vol;
	struct ino_vec *out;
};

static int add_inode(void *priv, const struct walk_visit *v)
{
	struct inodes *inodes = priv;

	return vec_push(inodes->out, &v->inode->ino) ?
		ctx_nomem(inodes->vol->ctx, "the list of chosen files") : 0;
}

static int compare_inos(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int select_inodes(struct volume *vol, const char *const *paths, size_t nr,
		  unsigned int flags, struct ino_vec *out)
{
	struct inodes inodes = { .vol = vol, .out = out };
	int err = select_walk(vol, paths, nr, flags, add_inode, &inodes);
	size_t kept = 0;

	if (err && err != -EUCLEAN)
		return err;
	vec_sort(out, compare_inos);
	for (size_t i = 0; i < out->nr; i++)
		if (!kept || out->v[kept - 1] != out->v[i])
			out->v[kept++] = out->v[i];
	out->nr = kept;
	return err;
}

bool select_has(const struct ino_vec *inos, uint32_t ino)
{
	return inos->nr && bsearch(&ino, inos->v, inos->nr, sizeof(ino),
				   compare_inos);
}
