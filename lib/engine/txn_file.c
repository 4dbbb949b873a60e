/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All blocks of a file as moves, from its own nodes. */
#include "config.h"

#include "engine/txn.h"

#include "tree/filemap.h"

#include <errno.h>
#include <stdlib.h>

struct file {
	struct txn *t;
	uint32_t ino;
	uint32_t rank;
};

static int add_mapping(void *priv, const struct mapping *map)
{
	const struct file *f = priv;
	struct volume *vol = f->t->vol;
	struct move m = {
		.src = map->blk, .nid = map->nid, .ino = f->ino,
		.rank = f->rank, .ofs = (uint16_t)map->ofs,
	};

	if (!blk_is_real(map->blk))
		return 0;
	if (!blk_is_main(&vol->lo, map->blk))
		return ctx_fail(vol->ctx, -EUCLEAN, "inode %u: block %u lies "
				"outside the main area", f->ino, map->blk);
	m.type = sit_get(&vol->sit, blk_to_seg(&vol->lo, map->blk))->type;
	m.version = nat_get(&vol->nat, map->nid).version;
	return vec_push(&f->t->moves, &m) ?
	       ctx_nomem(vol->ctx, "the list of moves") : 0;
}

int txn_add_file(struct txn *t, uint32_t ino, uint32_t rank)
{
	struct file f = { .t = t, .ino = ino, .rank = rank };
	void *block = malloc(t->vol->lo.block_size);
	struct inode inode;
	int err;

	if (!block)
		return ctx_nomem(t->vol->ctx, "an inode");
	err = inode_read(t->vol, ino, block, &inode);
	if (!err && inode_is_pinned(&inode))
		err = -EBUSY;
	if (!err && inode_has_blocks(&inode))
		err = filemap_walk(t->vol, &inode, block, add_mapping, &f);
	free(block);
	return err;
}
