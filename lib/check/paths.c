/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A path for the inode of a finding, upwards by the parents that pass 3 found.
 * The name is the one in the inode if its directory has it, else it is looked
 * for. Bounded: so many findings, so many components.
 */
#include "config.h"

#include "check/check_int.h"

#include <errno.h>
#include <string.h>

#define PATH_BYTES	4096U
#define MAX_PARTS	1024U

struct path_search {
	struct check *c;
	uint8_t *child;			/* one block each */
	uint8_t *parent;
	char buf[PATH_BYTES + 1];	/* filled from the end */
	size_t at;
	uint32_t want;			/* ino to look for */
	uint8_t name[OD_NAME_LEN];
	size_t name_len;
};

static int match(void *priv, const struct dir_entry *e)
{
	struct path_search *p = priv;
	bool dots = e->name_len && e->name_len <= 2 && e->name[0] == '.' &&
		    e->name[e->name_len - 1] == '.';

	if (e->ino != p->want || dots || e->name_len > OD_NAME_LEN)
		return 0;
	memcpy(p->name, e->name, e->name_len);
	p->name_len = e->name_len;
	return 1;
}

/* The name of @ino in @dir; false if there is none. */
static bool find_name(struct path_search *p, uint32_t dir, uint32_t ino)
{
	struct volume *vol = p->c->vol;
	const struct od_inode *od = (const void *)p->child;
	struct inode inode, parent;
	uint32_t got;

	if (inode_read(vol, dir, p->parent, &parent) || !inode_is_dir(&parent))
		return false;
	if (!inode_read(vol, ino, p->child, &inode) && inode.pino == dir &&
	    inode.namelen && inode.namelen <= OD_NAME_LEN &&
	    !dir_lookup(vol, &parent, p->parent, od->i_name, inode.namelen,
			&got) && got == ino) {
		memcpy(p->name, od->i_name, inode.namelen);
		p->name_len = inode.namelen;
		return true;
	}
	p->want = ino;
	return dir_iterate(vol, &parent, p->parent, match, p) == 1;
}

static bool prepend(struct path_search *p)
{
	if (p->at < p->name_len + 1)
		return false;
	p->at -= p->name_len;
	memcpy(p->buf + p->at, p->name, p->name_len);
	p->buf[--p->at] = '/';
	return true;
}

/* A new string, or NULL if there is no path (or no memory). */
static char *path_of(struct path_search *p, uint32_t ino)
{
	p->at = PATH_BYTES;
	p->buf[p->at] = '\0';
	if (ino == OD_ROOT_INO)
		return strdup("/");
	for (unsigned int i = 0; i < MAX_PARTS && ino != OD_ROOT_INO; i++) {
		const struct nid_rec *rec = nids_get(&p->c->nids, ino);

		if (!rec || !(rec->flags & REC_INODE) || !rec->claim ||
		    !find_name(p, rec->ino, ino) || !prepend(p))
			return NULL;
		ino = rec->ino;
	}
	return ino == OD_ROOT_INO ? strdup(p->buf + p->at) : NULL;
}

int check_fill_paths(struct check *c)
{
	struct check_result *res = c->res;
	size_t nr = res->findings.nr, done = 0;
	struct path_search *p;
	uint32_t last = 0;

	if (!nr)
		return 0;
	p = calloc(1, sizeof(*p));
	res->paths = calloc(nr, sizeof(*res->paths));
	if (p) {
		p->child = malloc(c->lo->block_size);
		p->parent = malloc(c->lo->block_size);
	}
	if (!p || !res->paths || !p->child || !p->parent) {
		if (p) {
			free(p->child);
			free(p->parent);
		}
		free(p);
		return ctx_nomem(c->vol->ctx, "paths");
	}
	p->c = c;
	res->nr_paths = nr;
	for (size_t i = 0; i < nr && done < CHECK_MAX_PATHS; i++) {
		uint32_t ino = res->findings.v[i].ino;

		if (!ino)
			continue;
		if (i && ino == last) {	/* not looked for again */
			if (res->paths[i - 1])
				res->paths[i] = strdup(res->paths[i - 1]);
			continue;
		}
		res->paths[i] = path_of(p, ino);
		last = ino;
		done++;
	}
	free(p->child);
	free(p->parent);
	free(p);
	return 0;
}
