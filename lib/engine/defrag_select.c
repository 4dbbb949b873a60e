/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which files are to be put in order, and in what order. */
#include "config.h"

#include "engine/defrag_int.h"

#include "dev/prefetch.h"

#include <errno.h>
#include <stdlib.h>

static int compare_ino(const void *pa, const void *pb)
{
	const uint32_t *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

static bool is_listed(const uint32_t *list, size_t nr, uint32_t ino)
{
	return nr && bsearch(&ino, list, nr, sizeof(*list), compare_ino);
}

/* Only what pays: a file in its ideal extents stays where it is. */
static bool would_gain(const struct defrag *d, const struct frag_file *f)
{
	return (d->opt->full && !d->is_again) || f->extents > f->ideal;
}

static bool is_left_out(const struct defrag_options *opt,
			const struct frag_file *f)
{
	if (opt->only && !is_listed(opt->only, opt->nr_only, f->ino))
		return true;
	if (is_listed(opt->exclude, opt->nr_exclude, f->ino))
		return true;
	return f->extents < opt->min_extents || frag_score(f) < opt->min_score;
}

static int by_place(const void *pa, const void *pb)
{
	const struct candidate *a = pa, *b = pb;

	return a->key < b->key ? -1 : a->key > b->key;
}

static int by_order(const void *pa, const void *pb)
{
	const struct candidate *a = pa, *b = pb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->ino < b->ino ? -1 : a->ino > b->ino;
}

static uint64_t order_key(const struct defrag *d, const struct candidate *c,
			  const struct inode *inode)
{
	switch (d->opt->order) {
	case ORDER_INO:
		return c->ino;
	case ORDER_SIZE:
		return c->blocks;
	case ORDER_ATIME:
		return (uint64_t)inode->atime.sec ^ 1ULL << 63;
	case ORDER_MTIME:
		return (uint64_t)inode->mtime.sec ^ 1ULL << 63;
	case ORDER_DIR:
		break;
	}
	/* A directory goes before what is in it. */
	return (uint64_t)(inode_is_dir(inode) ? c->ino : inode->pino) << 1 |
	       !inode_is_dir(inode);
}

/* Read the inodes in disk order; pinned files are left out. */
static int load_keys(struct defrag *d, uint32_t *blks, void *block)
{
	struct candidate_vec *files = &d->files;
	struct prefetch pf;
	size_t n = 0;

	for (size_t i = 0; i < files->nr; i++)
		files->v[i].key = nat_get(&d->vol->nat, files->v[i].ino).blk;
	vec_sort(files, by_place);
	for (size_t i = 0; i < files->nr; i++)
		blks[i] = (uint32_t)files->v[i].key;
	prefetch_start(&pf, d->vol->dev, blks, files->nr, PREFETCH_GAP,
		       PREFETCH_WINDOW);
	for (size_t i = 0; i < files->nr; i++) {
		struct candidate c = files->v[i];
		struct inode inode;
		int err;

		prefetch_reach(&pf, i);
		err = inode_read(d->vol, c.ino, block, &inode);
		if (err)
			return err;
		if (inode_is_pinned(&inode)) {
			d->rep->files_skipped++;
			continue;
		}
		c.key = order_key(d, &c, &inode);
		files->v[n++] = c;
	}
	files->nr = n;
	return 0;
}

int defrag_select(struct defrag *d, const struct frag_file_vec *all)
{
	uint32_t *blks = NULL;
	void *block = NULL;
	int err = 0;

	d->files.nr = 0;
	for (size_t i = 0; i < all->nr; i++) {
		const struct frag_file *f = &all->v[i];
		struct candidate c = {
			.ino = f->ino, .blocks = f->blocks,
			.extents = f->extents, .ideal = f->ideal,
		};

		if (!would_gain(d, f)) {
			d->rep->blocks_no_gain += f->blocks;
			continue;
		}
		if (is_left_out(d->opt, f)) {
			d->rep->blocks_left_out += f->blocks;
			continue;
		}
		if (vec_push(&d->files, &c))
			return ctx_nomem(d->vol->ctx, "the list of files");
	}
	blks = malloc(d->files.nr * sizeof(*blks) + 1);
	block = malloc(d->vol->lo.block_size);
	if (blks && block)
		err = load_keys(d, blks, block);
	else
		err = ctx_nomem(d->vol->ctx, "the list of files");
	if (!err)
		vec_sort(&d->files, by_order);
	if (d->files.nr > d->rep->files_selected)
		d->rep->files_selected = d->files.nr;
	free(block);
	free(blks);
	return err;
}
