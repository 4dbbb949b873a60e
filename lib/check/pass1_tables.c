/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pass 1: the NAT as a table (addresses in range, none twice, the reserved
 * nids), who is reached from elsewhere than a directory (root, quota files,
 * orphans), and the logs against the SIT.
 */
#include "config.h"

#include "check/check_int.h"
#include "format/validate.h"

static void found_nat(struct check *c, enum problem_id id, uint32_t nid,
		      uint32_t blk, const char *text)
{
	check_found_as(c, (&(struct finding){
			.id = id, .structure = "NAT entry", .number = nid,
			.blk = blk_is_main(c->lo, blk) ? blk : 0,
			.has_values = id == P_NAT_ENTRY, .found = blk }),
		       "%s", text);
}

/* Claim the block of each used nid; nobody else may have it. */
static void check_nat(struct check *c)
{
	struct space *s = &c->space;
	struct nid_rec *rec;
	struct nat_entry e;
	uint32_t nid = 0;
	size_t i = 0;

	while ((rec = nids_next(&c->nids, &i, &nid, &e))) {
		if (!blk_is_main(c->lo, e.blk)) {
			rec->flags |= REC_BAD;
			found_nat(c, P_NAT_ENTRY, nid, e.blk,
				  "block outside the main area");
			continue;
		}
		if (space_claim(s, e.blk, 1, SEG_HAS_NODES))
			found_nat(c, P_NAT_DUPLICATE, nid, e.blk,
				  "another nid has this block");
		space_add_sum(s, blk_to_seg(c->lo, e.blk),
			      space_hash(s, e.blk, nid, 0));
	}
}

/* nid 0 stands for "no node": nothing may lie there (format 10, 1). */
static int check_nid_0(struct check *c)
{
	const struct layout *lo = c->lo;
	uint8_t *block = c->workers[0].block;
	int copy = bit_test_msb(c->vol->cp.nat_bitmap, 0);
	const struct od_nat_entry *e = (const void *)block;
	int err = dev_read(c->vol->dev, nat_block_blk(lo, 0, copy), 1, block);

	if (err)
		return err;
	if (le32_get(e->blk) != OD_BLK_NULL)
		found_nat(c, P_NAT_ENTRY, 0, le32_get(e->blk),
			  "reserved nid with a block");
	return 0;
}

static void check_quota_inos(struct check *c)
{
	const struct od_super *sb = &c->vol->super.sb;

	if (!layout_has(c->lo, OD_FEATURE_QUOTA_INO))
		return;
	for (unsigned int i = 0; i < 3; i++) {
		uint32_t ino = le32_get(sb->qf_ino[i]);
		struct nid_rec *rec = nids_get(&c->nids, ino);

		if (!ino)
			continue;
		if (rec && rec->flags & REC_INODE)
			rec->flags |= REC_QUOTA;
		else
			check_found(c, .id = P_SB_QUOTA_INO,
				    .structure = "superblock qf_ino",
				    .number = i, .has_values = true,
				    .found = ino);
	}
}

static void found_orphan(struct check *c, uint32_t ino, const char *text)
{
	check_found_as(c, (&(struct finding){
			.id = P_CP_ORPHAN, .structure = "orphan",
			.number = ino, .blk = check_nid_blk(c, ino),
			.ino = ino }), "%s", text);
}

static void check_orphans(struct check *c)
{
	const struct checkpoint *cp = &c->vol->cp;

	for (uint32_t i = 0; i < cp->nr_orphans; i++) {
		uint32_t ino = cp->orphans[i];
		struct nid_rec *rec = nids_get(&c->nids, ino);

		if (!rec || ino <= OD_ROOT_INO) {
			found_orphan(c, ino, "no such node");
		} else if (!(rec->flags & REC_INODE)) {
			found_orphan(c, ino, "not an inode");
		} else if (rec->flags & REC_ORPHAN) {
			found_orphan(c, ino, "listed twice");
		} else {
			rec->flags |= REC_ORPHAN;
			c->res->orphans++;
		}
	}
}

static void found_log(struct check *c, unsigned int log, uint32_t blk,
		      const char *text)
{
	check_found_as(c, (&(struct finding){
			.id = P_CP_CURSEG, .structure = "log", .number = log,
			.blk = blk }), "%s", text);
}

/* The kernel's fs/f2fs/segment.c, sanity_check_curseg(). */
static void check_log(struct check *c, unsigned int type)
{
	const struct curseg *log = &c->vol->cp.log[type];
	const struct sit_seg *seg;
	uint32_t blk;

	if (log->segno >= c->lo->nr_main_segs ||
	    log->next >= c->lo->blks_per_seg)
		return;			/* said when it was loaded */
	seg = sit_get(&c->vol->sit, log->segno);
	blk = seg_to_blk(c->lo, log->segno) + log->next;
	if (log->alloc_type > ALLOC_SSR) {
		found_log(c, type, blk, "neither LFS nor SSR");
		return;
	}
	if (bit_test_msb(seg->map, log->next)) {
		found_log(c, type, blk, "the next block is in use");
		return;
	}
	for (uint32_t i = log->next; log->alloc_type == ALLOC_LFS &&
	     i < c->lo->blks_per_seg; i++) {
		if (bit_test_msb(seg->map, i)) {
			found_log(c, type, blk + i - log->next,
				  "a block behind the next one is in use");
			break;
		}
	}
	if (seg->valid && seg->type != type)
		check_found(c, .id = P_SIT_TYPE, .structure = "SIT entry",
			    .number = log->segno, .blk = blk,
			    .has_values = true, .found = seg->type,
			    .expected = type);
}

int pass1_tables(struct check *c)
{
	int err = check_nid_0(c);

	if (err)
		return err;
	check_nat(c);
	check_quota_inos(c);
	check_orphans(c);
	for (unsigned int i = 0; i < OD_NR_LOGS; i++)
		if (log_is_used(c->lo, i))
			check_log(c, i);
	return 0;
}
