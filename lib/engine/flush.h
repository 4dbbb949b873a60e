/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of a commit (commit.c), in their order. Each works on the tables
 * in memory and writes only to copies that the live checkpoint does not use.
 */
#ifndef F2CORE_ENGINE_FLUSH_H
#define F2CORE_ENGINE_FLUSH_H

#include "engine/commit.h"

/*
 * Dirty NAT entries: all to the journal of the hot data log if they fit, else
 * the journal is emptied and every touched NAT block is read, changed and
 * written to its other copy, its bit in cp.nat_bitmap flipped.
 */
int nat_flush(struct volume *vol, struct commit_stats *stats);

/* The same for the SIT and the cold data log's journal; nothing is read. */
int sit_flush(struct volume *vol, struct commit_stats *stats);

/*
 * Build the new pack from cp, write it to the other slot, its last block
 * after a flush of everything before it, flush again, and make it the live one
 * in memory.
 */
int pack_store(struct volume *vol, struct commit_stats *stats);

/* Milliseconds on a clock that only goes forward. */
double flush_clock_ms(void);

#endif
