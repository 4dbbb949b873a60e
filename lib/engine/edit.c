/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Life of an edit, and its nodes and directory blocks. What is freed or
 * claimed is in edit_space.c.
 */
#include "config.h"

#include "engine/edit.h"

#include "base/bits.h"
#include "engine/edit_int.h"
#include "engine/node_foot.h"
#include "tree/inode.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int edit_init(struct edit *ed, struct volume *vol)
{
	memset(ed, 0, sizeof(*ed));
	ed->vol = vol;
	ed->withheld = calloc(1, vol->lo.nr_main_secs / 8 + 1);
	if (!ed->withheld)
		return ctx_nomem(vol->ctx, "the map of sections");
	if (!alloc_init(&ed->alloc, vol))
		return 0;
	edit_free(ed);
	return -ENOMEM;
}

void edit_free(struct edit *ed)
{
	if (ed->vol && ed->has_changed)
		ed->vol->is_spoilt = true;
	for (size_t i = 0; i < ed->sums.nr; i++)
		free(ed->sums.v[i].sum);
	vec_free(&ed->sums);
	map_free(&ed->placed);
	map_free(&ed->kept_nids);
	alloc_free(&ed->alloc);
	free(ed->withheld);
	ed->withheld = NULL;
	ed->has_changed = false;
}

void edit_withhold(struct edit *ed, uint32_t blk)
{
	const struct volume *vol = ed->vol;
	uint32_t secno = blk_to_sec(&vol->lo, blk);

	if (bit_test_lsb(ed->withheld, secno))
		return;
	bit_set_lsb(ed->withheld, secno);
	alloc_withhold(&ed->alloc, secno);
	for (uint8_t t = 0; t < OD_NR_LOGS; t++) {
		uint32_t segno = vol->cp.log[t].segno;

		if (segno != OD_SEG_NULL &&
		    seg_to_sec(&vol->lo, segno) == secno)
			alloc_renew(&ed->alloc, t);
	}
}

static bool is_placed(const struct edit *ed, uint32_t blk)
{
	return map_get(&ed->placed, blk, NULL);
}

static int no_space(struct edit *ed, int err)
{
	if (err != -ENOSPC)
		return err;
	return ctx_fail(ed->vol->ctx, -ENOSPC, "%s: no free section is left "
			"for what must be written: nothing was changed",
			ed->vol->dev->name);
}

/* A place in the log @type for a block that lies at @old, if that is real. */
static int place(struct edit *ed, uint32_t old, uint8_t type,
		 struct sum_entry owner, uint32_t *dst)
{
	struct volume *vol = ed->vol;
	int err;

	ed->has_changed = true;
	err = alloc_next(&ed->alloc, type, owner, vol->cp.elapsed_time, dst);
	if (err)
		return no_space(ed, err);
	if (map_put(&ed->placed, *dst, 1))
		return ctx_nomem(vol->ctx, "the map of new blocks");
	if (!blk_is_real(old))
		return sit_mark_valid(&vol->sit, *dst, type);
	err = edit_invalidate_block(ed, old);
	return err ? err : sit_mark_valid(&vol->sit, *dst, type);
}

/* The log that the kernel writes such a node to (format 5). */
static uint8_t node_log(const struct layout *lo, const void *block)
{
	const struct od_node_foot *foot = node_foot(lo, block);

	switch (node_kind(lo, foot_ofs(foot))) {
	case NODE_INDIRECT:
	case NODE_DOUBLE:
		return LOG_COLD_NODE;
	default:
		return le32_get(foot->flag) & OD_FOOT_COLD ? LOG_WARM_NODE :
							     LOG_HOT_NODE;
	}
}

static int place_node(struct edit *ed, uint32_t nid, const void *block,
		      struct nat_entry *e)
{
	struct volume *vol = ed->vol;
	bool is_new = e->blk == OD_BLK_NULL;
	int err;

	if (!is_new && is_placed(ed, e->blk))
		return 0;
	err = place(ed, e->blk, node_log(&vol->lo, block),
		    (struct sum_entry){ .nid = nid }, &e->blk);
	if (err || !is_new)
		return err;
	vol->cp.valid_blocks++;
	vol->cp.valid_nodes++;
	vol->cp.valid_inodes += e->ino == nid;
	return 0;
}

int edit_write_node(struct edit *ed, uint32_t nid, void *block)
{
	struct volume *vol = ed->vol;
	struct od_node_foot *foot = node_foot(&vol->lo, block);
	struct nat_entry e = nat_get(&vol->nat, nid);
	int err;

	e.ino = le32_get(foot->ino);
	err = place_node(ed, nid, block, &e);
	if (!err)
		err = nat_set(&vol->nat, nid, &e);
	if (err)
		return err;
	node_foot_renew(vol, foot, e.blk);
	if (e.ino == nid && inode_has_checksum(&vol->lo, block))
		le32_set(&inode_extra(block)->i_inode_checksum,
			 inode_checksum(&vol->lo, vol->super.sb.uuid, block));
	ed->blocks_written++;
	return dev_write(vol->dev, e.blk, 1, block);
}

int edit_write_data(struct edit *ed, uint32_t old, uint8_t type,
		    struct sum_entry owner, const void *block, uint32_t *blk)
{
	int err = 0;

	*blk = old;
	if (!blk_is_real(old) || !is_placed(ed, old))
		err = place(ed, old, type, owner, blk);
	if (err)
		return err;
	if (old == OD_BLK_NULL)
		ed->vol->cp.valid_blocks++;
	ed->blocks_written++;
	return dev_write(ed->vol->dev, *blk, 1, block);
}

int edit_keep_nid(struct edit *ed, uint32_t nid)
{
	return map_put(&ed->kept_nids, nid, 1) ?
	       ctx_nomem(ed->vol->ctx, "the map of node ids") : 0;
}

/* Those who look for the next free nid begin behind the last one. */
int edit_new_nid(struct edit *ed, uint32_t *nid)
{
	struct volume *vol = ed->vol;
	uint32_t nr = vol->lo.nr_nids, at = vol->cp.next_free_nid;

	for (uint32_t i = OD_ROOT_INO + 1; i < nr; i++, at++) {
		if (at >= nr || at <= OD_ROOT_INO)
			at = OD_ROOT_INO + 1;
		if (nat_get(&vol->nat, at).blk != OD_BLK_NULL ||
		    map_get(&ed->kept_nids, at, NULL))
			continue;
		*nid = at;
		vol->cp.next_free_nid = at + 1 < nr ? at + 1 : OD_ROOT_INO + 1;
		ed->has_changed = true;
		return 0;
	}
	return ctx_fail(vol->ctx, -ENOSPC, "%s: no node id is free",
			vol->dev->name);
}

int edit_commit(struct edit *ed, struct commit_stats *stats)
{
	int err = alloc_settle(&ed->alloc);

	ed->has_changed = true;
	if (err)
		return no_space(ed, err);
	err = alloc_write_summaries(&ed->alloc, &ed->blocks_written);
	if (!err)
		err = edit_write_sums(ed);
	if (!err)
		err = alloc_apply(&ed->alloc);
	if (!err)
		err = commit(ed->vol, stats);
	if (err)
		return err;
	stats->blocks_written += ed->blocks_written;
	ed->has_changed = false;
	return 0;
}
