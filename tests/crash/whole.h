/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a volume has to be whatever happens: the tree with all contents, and
 * nothing found by the checks.
 */
#ifndef F2CORE_CRASH_WHOLE_H
#define F2CORE_CRASH_WHOLE_H

#include "digest.h"
#include "format/problem.h"
#include "runner.h"
#include "state.h"

struct whole {
	struct digest tree;
	bool unreadable;		/* the tree; only before a repair */
	uint64_t pending;		/* fsynced nodes that wait */
	uint64_t found[NR_PROBLEMS];
};

/* What @img is; 0, or an error that is printed. */
int whole_take(const struct image *img, struct whole *out);

/*
 * NULL, or in which way @vol is not @want. A checkpoint pack that was not
 * written to its end is what a cut may leave; every other finding has to have
 * been there before.
 */
const char *whole_differs(const struct whole *want, struct volume *vol);

/* NULL, or why a program would not write to @img. Reads tables, no files. */
const char *whole_refuses(const struct image *img);

/* NULL, or why another run cannot go on from @img to its end, which is @want. */
const char *whole_goes_on(const struct whole *want, const struct image *img,
			  const struct runner *runner);

#endif
