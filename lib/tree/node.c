/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Node blocks: reading one through the NAT, and the numbers of the tree. With
 * N slots in a node the offsets are: 0 the inode, 1 and 2 direct, 3 and 4+N
 * indirect with their children right behind them, 5+2N double indirect with
 * its N groups of one indirect and N direct nodes behind it.
 */
#include "config.h"

#include "tree/node.h"

#include <errno.h>
#include <inttypes.h>

int node_read(struct volume *vol, uint32_t nid, void *block)
{
	struct nat_entry nat = nat_get(&vol->nat, nid);
	uint32_t found;
	int err;

	if (nat.blk == OD_BLK_NULL)
		return -ENOENT;
	if (!blk_is_main(&vol->lo, nat.blk))
		return ctx_fail(vol->ctx, -EUCLEAN, "node %" PRIu32
				": its NAT entry has block %" PRIu32
				", outside the main area", nid, nat.blk);
	err = dev_read(vol->dev, nat.blk, 1, block);
	if (err)
		return err;
	found = le32_get(node_foot(&vol->lo, block)->nid);
	if (found != nid)
		return ctx_fail(vol->ctx, -EUCLEAN, "node %" PRIu32
				" at block %" PRIu32 ": its footer is of node %"
				PRIu32, nid, nat.blk, found);
	return 0;
}

int node_read_child(struct volume *vol, uint32_t nid, uint32_t ino,
		    uint32_t ofs, void *block)
{
	const struct od_node_foot *foot = node_foot(&vol->lo, block);
	int err;

	err = node_read(vol, nid, block);
	if (err == -ENOENT)
		return ctx_fail(vol->ctx, -EUCLEAN, "inode %" PRIu32
				" has node %" PRIu32 " at offset %" PRIu32
				", but that nid is free", ino, nid, ofs);
	if (err)
		return err;
	if (le32_get(foot->ino) != ino || foot_ofs(foot) != ofs)
		return ctx_fail(vol->ctx, -EUCLEAN, "inode %" PRIu32
				" has node %" PRIu32 " at offset %" PRIu32
				", but its footer says inode %" PRIu32
				", offset %" PRIu32, ino, nid, ofs,
				le32_get(foot->ino), foot_ofs(foot));
	return 0;
}

enum node_kind node_kind(const struct layout *lo, uint32_t ofs)
{
	uint32_t n = lo->addrs_per_node;
	uint32_t in_double;

	if (ofs == 0)
		return NODE_INODE;
	if (ofs == OD_XATTR_NODE_OFS)
		return NODE_XATTR;
	if (ofs == 3 || ofs == 4 + n)
		return NODE_INDIRECT;
	if (ofs == 5 + 2 * n)
		return NODE_DOUBLE;
	if (ofs < 5 + 2 * n)
		return NODE_DIRECT;
	in_double = ofs - (6 + 2 * n);
	if (in_double >= n * (n + 1))
		return NODE_BAD;
	return in_double % (n + 1) ? NODE_DIRECT : NODE_INDIRECT;
}

uint32_t node_child_ofs(const struct layout *lo, uint32_t ofs, uint32_t slot)
{
	uint32_t n = lo->addrs_per_node;

	if (ofs == 5 + 2 * n)
		return ofs + 1 + slot * (n + 1);
	if (ofs)
		return ofs + 1 + slot;
	switch (slot) {
	case 0:
	case 1:
	case 2:
		return 1 + slot;
	case 3:
		return 4 + n;
	default:
		return 5 + 2 * n;
	}
}

uint64_t node_first_lblk(const struct layout *lo, uint32_t ofs,
			 uint32_t inode_addrs, uint32_t node_addrs)
{
	uint32_t n = lo->addrs_per_node;
	uint32_t k;			/* direct nodes before this one */

	if (ofs == 0)
		return 0;
	if (ofs <= 2)
		k = ofs - 1;
	else if (ofs <= 2 * n + 4)
		k = ofs - 2 - (ofs - 4) / (n + 1);
	else
		k = ofs - 5 - (ofs - 2 * n - 7) / (n + 1);
	return inode_addrs + (uint64_t)k * node_addrs;
}
