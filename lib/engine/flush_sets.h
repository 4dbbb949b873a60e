/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dirty entries of the NAT or the SIT, grouped in sets by the block of the
 * table that they lie in: each set goes to the journal as a whole, or its
 * block is written.
 */
#ifndef F2CORE_ENGINE_FLUSH_SETS_H
#define F2CORE_ENGINE_FLUSH_SETS_H

#include "base/vec.h"

#include <stdint.h>

struct flush_set {
	uint32_t i;			/* block of the table */
	uint32_t nr;			/* dirty entries in it */
};

struct flush_sets VEC_BODY(struct flush_set);

/* Count an entry of block @i; entries come in order. 0 or -ENOMEM. */
int flush_sets_add(struct flush_sets *sets, uint32_t i);

/*
 * Share them out: the smallest sets, as long as all entries of them together
 * are at most @room, go to the journal. They become the first of the sets, and
 * their number is returned. Both parts are in order of block.
 */
size_t flush_sets_share(struct flush_sets *sets, uint32_t room);

#endif
