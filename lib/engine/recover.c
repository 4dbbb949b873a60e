/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Roll-forward from its outside: the chain is read and proved, then replayed
 * node by node in its order (kernel fs/f2fs/recovery.c, recover_data()).
 */
#include "config.h"

#include "engine/recover_int.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static int replay_inode(struct recover *r, const uint8_t *from, bool has_name)
{
	int ret = recover_inode_fields(r, from);

	if (!ret && has_name)
		ret = recover_dentry(r, from);
	if (!ret)
		ret = recover_inline_data(r, from);
	if (ret)
		return ret < 0 ? ret : 0;
	return recover_slots(r, from, 0);
}

static int replay_direct(struct recover *r, const uint8_t *from, uint32_t ofs)
{
	int err = recover_inline_data(r, NULL);

	return err ? err : recover_slots(r, from, ofs);
}

static int replay_node(struct recover *r, uint32_t nr,
		       const struct pending_inode *i)
{
	const struct pending_node *n = &r->chain.nodes.v[nr];
	uint32_t ofs = n->flag >> OD_FOOT_OFS_SHIFT;
	uint8_t *from;
	int err;

	err = recover_load_inode(r, i);
	if (!err)
		err = blk_window_read(&r->window, n->blk, &from);
	if (err)
		return err;
	if (ofs == 0)
		err = replay_inode(r, from, i->dentry == nr);
	else if (ofs == OD_XATTR_NODE_OFS)
		err = recover_xattr_node(r, from);
	else
		err = replay_direct(r, from, ofs);
	return err ? err : recover_store_inode(r);
}

static int replay_nodes(struct recover *r)
{
	int err = 0;

	for (uint32_t nr = 0; !err && nr < r->chain.nodes.nr; nr++) {
		const struct pending_inode *i = pending_inode_of(&r->chain, nr);

		if (i)
			err = replay_node(r, nr, i);
	}
	return err;
}

/* A mount refuses a volume with more valid blocks than users may have. */
static int check_room(const struct volume *vol)
{
	if (vol->cp.valid_blocks <= vol->cp.user_blocks)
		return 0;
	return ctx_fail(vol->ctx, -ENOSPC, "%s: with what was fsynced %" PRIu64
			" blocks would be in use, of %" PRIu64 ": nothing was "
			"changed", vol->dev->name, vol->cp.valid_blocks,
			vol->cp.user_blocks);
}

static int replay(struct recover *r)
{
	struct volume *vol = r->vol;
	int err = replay_nodes(r);

	if (!err)
		err = recover_free_dead(r);
	if (!err)
		err = check_room(vol);
	r->st->inodes += r->chain.inodes.nr;
	return err;
}

static int recover_open(struct recover *r)
{
	int err;

	r->iblock = malloc(r->vol->lo.block_size);
	r->node = malloc(r->vol->lo.block_size);
	if (!r->iblock || !r->node)
		return ctx_nomem(r->vol->ctx, "node blocks");
	err = blk_window_open(&r->window, r->vol);
	return err ? err : pending_read(r->vol, &r->chain);
}

static void recover_close(struct recover *r)
{
	blk_window_close(&r->window);
	pending_free(&r->chain);
	vec_free(&r->dead);
	free(r->iblock);
	free(r->node);
}

int recover_run(struct edit *ed, const struct inode_time *now,
		struct recover_stats *st)
{
	struct recover r = { .ed = ed, .vol = ed->vol, .st = st, .now = *now };
	int err;

	/* What came after such a checkpoint is to be thrown away. */
	if (ed->vol->cp.flags & OD_CP_DISABLED)
		return 0;
	err = recover_open(&r);
	if (!err && r.chain.inodes.nr)
		err = recover_check(&r);
	if (!err) {
		st->chain_nodes += r.chain.nodes.nr;
		st->cut_at = r.chain.cut_at;
		st->cut_why = r.chain.cut_why;
	}
	/* A chain of which nothing can be used is gone with the next commit. */
	if (!err && (r.chain.has_fsync || r.chain.cut_at))
		ed->has_changed = true;
	if (!err && r.chain.inodes.nr)
		err = replay(&r);
	recover_close(&r);
	return err;
}
