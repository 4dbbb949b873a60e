/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NAT bits: two maps at the end of a pack's segment that tell which NAT blocks
 * are full and which are empty (format 3.7). A kernel that finds them reads
 * neither when it looks for free nids.
 */
#ifndef F2CORE_ENGINE_NAT_BITS_H
#define F2CORE_ENGINE_NAT_BITS_H

#include "meta/volume.h"

/*
 * Whether the next pack has them: the live one does, and they have room behind
 * the new one. Then nothing goes to the NAT journal.
 */
bool nat_bits_kept(const struct volume *vol);

uint32_t nat_bits_blks(const struct layout *lo);

/*
 * Fill @blocks (nat_bits_blks() of them) for the pack with the head @head, from
 * the NAT in memory, all of which must lie in its blocks.
 */
void nat_bits_fill(const struct volume *vol, const uint8_t *head,
		   uint8_t *blocks);

#endif
