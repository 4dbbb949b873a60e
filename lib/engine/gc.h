/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Garbage collection: empties dirty sections into free ones, transaction by
 * transaction (kernel fs/f2fs/gc.c).
 */
#ifndef F2CORE_ENGINE_GC_H
#define F2CORE_ENGINE_GC_H

#include "engine/relocate.h"
#include "engine/victim.h"
#include "tree/frag.h"

/* Called now and then; anything but 0 stops the run at its last commit. */
typedef int gc_progress_fn(void *priv, const char *phase, uint64_t done,
			   uint64_t total);

struct gc_options {
	struct victim_options choice;	/* which sections, in which order */
	bool full;			/* everything in order: also sets choice.full */
	bool no_pack;			/* scan order */
	bool dry_run;			/* the device is an overlay: copy no data */
	uint64_t max_sections;		/* 0: all */
	uint64_t max_moved;		/* data and node blocks; 0: no limit */
	double time_limit;		/* seconds; 0: no limit */
	double until_free;		/* percent of sections; 0: no limit */
	uint32_t pack_max_blocks;	/* 0: the default */
	gc_progress_fn *progress;
	void *progress_priv;
	/* For tests: every n-th record of the queue is not to be had. */
	unsigned int fail_record_every;
};

enum gc_stop { GC_DONE, GC_STOP_SIGNAL, GC_STOP_SECTIONS, GC_STOP_FREE,
	       GC_STOP_SPACE, GC_STOP_MOVED, GC_STOP_TIME };

struct gc_report {
	enum gc_stop stopped_by;
	uint64_t sections_selected;
	uint64_t sections_skipped;
	uint64_t segments_freed;
	uint64_t segments_already_empty;
	uint64_t sections_freed;
	uint64_t free_secs_before, free_secs_after;
	uint64_t dirty_secs_before, dirty_secs_after;
	struct relocate_stats moved;
	struct frag before, after;
	double plan_ms;
	double seconds;
};

/*
 * The caller opened @vol for writing (or over an overlay with dry_run). The
 * report is filled also on failure, with what was committed; only after a
 * commit that failed nothing can be measured, and after is as before.
 */
int gc_run(struct volume *vol, const struct gc_options *opt,
	   struct gc_report *report);

#endif
