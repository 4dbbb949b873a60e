/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where relocated blocks go: the six logs, continued append-only (LFS) from
 * where the live checkpoint left them, into sections that were wholly free in
 * it. A plan in memory: nothing is written here, and nothing of the volume is
 * changed until alloc_apply().
 *
 * A log may be renewed: it then leaves its section, which becomes one like
 * any other, and starts in a fresh one. A log that stands in SSR (it reuses
 * holes) is renewed when it is first used.
 */
#ifndef F2CORE_ENGINE_ALLOC_H
#define F2CORE_ENGINE_ALLOC_H

#include "base/map.h"
#include "base/vec.h"
#include "meta/ssa.h"
#include "meta/volume.h"

/* A segment that the plan writes into, and its summary as it will be. */
struct alloc_seg {
	uint32_t segno;
	uint8_t type;
	uint16_t first;			/* blocks before it were there already */
	uint16_t next;			/* blocks up to it are taken */
	uint64_t mtime_sum;		/* of the sources of the new blocks */
	uint8_t *sum;			/* lo.sum_bytes */
};

struct alloc_seg_vec VEC_BODY(struct alloc_seg);

struct alloc_log {
	uint32_t segno;
	uint16_t next;
	uint32_t expected;		/* blocks still to come */
	bool renew;			/* must not go on where it stands */
	bool left;			/* has left the checkpoint's segment */
	bool used;			/* takes part in this plan */
	size_t seg;			/* index of its segment in segs, if used */
};

struct alloc {
	struct volume *vol;
	uint8_t *free_secs;		/* lsb bitmap: free and not handed out */
	uint32_t nr_free;
	uint8_t *taken;			/* lsb bitmap: segments of the plan */
	struct alloc_log log[OD_NR_LOGS];
	struct alloc_seg_vec segs;	/* in order of use, per log ascending */
};

int alloc_init(struct alloc *a, struct volume *vol);
void alloc_free(struct alloc *a);
/* Forget the plan. */
void alloc_reset(struct alloc *a);

/* The log must start in a fresh section (its own is a victim). */
void alloc_renew(struct alloc *a, uint8_t type);

/* Do not open this free section. */
void alloc_withhold(struct alloc *a, uint32_t secno);

/* About @nr blocks more will come: how long a run of sections to look for. */
void alloc_expect(struct alloc *a, uint8_t type, uint32_t nr);

/*
 * Blocks that the log can take before its addresses make a jump: up to the
 * end of its section and of the free ones that follow it. 0 if it must open a
 * section first. Not counted on once there are @enough.
 */
uint32_t alloc_room(const struct alloc *a, uint8_t type, uint32_t enough);

/*
 * Leave the rest of the room: the next block starts the shortest run of free
 * sections that takes all expected blocks, or the longest there is. -ENOSPC:
 * no free section; without a message, as callers try with fewer victims.
 */
int alloc_jump(struct alloc *a, uint8_t type);

/*
 * Take the next block of the log for a block with summary @e and age @mtime.
 * -ENOSPC when no section is left.
 */
int alloc_next(struct alloc *a, uint8_t type, struct sum_entry e,
	       uint64_t mtime, uint32_t *blk);

/*
 * After the last block: a log that stands at the end of a segment moves on,
 * since a checkpoint cannot store that position; renewed logs that took
 * nothing open their section. -ENOSPC as above.
 */
int alloc_settle(struct alloc *a);

/*
 * Write to the SSA what the checkpoint pack will not hold: summaries of the
 * segments that the plan leaves behind. Safe before the commit: entries of
 * blocks that the live checkpoint reaches are unchanged. Adds to *written.
 */
int alloc_write_summaries(struct alloc *a, uint64_t *written);

/* Bring types, ages and positions into sit and cp.log. Blocks were marked. */
int alloc_apply(struct alloc *a);

#endif
