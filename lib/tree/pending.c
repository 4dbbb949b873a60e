/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The chain of nodes that a mount would replay: kernel fs/f2fs/recovery.c,
 * find_fsync_dnodes(), and fs/f2fs/node.h, is_recoverable_dnode().
 */
#include "config.h"

#include "tree/pending.h"
#include "tree/node.h"

#include <errno.h>
#include <stdlib.h>

struct chain {
	struct volume *vol;
	uint64_t version;		/* that its nodes carry */
	uint64_t mask;			/* bits of it that are compared */
	uint8_t *block;			/* the node at blk */
	uint32_t blk;
};

/* Whether there is a node of the chain at @blk; it is read. 1, 0 or error. */
static int chain_goto(struct chain *c, uint32_t blk)
{
	const struct od_node_foot *foot = node_foot(&c->vol->lo, c->block);
	int err;

	if (!blk_is_main(&c->vol->lo, blk))
		return 0;
	err = dev_read(c->vol->dev, blk, 1, c->block);
	if (err)
		return err;
	c->blk = blk;
	return !((le64_get(foot->cp_ver) ^ c->version) & c->mask);
}

static int chain_start(struct chain *c)
{
	const struct curseg *log = &c->vol->cp.log[LOG_WARM_NODE];

	return chain_goto(c, seg_to_blk(&c->vol->lo, log->segno) + log->next);
}

static int chain_next(struct chain *c)
{
	const struct od_node_foot *foot = node_foot(&c->vol->lo, c->block);

	return chain_goto(c, le32_get(foot->next_blk));
}

/*
 * A loop is found by Brent's method: a mark is set at each power of 2 and met
 * again within one lap. That takes no memory, and time in proportion to the
 * chain.
 */
int pending_fsyncs(struct volume *vol, uint64_t *nr_fsynced)
{
	struct chain c = {
		.vol = vol,
		.version = cp_recovery_version(&vol->lo, &vol->cp),
		.mask = vol->cp.flags & OD_CP_NOCRC_RECOVERY ?
			UINT32_MAX : UINT64_MAX,
	};
	uint64_t nr_marked = 0, nr = 0, next_mark = 1;
	uint32_t mark = OD_BLK_NULL;
	int ret;

	c.block = malloc(vol->lo.block_size);
	if (!c.block)
		return ctx_nomem(vol->ctx, "a node block");
	for (ret = chain_start(&c); ret > 0; ret = chain_next(&c)) {
		const struct od_node_foot *foot = node_foot(&vol->lo, c.block);

		if (c.blk == mark)
			break;
		if (++nr == next_mark) {
			mark = c.blk;
			next_mark *= 2;
		}
		if (le32_get(foot->flag) & OD_FOOT_FSYNC)
			nr_marked++;
	}
	free(c.block);
	if (ret < 0)
		return ret;
	*nr_fsynced = nr_marked;
	return 0;
}
