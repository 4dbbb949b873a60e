/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pass 3: all directory blocks in order of address, whatever directory they
 * belong to, on all cores.
 */
#include "config.h"

#include "check/check_int.h"
#include "check/scan.h"

static int visit(void *priv, unsigned int worker, size_t i, const void *block)
{
	struct check *c = priv;
	const struct dir_block *b = &c->dir_blocks.v[i];
	const struct dir_info *d = check_dir(c, b->ino);
	int err = check_progress(c, worker, "directories", c->dir_blocks.nr);

	if (err || !d)
		return err;
	if (!block) {
		check_found_as(c, (&(struct finding){
				.id = P_DIR_UNREADABLE,
				.structure = "directory", .number = b->ino,
				.blk = b->blk, .ino = b->ino }), NULL);
		return 0;
	}
	return dir_check_block(c, &c->workers[worker], d, b, block);
}

/* A directory without its first block has no dots. */
static void check_dots_seen(struct check *c)
{
	for (size_t i = 0; i < c->dirs.nr; i++) {
		uint32_t ino = c->dirs.v[i].ino;
		struct nid_rec *rec = nids_get(&c->nids, ino);

		if (!rec || rec->flags & (REC_DOTS | REC_ORPHAN | REC_BAD))
			continue;
		rec->flags |= REC_DOTS_BAD;
		check_found_as(c, (&(struct finding){
				.id = P_DIR_DOTS, .structure = "directory",
				.number = ino, .blk = check_nid_blk(c, ino),
				.ino = ino }), "it has no first block");
	}
}

int pass3_dirs(struct check *c)
{
	int err;

	err = block_scan(c->vol, c->nr_threads, c->dir_blocks.v,
			 sizeof(*c->dir_blocks.v), c->dir_blocks.nr, visit, c);
	if (err)
		return err;
	check_dots_seen(c);
	return names_check(c);
}
