/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plays every state that a cut may leave, and judges each. */
#ifndef F2CORE_CRASH_ENUMERATE_H
#define F2CORE_CRASH_ENUMERATE_H

#include "events.h"
#include "whole.h"

struct plan {
	uint64_t seed;
	unsigned int nr_subsets;	/* random ones, of each epoch */
	unsigned int nr_walks;		/* states whose whole tree is read */
	unsigned int nr_dumps;		/* states written to files */
	const char *dump_dir;
	const struct runner *runner;	/* what goes on from states read whole */
};

struct result {
	uint64_t states;
	uint64_t walked;
	uint64_t dumped;
	uint64_t failures;		/* the first few were printed */
};

/*
 * @want: what a state has to be in which the checkpoint of before (OLD) or a
 * later one (NEW) is live. 0, or no memory or disk.
 */
int enumerate(const struct run *run, const struct image *base,
	      const struct whole *want, const struct plan *plan,
	      struct result *out);

#endif
