/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mends the tables of a volume in memory by what a check found out of its
 * nodes and directories (tree/facts.h). Nothing that a node or a name reaches
 * is given up to make numbers fit.
 *
 *	check, repair_round, again until a round changes nothing;
 *	then commit(), or where fsynced nodes wait, replay_run().
 *
 * Only summaries are written before the commit: they have one place each, and
 * what is written there is true of the live checkpoint, too.
 */
#ifndef F2CORE_ENGINE_REPAIR_H
#define F2CORE_ENGINE_REPAIR_H

#include "base/map.h"
#include "engine/commit.h"
#include "tree/facts.h"

/* A nid that was free in the NAT and found by the footer of a block. */
enum {
	REPAIR_TAKEN	= 1,
	REPAIR_REJECTED	= 2,		/* nothing led to it */
};

struct repair {
	struct volume *vol;		/* borrowed */
	bool need_commit;		/* there is something to write */
	struct map doubtful;		/* nids found by footers: REPAIR_ */
	uint8_t *sums_done;		/* lsb bitmap: segments tried */
	uint64_t sums_written;
};

int repair_init(struct repair *r, struct volume *vol);
void repair_free(struct repair *r);

/*
 * Mend what can be mended now; *@again: something changed, check again. Of
 * the findings of opening those that are solved are dropped.
 */
int repair_round(struct repair *r, const struct facts *f, bool *again);

/* The last check found nothing but marks: they go. */
void repair_clear_marks(struct repair *r);

#endif
