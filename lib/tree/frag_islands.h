/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What cannot move cuts the main area into stretches, and so do the ends of
 * devices, and of zones with a capacity below their size: a file that is longer
 * than all of them has more extents at its best than its holes make.
 */
#ifndef F2CORE_TREE_FRAG_ISLANDS_H
#define F2CORE_TREE_FRAG_ISLANDS_H

#include "base/vec.h"
#include "tree/inode.h"

struct pinned_vec VEC_BODY(uint32_t);

struct islands {
	struct pinned_vec stretches;	/* their blocks, the longest first */
};

/*
 * The stretches between all of these, of which none may be there, and between
 * blocks of the files @pinned. What cannot be read of those is passed over. 0 or -ENOMEM.
 */
int islands_find(struct volume *vol, const struct pinned_vec *pinned,
		 struct islands *out);
void islands_free(struct islands *islands);

/* Whether a file of so many blocks may have to be cut at all. */
bool islands_matter(const struct islands *islands, uint64_t blocks);

/* The fewest stretches that hold so many blocks in a row; at least 1. */
uint64_t islands_pieces(const struct islands *islands, uint64_t blocks);

/* By how much the extents of @ino exceed what its holes make. 0 or -ENOMEM. */
int islands_cuts(struct volume *vol, const struct islands *islands,
		 uint32_t ino, uint64_t *cuts);

#endif
