/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The SIT in memory, journal on top: pages by SIT block, only for blocks that
 * hold a used entry. Dirty as in nat.h. Lookups take any segno of the main
 * area; the caller proves the range.
 */
#ifndef F2CORE_META_SIT_H
#define F2CORE_META_SIT_H

#include "dev/dev.h"
#include "format/layout.h"
#include "format/problem.h"
#include "meta/checkpoint.h"

struct sit_seg {
	uint64_t mtime;			/* seconds on the elapsed_time clock */
	uint16_t valid;			/* blocks; the bitmap's population */
	uint8_t type;			/* enum log_type */
	uint8_t map[OD_SIT_MAP_BYTES];	/* msb order */
};

struct sit_page;

struct sit {
	const struct layout *lo;
	struct sit_page **pages;	/* nr_sit_blks; NULL: all entries zero */
	uint64_t nr_dirty;		/* segments */
	uint64_t valid_nodes;		/* blocks in node segments */
	uint64_t valid_data;
};

/* A count that differs from its bitmap becomes a finding, and the bitmap wins. */
int sit_load(struct dev *dev, const struct layout *lo,
	     const struct checkpoint *cp, struct findings *findings,
	     struct sit *out);
void sit_free(struct sit *sit);

const struct sit_seg *sit_get(const struct sit *sit, uint32_t segno);

static inline bool sit_is_valid(const struct sit *sit, uint32_t blk)
{
	const struct sit_seg *seg = sit_get(sit, blk_to_seg(sit->lo, blk));
	uint32_t n = blk_in_seg(sit->lo, blk);

	return seg->map[n / 8] & 0x80 >> n % 8;
}

/*
 * Change the state of one block of the main area; the segment becomes dirty.
 * Marking takes the segment's type from @type when it had no valid block.
 * 0, -ENOMEM, or -EUCLEAN if the block is in that state already.
 */
int sit_mark_valid(struct sit *sit, uint32_t blk, uint8_t type);
int sit_mark_invalid(struct sit *sit, uint32_t blk);

/* Set all of a segment's map at once; the count follows. 0 or -ENOMEM. */
int sit_set_map(struct sit *sit, uint32_t segno,
		const uint8_t map[OD_SIT_MAP_BYTES]);

/* Set type or mtime; the segment becomes dirty. 0 or -ENOMEM. */
int sit_set_type(struct sit *sit, uint32_t segno, uint8_t type);
int sit_set_mtime(struct sit *sit, uint32_t segno, uint64_t mtime);

bool sit_next_dirty(const struct sit *sit, uint32_t *segno);
void sit_clear_dirty(struct sit *sit, uint32_t segno);

/* Valid blocks of a section. */
uint32_t sit_sec_valid(const struct sit *sit, uint32_t secno);

/* Fill a SIT block (nr @i) as it should lie on disk; @block is zeroed first. */
void sit_encode_block(const struct sit *sit, uint32_t i, void *block);
void sit_encode(const struct sit_seg *seg, struct od_sit_entry *out);

#endif
