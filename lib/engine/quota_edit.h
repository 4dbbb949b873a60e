/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Quota files brought up to date, as a part of an edit: usage as it is in the
 * inodes, limits as they were.
 */
#ifndef F2CORE_ENGINE_QUOTA_EDIT_H
#define F2CORE_ENGINE_QUOTA_EDIT_H

#include "engine/edit.h"

struct quota_stats {
	uint32_t files;			/* brought up to date */
	uint64_t ids_changed;		/* whose usage was another one */
	uint64_t ids_added;
	uint64_t ids_removed;		/* own nothing and have no limits */
	uint64_t blocks_written;
	bool is_marked;			/* not possible: the kernel is told */
};

/* The checkpoint says that the volume's quota files may be wrong. */
bool quota_needs_refresh(const struct volume *vol);

/*
 * Count the usage of all owners in the volume as @ed has it, put into the
 * quota files what is another there, and take away the checkpoint's mark that
 * they may be wrong. If a file is damaged or has no room to grow, the files
 * are left as they are, with that mark and a warning; 0 then too. @now is for
 * soft limits that are newly exceeded, seconds. Nothing happens on a volume
 * without quota files. Adds to *@st.
 */
int quota_refresh(struct edit *ed, uint64_t now, struct quota_stats *st);

#endif
