/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Carrying out a planned transaction, for every engine that relocates. */
#ifndef F2CORE_ENGINE_RELOCATE_H
#define F2CORE_ENGINE_RELOCATE_H

#include "engine/txn.h"

/* Of committed transactions only. */
struct relocate_stats {
	uint64_t data_moved;
	uint64_t nodes_moved;		/* out of victims */
	uint64_t nodes_updated;		/* owners, for a new address */
	uint64_t moved_at_once;
	uint64_t queue_drains;
	uint64_t extents_split;
	struct commit_stats commits;
	double merge_ms;
};

/*
 * Write, apply and commit a transaction that has been placed. -EINTR: it was
 * stopped, and nothing of it counts. After any other error the volume on the
 * device is as it was, but must not be written through any more.
 */
int relocate(struct txn *t, struct relocate_stats *stats);

#endif
