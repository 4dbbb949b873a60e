/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The yardstick of fragmentation. Fed with node blocks in any order (disk
 * order, from several threads, each with its own collector), it counts the
 * merged FIEMAP runs of every file without walking a tree.
 *
 * Only written runs count: neither inline areas nor blocks that are reserved
 * and never written can lie badly. Each run of a compressed cluster is an
 * extent of its own, as in FIEMAP, and a cluster's ideal is one.
 */
#ifndef F2CORE_TREE_FRAG_H
#define F2CORE_TREE_FRAG_H

#include "tree/inode.h"

#define FRAG_RUN_SIZES	32

struct frag {
	uint64_t files;			/* files and directories with blocks */
	uint64_t file_blocks;		/* real ones */
	uint64_t file_blocks_sum;	/* of frag_scan(): setsum of them */
	uint64_t extents;
	uint64_t ideal_extents;		/* the fewest that can be: runs of the
					 * logical maps, cut where pinned files,
					 * devices and zones leave no stretch
					 * that is as long */
	uint64_t fragmented_files;	/* with more extents than ideal */
	uint64_t breaks;		/* logical neighbours not adjacent */
	uint64_t neighbours;		/* logical neighbours in all */
	uint64_t free_blocks;
	uint64_t free_runs;		/* runs of free blocks in the main area */
	uint64_t longest_free_run;
	uint32_t free_segs;
	uint32_t dirty_segs;		/* some blocks valid, and not current */
	uint32_t free_secs;
	uint32_t dirty_secs;
	uint32_t dirty_secs_by_type[OD_NR_LOGS];
	uint64_t whole_free_blocks;	/* in free sections */
	/* [i]: free runs of 2^i to 2^(i+1) - 1 blocks, and the blocks in them */
	uint64_t runs_by_size[FRAG_RUN_SIZES];
	uint64_t blocks_by_size[FRAG_RUN_SIZES];
};

struct frag_collector;
struct frag_collector *frag_collector_new(const struct layout *lo);
void frag_collector_free(struct frag_collector *c);

/*
 * Feed an inode block (decoded) or a direct node of a file. Direct nodes are
 * counted per slot by their own position; the inode's geometry is applied
 * when all is merged. 0 or -ENOMEM.
 */
int frag_feed_inode(struct frag_collector *c, const struct inode *inode,
		    const void *block);
int frag_feed_direct(struct frag_collector *c, const void *block);

/*
 * Merge collectors into the totals of the files; they stay the caller's. The
 * part on free space is left alone. Reads the few direct nodes again that
 * could not be understood without their inode (compressed clusters).
 */
int frag_finish(struct volume *vol, struct frag_collector **c, size_t nr,
		struct frag *out);

/* All of it: one node_scan() of the volume, and frag_free_space(). */
int frag_scan(struct volume *vol, unsigned int nr_threads, struct frag *out);

/* Only the part on free space, from the SIT. */
void frag_free_space(const struct volume *vol, struct frag *out);

#endif
