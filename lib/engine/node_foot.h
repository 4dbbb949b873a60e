/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The footer of a node that is written before the next checkpoint. It must
 * not be taken for a node that was fsynced after this or the next one: marks
 * are cleared, and the version is that of a checkpoint before the live one,
 * with which roll-forward never compares (kernel fs/f2fs/recovery.c).
 */
#ifndef F2CORE_ENGINE_NODE_FOOT_H
#define F2CORE_ENGINE_NODE_FOOT_H

#include "meta/volume.h"

/* Make @foot that of a node that is about to be written to block @dst. */
static inline void node_foot_renew(const struct volume *vol,
				   struct od_node_foot *foot, uint32_t dst)
{
	le32_set(&foot->flag, le32_get(foot->flag) &
		 ~(OD_FOOT_FSYNC | OD_FOOT_DENT));
	le64_set(&foot->cp_ver, vol->cp.version - 1);
	le32_set(&foot->next_blk, dst + 1);
}

#endif
