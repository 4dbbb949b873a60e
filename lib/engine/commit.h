/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The only writer of a checkpoint pack. What the live checkpoint reaches is
 * never overwritten: NAT and SIT blocks go to their other copy, the pack to
 * the other slot (kernel fs/f2fs/checkpoint.c, do_checkpoint()).
 */
#ifndef F2CORE_ENGINE_COMMIT_H
#define F2CORE_ENGINE_COMMIT_H

#include "meta/volume.h"

/* Of one commit, or summed over several. */
struct commit_stats {
	uint64_t commits;
	uint64_t blocks_written;	/* NAT, SIT, SSA, pack; and by the caller data and nodes */
	uint64_t nat_blocks_touched;
	uint64_t nat_blocks_read;
	uint64_t nat_blocks_written;
	uint64_t nat_journal_hits;	/* entries that went to the journal */
	uint64_t sit_blocks_written;
	/*
	 * Each moment is in one of these: choosing, reading and changing NAT
	 * blocks; encoding SIT blocks; writing both, and the flush of all but
	 * the pack's last block; the pack; the flush of its last block.
	 */
	double nat_flush_ms, sit_flush_ms, sync_ms, checkpoint_ms,
	       barriers_ms;
};

/*
 * Write the tables and logs of @vol as a new checkpoint and make it durable.
 *
 * Before it the caller wrote all data, node and SSA blocks of the transaction
 * into blocks that the live checkpoint does not reach, and changed nat, sit
 * and cp.log in memory to the new state. On success the new checkpoint is the
 * live one. On failure the volume on the device is as it was before the
 * transaction, @vol is spoilt and volume_can_write() forbids to go on with it;
 * *@stats is as before.
 */
int commit(struct volume *vol, struct commit_stats *stats);

#endif
