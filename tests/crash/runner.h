/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is run: an engine with its options, as the programs would call it. */
#ifndef F2CORE_CRASH_RUNNER_H
#define F2CORE_CRASH_RUNNER_H

#include "api/select.h"
#include "engine/defrag.h"
#include "engine/gc.h"
#include "engine/replay.h"

enum runner_engine { RUN_GC, RUN_DEFRAG, RUN_REPLAY, RUN_REPAIR };

struct runner {
	enum runner_engine engine;
	struct gc_options gc;
	struct defrag_options defrag;
	struct ino_vec only;		/* what defrag.only borrows */
};

/* What all engines report of a run. */
struct outcome {
	uint64_t commits;
	uint64_t free_secs_after;	/* UINT64_MAX: it does not say */
	bool was_stopped;		/* by its callback */
	char text[160];			/* of what it did, for people */
};

/* Whether the volume is to be another one after the run. */
static inline bool runner_changes(const struct runner *r)
{
	return r->engine == RUN_REPLAY || r->engine == RUN_REPAIR;
}

/* Choose files by path on @vol, which the runs begin with. */
int runner_choose(struct runner *r, struct volume *vol,
		  const char *const *paths, size_t nr);

/* @progress may be NULL. @out is filled on failure, too. */
int runner_run(const struct runner *r, struct volume *vol,
	       gc_progress_fn *progress, void *priv, struct outcome *out);

void runner_free(struct runner *r);

#endif
