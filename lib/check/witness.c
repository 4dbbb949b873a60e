/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Asking an inode whether a node is its own, for the rare node whose NAT entry
 * and footer differ: down from the inode to the place of the node, a block a
 * level.
 */
#include "config.h"

#include "check/check_int.h"

#include <stdlib.h>

#define MAX_LEVELS 4U

/* The parent of the node at @ofs and its slot there; @ofs is not 0. */
static uint32_t parent_of(const struct layout *lo, uint32_t ofs,
			  uint32_t *slot)
{
	uint32_t n = lo->addrs_per_node, group, in_group;

	if (ofs <= 3 || ofs == 4 + n || ofs == 5 + 2 * n) {
		*slot = ofs <= 3 ? ofs - 1 : ofs == 4 + n ? 3 : 4;
		return 0;
	}
	if (ofs < 4 + n) {
		*slot = ofs - 4;
		return 3;
	}
	if (ofs < 5 + 2 * n) {
		*slot = ofs - 5 - n;
		return 4 + n;
	}
	group = (ofs - 6 - 2 * n) / (n + 1);
	in_group = (ofs - 6 - 2 * n) % (n + 1);
	if (!in_group) {
		*slot = group;
		return 5 + 2 * n;
	}
	*slot = in_group - 1;
	return 6 + 2 * n + group * (n + 1);
}

static bool read_node(struct check *c, uint32_t nid, void *block)
{
	uint32_t blk = check_nid_blk(c, nid);

	return blk_is_main(c->lo, blk) &&
	       !dev_read(c->vol->dev, blk, 1, block);
}

bool inode_names_node(struct check *c, uint32_t ino, uint32_t nid,
		      uint32_t ofs)
{
	uint32_t slots[MAX_LEVELS];
	unsigned int depth = 0;
	uint8_t *block;
	uint32_t at = 0;
	bool good;

	if (node_kind(c->lo, ofs) == NODE_BAD || !ofs)
		return false;
	block = malloc(c->lo->block_size);
	good = block && read_node(c, ino, block);
	if (good && ofs == OD_XATTR_NODE_OFS) {
		at = le32_get(((const struct od_inode *)block)->i_xattr_nid);
		ofs = 0;
	} else if (good) {
		while (ofs && depth < MAX_LEVELS)
			ofs = parent_of(c->lo, ofs, &slots[depth++]);
		at = le32_get(inode_nids(c->lo, block)[slots[--depth]]);
	}
	while (good && depth) {
		good = at && read_node(c, at, block);
		if (good)
			at = le32_get(node_slots(block)[slots[--depth]]);
	}
	free(block);
	return good && at == nid;
}

uint32_t inode_child_ofs(struct check *c, uint32_t ino, uint32_t nid)
{
	uint8_t *block = malloc(c->lo->block_size);
	uint32_t ofs = 0;

	if (block && read_node(c, ino, block)) {
		const struct od_inode *od = (const void *)block;
		const le32 *nids = inode_nids(c->lo, block);

		if (le32_get(od->i_xattr_nid) == nid)
			ofs = OD_XATTR_NODE_OFS;
		for (uint32_t i = 0; i < 5; i++)
			if (le32_get(nids[i]) == nid)
				ofs = node_child_ofs(c->lo, 0, i);
	}
	free(block);
	return ofs;
}
