/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* File offset to block: every mapped slot of a file, and its extents. */
#ifndef F2CORE_TREE_FILEMAP_H
#define F2CORE_TREE_FILEMAP_H

#include "tree/inode.h"

/* One slot that is not a hole. */
struct mapping {
	uint64_t lblk;			/* block in the file */
	uint32_t blk;			/* address, OD_BLK_NEW or _COMPRESS */
	uint32_t nid;			/* node that holds the slot */
	uint32_t ofs;			/* index of the slot, as in a summary */
};

/*
 * Call @fn for each slot in file order. @block is the inode's. At most
 * @inode->blocks plus a bound of nodes are read, whatever the image says;
 * child nodes with a wrong ino, offset or nid end the walk with -EUCLEAN.
 */
typedef int filemap_fn(void *priv, const struct mapping *m);
int filemap_walk(struct volume *vol, const struct inode *inode,
		 const void *block, filemap_fn *fn, void *priv);

/* The same for the nodes below the inode (not the inode), parents first. */
typedef int filemap_node_fn(void *priv, uint32_t nid, uint32_t ofs,
			    const void *block);
int filemap_walk_nodes(struct volume *vol, const struct inode *inode,
		       const void *block, filemap_node_fn *fn, void *priv);

enum { EXT_UNWRITTEN = 1, EXT_INLINE = 2, EXT_ENCODED = 4 };

/* A merged FIEMAP run (format 8.5), in blocks. */
struct extent {
	uint64_t lblk;
	uint32_t blk;			/* 0 if unwritten or inline */
	uint64_t len;
	unsigned int flags;		/* EXT_ */
};

typedef int extent_fn(void *priv, const struct extent *e);
int filemap_extents(struct volume *vol, const struct inode *inode,
		    const void *block, extent_fn *fn, void *priv);

/*
 * Read file block @lblk into @buf (a whole block; zeros for a hole or NEW).
 * Not for compressed clusters (-EOPNOTSUPP) nor inline data.
 */
int filemap_read(struct volume *vol, const struct inode *inode,
		 const void *block, uint64_t lblk, void *buf);

#endif
