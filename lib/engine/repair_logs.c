/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Logs that stand where they must not: each gets a segment of its class and a
 * block to write next that is free (kernel fs/f2fs/segment.c,
 * sanity_check_curseg(); format 7.2, 7.3 and 7.6). A log stays in its segment
 * if it can, for a fresh one may not be there.
 */
#include "config.h"

#include "engine/repair_int.h"

#include "base/bits.h"
#include "format/validate.h"
#include "meta/ssa.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static bool is_valid(const struct sit_seg *seg, uint32_t n)
{
	return bit_test_msb(seg->map, n);
}

/* First block at or after @from that is free, or blks_per_seg. */
static uint32_t first_hole(const struct volume *vol, const struct sit_seg *seg,
			   uint32_t from)
{
	while (from < vol->lo.blks_per_seg && is_valid(seg, from))
		from++;
	return from;
}

/* Behind the last valid block. */
static uint32_t end_of_valid(const struct volume *vol,
			     const struct sit_seg *seg)
{
	uint32_t n = vol->lo.blks_per_seg;

	while (n && !is_valid(seg, n - 1))
		n--;
	return n;
}

/* Whether log @type may stand in its segment, whatever its position. */
static bool may_stay(const struct volume *vol, unsigned int type)
{
	const struct curseg *log = &vol->cp.log[type];
	const struct sit_seg *seg;

	if (log->segno >= vol->lo.nr_main_segs)
		return false;
	seg = sit_get(&vol->sit, log->segno);
	if (seg->valid && log_is_node(seg->type) != log_is_node(type))
		return false;
	for (unsigned int i = 0; i < OD_NR_LOGS; i++) {
		if (i == type || vol->cp.log[i].segno != log->segno)
			continue;
		/* Of two in one segment that of its type stays. */
		if (seg->valid ? seg->type != type : i < type)
			return false;
	}
	return true;
}

static bool position_is_good(const struct volume *vol, unsigned int type)
{
	const struct curseg *log = &vol->cp.log[type];
	const struct sit_seg *seg = sit_get(&vol->sit, log->segno);

	return log->next < vol->lo.blks_per_seg && !is_valid(seg, log->next) &&
	       (log->alloc_type == ALLOC_SSR ||
		end_of_valid(vol, seg) <= log->next);
}

/*
 * A position in the log's own segment. One that is free among valid blocks is
 * that of a log that reuses holes. Returns false if the segment is full.
 */
static bool mend_position(struct volume *vol, unsigned int type)
{
	struct curseg *log = &vol->cp.log[type];
	const struct sit_seg *seg = sit_get(&vol->sit, log->segno);
	uint32_t end = end_of_valid(vol, seg), hole;

	if (!is_valid(seg, log->next)) {
		log->alloc_type = ALLOC_SSR;
		return true;
	}
	if (log->alloc_type == ALLOC_LFS && end < vol->lo.blks_per_seg) {
		log->next = (uint16_t)end;
		return true;
	}
	hole = first_hole(vol, seg, log->next);
	if (hole == vol->lo.blks_per_seg)
		hole = first_hole(vol, seg, 0);
	if (hole == vol->lo.blks_per_seg)
		return false;
	log->next = (uint16_t)hole;
	log->alloc_type = ALLOC_SSR;
	return true;
}

/* A free segment: of a free section if there is one. */
static uint32_t find_free(const struct volume *vol)
{
	const struct layout *lo = &vol->lo;

	for (uint32_t s = 0; s < lo->nr_main_secs; s++)
		if (!sit_sec_valid(&vol->sit, s) &&
		    !volume_sec_is_current(vol, s))
			return sec_to_seg(lo, s);
	for (uint32_t s = 0; s < lo->nr_main_segs; s++)
		if (!sit_get(&vol->sit, s)->valid &&
		    !volume_seg_is_current(vol, s))
			return s;
	return OD_SEG_NULL;
}

/* One with most holes, of the log's type, or else of its class. */
static uint32_t find_with_holes(const struct volume *vol, unsigned int type)
{
	uint32_t best = OD_SEG_NULL, least = UINT32_MAX;

	for (uint32_t s = 0; s < vol->lo.nr_main_segs; s++) {
		const struct sit_seg *seg = sit_get(&vol->sit, s);
		uint32_t cost = seg->valid;

		if (!seg->valid || seg->valid == vol->lo.blks_per_seg ||
		    log_is_node(seg->type) != log_is_node(type) ||
		    volume_seg_is_current(vol, s))
			continue;
		if (seg->type != type)
			cost += vol->lo.blks_per_seg;
		if (cost < least) {
			least = cost;
			best = s;
		}
	}
	return best;
}

/* Its entries; the journal that lies in the same block stays. */
static void take_summary(struct volume *vol, struct curseg *log,
			 const uint8_t *sum)
{
	if (sum)
		memcpy(log->sum, sum, vol->lo.sum_journal_off);
	else
		memset(log->sum, 0, vol->lo.sum_journal_off);
}

static int enter_with_holes(struct volume *vol, unsigned int type,
			    uint32_t segno)
{
	struct curseg *log = &vol->cp.log[type];
	uint8_t *sum = malloc(vol->lo.sum_bytes);

	if (!sum)
		return ctx_nomem(vol->ctx, "a summary");
	/* One that cannot be read is made again in a later round. */
	take_summary(vol, log, ssa_read(vol, segno, sum) ? NULL : sum);
	free(sum);
	log->segno = segno;
	log->alloc_type = ALLOC_SSR;
	log->next = (uint16_t)first_hole(vol, sit_get(&vol->sit, segno), 0);
	return sit_set_type(&vol->sit, segno, (uint8_t)type);
}

static int give_segment(struct volume *vol, unsigned int type)
{
	struct curseg *log = &vol->cp.log[type];
	uint32_t segno;

	log->segno = OD_SEG_NULL;
	segno = find_free(vol);
	if (segno == OD_SEG_NULL) {
		segno = find_with_holes(vol, type);
		if (segno != OD_SEG_NULL)
			return enter_with_holes(vol, type, segno);
		return ctx_fail(vol->ctx, -ENOSPC, "log %u cannot go on: no "
				"segment is free, and none of its kind has a "
				"free block", type);
	}
	take_summary(vol, log, NULL);
	log->segno = segno;
	log->next = 0;
	log->alloc_type = ALLOC_LFS;
	/* A free segment keeps the type that it had last. */
	return sit_set_type(&vol->sit, segno, (uint8_t)type);
}

static int mend_log(struct volume *vol, unsigned int type, bool *changed)
{
	if (may_stay(vol, type)) {
		if (position_is_good(vol, type))
			return 0;
		*changed = true;
		if (mend_position(vol, type))
			return 0;
	}
	*changed = true;
	return give_segment(vol, type);
}

/* The type of a log's segment is the log's. */
static int mend_type(struct volume *vol, unsigned int type, bool *changed)
{
	uint32_t segno = vol->cp.log[type].segno;
	const struct sit_seg *seg = sit_get(&vol->sit, segno);

	if (!seg->valid || seg->type == type)
		return 0;
	*changed = true;
	return sit_set_type(&vol->sit, segno, (uint8_t)type);
}

int repair_logs(struct repair *r, bool *changed)
{
	struct volume *vol = r->vol;
	bool mended = repair_has(r, P_CP_CURSEG);
	int err = 0;

	for (unsigned int t = 0; !err && t < OD_NR_LOGS; t++)
		if (log_is_used(&vol->lo, t))
			err = mend_log(vol, t, &mended);
	for (unsigned int t = 0; !err && t < OD_NR_LOGS; t++)
		if (log_is_used(&vol->lo, t))
			err = mend_type(vol, t, &mended);
	if (err == -ENOMEM)
		return ctx_nomem(vol->ctx, "the SIT");
	if (err || !mended)
		return err;
	volume_judge_logs(vol);
	r->need_commit = true;
	*changed = true;
	return 0;
}
