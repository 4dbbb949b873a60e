/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Defragmentation: puts files into their ideal extents, round by round, each
 * a transaction, then free space into whole sections.
 */
#ifndef F2CORE_ENGINE_DEFRAG_H
#define F2CORE_ENGINE_DEFRAG_H

#include "engine/gc.h"
#include "tree/frag_files.h"

enum defrag_order {
	ORDER_DIR,			/* by directory, then inode */
	ORDER_INO,
	ORDER_SIZE,			/* small ones first */
	ORDER_ATIME,			/* oldest first */
	ORDER_MTIME,
};

struct defrag_options {
	/* Sorted inode numbers, or NULL for all files. Borrowed. */
	const uint32_t *only;
	size_t nr_only;
	const uint32_t *exclude;	/* sorted; their data never moves */
	size_t nr_exclude;
	uint32_t min_extents;		/* leave files with fewer alone */
	double min_score;		/* likewise; 0 to 100, frag_score() */
	uint64_t max_moved;		/* data blocks; 0: no limit */
	double time_limit;		/* seconds; 0: none */
	enum defrag_order order;
	bool only_free;			/* consolidate free space, no files */
	bool files_only;		/* do not consolidate free space */
	bool full;			/* rewrite all files, in order */
	bool dry_run;			/* the device is an overlay: copy no data */
	gc_progress_fn *progress;
	void *progress_priv;
};

enum defrag_stop { DEFRAG_DONE, DEFRAG_STOP_SIGNAL, DEFRAG_STOP_MOVED,
		   DEFRAG_STOP_TIME, DEFRAG_STOP_SPACE };

struct defrag_report {
	enum defrag_stop stopped_by;
	struct frag before, after;
	uint64_t files_selected;	/* fragmented, and not left out */
	uint64_t files_moved;
	uint64_t files_skipped;		/* pinned, or no room for them */
	uint64_t blocks_no_gain;	/* of files that lie as well as they can */
	uint64_t blocks_left_out;	/* of files that would gain, by options */
	uint64_t extents_now;		/* while it runs: as planned */
	uint64_t rounds;
	uint64_t room_made;		/* rounds that only made room */
	uint64_t data_moved;
	uint64_t nodes_moved;
	uint64_t nodes_updated;
	uint64_t free_secs_before, free_secs_after;
	uint64_t free_secs_most;	/* if nothing stood in the way */
	uint64_t dirty_secs_before, dirty_secs_after;
	struct commit_stats commits;
	double plan_ms, merge_ms, seconds;
};

/*
 * The caller opened @vol for writing (or over an overlay with dry_run). The
 * report is filled also on failure, with what was committed.
 */
int defrag_run(struct volume *vol, const struct defrag_options *opt,
	       struct defrag_report *report);

#endif
