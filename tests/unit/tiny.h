/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small valid volume in memory, every table in a state that a reader can
 * get wrong: blocks in either copy with nonsense in the other, entries in the
 * journals, summaries of each form.
 *
 * The main area has 60 segments, so the SIT two blocks at 4 KiB. The logs are
 * in segments 0 (hot node), 1, 2, 3 (hot data), 4, 5.
 */
#ifndef F2CORE_TESTS_UNIT_TINY_H
#define F2CORE_TESTS_UNIT_TINY_H

#include "base/ctx.h"
#include "dev/dev_stack.h"
#include "format/layout.h"
#include "meta/checkpoint.h"

#define TINY_MAIN_SEGS	60U
#define TINY_SEG0_BLK	512U
#define TINY_VERSION	41U		/* of pack 0; pack 1 has one less */
#define TINY_ROOT	3U
#define TINY_FILE	4U		/* in the NAT journal only */
#define TINY_MTIME	1000U

struct tiny_opt {
	uint32_t block_size;		/* 0: 4096 */
	uint32_t payload;		/* blocks */
	uint32_t features;
	uint32_t nr_orphans;		/* inos 100, 101, ... */
	bool large;			/* LARGE_NAT_BITMAP */
	bool normal;			/* whole data summaries */
	bool crashed;			/* no node summaries in the pack */
	bool ssr;			/* the warm data log fills holes */
};

struct tiny {
	struct tiny_opt opt;
	struct f2c_ctx *ctx;
	struct dev *dev;		/* closed with the volume, or by free */
	struct layout lo;		/* by the builder's own arithmetic */
	uint8_t *data;
};

void tiny_make(struct tiny *t, const struct tiny_opt *opt);
void tiny_free(struct tiny *t);

uint8_t *tiny_block(const struct tiny *t, uint32_t blk);
struct od_super *tiny_super(const struct tiny *t, int copy);
/* First block of a pack. */
struct od_checkpoint *tiny_cp(const struct tiny *t, int pack);
/* Last block, by the total that the first one gives. */
struct od_checkpoint *tiny_cp_foot(const struct tiny *t, int pack);
/* The block of the pack where the data summaries begin. */
uint8_t *tiny_sums(const struct tiny *t, int pack);
/* The NAT and SIT journals of pack 0, wherever they are. */
uint8_t *tiny_nat_journal(const struct tiny *t);
uint8_t *tiny_sit_journal(const struct tiny *t);

/* The nid whose entry is in NAT block 3, copy 1; and one in the journal. */
uint32_t tiny_far_nid(const struct tiny *t);

/* Make checksums right again after a change. */
void tiny_sign_super(const struct tiny *t);
/* First block of the pack, and the last made equal to it. */
void tiny_sign(const struct tiny *t, int pack);
void tiny_sign_block(const struct tiny *t, struct od_checkpoint *cp);

#endif
