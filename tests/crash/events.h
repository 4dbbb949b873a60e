/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recorded run as single blocks written, in epochs between two flushes, in
 * transactions that each end with a checkpoint.
 */
#ifndef F2CORE_CRASH_EVENTS_H
#define F2CORE_CRASH_EVENTS_H

#include "base/vec.h"
#include "state.h"

/* A block that is written, or a flush where data is NULL. */
struct unit {
	uint32_t blk;
	const uint8_t *data;
};
struct unit_vec VEC_BODY(struct unit);

/* Units [first, end) and the checkpoint that is live behind them. */
struct txn_span {
	size_t first, end;
	size_t commit;			/* the unit that makes it live */
	bool commits;			/* false: writes with no checkpoint */
};
struct span_vec VEC_BODY(struct txn_span);

struct run {
	struct unit_vec units;
	struct span_vec txns;
	struct ref *refs;		/* txns.nr + 1: before, after each */
	uint64_t nr_writes, nr_flushes;	/* calls, as dev_fault counts them */
};

/* Take the events of a recorder; their data must live as long as @out. */
int run_take(const struct dev *recorder, struct run *out);

/*
 * Find the transactions by playing the run on a copy of @base, and what each
 * checkpoint reaches. -EUCLEAN with a line on stderr if a commit is not alone
 * between two flushes, or the run writes behind its last commit.
 */
int run_split(struct run *run, const struct image *base);

void run_free(struct run *run);

/* Faults to plant, so as to see that the rig finds them. */
int run_plant(struct run *run, const char *what, const struct image *base);

#endif
