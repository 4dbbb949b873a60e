/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nodes fsynced after the live checkpoint, which a mount would replay
 * (format 7.5). Whoever writes a checkpoint makes the kernel forget them.
 */
#ifndef F2CORE_TREE_PENDING_H
#define F2CORE_TREE_PENDING_H

#include "base/map.h"
#include "base/vec.h"
#include "meta/volume.h"

/*
 * Follow the chain from the warm node log's position. *@nr_fsynced counts
 * chain blocks with the fsync mark (0: nothing is pending). A chain that loops
 * ends where that is seen, some of its blocks being counted twice; the kernel
 * replays nothing of such a chain.
 */
int pending_fsyncs(struct volume *vol, uint64_t *nr_fsynced);

/* A node of the chain. */
struct pending_node {
	uint32_t blk;
	uint32_t nid;
	uint32_t ino;
	uint32_t flag;			/* of its footer: marks and offset */
};

struct pending_node_vec VEC_BODY(struct pending_node);

#define PENDING_NONE UINT32_MAX

/* An inode that is to be recovered, and which nodes of the chain say what. */
struct pending_inode {
	uint32_t ino;
	uint32_t made_by;		/* inode that the NAT lacks; or NONE */
	uint32_t last;			/* fsynced last: later ones don't count */
	uint32_t dentry;		/* its name is in this one; or NONE */
};

struct pending_inode_vec VEC_BODY(struct pending_inode);

struct pending {
	struct pending_node_vec nodes;	/* in order of the chain */
	struct pending_inode_vec inodes; /* in order of their first fsync */
	struct map by_ino;		/* ino to its place in inodes */
	uint8_t *has_blk;		/* lsb bitmap of the main area */
	bool has_fsync;			/* some node bears the mark */
	uint32_t cut_at;		/* block at which the chain was cut, or 0 */
	const char *cut_why;		/* a literal */
};

/*
 * Read the chain: all of its nodes, and the inodes that a mount would recover
 * (kernel fs/f2fs/recovery.c, find_fsync_dnodes()). It is cut before the first
 * node that comes back to an earlier one or that cannot be: no nid, an inode
 * marked as new that the NAT has. Only what is in the footers and the NAT was
 * looked at. 16 bytes a node and a bit for each block of the main area, 50
 * bytes for an inode.
 */
int pending_read(struct volume *vol, struct pending *p);
void pending_free(struct pending *p);

/* Cut it before node number @nr, which is no good. 0 or -ENOMEM. */
int pending_cut(struct volume *vol, struct pending *p, uint32_t nr,
		const char *why);

/* The inode to which node @nr matters, or NULL. */
const struct pending_inode *pending_inode_of(const struct pending *p,
					     uint32_t nr);

static inline bool pending_has_blk(const struct pending *p,
				   const struct layout *lo, uint32_t blk)
{
	uint32_t n = blk - lo->main_blk;

	return p->has_blk[n / 8] & 1 << n % 8;
}

/*
 * Reads blocks that lie mostly one behind the other, a few at a time. The
 * blocks must not change meanwhile.
 */
struct blk_window {
	struct volume *vol;
	uint8_t *blocks;
	uint32_t first, nr;		/* what is in it */
	uint32_t room;			/* grows while it is read in order */
};

int blk_window_open(struct blk_window *w, struct volume *vol);
void blk_window_close(struct blk_window *w);
/* The block @blk of the main area, until the next call. */
int blk_window_read(struct blk_window *w, uint32_t blk, uint8_t **block);

#endif
