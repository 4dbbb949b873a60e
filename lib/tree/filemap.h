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
 * Call @fn for each slot in file order; none for inline files and device
 * aliases. @block is the inode's. Child nodes with a wrong ino, offset or nid
 * end the walk with -EUCLEAN, so no node is read twice whatever the image
 * says. A value other than 0 from @fn ends the walk and is returned.
 */
typedef int filemap_fn(void *priv, const struct mapping *m);
int filemap_walk(struct volume *vol, const struct inode *inode,
		 const void *block, filemap_fn *fn, void *priv);

/*
 * The same for the nodes below the inode (not the inode): the xattr node
 * first, then parents before their children, direct nodes in file order.
 */
typedef int filemap_node_fn(void *priv, uint32_t nid, uint32_t ofs,
			    const void *block);
int filemap_walk_nodes(struct volume *vol, const struct inode *inode,
		       const void *block, filemap_node_fn *fn, void *priv);

/* The slots on the way to a file block: nids, and in the end an address. */
#define FILEMAP_MAX_DEPTH 3U		/* double indirect, indirect, direct */
struct filemap_path {
	uint32_t slot[FILEMAP_MAX_DEPTH + 1];
	unsigned int depth;		/* nodes below the inode */
};

/* False past the largest file. */
bool filemap_find_path(const struct layout *lo, const struct inode *inode,
		       uint64_t lblk, struct filemap_path *p);

/*
 * The slot of file block @lblk; with blk OD_BLK_NULL for a hole, and nid 0 too
 * if there is no node that holds the slot.
 */
int filemap_lookup(struct volume *vol, const struct inode *inode,
		   const void *block, uint64_t lblk, struct mapping *out);

enum { EXT_UNWRITTEN = 1, EXT_INLINE = 2, EXT_ENCODED = 4 };

/*
 * A merged FIEMAP run (format 8.5), in blocks. Written runs have no flag. A
 * compressed cluster is one run or more of its own (EXT_ENCODED), cut where
 * its blocks are not adjacent; their lengths sum up to the cluster's. An
 * inline area that is not empty is one run of length 1 without an address.
 */
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
 * Not for compressed clusters nor inline data (-EOPNOTSUPP).
 */
int filemap_read(struct volume *vol, const struct inode *inode,
		 const void *block, uint64_t lblk, void *buf);

#endif
