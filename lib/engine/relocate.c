/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From plan to durable. */
#include "config.h"

#include "engine/relocate.h"

#include "engine/flush.h"

int relocate(struct txn *t, struct relocate_stats *stats)
{
	double start = flush_clock_ms(), written;
	int err = txn_write(t);

	if (err)
		return err;
	written = flush_clock_ms();
	err = txn_apply(t);
	if (!err)
		err = commit(t->vol, &stats->commits);
	if (err)
		return err;
	stats->merge_ms += written - start;
	stats->commits.blocks_written += t->blocks_written;
	stats->data_moved += t->moves.nr;
	for (size_t i = 0; i < t->nodes.nr; i++) {
		if (t->nodes.v[i].is_victim)
			stats->nodes_moved++;
		else if (t->nodes.v[i].dst)
			stats->nodes_updated++;
	}
	stats->moved_at_once += t->moved_at_once;
	stats->queue_drains += t->queue_drains;
	stats->extents_split += t->extents_split;
	return 0;
}
