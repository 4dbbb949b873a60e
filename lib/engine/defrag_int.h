/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the parts of a defragmentation run share. */
#ifndef F2CORE_ENGINE_DEFRAG_INT_H
#define F2CORE_ENGINE_DEFRAG_INT_H

#include "engine/defrag.h"
#include "engine/txn.h"

/* Blocks in a round where time is short: what it does may be lost. */
#define DEFRAG_MOST_BY_TIME	32768U

/* A file that is to be put in order. */
struct candidate {
	uint32_t ino;
	uint32_t blocks;
	uint32_t extents;
	uint32_t ideal;
	uint64_t key;			/* first sorted by this, then by ino */
};

struct candidate_vec VEC_BODY(struct candidate);

/* Sections that are emptied together, as runs lie across their borders. */
struct unit {
	uint32_t first, len;
	uint32_t valid;			/* blocks that have to move */
	uint8_t type;			/* enum log_type */
};

struct unit_vec VEC_BODY(struct unit);

struct defrag {
	struct volume *vol;
	const struct defrag_options *opt;
	struct defrag_report *rep;
	struct relocate_stats moved;
	struct txn txn;
	struct candidate_vec files;	/* in the order to work in */
	uint8_t *held;			/* sections with blocks of pinned files */
	uint16_t *left;			/* valid blocks by segment, after a plan */
	struct secno_vec helpers;	/* sections emptied with files */
	uint32_t floor;			/* free sections that no commit goes below */
	double deadline_ms;		/* 0: none */
	uint64_t done, total;		/* blocks of files, for progress */
	uint64_t in_round;		/* of those, in this transaction */
	uint64_t gathered, to_gather;	/* likewise, of sections */
	const char *phase;		/* that is shown, and its blocks */
	uint64_t shown;
	uint64_t no_room;		/* files not put in order in this pass */
	unsigned int misses;		/* of these, one after the other */
	size_t batch_max;		/* files in a round; 0: as many as fit */
	bool is_again;			/* not the first pass */
	bool is_gathering;
	bool by_windows;		/* for want of other helpers */
	bool pieces_ok;			/* rather than leave a file as it is */
	bool timed_out;
	bool over_limit;		/* the last plan was more than may move */
};

/* In defrag.c. Data blocks that options->max_moved still allows to move. */
uint64_t defrag_may_move(const struct defrag *d);
/*
 * Whether @blocks more should not be begun: the time is up, or soon will be.
 */
bool defrag_is_late(struct defrag *d, uint64_t blocks);
/* The same as the stop callback of a transaction. */
int defrag_progress(void *priv, uint64_t done, uint64_t total);
extern const char defrag_gathering[];	/* the phase */
/* Not 0: stop. */
int defrag_show(struct defrag *d, const char *phase, uint64_t done,
		uint64_t total);

/*
 * Choose the files from the yardstick's list and sort them. Counts what is
 * left out in the report. In defrag_select.c.
 */
int defrag_select(struct defrag *d, const struct frag_file_vec *all);

/*
 * Carry out the transaction that is planned. The report's sections are those
 * of the last commit, whatever fails later.
 */
int defrag_relocate(struct defrag *d);

/* Put the files of the list in order, in rounds. In defrag_files.c. */
int defrag_files(struct defrag *d);

/*
 * Plan to move files[at .. at + nr), each into one run if @whole, so that no
 * fewer sections than d->floor are free afterwards; sections that it leaves
 * with few blocks are emptied along with it for that. -ENOSPC: it cannot be
 * done, or not without moving more than is allowed (d->over_limit). In
 * defrag_round.c.
 */
int defrag_plan_files(struct defrag *d, size_t at, size_t nr, bool whole);
/*
 * Add windows to the helpers, one for each log that the plan makes open more
 * sections than it empties. -ENOSPC: there is none for one of them. In
 * defrag_window.c.
 */
int defrag_add_windows(struct defrag *d);
/* After -EBUSY of a plan: never try these sections again. */
void defrag_hold_pinned(struct defrag *d);

/*
 * Empty the run of sections that is cheapest to empty and can then hold
 * @blocks in a row; one transaction. -ENOSPC: there is none. In defrag_room.c.
 */
int defrag_make_room(struct defrag *d, uint32_t blocks);

/*
 * Empty partly filled sections as long as that gains free ones; without
 * cutting a run. In defrag_gather.c.
 */
int defrag_gather(struct defrag *d);

/*
 * The sections of data, or of nodes, with holes, in units; first the one that
 * costs least for what it gains. Those of more than @most blocks are left out. In defrag_units.c.
 */
int defrag_units(struct defrag *d, bool nodes, uint64_t most,
		 struct unit_vec *out);
/* The log that fills the section, by its first segment in use. */
uint8_t defrag_type_of(const struct volume *vol, uint32_t secno);

/* Units taken together. */
struct tally {
	uint64_t valid;
	int64_t secs;
	uint64_t blocks[OD_NR_LOGS];
	int renewed[OD_NR_LOGS];	/* logs that stand in one of them */
};

void tally_add(const struct defrag *d, struct tally *tally,
	       const struct unit *u, int sign);
/*
 * Free sections that emptying them gains at the best, as the logs stand; not
 * counting the nodes that are rewritten for new addresses.
 */
int64_t tally_gain(const struct defrag *d, const struct tally *tally);

#endif
