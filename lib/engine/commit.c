/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The commit: NAT, SIT, then the checkpoint pack, in the order that a power
 * cut cannot harm (format 7.4; kernel fs/f2fs/checkpoint.c,
 * f2fs_write_checkpoint()). Data, nodes and summaries were written before.
 */
#include "config.h"

#include "engine/commit.h"

#include "engine/flush.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double flush_clock_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static int changed_by_others(struct volume *vol, int pack, uint64_t found,
			     uint64_t expected)
{
	return ctx_fail(vol->ctx, -EBUSY, "%s: not written: checkpoint pack %d "
			"is version %" PRIu64 " now instead of %" PRIu64
			": somebody else writes to the volume",
			vol->dev->name, pack, found, expected);
}

/*
 * The live pack must be the one that all tables in memory come from, and the
 * other one as old as it was. A lock does not keep everybody out: a kernel that
 * mounts an image file, a virtual machine, other tools.
 */
static int check_packs(struct volume *vol, uint8_t *block)
{
	const struct od_checkpoint *head = (const void *)block;
	const struct checkpoint *cp = &vol->cp;

	for (int i = 0; i < 2; i++) {
		uint64_t version = cp->pack_version[i];
		int err = dev_read(vol->dev, cp_pack_blk(&vol->lo, i), 1,
				   block);

		/* What cannot be read can only be written anew. */
		if (err && i != cp->pack && cp->unread[i])
			continue;
		if (err)
			return err;
		if (le64_get(head->checkpoint_ver) != version ||
		    (i == cp->pack &&
		     memcmp(block, cp->head, vol->lo.block_size)))
			return changed_by_others(vol, i,
						 le64_get(head->checkpoint_ver),
						 version);
	}
	return 0;
}

static int check_alone(struct volume *vol)
{
	uint8_t *block = malloc(vol->lo.block_size);
	int err = block ? dev_look_again(vol->dev) :
			  ctx_nomem(vol->ctx, "a block");

	if (!err)
		err = check_packs(vol, block);
	free(block);
	return err;
}

int flush_write(struct volume *vol, uint32_t blk, uint32_t n,
		const uint8_t *buf, struct commit_stats *stats)
{
	double start = flush_clock_ms();
	int err = dev_write(vol->dev, blk, n, buf);

	stats->sync_ms += flush_clock_ms() - start;
	stats->blocks_written += n;
	return err;
}

/* The time of a table without that of its writes, which is in sync_ms. */
static int timed(int (*flush)(struct volume *, struct commit_stats *),
		 struct volume *vol, struct commit_stats *stats, double *ms)
{
	double start = flush_clock_ms(), sync = stats->sync_ms;
	int err = flush(vol, stats);

	*ms += flush_clock_ms() - start - (stats->sync_ms - sync);
	return err;
}

static int flush_all(struct volume *vol, struct commit_stats *stats)
{
	int err = timed(nat_flush, vol, stats, &stats->nat_flush_ms);

	if (!err)
		err = timed(sit_flush, vol, stats, &stats->sit_flush_ms);
	if (!err)
		err = pack_store(vol, stats);
	if (!err)
		stats->commits++;
	return err;
}

int commit(struct volume *vol, struct commit_stats *stats)
{
	struct commit_stats sum = *stats;
	int err = check_alone(vol);

	if (!err)
		err = flush_all(vol, &sum);
	if (err)
		vol->is_spoilt = true;
	else
		*stats = sum;
	return err;
}
