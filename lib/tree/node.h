/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Node blocks: reading one through the NAT, its footer, and the arithmetic of
 * node offsets (format 5.1; kernel fs/f2fs/node.h).
 */
#ifndef F2CORE_TREE_NODE_H
#define F2CORE_TREE_NODE_H

#include "meta/volume.h"

enum node_kind {
	NODE_INODE,
	NODE_DIRECT,
	NODE_INDIRECT,
	NODE_DOUBLE,			/* double indirect */
	NODE_XATTR,
	NODE_BAD,			/* an offset that no tree has */
};

static inline uint32_t foot_ofs(const struct od_node_foot *foot)
{
	return le32_get(foot->flag) >> OD_FOOT_OFS_SHIFT;
}

/*
 * Read the node @nid into @block. -ENOENT: the nid is free; -EUCLEAN: address
 * out of the main area, or a footer with another nid.
 */
int node_read(struct volume *vol, uint32_t nid, void *block);

/*
 * The same for a node that another one names: -EUCLEAN if it is free or its
 * footer is not of @ofs in @ino, so that a node is met once at most whatever
 * the image says.
 */
int node_read_child(struct volume *vol, uint32_t nid, uint32_t ino,
		    uint32_t ofs, void *block);

/* The kind of node that sits at offset @ofs; INODE only for 0. */
enum node_kind node_kind(const struct layout *lo, uint32_t ofs);

/*
 * Node offset of the child in @slot of the node at @ofs: slot 0 to 4 of
 * i_nid for the inode (ofs 0), 0 to N-1 for indirect ones. The caller proves
 * the slot and that the node has children.
 */
uint32_t node_child_ofs(const struct layout *lo, uint32_t ofs, uint32_t slot);

/*
 * First file block that a direct node (or the inode) at @ofs holds, when the
 * inode holds @inode_addrs and a direct node @node_addrs of them.
 */
uint64_t node_first_lblk(const struct layout *lo, uint32_t ofs,
			 uint32_t inode_addrs, uint32_t node_addrs);

/*
 * All nodes in order of address: sorted by the NAT, read in large runs, handed
 * to @fn with the block. @fn runs on up to @nr_threads threads at once (0: as
 * work_default_threads()); @worker, from 0, tells which, and each takes a
 * segment at a time. A block that cannot be read is handed over as NULL, nids
 * whose address is not in the main area come last. A value other than 0 from
 * @fn stops the scan and is returned. 8 bytes of memory a nid.
 */
struct node_visit {
	uint32_t nid;
	struct nat_entry nat;
	const void *block;		/* NULL: unreadable or out of range */
};
typedef int node_scan_fn(void *priv, unsigned int worker,
			 const struct node_visit *visit);
int node_scan(struct volume *vol, unsigned int nr_threads, node_scan_fn *fn,
	      void *priv);

#endif
