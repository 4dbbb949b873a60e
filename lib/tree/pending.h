/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nodes fsynced after the live checkpoint, which a mount would replay
 * (format 7.5). Whoever writes a checkpoint makes the kernel forget them.
 */
#ifndef F2CORE_TREE_PENDING_H
#define F2CORE_TREE_PENDING_H

#include "meta/volume.h"

/*
 * Follow the chain from the warm node log's position. *@nr_fsynced counts
 * chain blocks with the fsync mark (0: nothing is pending). A chain that loops
 * ends where that is seen, some of its blocks being counted twice; the kernel
 * replays nothing of such a chain.
 */
int pending_fsyncs(struct volume *vol, uint64_t *nr_fsynced);

#endif
