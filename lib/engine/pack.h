/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inode packing: moves are queued and drained inode by inode, in file order,
 * so that what was scattered comes to lie in one run. The queue is bounded;
 * when it is full it is drained early, and a move for which no record can be
 * had is placed at once, with the run it is in. The queue is empty when packing ends: no record
 * outlives its transaction.
 */
#ifndef F2CORE_ENGINE_PACK_H
#define F2CORE_ENGINE_PACK_H

#include "engine/txn.h"

/* What 32 MiB of move records hold. */
#define PACK_DEFAULT_MAX ((32U << 20) / (uint32_t)sizeof(struct move))

/* Place all moves of the transaction, which are in scan order. */
int pack_moves(struct txn *t);

/* @b follows @a in its file and on the device. */
static inline bool move_continues(const struct move *a, const struct move *b)
{
	return a->ino == b->ino && b->lblk == a->lblk + 1 &&
	       b->src == a->src + 1;
}

/* Take the next block of the log @type for one move. In txn_place.c. */
int place_move(struct txn *t, struct move *m, uint8_t type);

/*
 * Place the moves order[0 .. nr) without cutting a run that was whole: sorted
 * by inode and file block, or with t->no_pack in scan order.
 */
int pack_fill(struct txn *t, struct move **order, size_t nr);

/* Place the moves run[0 .. nr), a run of one file, likewise. */
int pack_run(struct txn *t, struct move *run, uint32_t nr);

#endif
