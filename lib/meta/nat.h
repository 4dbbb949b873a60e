/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The NAT in memory, journal on top: pages by NAT block, only for blocks that
 * hold a used entry. An entry is dirty while it differs from its NAT block on
 * disk (entries that came from the journal are, too).
 */
#ifndef F2CORE_META_NAT_H
#define F2CORE_META_NAT_H

#include "dev/dev.h"
#include "format/layout.h"
#include "format/problem.h"
#include "meta/checkpoint.h"

struct nat_entry {
	uint32_t ino;
	uint32_t blk;			/* 0: free nid */
	uint8_t version;
};

struct nat_page;

struct nat {
	const struct layout *lo;
	struct nat_page **pages;	/* nr_nat_blks; NULL: all entries zero */
	uint64_t nr_dirty;		/* entries */
};

int nat_load(struct dev *dev, const struct layout *lo,
	     const struct checkpoint *cp, struct findings *findings,
	     struct nat *out);
void nat_free(struct nat *nat);

/* Any nid; one beyond the NAT or reserved (0, 1, 2) reads as free. */
struct nat_entry nat_get(const struct nat *nat, uint32_t nid);

/* The same, but for the reserved ones, too. */
struct nat_entry nat_get_any(const struct nat *nat, uint32_t nid);

/* The caller proved 2 < nid < lo->nr_nids. Marks it dirty. 0 or -ENOMEM. */
int nat_set(struct nat *nat, uint32_t nid, const struct nat_entry *e);

/* First used nid at or after *@nid (above 2), or false. */
bool nat_next(const struct nat *nat, uint32_t *nid, struct nat_entry *e);
/* The same for dirty entries, used or free. */
bool nat_next_dirty(const struct nat *nat, uint32_t *nid, struct nat_entry *e);

/* Used entries in NAT block @i; those of the nids 1 and 2 count. */
uint32_t nat_block_used(const struct nat *nat, uint32_t i);

/* After the entry's NAT block was written to its other copy. */
void nat_clear_dirty(struct nat *nat, uint32_t nid);

/*
 * Fill NAT block @i as it should lie on disk; @block is zeroed first. The
 * entries of the reserved nids are those that were read.
 */
void nat_encode_block(const struct nat *nat, uint32_t i, void *block);

#endif
