/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the parts of a garbage collection run share. */
#ifndef F2CORE_ENGINE_GC_INT_H
#define F2CORE_ENGINE_GC_INT_H

#include "engine/gc.h"

struct gc_run {
	struct volume *vol;
	const struct gc_options *opt;
	struct victim_options choice;
	struct gc_report *rep;
	struct txn txn;
	uint8_t *held;			/* sections that cannot be emptied */
	uint8_t *was_valid;		/* segments with valid blocks at first */
	uint8_t *selected;		/* sections that were victims */
	uint8_t *filled;		/* sections opened on this side */
	unsigned int misses;		/* in a row: no room for a victim */
	uint32_t free_goal;		/* of --until-free; 0: none */
	double deadline_ms;		/* 0: none */
	bool timed_out;
	uint64_t done, total;		/* blocks, for progress */
	bool stop;			/* no more transactions */
};

/* Blocks that options->max_moved still allows to move. In gc_plan.c. */
uint64_t gc_blocks_left(const struct gc_run *r);

/*
 * How many victims from list[at] on to try in one transaction: what the free
 * space may hold, before the nodes that have to be rewritten are known (the
 * plan finds out), and no more than is asked for.
 */
size_t gc_batch_size(struct gc_run *r, const struct victim_vec *list,
		     size_t at);

/* Whether emptying all that is left of the list is worth it, or asked for. */
bool gc_list_pays(const struct gc_run *r, const struct victim_vec *list,
		  size_t at);

/*
 * Plan a transaction of at most @nr victims from list[at] on; with fewer, the
 * first ones, where free space is short, while it does not pay or is too much.
 * *took: how many of the list it takes; 0: even one does not pay, or is more
 * than may still be moved, and then the run is stopped. -ENOSPC: not even
 * one has room; -E2BIG: because of the run of a file that goes on from it.
 */
int gc_plan(struct gc_run *r, const struct victim_vec *list, size_t at,
	    size_t nr, size_t *took);

/* Nothing more may be moved. */
void gc_stop_at_limit(struct gc_run *r);

#endif
