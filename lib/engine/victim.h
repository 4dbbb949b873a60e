/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which sections are to be emptied, the cheapest first. */
#ifndef F2CORE_ENGINE_VICTIM_H
#define F2CORE_ENGINE_VICTIM_H

#include "base/vec.h"
#include "engine/alloc.h"
#include "meta/volume.h"

enum victim_policy {
	VICTIM_GREEDY,			/* fewest valid blocks */
	VICTIM_COST_BENEFIT,		/* few valid blocks, and old */
	VICTIM_AGE_THRESHOLD,		/* of the oldest: old, and few */
};

struct secno_range {
	uint32_t first, last;		/* both belong to it */
};

/* Zero is the default everywhere. */
struct victim_options {
	enum victim_policy policy;
	bool full;			/* wholly valid sections too */
	bool no_data, no_nodes;		/* leave that side alone */
	double skip_valid;		/* leave alone what is valid to this
					 * percentage or more; 0: nothing */
	const struct secno_range *only;	/* borrowed; no others */
	size_t nr_only;			/* 0: all sections */
};

struct victim {
	uint32_t secno;
	uint32_t valid;			/* blocks that would move */
	uint32_t cost;			/* by the policy; the least is best */
	uint8_t rank;			/* those of rank 0 go first */
	uint8_t type;			/* enum log_type */
	bool is_node;
	bool is_current;		/* a log stands in it */
	uint64_t mtime;			/* mean of its valid blocks */
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
 * The dirty sections (opt->full: all that hold valid blocks) that @opt leaves,
 * without those in the lsb bitmap @held (NULL: none), in the order in which to
 * empty them: by rank and cost, then by age where that is the policy, then by
 * number. 0 or -ENOMEM.
 */
int victim_list(struct volume *vol, const struct victim_options *opt,
		const uint8_t *held, struct victim_vec *out);

/* Give each of the list its cost and rank; drop those that are too young. */
void victim_score(const struct volume *vol, enum victim_policy policy,
		  struct victim_vec *list);

/*
 * SIT mtime of a section, as the kernel has it: of one segment its own, of
 * several their mean, weighted by valid blocks. UINT64_MAX: several, and none
 * with a valid block (kernel fs/f2fs/segment.c, f2fs_get_section_mtime()).
 */
uint64_t section_mtime(const struct volume *vol, uint32_t secno);

/*
 * Free sections that emptying those of one side among @v[0..nr) gains at the
 * best, by their valid blocks and the room in the logs that stay where they
 * are; not counting the nodes that are rewritten for new addresses.
 */
uint32_t victim_gain(const struct alloc *a, const struct victim *v, size_t nr,
		     bool nodes, bool full);

/*
 * Blocks that the logs of one side can take before they open a section. A log
 * in a dirty section will leave it.
 */
uint64_t victim_room_in_logs(const struct alloc *a, bool nodes, bool full);

#endif
