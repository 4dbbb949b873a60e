/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The two tables whose blocks have two copies each, SIT and NAT, read in one
 * pass: the version bitmap says for each block which copy is current.
 */
#ifndef F2CORE_META_TABLE_H
#define F2CORE_META_TABLE_H

#include "dev/dev.h"
#include "format/layout.h"

struct table {
	uint32_t nr_blks;		/* of one copy, in use */
	const uint8_t *bitmap;		/* msb; set: copy 1 */
	/* Address of block @i; consecutive inside each 512 of them. */
	uint32_t (*blk)(const struct layout *lo, uint32_t i, int copy);
};

/* A current block that is not all zero, and where it lies. 0 goes on. */
typedef int table_fn(void *priv, uint32_t i, uint32_t blk,
		     const uint8_t *block);

/*
 * Visit the current blocks that are not all zero, in no certain order: large
 * reads, and none where the file has a hole.
 */
int table_read(struct dev *dev, const struct layout *lo,
	       const struct table *table, table_fn *fn, void *priv);

/* Where block @i of the table is now. */
static inline uint32_t table_current_blk(const struct layout *lo,
					 const struct table *table, uint32_t i)
{
	return table->blk(lo, i, table->bitmap[i / 8] & 0x80 >> i % 8);
}

#endif
