/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of a round of repair, in their order. */
#ifndef F2CORE_ENGINE_REPAIR_INT_H
#define F2CORE_ENGINE_REPAIR_INT_H

#include "engine/repair.h"

/* Entries whose nodes lie elsewhere, or are gone (repair_nat.c). */
int repair_nat(struct repair *r, const struct facts *f, bool *changed);

/* Bitmaps, counts and types by what is there (repair_sit.c). */
int repair_sit(struct repair *r, const struct facts *f, bool *changed);

/* Segments and positions of the six logs (repair_logs.c). */
int repair_logs(struct repair *r, bool *changed);

/* Counts, sizes and the orphan list of the checkpoint (repair_cp.c). */
int repair_cp(struct repair *r, const struct facts *f, bool *changed);

/* Summaries that do not name the owners (repair_sums.c). */
int repair_sums(struct repair *r, const struct facts *f, bool *changed);

/* Whether opening or a mended table left findings of this kind. */
static inline bool repair_has(const struct repair *r, enum problem_id id)
{
	return r->vol->findings.counted[id];
}

/* They are solved, by what is in memory and the next commit. */
static inline void repair_solved(struct repair *r, enum problem_id id)
{
	findings_drop(&r->vol->findings, id);
	r->need_commit = true;
}

#endif
