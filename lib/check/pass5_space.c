/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pass 5: what the nodes use against what the tables say: SIT bitmaps and
 * types, summaries, counts of the checkpoint. The SSA is read in order, one
 * block a used segment; a segment whose sum over the summary differs from the
 * sum over the nodes is left to the next look (pass5_owners.c).
 */
#include "config.h"

#include "base/work.h"
#include "check/check_int.h"

#include <inttypes.h>
#include <string.h>

#define CHUNK 64U			/* segments a piece of work */

/* Bits of @a that are not in @b; *@first is the lowest. */
static uint32_t bits_beyond(const uint8_t *a, const uint8_t *b,
			    uint32_t *first)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < OD_SIT_MAP_BYTES; i++) {
		uint8_t bits = (uint8_t)(a[i] & ~b[i]);

		if (bits && !nr)
			*first = 8 * i + (uint32_t)__builtin_clz(bits) - 24;
		nr += (uint32_t)__builtin_popcount(bits);
	}
	return nr;
}

static void found_bits(struct check *c, uint32_t segno, enum problem_id id,
		       uint32_t first, uint32_t nr)
{
	check_found_as(c, (&(struct finding){
			.id = id, .structure = "SIT entry", .number = segno,
			.blk = seg_to_blk(c->lo, segno) + first }),
		       nr == 1 ? "%" PRIu32 " block" :
		       "%" PRIu32 " blocks, this is the first", nr);
}

static void check_bitmap(struct check *c, uint32_t segno,
			 const struct sit_seg *seg)
{
	const uint8_t *seen = space_map(&c->space, segno);
	uint32_t first = 0, nr;

	if (!memcmp(seen, seg->map, OD_SIT_MAP_BYTES))
		return;
	nr = bits_beyond(seen, seg->map, &first);
	if (nr)
		found_bits(c, segno, P_SIT_BIT_LOST, first, nr);
	nr = bits_beyond(seg->map, seen, &first);
	if (nr)
		found_bits(c, segno, P_SIT_BIT_LEAKED, first, nr);
}

/* Node and data blocks never share a segment (format 3.1). */
static void check_type(struct check *c, uint32_t segno,
		       const struct sit_seg *seg)
{
	uint8_t has = c->space.seg[segno];
	uint8_t fits = log_is_node(seg->type) ? SEG_HAS_NODES : SEG_HAS_DATA;
	uint8_t other = (SEG_HAS_NODES | SEG_HAS_DATA) & ~fits;

	/* A wrong address there is reported as a block that is shared. */
	if (has & fits && has & SEG_HAS_TWICE)
		return;
	if (has & other)
		check_found_as(c, (&(struct finding){
				.id = P_SIT_TYPE, .structure = "SIT entry",
				.number = segno,
				.blk = seg_to_blk(c->lo, segno),
				.has_values = true, .found = seg->type,
				.expected = has & SEG_HAS_NODES ?
					LOG_WARM_NODE : LOG_WARM_DATA }),
			       has & fits ? "it holds nodes and data" :
			       has & SEG_HAS_NODES ? "it holds nodes" :
			       "it holds data");
}

/* The sum over a summary, of the blocks that are in use. */
static uint64_t sum_of_summary(const struct check *c, uint32_t segno,
			       const void *sum, bool is_node)
{
	const struct od_sum_entry *entries = sum_entries(sum);
	const uint8_t *seen = space_map(&c->space, segno);
	uint32_t blk = seg_to_blk(c->lo, segno);
	uint64_t total = 0;

	for (uint32_t i = 0; i < c->lo->blks_per_seg; i++) {
		struct sum_entry e;

		if (!seen[i / 8]) {
			i |= 7;
			continue;
		}
		if (!bit_test_msb(seen, i))
			continue;
		e = sum_decode(&entries[i]);
		total += space_hash(&c->space, blk + i, e.nid,
				    is_node ? 0 : space_place(e));
	}
	return total;
}

static void check_summary(struct check *c, uint32_t segno,
			  const struct sit_seg *seg, const void *sum)
{
	uint8_t type = sum_foot(c->lo, sum)->entry_type;
	uint8_t has = c->space.seg[segno];
	bool both = (has & SEG_HAS_NODES) && (has & SEG_HAS_DATA);
	bool is_node = both ? log_is_node(seg->type) : has & SEG_HAS_NODES;
	uint8_t expected = is_node ? OD_SUM_NODE : OD_SUM_DATA;

	if (type != expected)
		check_found(c, .id = P_SSA_TYPE, .structure = "summary",
			    .number = segno,
			    .blk = ssa_block_blk(c->lo, segno),
			    .has_values = true, .found = type,
			    .expected = expected);
	if (type != expected)
		space_flag(&c->space, segno, SEG_BAD_SUM);
	if (has & SEG_HAS_TWICE || both ||
	    sum_of_summary(c, segno, sum, is_node) != c->space.sum[segno])
		space_flag(&c->space, segno, SEG_INSPECT | SEG_BAD_SUM);
}

static bool has_owners(const struct check *c, uint32_t segno)
{
	uint8_t has = c->space.seg[segno];

	return has & (SEG_HAS_NODES | SEG_HAS_DATA) &&
	       !(has & SEG_IS_ALIAS) && c->lo->nr_ssa_segs;
}

static void hint_summaries(struct check *c, uint32_t segno, uint32_t end)
{
	uint32_t nr;

	for (; segno < end; segno += nr ? nr : 1) {
		for (nr = 0; segno + nr < end && has_owners(c, segno + nr);)
			nr++;
		if (nr)
			ssa_prefetch(c->vol, segno, nr);
	}
}

static int check_segments(void *priv, size_t index, unsigned int worker)
{
	struct check *c = priv;
	uint32_t segno = (uint32_t)index * CHUNK;
	uint32_t end = segno + CHUNK;
	uint8_t *sum = c->workers[worker].block;
	int err = check_progress(c, worker, "segments",
				 c->lo->nr_main_segs / CHUNK + 1);

	if (err)
		return err;
	if (end > c->lo->nr_main_segs)
		end = c->lo->nr_main_segs;
	hint_summaries(c, segno, end);
	for (; segno < end; segno++) {
		const struct sit_seg *seg = sit_get(&c->vol->sit, segno);

		check_bitmap(c, segno, seg);
		check_type(c, segno, seg);
		if (!has_owners(c, segno))
			continue;
		if (ssa_read(c->vol, segno, sum)) {
			check_found(c, .id = P_SSA_UNREADABLE,
				    .structure = "summary", .number = segno,
				    .blk = ssa_block_blk(c->lo, segno));
			space_flag(&c->space, segno, SEG_BAD_SUM);
			continue;
		}
		check_summary(c, segno, seg, sum);
	}
	return 0;
}

static uint64_t count_seen(const struct check *c)
{
	const uint64_t *seen = c->space.seen;
	size_t nr = (size_t)c->lo->nr_main_segs * SPACE_WORDS;
	uint64_t total = 0;

	for (size_t i = 0; i < nr; i++)
		if (seen[i])
			total += (uint64_t)__builtin_popcountll(seen[i]);
	return total;
}

/*
 * A count that fits either the nodes or the SIT is right: where those two
 * differ, the findings on the SIT say so.
 */
static void check_cp_count(struct check *c, const char *field, uint64_t found,
			   uint64_t by_nodes, uint64_t by_sit)
{
	const struct checkpoint *cp = &c->vol->cp;

	if (found == by_nodes || found == by_sit)
		return;
	check_found_as(c, (&(struct finding){
			.id = P_CP_COUNT, .structure = "checkpoint pack",
			.number = (uint64_t)cp->pack,
			.blk = cp_pack_blk(c->lo, cp->pack),
			.has_values = true, .found = found,
			.expected = by_nodes }), "%s", field);
}

static void check_counts(struct check *c)
{
	const struct volume *vol = c->vol;
	const struct checkpoint *cp = &vol->cp;
	uint64_t extra = 0;		/* blocks that the SIT does not have */
	uint32_t free_segs = volume_free_segs(vol);

	for (unsigned int i = 0; i < c->nr_threads; i++)
		extra += c->workers[i].new_blocks +
			 c->workers[i].compress_blocks;
	c->res->blocks = count_seen(c);
	check_cp_count(c, "valid_block_count", cp->valid_blocks,
		       c->res->blocks + extra,
		       vol->sit.valid_nodes + vol->sit.valid_data + extra);
	check_cp_count(c, "valid_node_count", cp->valid_nodes, c->nids.nr,
		       vol->sit.valid_nodes);
	check_cp_count(c, "valid_inode_count", cp->valid_inodes,
		       c->inodes_judged, c->inodes_judged);
	check_cp_count(c, "free_segment_count", cp->free_segs, free_segs,
		       free_segs);
}

int pass5_space(struct check *c)
{
	size_t pieces = (c->lo->nr_main_segs + CHUNK - 1) / CHUNK;
	int err;

	err = work_run(c->nr_threads, pieces, check_segments, c);
	if (!err)
		check_counts(c);
	return err;
}
