/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pass 1: the NAT as a table: addresses in range, none twice, nothing in the
 * reserved nid. Entries of the SIT were judged when they were loaded.
 */
#include "config.h"

#include "check/check_int.h"

static void found_nat(struct check *c, enum problem_id id, uint32_t nid,
		      uint32_t blk, const char *text)
{
	check_found_as(c, (&(struct finding){
			.id = id, .structure = "NAT entry", .number = nid,
			.blk = blk_is_main(c->lo, blk) ? blk : 0,
			.has_values = id == P_NAT_ENTRY, .found = blk }),
		       "%s", text);
}

/* Both nids of a block that has two know it. */
static void mark_twins(struct check *c)
{
	struct nid_rec *rec;
	struct nat_entry e;
	uint32_t nid = 0;
	size_t i = 0;

	while ((rec = nids_next(&c->nids, &i, &nid, &e)))
		if (!(rec->flags & REC_BAD) &&
		    space_is_twice(&c->space, e.blk))
			rec->flags |= REC_TWIN;
}

/* Claim the block of each used nid; nobody else may have it. */
static void check_nat(struct check *c)
{
	struct space *s = &c->space;
	struct nid_rec *rec;
	struct nat_entry e;
	bool twins = false;
	uint32_t nid = 0;
	size_t i = 0;

	while ((rec = nids_next(&c->nids, &i, &nid, &e))) {
		if (!blk_is_main(c->lo, e.blk)) {
			rec->flags |= REC_BAD;
			found_nat(c, P_NAT_ENTRY, nid, e.blk,
				  "block outside the main area");
			continue;
		}
		if (space_claim(s, e.blk, 1, SEG_HAS_NODES)) {
			twins = true;
			found_nat(c, P_NAT_DUPLICATE, nid, e.blk,
				  "another nid has this block");
		}
		space_add_sum(s, blk_to_seg(c->lo, e.blk),
			      space_hash(s, e.blk, nid, 0));
	}
	if (twins)
		mark_twins(c);
}

/* nid 0 stands for "no node": nothing may lie there (format 10, 1). */
static void check_nid_0(struct check *c)
{
	struct nat_entry e = nat_get_any(&c->vol->nat, 0);

	if (e.blk != OD_BLK_NULL)
		found_nat(c, P_NAT_ENTRY, 0, e.blk,
			  "reserved nid with a block");
}

int pass1_tables(struct check *c)
{
	check_nat(c);
	check_nid_0(c);
	return 0;
}
