/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A run of garbage collection: data sections first, since moving data leaves
 * holes among the nodes, then node sections; as many victims in a transaction
 * as the free sections can take (kernel fs/f2fs/gc.c, f2fs_gc()).
 */
#include "config.h"

#include "engine/gc_int.h"

#include "base/bits.h"
#include "engine/flush.h"
#include "engine/guard.h"
#include "engine/pack.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Victims without room, one after the other, until the rest is not tried. */
#define MOST_MISSES 64

static int report_progress(void *priv, uint64_t done, uint64_t total)
{
	struct gc_run *r = priv;

	(void)total;
	if (r->deadline_ms > 0 && flush_clock_ms() >= r->deadline_ms) {
		r->timed_out = true;
		return 1;
	}
	if (!r->opt->progress)
		return 0;
	return r->opt->progress(r->opt->progress_priv, "moving",
				r->done + done, r->total);
}

static bool goal_is_reached(struct gc_run *r)
{
	const struct gc_options *opt = r->opt;

	if (opt->max_sections &&
	    r->rep->sections_selected >= opt->max_sections) {
		r->rep->stopped_by = GC_STOP_SECTIONS;
		return true;
	}
	if (r->free_goal && volume_free_secs(r->vol) >= r->free_goal) {
		r->rep->stopped_by = GC_STOP_FREE;
		return true;
	}
	return false;
}

/*
 * What was freed, from the SIT after a commit and never counted on the
 * way: a segment that had valid blocks at first and has none now; a section
 * none of whose segments has any, if one had.
 */
static void account(struct gc_run *r)
{
	const struct layout *lo = &r->vol->lo;
	struct gc_report *rep = r->rep;

	rep->segments_freed = rep->segments_already_empty = 0;
	rep->sections_freed = 0;
	for (uint32_t sec = 0; sec < lo->nr_main_secs; sec++) {
		uint32_t first = sec_to_seg(lo, sec), were = 0, are = 0;

		for (uint32_t s = first; s < first + lo->segs_per_sec; s++) {
			bool was = bit_test_lsb(r->was_valid, s);
			bool is = sit_get(&r->vol->sit, s)->valid;

			were += was;
			are += is;
			rep->segments_freed += was && !is;
			rep->segments_already_empty += !was && !is &&
				bit_test_lsb(r->selected, sec);
		}
		rep->sections_freed += were && !are;
	}
	rep->free_secs_after = volume_free_secs(r->vol);
	rep->dirty_secs_after = count_dirty_sections(r->vol);
}

static int carry_out(struct gc_run *r)
{
	struct txn *t = &r->txn;
	int err = relocate(t, &r->rep->moved);

	if (err)
		return err;
	r->rep->sections_selected += t->victims.nr;
	for (size_t i = 0; i < t->victims.nr; i++)
		bit_set_lsb(r->selected, t->victims.v[i]);
	for (size_t i = 0; i < t->alloc.segs.nr; i++) {
		const struct alloc_seg *seg = &t->alloc.segs.v[i];

		if (!seg->first && seg->segno % r->vol->lo.segs_per_sec == 0)
			bit_set_lsb(r->filled, seg_to_sec(&r->vol->lo,
							  seg->segno));
	}
	r->done += t->moves.nr + t->nodes.nr;
	account(r);
	return 0;
}

static void hold(struct gc_run *r, uint32_t secno)
{
	bit_set_lsb(r->held, secno);
}

/*
 * No free space holds the run that goes on from the victim of the plan: all
 * sections it lies in wait for the same space, in vain.
 */
static void hold_run(struct gc_run *r)
{
	const struct move_vec *moves = &r->txn.moves;

	for (size_t i = 0; i < moves->nr; i++)
		hold(r, blk_to_sec(&r->vol->lo, moves->v[i].src));
}

/*
 * What the plan for the first victim of the list said: it cannot be emptied,
 * because of a pinned file or for want of room, and is passed over.
 */
static int pass_over(struct gc_run *r, uint32_t secno, int err)
{
	if (err == -EBUSY) {
		for (size_t i = 0; i < r->txn.pinned.nr; i++)
			hold(r, r->txn.pinned.v[i]);
		return 0;
	}
	if (err != -ENOSPC && err != -E2BIG)
		return err;
	r->rep->stopped_by = GC_STOP_SPACE;
	hold(r, secno);
	if (err == -E2BIG)
		hold_run(r);
	else
		r->misses++;
	return 0;
}

void gc_stop_at_limit(struct gc_run *r)
{
	r->rep->stopped_by = GC_STOP_MOVED;
	r->stop = true;
}

/* One transaction from list[*at] on. */
static int one_transaction(struct gc_run *r, const struct victim_vec *list,
			   size_t *at)
{
	size_t nr = gc_batch_size(r, list, *at), took;
	double start = flush_clock_ms();
	int err;

	if (!nr) {
		gc_stop_at_limit(r);
		return 0;
	}
	err = gc_plan(r, list, *at, nr, &took);
	r->rep->plan_ms += flush_clock_ms() - start;
	if (err)
		return pass_over(r, list->v[*at].secno, err);
	if (!took) {
		*at = list->nr;
		return 0;
	}
	*at += took;
	r->misses = 0;
	return carry_out(r);
}

/*
 * Sections that were found to be held since the list was made are passed over;
 * those that lost all blocks to what was taken along, or were filled since,
 * need nothing any more.
 */
static void look_at_list(struct gc_run *r, struct victim_vec *list, size_t at)
{
	size_t n = at;

	for (size_t i = at; i < list->nr; i++) {
		uint32_t secno = list->v[i].secno;

		if (bit_test_lsb(r->held, secno))
			r->rep->sections_skipped++;
		else if (sit_sec_valid(&r->vol->sit, secno) &&
			 !bit_test_lsb(r->filled, secno))
			list->v[n++] = list->v[i];
	}
	list->nr = n;
}

static int collect_side(struct gc_run *r, bool nodes)
{
	struct victim_options choice = r->choice;
	struct victim_vec list = { 0 };
	size_t at = 0;
	int err;

	choice.no_data |= nodes;
	choice.no_nodes |= !nodes;
	r->misses = 0;
	memset(r->filled, 0, r->vol->lo.nr_main_secs / 8 + 1);
	err = victim_list(r->vol, &choice, r->held, &list);
	while (!err) {
		look_at_list(r, &list, at);
		if (at >= list.nr || r->stop || r->misses >= MOST_MISSES ||
		    goal_is_reached(r))
			break;
		alloc_reset(&r->txn.alloc);
		if (!gc_list_pays(r, &list, at))
			break;
		err = one_transaction(r, &list, &at);
	}
	vec_free(&list);
	return err;
}

static int estimate_total(struct gc_run *r)
{
	struct victim_vec list = { 0 };
	int err = victim_list(r->vol, &r->choice, r->held, &list);

	for (size_t i = 0; !err && i < list.nr; i++)
		r->total += list.v[i].valid;
	if (r->total > gc_blocks_left(r))
		r->total = gc_blocks_left(r);
	vec_free(&list);
	return err;
}

static int run_init(struct gc_run *r)
{
	const struct layout *lo = &r->vol->lo;
	int err;

	r->held = calloc(1, lo->nr_main_secs / 8 + 1);
	r->selected = calloc(1, lo->nr_main_secs / 8 + 1);
	r->filled = calloc(1, lo->nr_main_secs / 8 + 1);
	r->was_valid = calloc(1, lo->nr_main_segs / 8 + 1);
	if (!r->held || !r->selected || !r->filled || !r->was_valid)
		return ctx_nomem(r->vol->ctx, "maps of the main area");
	for (uint32_t s = 0; s < lo->nr_main_segs; s++)
		if (sit_get(&r->vol->sit, s)->valid)
			bit_set_lsb(r->was_valid, s);
	r->free_goal = (uint32_t)ceil(lo->nr_main_secs * r->opt->until_free /
				      100);
	err = estimate_total(r);
	if (!err)
		err = txn_init(&r->txn, r->vol);
	if (err)
		return err;
	r->txn.no_pack = r->opt->no_pack;
	r->txn.dry_run = r->opt->dry_run;
	r->txn.fail_record_every = r->opt->fail_record_every;
	r->txn.queue_max = r->opt->pack_max_blocks ? r->opt->pack_max_blocks :
						     PACK_DEFAULT_MAX;
	r->txn.stop = report_progress;
	r->txn.stop_priv = r;
	return 0;
}

static void run_free(struct gc_run *r)
{
	txn_free(&r->txn);
	free(r->held);
	free(r->selected);
	free(r->filled);
	free(r->was_valid);
}

static int collect_both_sides(struct gc_run *r)
{
	int err = run_init(r);

	if (!err)
		err = collect_side(r, false);
	if (!err && !r->stop)
		err = collect_side(r, true);
	if (err == -EINTR) {
		r->rep->stopped_by = r->timed_out ? GC_STOP_TIME :
						    GC_STOP_SIGNAL;
		err = 0;
	}
	return err;
}

static void note_before(struct volume *vol, struct gc_report *report)
{
	report->stopped_by = GC_DONE;
	report->free_secs_before = volume_free_secs(vol);
	report->free_secs_after = report->free_secs_before;
	report->dirty_secs_before = count_dirty_sections(vol);
	report->dirty_secs_after = report->dirty_secs_before;
}

static int collect(struct volume *vol, const struct gc_options *opt,
		   struct gc_report *report, double start_ms)
{
	struct gc_run r = {
		.vol = vol, .opt = opt, .rep = report, .choice = opt->choice,
	};
	int err;

	r.choice.full |= opt->full;
	if (opt->time_limit > 0)
		r.deadline_ms = start_ms + opt->time_limit * 1e3;
	note_before(vol, report);
	err = collect_both_sides(&r);
	run_free(&r);
	return err;
}

/* After a failure too; the message is that of the failure then. */
static int look_after(struct volume *vol, struct gc_report *report, int err)
{
	char *text;

	if (!report->moved.commits.commits || vol->is_spoilt)
		return err;
	if (!err)
		return frag_scan(vol, 0, &report->after);
	text = strdup(ctx_error(vol->ctx));
	frag_scan(vol, 0, &report->after);
	if (text)
		ctx_fail(vol->ctx, err, "%s", text);
	free(text);
	return err;
}

int gc_run(struct volume *vol, const struct gc_options *opt,
	   struct gc_report *report)
{
	double start = flush_clock_ms();
	int err;

	memset(report, 0, sizeof(*report));
	note_before(vol, report);
	err = guard_volume(vol);
	if (!err)
		err = frag_scan(vol, 0, &report->before);
	report->after = report->before;
	if (!err)
		err = guard_owners(vol, &report->before);
	if (err)
		return err;
	report->plan_ms = flush_clock_ms() - start;
	err = collect(vol, opt, report, start);
	err = look_after(vol, report, err);
	report->seconds = (flush_clock_ms() - start) / 1e3;
	return err;
}
