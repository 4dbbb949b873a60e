/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NAT bits of the next pack. A wrong bit makes a kernel hand out a nid that is
 * in use, so they are made again from the whole NAT at each commit (kernel
 * fs/f2fs/node.c, __update_nat_bits()).
 */
#include "config.h"

#include "engine/nat_bits.h"

#include "base/bits.h"
#include "engine/flush.h"
#include "format/validate.h"

#include <string.h>

static size_t map_bytes(const struct layout *lo)
{
	return lo->nr_nat_blks / 8;
}

uint32_t nat_bits_blks(const struct layout *lo)
{
	size_t bytes = sizeof(le64) + 2 * map_bytes(lo);

	return (uint32_t)((bytes + lo->block_size - 1) / lo->block_size);
}

bool nat_bits_kept(const struct volume *vol)
{
	const struct layout *lo = &vol->lo;

	return vol->cp.flags & OD_CP_NAT_BITS && cp_nat_bits_fit(lo) &&
	       pack_most_blks(vol) + nat_bits_blks(lo) <= lo->blks_per_seg;
}

void nat_bits_fill(const struct volume *vol, const uint8_t *head,
		   uint8_t *blocks)
{
	const struct od_checkpoint *cp = (const void *)head;
	const struct layout *lo = &vol->lo;
	uint64_t crc = le32_get(*(const le32 *)
				(head + le32_get(cp->checksum_offset)));
	uint8_t *full = blocks + sizeof(le64);
	uint8_t *empty = full + map_bytes(lo);

	memset(blocks, 0, (size_t)nat_bits_blks(lo) * lo->block_size);
	le64_set((le64 *)blocks, le64_get(cp->checkpoint_ver) | crc << 32);
	for (uint32_t i = 0; i < lo->nr_nat_blks; i++) {
		/* Nid 0 has no address, but is never free. */
		uint32_t used = nat_block_used(&vol->nat, i) + !i;

		if (used == lo->nats_per_block)
			bit_set_lsb(full, i);
		if (!used)
			bit_set_lsb(empty, i);
	}
}
