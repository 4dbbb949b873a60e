/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Roll-forward: what was fsynced after the live checkpoint enters the volume,
 * as the mount of a kernel would do it (kernel fs/f2fs/recovery.c).
 */
#ifndef F2CORE_ENGINE_RECOVER_H
#define F2CORE_ENGINE_RECOVER_H

#include "engine/edit.h"

struct recover_stats {
	uint64_t chain_nodes;		/* nodes of the chain that were used */
	uint64_t inodes;		/* that were recovered */
	uint64_t names_added;
	uint64_t names_removed;
	uint64_t blocks;		/* of data that became valid in place */
	uint32_t cut_at;		/* where a damaged chain was cut; 0: nowhere */
};

/*
 * Replay the chain into @ed, which holds nothing yet but freed orphans. Adds to
 * *@st. 0 too if there is no chain. Nothing is committed.
 */
int recover_run(struct edit *ed, struct recover_stats *st);

#endif
