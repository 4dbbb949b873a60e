/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Roll-forward: what was fsynced after the live checkpoint is brought into the
 * tables of an edit, as a mount would do it (format 7.5; kernel
 * fs/f2fs/recovery.c).
 */
#ifndef F2CORE_ENGINE_RECOVER_H
#define F2CORE_ENGINE_RECOVER_H

#include "engine/edit.h"
#include "tree/inode.h"

struct recover_stats {
	uint64_t chain_nodes;		/* nodes of the chain, up to a cut */
	uint64_t inodes;		/* that were recovered */
	uint64_t inodes_made;		/* of those: not in the checkpoint */
	uint64_t names_added;
	uint64_t names_removed;		/* what had the same name before */
	uint64_t inodes_freed;		/* that lost their last name so */
	uint64_t inodes_kept;		/* in lost+found, for want of a name */
	uint64_t blocks;		/* of data that became valid in place */
	uint64_t conflicts;		/* of data that could not be taken over */
	uint32_t cut_at;		/* where a damaged chain was cut; 0: nowhere */
	const char *cut_why;		/* a literal, or NULL */
};

/*
 * Replay the chain into @ed, which holds nothing yet but freed orphans. Adds to
 * *@st. 0 too if there is no chain. Nothing is committed. A chain that
 * contradicts itself or the volume is cut before the first node that does.
 * Directories that get or lose a name, and inodes that lose one, are stamped
 * @now. Quota files are the caller's.
 *
 * -ENOSPC; -EUCLEAN if a directory or an inode of the checkpoint is not sound;
 * -EIO, -ENOMEM: the edit is to be given up.
 */
int recover_run(struct edit *ed, const struct inode_time *now,
		struct recover_stats *st);

#endif
