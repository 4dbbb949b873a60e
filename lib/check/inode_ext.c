/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * i_ext, the largest extent of a file: the kernel reads data through it without
 * a look at the addresses (format 5.3), so it must equal them over its whole
 * length. What lies beyond the inode is compared by the second look.
 */
#include "config.h"

#include "check/check_int.h"

static bool ext_is_possible(const struct check *c, const struct inode *inode)
{
	const struct layout *lo = c->lo;

	if (!blk_is_main(lo, inode->ext_blk))
		return false;
	if (inode->cluster_blks)	/* counted in file blocks there */
		return true;
	return inode->ext_len <= lo->end_blk - inode->ext_blk &&
	       inode->ext_len <= UINT32_MAX - inode->ext_lblk &&
	       inode_has_blocks(inode);
}

/* Blocks of i_ext that the inode's own addresses bear out. */
static uint32_t ext_matched(const struct inode *inode, const void *block)
{
	const le32 *addrs = inode_file_addrs(inode, block);
	uint32_t n = 0;

	for (uint32_t i = 0; i < inode->ext_len; i++) {
		uint32_t lblk = inode->ext_lblk + i;

		if (lblk >= inode->nr_addrs)
			break;
		n += le32_get(addrs[lblk]) == inode->ext_blk + i;
	}
	return n;
}

int ext_check_inode(struct check *c, struct check_worker *w,
		    const struct inode *inode, uint32_t blk, const void *block)
{
	uint32_t inside = inode->ext_lblk < inode->nr_addrs ?
			  inode->nr_addrs - inode->ext_lblk : 0;
	struct ext_info ext = {
		.ino = inode->ino, .lblk = inode->ext_lblk,
		.blk = inode->ext_blk, .len = inode->ext_len,
		.nr_addrs = (uint16_t)inode->nr_addrs,
		.node_addrs = (uint16_t)inode->node_addrs,
	};
	bool right = ext_is_possible(c, inode);

	if (right && !inode->cluster_blks) {
		if (inside > inode->ext_len)
			inside = inode->ext_len;
		ext.matched = ext_matched(inode, block);
		right = ext.matched == inside;
	}
	if (!right) {
		check_found(c, .id = P_INODE_EXTENT, .structure = "inode",
			    .number = inode->ino, .blk = blk,
			    .ino = inode->ino);
		return 0;
	}
	if (inside == inode->ext_len || inode->cluster_blks)
		return 0;
	rec_set_flags(nids_get(&c->nids, inode->ino), REC_WANTED);
	return vec_push(&w->exts, &ext) ?
	       ctx_nomem(c->vol->ctx, "the list of extents") : 0;
}
