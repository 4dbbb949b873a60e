/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An inode decoded: plain numbers, and where in its block the addresses, the
 * inline area and the inline xattrs lie (format 5.3, 5.4).
 */
#ifndef F2CORE_TREE_INODE_H
#define F2CORE_TREE_INODE_H

#include "format/validate.h"
#include "tree/node.h"

struct inode_time {
	int64_t sec;
	uint32_t nsec;
};

struct inode {
	uint32_t ino;
	uint32_t generation;
	uint16_t mode;
	uint8_t advise;			/* OD_ADVISE_ */
	uint8_t inl;			/* OD_INLINE_ */
	uint32_t flags;			/* OD_FLAG_ */
	uint32_t uid, gid, links;
	uint64_t size;			/* bytes */
	uint64_t blocks;		/* nodes included */
	struct inode_time atime, ctime, mtime, crtime;
	uint32_t current_depth;		/* directories */
	uint32_t xattr_nid;
	uint32_t pino;
	uint32_t namelen;
	uint8_t dir_level;
	uint32_t ext_lblk, ext_blk, ext_len;

	uint16_t extra_isize;		/* bytes; 0 without the extra area */
	uint32_t projid;
	uint64_t compr_blocks;
	uint8_t compr_algorithm;
	uint32_t cluster_blks;		/* 0: not a compressed file */

	uint32_t addr_first;		/* i_addr index of file block 0 */
	uint32_t nr_addrs;		/* A: file blocks addressed here */
	uint32_t node_addrs;		/* D: file blocks of a direct node */
	uint32_t inline_off;		/* byte in the block */
	uint32_t inline_bytes;
	uint32_t xattr_off;		/* byte in the block */
	uint32_t xattr_bytes;		/* 0: no inline xattrs */
};

/*
 * Decode the inode block @block. -EUCLEAN with *@fault when its numbers
 * contradict each other so that it cannot be read safely (extra size, inline
 * xattr size, cluster size, not an inode); everything else is left to checks.
 */
int inode_decode(const struct layout *lo, const void *block,
		 struct inode *out, struct fault *fault);

/* node_read() and inode_decode() with a message. @block: one block, filled. */
int inode_read(struct volume *vol, uint32_t ino, void *block,
	       struct inode *out);

/* Has addresses in i_addr: not inline, not a device, fifo or socket. */
bool inode_has_blocks(const struct inode *inode);
bool inode_is_dir(const struct inode *inode);
bool inode_is_pinned(const struct inode *inode);	/* or a device alias */
/* Of a character or block device: major << 20 | minor. */
uint32_t inode_rdev(const struct inode *inode, const void *block);

/* The address of file block 0, of @inode->nr_addrs; slot 0 of a summary. */
static inline le32 *inode_file_addrs(const struct inode *inode,
				     const void *block)
{
	return inode_addrs(block) + inode->addr_first;
}

#endif
