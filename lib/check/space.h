/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The main area as the nodes see it: which blocks they use, which of them
 * twice, and a sum a segment over who owns each block. The same sum over the
 * summaries tells whether all entries of a segment are right, whatever order
 * they come in. Sums are keyed at random, so no image can forge one.
 */
#ifndef F2CORE_CHECK_SPACE_H
#define F2CORE_CHECK_SPACE_H

#include "meta/ssa.h"

enum seg_flags {
	SEG_HAS_DATA	= 1 << 0,
	SEG_HAS_NODES	= 1 << 1,
	SEG_HAS_TWICE	= 1 << 2,	/* a block that was claimed twice */
	SEG_IS_ALIAS	= 1 << 3,	/* of a device alias: no owner by summary */
	SEG_INSPECT	= 1 << 4,	/* its owners must be compared one by one */
	SEG_BAD_SUM	= 1 << 5,	/* its summary does not fit */
};

struct space {
	const struct layout *lo;
	/* In the bit order of a SIT entry, 8 words a segment. */
	uint64_t *seen;
	uint64_t *twice;
	uint64_t *sum;			/* one a segment */
	uint8_t *seg;			/* SEG_ */
	uint64_t key[2];
};

#define SPACE_WORDS (OD_SIT_MAP_BYTES / 8)

int space_init(struct f2c_ctx *ctx, const struct layout *lo,
	       struct space *out);
void space_free(struct space *s);

/*
 * Claim @len blocks from @blk, all in one segment of the main area, for nodes
 * or for data (@what: SEG_HAS_). Returns how many had been claimed before.
 */
uint32_t space_claim(struct space *s, uint32_t blk, uint32_t len,
		     uint8_t what);

/* Whether the block was claimed more than once. */
bool space_is_twice(const struct space *s, uint32_t blk);

static inline uint8_t space_flags(const struct space *s, uint32_t segno)
{
	return __atomic_load_n(&s->seg[segno], __ATOMIC_RELAXED);
}

static inline void space_flag(struct space *s, uint32_t segno, uint8_t flags)
{
	__atomic_fetch_or(&s->seg[segno], flags, __ATOMIC_RELAXED);
}

/* The used blocks of a segment as a SIT entry's map has them. */
static inline const uint8_t *space_map(const struct space *s, uint32_t segno)
{
	return (const uint8_t *)(s->seen + (size_t)segno * SPACE_WORDS);
}

static inline const uint8_t *space_twice_map(const struct space *s,
					     uint32_t segno)
{
	return (const uint8_t *)(s->twice + (size_t)segno * SPACE_WORDS);
}

/* @place: 0 for a node block, space_place() for one of a file. */
static inline uint64_t space_hash(const struct space *s, uint32_t blk,
				  uint32_t nid, uint32_t place)
{
	uint64_t x = ((uint64_t)nid << 32 | blk) ^ s->key[0];

	x *= 0x9E3779B97F4A7C15U;
	x ^= x >> 32;
	x += place * s->key[1];
	x *= 0xD6E8FEB86659FD93U;
	return x ^ x >> 32;
}

static inline uint32_t space_place(struct sum_entry e)
{
	return 1U << 24 | (uint32_t)e.version << 16 | e.ofs;
}

static inline void space_add_sum(struct space *s, uint32_t segno,
				 uint64_t sum)
{
	__atomic_fetch_add(&s->sum[segno], sum, __ATOMIC_RELAXED);
}

#endif
