/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Orphans: inodes that were deleted while they were open, which the checkpoint
 * lists. A mount frees them before it replays anything (kernel
 * fs/f2fs/checkpoint.c, f2fs_recover_orphan_inodes()).
 */
#ifndef F2CORE_ENGINE_ORPHANS_H
#define F2CORE_ENGINE_ORPHANS_H

#include "engine/edit.h"

struct orphans_stats {
	uint64_t inodes;		/* freed */
	uint64_t missing;		/* listed, but the NAT has none */
	uint64_t nodes;			/* freed, the inodes among them */
	uint64_t blocks;		/* of data, the reserved among them */
};

/*
 * Free all orphans of the volume, their blocks and nids, and empty the list.
 * Adds to *@st. -EUCLEAN: the tree of one is not sound; it was proved before
 * anything of it was freed.
 */
int orphans_free(struct edit *ed, struct orphans_stats *st);

/* Free one inode without links, and all that belongs to it. */
int orphans_free_inode(struct edit *ed, uint32_t ino, struct orphans_stats *st);

#endif
