/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A change of what the volume holds, as one commit: nodes and directory blocks
 * that are written anew, nodes and blocks that are freed, blocks that become
 * valid where they lie.
 *
 *	edit_init, edit_withhold..., any of the others, edit_commit, edit_free
 *
 * Everything is written through: a node gets its new place when it is first
 * written, and is written there again as often as it changes, so no memory is
 * taken for it and the readers of tree/ see it at once. NAT, SIT and counts in
 * memory change with each call; the volume on the device changes with the
 * commit only, since all of it goes to blocks that the live checkpoint does not
 * reach. An edit that is not committed leaves the volume spoilt in memory,
 * unless it changed nothing.
 */
#ifndef F2CORE_ENGINE_EDIT_H
#define F2CORE_ENGINE_EDIT_H

#include "base/map.h"
#include "base/vec.h"
#include "engine/alloc.h"
#include "engine/commit.h"

/* The summary of a segment in which blocks were claimed. */
struct edit_sum {
	uint32_t segno;
	uint8_t *sum;			/* lo.sum_bytes */
};

struct edit_sum_vec VEC_BODY(struct edit_sum);

struct edit {
	struct volume *vol;		/* borrowed */
	struct alloc alloc;
	struct map placed;		/* blocks that this edit gave out */
	struct map kept_nids;		/* free, but not to be given out */
	struct edit_sum_vec sums;	/* not of segments of logs */
	uint8_t *withheld;		/* lsb bitmap: sections */
	bool has_changed;
	uint64_t blocks_written;	/* without those of the commit */
};

/* 0 or -ENOMEM. @vol may be written (volume_can_write()). */
int edit_init(struct edit *ed, struct volume *vol);
void edit_free(struct edit *ed);

/*
 * Block @blk of the main area was written after the live checkpoint and must
 * stay as it is until the commit. Before anything is written. Its section is
 * not opened, and a log that stands in it goes on elsewhere.
 */
void edit_withhold(struct edit *ed, uint32_t blk);

/*
 * Write the node @nid; @block's footer has its nid, ino, offset and whether it
 * is cold, the rest of the footer and an inode's checksum are renewed in it.
 * A node that the NAT does not have is added to the counts. -ENOSPC: no free
 * section is left.
 */
int edit_write_node(struct edit *ed, uint32_t nid, void *block);

/* Free a node that the NAT has: its block and its nid, nothing else. */
int edit_free_node(struct edit *ed, uint32_t nid);

/* This nid will be written later, though it is free: do not give it out. */
int edit_keep_nid(struct edit *ed, uint32_t nid);

/* A nid that is free, not to be given out again. -ENOSPC: there is none. */
int edit_new_nid(struct edit *ed, uint32_t *nid);

/*
 * Write a block of data that the slot @owner names, of which the address was
 * @old (0, NEW or real), into the log @type. *@blk is its address now, which
 * the caller puts into the slot. Not for compressed clusters.
 */
int edit_write_data(struct edit *ed, uint32_t old, uint8_t type,
		    struct sum_entry owner, const void *block, uint32_t *blk);

/*
 * A slot loses the address @blk: a real block becomes invalid (-EUCLEAN if it
 * was not valid), a reserved one is given back, nothing happens for a hole.
 */
int edit_drop_block(struct edit *ed, uint32_t blk);

/* A block becomes invalid, without a change of the counts: -EUCLEAN as above. */
int edit_invalidate_block(struct edit *ed, uint32_t blk);

/* A slot that was a hole becomes NEW. */
void edit_reserve_block(struct edit *ed);

/*
 * A block that was written after the live checkpoint, in a section that is
 * withheld, becomes valid where it lies, owned by the slot @owner. @type is
 * that of its segment if that was empty. -EUCLEAN: it is valid already, or
 * lies among nodes.
 */
int edit_claim_block(struct edit *ed, uint32_t blk, uint8_t type,
		     struct sum_entry owner);

/* Who owns a valid block, claims of this edit included. */
int edit_owner(struct edit *ed, uint32_t blk, struct sum_entry *owner);

/* Make all of it the state of the volume. */
int edit_commit(struct edit *ed, struct commit_stats *stats);

#endif
