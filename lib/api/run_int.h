/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What f2c_check(), f2c_gc_run() and f2c_defrag_run() have in common. */
#ifndef F2CORE_API_RUN_INT_H
#define F2CORE_API_RUN_INT_H

#include "api/fs.h"
#include "engine/commit.h"

/* The caller's callback. */
struct told {
	f2c_progress_fn *fn;		/* NULL: none */
	void *priv;
};

/* A callback of the library's own; @priv is a struct told. */
int run_tell(void *priv, const char *phase, uint64_t done, uint64_t total);

/* 0, or -EROFS with a message, if @fs is not one that may be worked on. */
int run_can_write(const struct f2c_fs *fs);

/* For a limit of what may move that allows nothing. */
int run_limit_fail(const struct f2c_fs *fs, uint64_t bytes);

struct f2c_phases run_phases(const struct commit_stats *c, double plan_ms,
			     double merge_ms);

/* All that was written for each block that had to be. */
double run_write_cost(const struct commit_stats *c, uint64_t had_to_change);

#endif
