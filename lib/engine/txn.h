/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A relocation transaction: blocks that move, the nodes that must be written
 * again because of it, and where all of it goes. The tables of the volume are
 * changed only by txn_apply(), after every block has been written; until then
 * a transaction can be dropped without a trace in memory, and on the device it
 * has written only to blocks that the live checkpoint does not reach.
 *
 *	txn_init, txn_add_section..., txn_resolve, txn_place,
 *	txn_write, txn_apply, commit() or: txn_free
 */
#ifndef F2CORE_ENGINE_TXN_H
#define F2CORE_ENGINE_TXN_H

#include "base/vec.h"
#include "engine/alloc.h"
#include "engine/commit.h"

/* A data block that moves. */
struct move {
	uint32_t src;
	uint32_t dst;			/* set by txn_place() */
	uint32_t nid;			/* node that holds the address */
	uint32_t ino;
	uint32_t lblk;			/* block in the file */
	uint32_t rank;			/* packed in this order, then by inode */
	uint16_t ofs;			/* slot in that node */
	uint8_t type;			/* log type of the source segment */
	uint8_t version;		/* of the summary entry; kept */
};

/* A node that is written again: it moves itself, or an address in it does. */
struct txn_node {
	uint32_t nid;
	uint32_t ino;
	uint32_t src;
	uint32_t dst;			/* 0: need not be written */
	uint32_t ofs;			/* node offset in its file's tree */
	uint8_t type;			/* log type of the source segment */
	bool is_victim;			/* lies in a victim section */
	bool is_owner;			/* of a block that moves */
	/* Of inodes only: */
	bool is_pinned;
	bool is_compressed;
	uint16_t inode_addrs;		/* A */
	uint16_t node_addrs;		/* D */
	bool ext_is_stale;		/* the extent hint covers a move */
	uint32_t ext_blk, ext_len;	/* extent hint as it is */
	uint32_t new_lblk, new_blk, new_len; /* longest run of its moves */
	/* Moves of its slots, in the list sorted by slot. */
	uint32_t first_move;
	uint32_t nr_moves;
};

struct move_vec VEC_BODY(struct move);
struct node_vec VEC_BODY(struct txn_node);
struct secno_vec VEC_BODY(uint32_t);

struct txn {
	struct volume *vol;
	struct alloc alloc;
	struct secno_vec victims;
	uint8_t *is_victim;		/* lsb bitmap by secno */
	struct move_vec moves;
	struct node_vec nodes;		/* sorted by nid once resolved */
	struct secno_vec pinned;	/* set with -EBUSY by txn_resolve() */
	struct secno_vec withheld;	/* free sections not to be opened */
	const uint32_t *kept;		/* inodes, sorted: as if pinned; borrowed */
	size_t nr_kept;

	uint64_t most_moves;		/* that runs taken along may make it */
	uint64_t most_bytes;		/* of records, or -E2BIG; 0: no bound */

	uint32_t section_rank;		/* of moves out of sections, and along */

	/* How to place. */
	bool no_pack;			/* scan order */
	bool may_split;			/* rather than waste the end of a section */
	bool whole;			/* each file in one run, or -ENOSPC */
	bool to_rare_log;		/* of those a file's blocks come from */
	bool leave_dirty;		/* logs leave sections that have holes */
	uint32_t queue_max;		/* records */
	unsigned int fail_record_every;	/* for tests: 0 never */
	bool dry_run;			/* copy no data */

	/* What placing and writing did. */
	uint64_t moved_at_once;
	uint64_t queue_drains;
	uint64_t extents_split;
	uint64_t blocks_written;

	/* Called now and then; not 0: resolving or writing ends with -EINTR. */
	int (*stop)(void *priv, uint64_t done, uint64_t total);
	void *stop_priv;
};

/* 0 or -ENOMEM. */
int txn_init(struct txn *t, struct volume *vol);
void txn_free(struct txn *t);
/* Drop moves, nodes and places, keep the memory and the options. */
void txn_reset(struct txn *t);

/*
 * Blocks of data, or of nodes, that one transaction should take at most, so
 * that the records of them and of the nodes that hold their addresses fit in
 * 20 MiB, as many nodes as the volume has for a block on average; but two
 * sections in any case.
 */
uint64_t txn_most_blocks(const struct volume *vol, bool nodes);
/*
 * For most_bytes: 24 MiB, as averages are not kept everywhere, and others are
 * moved along; or the records of two sections, or of twice @blocks blocks.
 */
uint64_t txn_most_bytes(const struct volume *vol, uint64_t blocks);
bool txn_is_too_large(const struct txn *t);

/*
 * Add the valid blocks of a section, from its summaries. Its logs, if it is a
 * current section, are to be given fresh ones. -EUCLEAN: a summary names no
 * node.
 */
int txn_add_section(struct txn *t, uint32_t secno);
/*
 * Add all blocks of a file, packed in the order of @rank. -EBUSY: it is
 * pinned; -EUCLEAN: its nodes contradict each other.
 */
int txn_add_file(struct txn *t, uint32_t ino, uint32_t rank);
/* Forget the victims from number @nr on, and all that belongs to them. */
void txn_shrink(struct txn *t, size_t nr);

/*
 * Find the nodes that hold the addresses, prove that they point back, and
 * fill lblk. -EBUSY: blocks of pinned files lie in the sections t->pinned;
 * -E2BIG: more nodes than most_bytes allows.
 */
int txn_resolve(struct txn *t);

/*
 * Where a run of a file goes on in a section that is left alone: add what
 * follows to the moves (before txn_resolve()), or count such cuts in
 * extents_split (after txn_place()). -E2BIG: no free space can hold what
 * would have to be taken along, or it is more than most_bytes; the moves are
 * as many as were looked at.
 */
int txn_take_runs_along(struct txn *t);
int txn_count_cuts(struct txn *t);

/*
 * How many blocks, at most @most, the run of block @blk, which does not move,
 * goes on for in steps of @step (1 or -1) outside of the victims. After
 * txn_place(), or txn_reset().
 */
int txn_run_beyond(struct txn *t, uint32_t blk, int step, uint32_t most,
		   uint32_t *nr);

/* Give every block its place. -ENOSPC: too few free sections for all. */
int txn_place(struct txn *t);

/* What the volume is like when a planned transaction has been carried out. */
struct txn_outcome {
	uint32_t free_secs;
	uint64_t holes;			/* free blocks that no log will come to */
};

/*
 * After txn_place(), or after txn_reset() for what is now. @left: of the
 * caller, an element for each segment of the main area; set to their valid
 * blocks.
 */
void txn_foresee(const struct txn *t, uint16_t *left, struct txn_outcome *o);
uint32_t txn_left_in_sec(const struct txn *t, const uint16_t *left,
			 uint32_t secno);
bool txn_leaves_log_in(const struct txn *t, uint32_t secno);

/* Copy data, rewrite nodes, write summaries of segments that were filled. */
int txn_write(struct txn *t);

/* Bring the new places into nat, sit and the logs; spoils the volume or 0. */
int txn_apply(struct txn *t);

/* Node @nid of the transaction, or NULL. After txn_resolve(). */
struct txn_node *txn_find_node(const struct txn *t, uint32_t nid);

#endif
