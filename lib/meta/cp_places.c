/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the parts of a pack lie. Its fields say it more than once: flags, the
 * begin of the summaries, the number of blocks, the orphan blocks themselves.
 * Where one of them contradicts the others it is a finding, and the others are
 * believed (format 3.4).
 */
#include "config.h"

#include "meta/cp_int.h"

#include <inttypes.h>

#define NR_DATA_LOGS	3U
#define NR_NODE_LOGS	3U

static void field_finding(struct findings *findings, const struct pack *p,
			  const char *field, uint64_t found, uint64_t expected)
{
	findings_add(findings, &(struct finding){
		     .id = P_CP_FIELD, .structure = "checkpoint pack",
		     .number = (uint64_t)p->nr, .blk = p->blk,
		     .has_values = true, .found = found,
		     .expected = expected }, "%s", field);
}

/*
 * The large placement of bitmaps stays for the life of a volume, and goes with
 * a checksum in front of them. The other pack tells which of the two is wrong.
 */
static void judge_large(const struct pack *p, const struct pack *other,
			struct findings *findings, struct checkpoint *cp)
{
	uint32_t ofs = le32_get(pack_head(p)->checksum_offset);
	bool large = cp->flags & OD_CP_LARGE_NAT_BITMAP;

	if (large == (ofs == OD_CP_BITMAPS))
		return;
	if (other->state == PACK_VALID)
		large = le32_get(pack_head(other)->ckpt_flags) &
			OD_CP_LARGE_NAT_BITMAP;
	else
		large = ofs == OD_CP_BITMAPS;
	if (large == !!(cp->flags & OD_CP_LARGE_NAT_BITMAP))
		return;			/* the offset is a finding already */
	cp->flags ^= OD_CP_LARGE_NAT_BITMAP;
	field_finding(findings, p, "ckpt_flags",
		      cp->flags ^ OD_CP_LARGE_NAT_BITMAP, cp->flags);
}

/* Orphan blocks from @first on that say themselves that they are all. */
static uint32_t count_orphan_blocks(const struct layout *lo,
				    const struct pack *p, uint32_t first,
				    uint32_t end)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; first + i < end && (!i || i < nr); i++) {
		const uint8_t *block = p->buf +
				       (size_t)(first + i) * lo->block_size;
		const struct od_orphan_foot *foot = (const void *)
			(block + lo->block_size - sizeof(*foot));
		uint32_t n = le32_get(foot->entry_count);

		if (!i)
			nr = le16_get(foot->blk_count);
		if (!nr || nr > end - first ||
		    le16_get(foot->blk_count) != nr ||
		    le16_get(foot->blk_addr) != i + 1 || !n ||
		    n > lo->orphans_per_block)
			return 0;
	}
	return nr;
}

/* First block behind the orphans, where the data summaries begin. */
static int judge_start(const struct layout *lo, struct pack *p,
		       struct findings *findings, struct checkpoint *cp)
{
	uint32_t found = le32_get(pack_head(p)->cp_pack_start_sum);
	uint32_t first = 1 + lo->cp_payload, end = p->total - 1;
	uint32_t nr = count_orphan_blocks(lo, p, first, end);
	uint32_t start = first + nr;

	if (!(cp->flags & OD_CP_ORPHAN_PRESENT)) {
		if (nr && found == start) {
			field_finding(findings, p, "ckpt_flags", cp->flags,
				      cp->flags | OD_CP_ORPHAN_PRESENT);
			cp->flags |= OD_CP_ORPHAN_PRESENT;
		} else {
			start = first;
		}
	} else if (!nr && found >= first && found < end) {
		start = found;		/* a bad orphan block is told later */
	}
	if (start >= end)
		return pack_unusable(p, "%" PRIu32 " blocks in all, too few for summaries from block %"
				     PRIu32 " on", p->total, start);
	if (found != start)
		field_finding(findings, p, "cp_pack_start_sum", found, start);
	p->start_sum = start;
	return 0;
}

/* Blocks that the summaries take, at most; compact ones may take one less. */
static uint32_t nr_sum_blocks(bool compact, bool has_node)
{
	return (compact ? 2 : NR_DATA_LOGS) + (has_node ? NR_NODE_LOGS : 0);
}

static bool sums_fit(uint32_t nr, bool compact, bool has_node)
{
	uint32_t most = nr_sum_blocks(compact, has_node);

	return nr == most || (compact && nr == most - 1);
}

/* Each number of summary blocks has one form only. */
static int judge_form(struct pack *p, struct findings *findings,
		      struct checkpoint *cp)
{
	const uint32_t node_flags = OD_CP_UMOUNT | OD_CP_FASTBOOT;
	uint32_t nr = p->total - 1 - p->start_sum, flags = cp->flags;

	p->compact = flags & OD_CP_COMPACT_SUM;
	p->has_node = flags & node_flags;
	if (sums_fit(nr, p->compact, p->has_node))
		return 0;
	for (int form = 0; form < 4; form++) {
		p->compact = form & 1;
		p->has_node = form & 2;
		if (!sums_fit(nr, p->compact, p->has_node))
			continue;
		flags &= ~(OD_CP_COMPACT_SUM | node_flags);
		flags |= (p->compact ? OD_CP_COMPACT_SUM : 0) |
			 (p->has_node ? OD_CP_UMOUNT : 0);
		field_finding(findings, p, "ckpt_flags", cp->flags, flags);
		cp->flags = flags;
		return 0;
	}
	return pack_unusable(p, "%" PRIu32 " blocks of summaries, which no form of them has",
			     nr);
}

int cp_judge_places(const struct layout *lo, struct pack *p,
		    const struct pack *other, struct findings *findings,
		    struct checkpoint *cp)
{
	int err;

	judge_large(p, other, findings, cp);
	err = judge_start(lo, p, findings, cp);
	return err ? err : judge_form(p, findings, cp);
}
