/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which sections are to be emptied, the cheapest first. */
#ifndef F2CORE_ENGINE_VICTIM_H
#define F2CORE_ENGINE_VICTIM_H

#include "base/vec.h"
#include "meta/volume.h"

struct victim {
	uint32_t secno;
	uint32_t valid;			/* blocks that would move */
	bool is_node;
};

struct victim_vec VEC_BODY(struct victim);

/*
 * Partly valid. A current section is dirty only if there are holes before its
 * log's position, or if the log stands in SSR.
 */
bool section_is_dirty(const struct volume *vol, uint32_t secno);
/* Those that are not current, as the kernel's status counts them. */
uint32_t count_dirty_sections(const struct volume *vol);

/*
 * Dirty sections, with @full all that hold valid blocks, of the node or the
 * data side; without those in the lsb bitmap @held. By greedy cost: fewest
 * valid blocks first, then by number (kernel fs/f2fs/gc.c, get_gc_cost()).
 */
int victim_list(struct volume *vol, bool nodes, bool full,
		const uint8_t *held, struct victim_vec *out);

#endif
