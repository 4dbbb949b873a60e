/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of a commit (commit.c), in their order. Each works on the tables
 * in memory and writes only to copies that the live checkpoint does not use.
 */
#ifndef F2CORE_ENGINE_FLUSH_H
#define F2CORE_ENGINE_FLUSH_H

#include "engine/commit.h"

/*
 * Dirty NAT entries, in sets by NAT block: the smallest sets go to the journal
 * of the hot data log as long as they fit (none if NAT bits are kept). The
 * NAT blocks of all others are read, changed and written to their other copy,
 * their bits in cp.nat_bitmap flipped.
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

/* Blocks that the next pack can have at most, NAT bits not counted. */
uint32_t pack_most_blks(const struct volume *vol);

/* Write blocks of metadata; counted, and timed as sync_ms. */
int flush_write(struct volume *vol, uint32_t blk, uint32_t n,
		const uint8_t *buf, struct commit_stats *stats);

/* Milliseconds on a clock that only goes forward. */
double flush_clock_ms(void);

#endif
