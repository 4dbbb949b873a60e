/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The plan of where relocated blocks go. Only sections that were wholly free
 * in the live checkpoint are opened, and logs are continued behind their last
 * block, so nothing that checkpoint reaches is ever planned over.
 */
#include "config.h"

#include "engine/alloc.h"

#include "base/bits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_MTIME (UINT64_C(1) << 48)	/* seconds: nine million years */

static bool sec_is_free(const struct volume *vol, uint32_t secno)
{
	return !sit_sec_valid(&vol->sit, secno) &&
	       !volume_sec_is_current(vol, secno);
}

static bool handed_out(const struct alloc *a, uint32_t secno)
{
	return !bit_test_lsb(a->free_secs, secno);
}

int alloc_init(struct alloc *a, struct volume *vol)
{
	memset(a, 0, sizeof(*a));
	a->vol = vol;
	a->free_secs = malloc(vol->lo.nr_main_secs / 8 + 1);
	a->taken = calloc(1, vol->lo.nr_main_segs / 8 + 1);
	if (!a->free_secs || !a->taken) {
		alloc_free(a);
		return ctx_nomem(vol->ctx, "the map of free sections");
	}
	alloc_reset(a);
	return 0;
}

static void forget_segs(struct alloc *a)
{
	for (size_t i = 0; i < a->segs.nr; i++) {
		bit_clear_lsb(a->taken, a->segs.v[i].segno);
		free(a->segs.v[i].sum);
	}
	a->segs.nr = 0;
}

void alloc_reset(struct alloc *a)
{
	const struct volume *vol = a->vol;

	forget_segs(a);
	a->nr_free = 0;
	memset(a->free_secs, 0, vol->lo.nr_main_secs / 8 + 1);
	for (uint32_t s = 0; s < vol->lo.nr_main_secs; s++) {
		if (!sec_is_free(vol, s))
			continue;
		bit_set_lsb(a->free_secs, s);
		a->nr_free++;
	}
	for (int t = 0; t < OD_NR_LOGS; t++) {
		const struct curseg *cur = &vol->cp.log[t];

		a->log[t] = (struct alloc_log){
			.segno = cur->segno,
			.next = cur->next,
		};
	}
}

void alloc_free(struct alloc *a)
{
	forget_segs(a);
	vec_free(&a->segs);
	free(a->free_secs);
	free(a->taken);
	a->free_secs = a->taken = NULL;
}

void alloc_renew(struct alloc *a, uint8_t type)
{
	a->log[type].renew = true;
}

void alloc_expect(struct alloc *a, uint8_t type, uint32_t nr)
{
	a->log[type].expected += nr;
}

/* Its section is a victim, or it reuses holes, which we never do. */
static bool must_leave(const struct alloc *a, uint8_t type)
{
	return a->log[type].renew ||
	       a->vol->cp.log[type].alloc_type != ALLOC_LFS;
}

/* Add a segment to the plan and stand in it at block @first. */
static int enter_seg(struct alloc *a, uint8_t type, uint32_t segno,
		     uint16_t first)
{
	struct alloc_log *log = &a->log[type];
	struct alloc_seg seg = {
		.segno = segno, .type = type, .first = first, .next = first,
	};

	seg.sum = calloc(1, a->vol->lo.sum_bytes);
	if (!seg.sum || vec_push(&a->segs, &seg)) {
		free(seg.sum);
		return ctx_nomem(a->vol->ctx, "a summary");
	}
	bit_set_lsb(a->taken, segno);
	sum_foot(&a->vol->lo, seg.sum)->entry_type =
		log_is_node(type) ? OD_SUM_NODE : OD_SUM_DATA;
	log->left = log->left || segno != a->vol->cp.log[type].segno;
	log->used = true;
	log->segno = segno;
	log->next = first;
	log->seg = a->segs.nr - 1;
	return 0;
}

/* Go on where the live checkpoint left the log. */
static int continue_log(struct alloc *a, uint8_t type)
{
	const struct curseg *cur = &a->vol->cp.log[type];
	int err = enter_seg(a, type, cur->segno, cur->next);

	if (err)
		return err;
	memcpy(a->segs.v[a->log[type].seg].sum, cur->sum,
	       a->vol->lo.sum_journal_off);
	return 0;
}

/* Free sections in a row from @secno on, at most @most. */
static uint32_t free_run(const struct alloc *a, uint32_t secno, uint32_t most)
{
	uint32_t n = 0;

	while (n < most && secno + n < a->vol->lo.nr_main_secs &&
	       !handed_out(a, secno + n))
		n++;
	return n;
}

/*
 * First section of the shortest run that holds @want sections, or of the
 * longest one. OD_SEG_NULL: none is free.
 */
static uint32_t find_run(const struct alloc *a, uint32_t want)
{
	uint32_t nr_secs = a->vol->lo.nr_main_secs;
	uint32_t best = OD_SEG_NULL, best_len = 0;

	for (uint32_t s = 0; s < nr_secs; s++) {
		uint32_t n = free_run(a, s, nr_secs);
		bool fits = n >= want, best_fits = best_len >= want;

		if (n && (fits == best_fits ? (fits ? n < best_len : n > best_len)
					    : fits)) {
			best = s;
			best_len = n;
		}
		s += n;
	}
	return best;
}

void alloc_withhold(struct alloc *a, uint32_t secno)
{
	if (handed_out(a, secno))
		return;
	bit_clear_lsb(a->free_secs, secno);
	a->nr_free--;
}

static int open_section(struct alloc *a, uint8_t type, uint32_t secno)
{
	int err = enter_seg(a, type, sec_to_seg(&a->vol->lo, secno), 0);

	if (!err)
		alloc_withhold(a, secno);
	return err;
}

int alloc_jump(struct alloc *a, uint8_t type)
{
	uint32_t per_sec = blks_per_sec(&a->vol->lo);
	uint32_t secno = find_run(a, a->log[type].expected / per_sec + 1);

	if (secno == OD_SEG_NULL)
		return -ENOSPC;
	return open_section(a, type, secno);
}

/* Another log of the same section may have taken it in this plan. */
static bool seg_is_open(const struct alloc *a, uint32_t segno)
{
	return !bit_test_lsb(a->taken, segno) &&
	       !sit_get(&a->vol->sit, segno)->valid &&
	       !volume_seg_is_current(a->vol, segno);
}

/* From the end of a segment: the next of its section, or another section. */
static int advance(struct alloc *a, uint8_t type)
{
	const struct layout *lo = &a->vol->lo;
	uint32_t segno = a->log[type].segno + 1;
	uint32_t secno;

	for (; segno % lo->segs_per_sec; segno++)
		if (seg_is_open(a, segno))
			return enter_seg(a, type, segno, 0);
	secno = seg_to_sec(lo, segno);
	if (secno < lo->nr_main_secs && !handed_out(a, secno))
		return open_section(a, type, secno);
	return alloc_jump(a, type);
}

/* Make the log stand before a block it can take. */
static int make_ready(struct alloc *a, uint8_t type)
{
	struct alloc_log *log = &a->log[type];
	int err = 0;

	if (!log->used)
		err = must_leave(a, type) ? alloc_jump(a, type) :
					    continue_log(a, type);
	if (!err && log->next == a->vol->lo.blks_per_seg)
		err = advance(a, type);
	return err;
}

uint32_t alloc_room(const struct alloc *a, uint8_t type, uint32_t enough)
{
	const struct layout *lo = &a->vol->lo;
	const struct alloc_log *log = &a->log[type];
	uint32_t room, secs, segno = log->segno + 1;

	if (!log->used && must_leave(a, type))
		return 0;
	room = lo->blks_per_seg - log->next;
	for (; segno % lo->segs_per_sec; segno++) {
		if (!seg_is_open(a, segno))
			return room;
		room += lo->blks_per_seg;
	}
	if (room >= enough)
		return room;
	secs = (enough - room) / blks_per_sec(lo) + 1;
	/* At most a tenth of the address space: no overflow to fear. */
	return room + free_run(a, seg_to_sec(lo, segno), secs) *
		      blks_per_sec(lo);
}

/*
 * No age lies in the future, whatever a damaged entry says, and none is so
 * large that a sum over the main area would not fit.
 */
static uint64_t age_of(const struct alloc *a, uint64_t mtime)
{
	uint64_t now = a->vol->cp.elapsed_time;

	if (mtime > now)
		mtime = now;
	return mtime < MAX_MTIME ? mtime : MAX_MTIME;
}

int alloc_next(struct alloc *a, uint8_t type, struct sum_entry e,
	       uint64_t mtime, uint32_t *blk)
{
	struct alloc_log *log = &a->log[type];
	struct alloc_seg *seg;
	int err = make_ready(a, type);

	if (err)
		return err;
	seg = &a->segs.v[log->seg];
	sum_encode(&sum_entries(seg->sum)[log->next], e);
	seg->mtime_sum += age_of(a, mtime);
	*blk = seg_to_blk(&a->vol->lo, log->segno) + log->next;
	seg->next = ++log->next;
	if (log->expected)
		log->expected--;
	return 0;
}

int alloc_settle(struct alloc *a)
{
	for (uint8_t t = 0; t < OD_NR_LOGS; t++) {
		const struct alloc_log *log = &a->log[t];
		int err;

		if (!log->used && !log->renew)
			continue;
		err = make_ready(a, t);
		if (err)
			return err;
	}
	return 0;
}

static int write_summary(struct alloc *a, uint32_t segno, const void *sum,
			 uint64_t *written)
{
	*written += 1;
	return ssa_write(a->vol, segno, sum);
}

/* The summary that the pack holds of a segment which the log leaves. */
static int write_left_summary(struct alloc *a, int type, uint64_t *written)
{
	const struct layout *lo = &a->vol->lo;
	const struct curseg *cur = &a->vol->cp.log[type];
	uint8_t *sum = malloc(lo->sum_bytes);
	int err;

	if (!sum)
		return ctx_nomem(a->vol->ctx, "a summary");
	memcpy(sum, cur->sum, lo->sum_bytes);
	memset(sum_journal(lo, sum), 0, lo->sum_journal_bytes);
	sum_foot(lo, sum)->entry_type = log_is_node((unsigned int)type) ?
					OD_SUM_NODE : OD_SUM_DATA;
	err = write_summary(a, cur->segno, sum, written);
	free(sum);
	return err;
}

int alloc_write_summaries(struct alloc *a, uint64_t *written)
{
	bool continued[OD_NR_LOGS] = { false };
	int err;

	for (size_t i = 0; i < a->segs.nr; i++) {
		const struct alloc_seg *seg = &a->segs.v[i];

		if (seg->segno == a->vol->cp.log[seg->type].segno)
			continued[seg->type] = true;
		if (a->log[seg->type].seg == i)
			continue;	/* the pack will hold it */
		err = write_summary(a, seg->segno, seg->sum, written);
		if (err)
			return err;
	}
	for (int t = 0; t < OD_NR_LOGS; t++) {
		if (!a->log[t].left || continued[t])
			continue;
		err = write_left_summary(a, t, written);
		if (err)
			return err;
	}
	return 0;
}

/* The mean age of what was in the segment and what has come. */
static int set_age_and_type(struct alloc *a, const struct alloc_seg *seg)
{
	struct sit *sit = &a->vol->sit;
	const struct sit_seg *entry = sit_get(sit, seg->segno);
	uint32_t come = seg->next - seg->first;
	/* Of those that came some may have been freed again. */
	uint32_t were = entry->valid > come ? entry->valid - come : 0;
	uint64_t sum = age_of(a, entry->mtime) * were + seg->mtime_sum;
	int err;

	if (come) {
		err = sit_set_mtime(sit, seg->segno, sum / (were + come));
		if (err)
			return err;
	}
	return entry->type == seg->type ? 0 :
	       sit_set_type(sit, seg->segno, seg->type);
}

int alloc_apply(struct alloc *a)
{
	const struct layout *lo = &a->vol->lo;

	for (size_t i = 0; i < a->segs.nr; i++) {
		int err = set_age_and_type(a, &a->segs.v[i]);

		if (err)
			return err;
	}
	for (int t = 0; t < OD_NR_LOGS; t++) {
		struct curseg *cur = &a->vol->cp.log[t];
		const struct alloc_log *log = &a->log[t];

		if (!log->used)
			continue;
		cur->segno = log->segno;
		cur->next = log->next;
		cur->alloc_type = ALLOC_LFS;
		/* The journal area belongs to the log, not to the segment. */
		memcpy(cur->sum, a->segs.v[log->seg].sum, lo->sum_journal_off);
	}
	return 0;
}
