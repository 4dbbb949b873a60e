/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NAT bits of the live pack against the NAT. A kernel that finds them with the
 * right check value believes them, and a wrong one makes it hand out a nid that
 * is in use (kernel fs/f2fs/node.c, __get_nat_bitmaps() and
 * load_free_nid_bitmap()).
 */
#include "config.h"

#include "meta/volume.h"

#include "base/bits.h"
#include "format/validate.h"

#include <inttypes.h>
#include <stdlib.h>

struct nat_bits {
	const struct volume *vol;
	const uint8_t *full;
	const uint8_t *empty;
};

static uint32_t map_bytes(const struct layout *lo)
{
	return lo->nr_nat_blks / 8;
}

/* Entries of the journal are not in the blocks that the bits tell of. */
static bool has_journaled(const struct volume *vol, uint32_t i)
{
	uint32_t nid = i * vol->lo.nats_per_block;
	struct nat_entry e;

	return nat_next_dirty(&vol->nat, &nid, &e) &&
	       nid_to_nat_block(&vol->lo, nid) == i;
}

static bool block_is_right(const struct nat_bits *b, uint32_t i)
{
	const struct nat *nat = &b->vol->nat;
	/* Nid 0 has no address, but is never free. */
	uint32_t used = nat_block_used(nat, i) + !i;
	bool full = used == b->vol->lo.nats_per_block, empty = !used;

	return (bit_test_lsb(b->full, i) == full &&
		bit_test_lsb(b->empty, i) == empty) ||
	       has_journaled(b->vol, i);
}

static void compare(struct volume *vol, const struct nat_bits *b, uint32_t blk)
{
	uint32_t nr = 0, first = 0;

	for (uint32_t i = 0; i < vol->lo.nr_nat_blks; i++)
		if (!block_is_right(b, i) && !nr++)
			first = i;
	if (nr)
		findings_add(&vol->findings, &(struct finding){
			     .id = P_NAT_BITS, .structure = "NAT block",
			     .number = first, .blk = blk },
			     "%" PRIu32 " of them, this is the first", nr);
}

/* With another check value nobody believes them. */
static bool are_believed(const struct volume *vol, const uint8_t *blocks)
{
	const struct od_checkpoint *od = (const void *)vol->cp.head;
	uint32_t ofs = le32_get(od->checksum_offset);
	uint64_t crc = le32_get(*(const le32 *)(vol->cp.head + ofs));

	return le64_get(*(const le64 *)blocks) ==
	       (le64_get(od->checkpoint_ver) | crc << 32);
}

int volume_judge_nat_bits(struct volume *vol)
{
	const struct layout *lo = &vol->lo;
	uint32_t bytes = (uint32_t)sizeof(le64) + 2 * map_bytes(lo);
	uint32_t nr = (bytes + lo->block_size - 1) / lo->block_size;
	uint32_t blk = cp_pack_blk(lo, vol->cp.pack) + lo->blks_per_seg - nr;
	uint8_t *blocks;

	if (!(vol->cp.flags & OD_CP_NAT_BITS) || nr >= lo->blks_per_seg)
		return 0;
	blocks = malloc((size_t)nr * lo->block_size);
	if (!blocks)
		return ctx_nomem(vol->ctx, "NAT bits");
	if (!dev_read(vol->dev, blk, nr, blocks) && are_believed(vol, blocks)) {
		struct nat_bits b = { vol, blocks + sizeof(le64),
				      blocks + sizeof(le64) + map_bytes(lo) };

		compare(vol, &b, blk);
	}
	free(blocks);
	return 0;
}
