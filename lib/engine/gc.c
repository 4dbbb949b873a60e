/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A run of garbage collection: data sections first, since moving data leaves
 * holes among the nodes, then node sections; as many victims in a transaction
 * as the free sections can take (kernel fs/f2fs/gc.c, f2fs_gc()).
 */
#include "config.h"

#include "engine/gc.h"

#include "base/bits.h"
#include "engine/flush.h"
#include "engine/guard.h"
#include "engine/pack.h"
#include "engine/victim.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct run {
	struct volume *vol;
	const struct gc_options *opt;
	struct gc_report *rep;
	struct txn txn;
	uint8_t *held;			/* sections that cannot be emptied */
	uint8_t *was_valid;		/* segments with valid blocks at first */
	uint8_t *selected;		/* sections that were victims */
	uint32_t free_goal;		/* of --until-free; 0: none */
	uint64_t done, total;		/* blocks, for progress */
	bool stop;			/* no more transactions */
};

static int report_progress(void *priv, uint64_t done, uint64_t total)
{
	struct run *r = priv;

	(void)total;
	if (!r->opt->progress)
		return 0;
	return r->opt->progress(r->opt->progress_priv, "moving",
				r->done + done, r->total);
}

static bool goal_is_reached(struct run *r)
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
 * Blocks that the logs of one side can take before they open a section. A log
 * in a dirty section will leave it.
 */
static uint64_t room_in_logs(const struct run *r, bool nodes)
{
	const struct layout *lo = &r->vol->lo;
	uint64_t room = 0;

	for (uint8_t t = 0; t < OD_NR_LOGS; t++) {
		uint32_t secno = seg_to_sec(lo, r->vol->cp.log[t].segno);

		if (!!log_is_node(t) == nodes && !r->opt->full &&
		    !section_is_dirty(r->vol, secno))
			room += alloc_room(&r->txn.alloc, t, 0) %
				blks_per_sec(lo);
	}
	return room;
}

static uint64_t blocks_left_to_move(const struct run *r)
{
	const struct relocate_stats *m = &r->rep->moved;
	uint64_t moved = m->data_moved + m->nodes_moved;

	if (!r->opt->max_moved)
		return UINT64_MAX;
	return moved < r->opt->max_moved ? r->opt->max_moved - moved : 0;
}

/*
 * How many victims from list[at] on to try in one transaction: what the free
 * space may hold, before the nodes that have to be rewritten are known (the
 * plan finds out), and no more than is asked for.
 */
static size_t batch_size(struct run *r, const struct victim_vec *list,
			 size_t at)
{
	uint32_t per_sec = blks_per_sec(&r->vol->lo);
	uint32_t free_secs = volume_free_secs(r->vol);
	uint64_t room = (uint64_t)r->txn.alloc.nr_free * per_sec +
			room_in_logs(r, list->v[at].is_node);
	uint64_t most = r->opt->max_sections, blocks = 0;
	uint64_t may_move = blocks_left_to_move(r);
	size_t n = 0;

	while (at + n < list->nr) {
		blocks += list->v[at + n].valid;
		if (n && (blocks > room || blocks > PACK_DEFAULT_MAX))
			break;
		if (blocks > may_move)
			break;
		if (most && r->rep->sections_selected + n >= most)
			break;
		if (r->free_goal && free_secs + n >= r->free_goal +
						     blocks / per_sec + 1)
			break;
		n++;
	}
	return n;
}

/* Whether emptying all that is left of the list frees a section at all. */
static bool list_pays(const struct run *r, const struct victim_vec *list,
		      size_t at)
{
	uint32_t per_sec = blks_per_sec(&r->vol->lo);
	uint64_t room = room_in_logs(r, list->v[at].is_node), blocks = 0;

	for (size_t i = at; i < list->nr; i++)
		blocks += list->v[i].valid;
	blocks = blocks > room ? blocks - room : 0;
	return (blocks + per_sec - 1) / per_sec < list->nr - at;
}

/* No file may have more extents than before, whatever it costs. */
static bool keeps_runs(const struct run *r)
{
	return r->opt->full || r->opt->keep_runs;
}

/*
 * Plan a transaction of at most @nr victims from list[at] on; fewer where
 * free space is short; *took: how many of the list it takes.
 */
static int plan(struct run *r, const struct victim_vec *list, size_t at,
		size_t nr, size_t *took)
{
	struct txn *t = &r->txn;
	int err = 0;

	txn_reset(t);
	t->may_split = false;
	for (size_t i = 0; !err && i < nr; i++)
		err = txn_add_section(t, list->v[at + i].secno);
	while (!err) {
		err = keeps_runs(r) ? txn_take_runs_along(t) : 0;
		if (!err)
			err = txn_resolve(t);
		if (!err)
			err = txn_place(t);
		if (err != -ENOSPC)
			break;
		if (t->victims.nr == 1 && (t->may_split || keeps_runs(r)))
			break;
		err = 0;
		if (t->victims.nr == 1)
			t->may_split = true;
		txn_shrink(t, (t->victims.nr + 1) / 2);
	}
	*took = t->victims.nr;
	if (!err)
		err = txn_count_cuts(t);
	return err;
}

/*
 * What was freed, from the SIT after a commit and never counted on the
 * way: a segment that had valid blocks at first and has none now; a section
 * none of whose segments has any, if one had.
 */
static void account(struct run *r)
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

static int carry_out(struct run *r)
{
	struct txn *t = &r->txn;
	int err = relocate(t, &r->rep->moved);

	if (err)
		return err;
	r->rep->sections_selected += t->victims.nr;
	for (size_t i = 0; i < t->victims.nr; i++)
		bit_set_lsb(r->selected, t->victims.v[i]);
	r->done += t->moves.nr + t->nodes.nr;
	account(r);
	return 0;
}

static void hold(struct run *r, uint32_t secno)
{
	if (bit_test_lsb(r->held, secno))
		return;
	bit_set_lsb(r->held, secno);
	r->rep->sections_skipped++;
}

static int64_t sections_opened(const struct run *r, bool nodes)
{
	const struct alloc_seg_vec *segs = &r->txn.alloc.segs;
	int64_t n = 0;

	for (size_t i = 0; i < segs->nr; i++)
		n += !!log_is_node(segs->v[i].type) == nodes &&
		     !segs->v[i].first &&
		     segs->v[i].segno % r->vol->lo.segs_per_sec == 0;
	return n;
}

/* Sections besides the victims that lose all their blocks to the moves. */
static int sections_emptied(const struct run *r, int64_t *nr)
{
	const struct layout *lo = &r->vol->lo;
	struct map left = { 0 };
	int err = 0;

	for (size_t i = 0; !err && i < r->txn.moves.nr; i++) {
		uint32_t secno = blk_to_sec(lo, r->txn.moves.v[i].src);
		uint64_t moved = 0;

		if (bit_test_lsb(r->txn.is_victim, secno))
			continue;
		map_get(&left, secno, &moved);
		*nr += moved + 1 == sit_sec_valid(&r->vol->sit, secno);
		err = map_put(&left, secno, moved + 1);
	}
	map_free(&left);
	return err ? ctx_nomem(r->vol->ctx, "counts of sections") : 0;
}

/*
 * Free sections that the planned transaction gains on its side; less than 0:
 * loses. What moved data costs among the nodes comes back when their side is
 * collected, after it.
 */
static int planned_gain(const struct run *r, bool nodes, int64_t *gain)
{
	*gain = (int64_t)r->txn.victims.nr - sections_opened(r, nodes);
	return keeps_runs(r) ? sections_emptied(r, gain) : 0;
}

/*
 * Only what pays, unless more was asked for: no loss, and a gain where no run
 * may be cut, which can cost whole files.
 */
static int plan_pays(const struct run *r, bool nodes, bool *pays)
{
	int64_t gain = 0;
	int err;

	*pays = r->opt->full || r->opt->max_sections;
	if (*pays)
		return 0;
	err = planned_gain(r, nodes, &gain);
	*pays = gain >= r->opt->keep_runs;
	return err;
}

/* Plan; with fewer victims, the cheapest ones, while it does not pay. */
static int plan_what_pays(struct run *r, const struct victim_vec *list,
			  size_t at, size_t nr, size_t *took)
{
	for (;;) {
		bool pays;
		int err = plan(r, list, at, nr, took);

		if (!err)
			err = plan_pays(r, list->v[at].is_node, &pays);
		if (err || pays)
			return err;
		if (*took == 1)
			break;
		nr = *took / 2;
	}
	*took = 0;
	return 0;
}

/*
 * One transaction from list[*at] on. A victim that cannot be emptied, because
 * of a pinned file or for want of room, is held and passed over.
 */
static int one_transaction(struct run *r, const struct victim_vec *list,
			   size_t *at)
{
	size_t nr = batch_size(r, list, *at), took;
	double start = flush_clock_ms();
	int err;

	if (!nr) {
		if (list->v[*at].valid > blocks_left_to_move(r))
			r->rep->stopped_by = GC_STOP_MOVED;
		r->stop = true;
		return 0;
	}
	err = plan_what_pays(r, list, *at, nr, &took);
	r->rep->plan_ms += flush_clock_ms() - start;
	if (err == -EBUSY) {
		for (size_t i = 0; i < r->txn.pinned.nr; i++)
			hold(r, r->txn.pinned.v[i]);
		return 0;
	}
	if (err == -ENOSPC) {
		r->rep->stopped_by = GC_STOP_SPACE;
		hold(r, list->v[(*at)++].secno);
		return 0;
	}
	if (err)
		return err;
	if (!took) {
		*at = list->nr;
		return 0;
	}
	*at += took;
	return carry_out(r);
}

/* Sections found to be held since the list was made. */
static void pass_over_held(struct run *r, struct victim_vec *list, size_t at)
{
	size_t n = at;

	for (size_t i = at; i < list->nr; i++)
		if (!bit_test_lsb(r->held, list->v[i].secno))
			list->v[n++] = list->v[i];
	list->nr = n;
}

static int collect_side(struct run *r, bool nodes)
{
	struct victim_vec list = { 0 };
	size_t at = 0;
	int err = victim_list(r->vol, nodes, r->opt->full, r->held, &list);

	while (!err && !r->stop) {
		pass_over_held(r, &list, at);
		if (at >= list.nr || goal_is_reached(r))
			break;
		alloc_reset(&r->txn.alloc);
		/* Only what pays, unless more was asked for. */
		if (!r->opt->full && !r->opt->max_sections &&
		    !list_pays(r, &list, at))
			break;
		err = one_transaction(r, &list, &at);
	}
	vec_free(&list);
	return err;
}

static void estimate_total(struct run *r)
{
	for (uint32_t s = 0; s < r->vol->lo.nr_main_secs; s++)
		if (r->opt->full || section_is_dirty(r->vol, s))
			r->total += sit_sec_valid(&r->vol->sit, s);
}

static int run_init(struct run *r)
{
	const struct layout *lo = &r->vol->lo;
	int err;

	r->held = calloc(1, lo->nr_main_secs / 8 + 1);
	r->selected = calloc(1, lo->nr_main_secs / 8 + 1);
	r->was_valid = calloc(1, lo->nr_main_segs / 8 + 1);
	if (!r->held || !r->selected || !r->was_valid)
		return ctx_nomem(r->vol->ctx, "maps of the main area");
	for (uint32_t s = 0; s < lo->nr_main_segs; s++)
		if (sit_get(&r->vol->sit, s)->valid)
			bit_set_lsb(r->was_valid, s);
	r->free_goal = (uint32_t)ceil(lo->nr_main_secs * r->opt->until_free /
				      100);
	estimate_total(r);
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

static void run_free(struct run *r)
{
	txn_free(&r->txn);
	free(r->held);
	free(r->selected);
	free(r->was_valid);
}

static int collect_both_sides(struct run *r)
{
	int err = run_init(r);

	if (!err)
		err = collect_side(r, false);
	if (!err && !r->stop)
		err = collect_side(r, true);
	if (err == -EINTR) {
		r->rep->stopped_by = GC_STOP_SIGNAL;
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

int gc_collect(struct volume *vol, const struct gc_options *opt,
	       struct gc_report *report)
{
	struct run r = { .vol = vol, .opt = opt, .rep = report };
	int err;

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
		err = guard_counts(vol, &report->before);
	if (err)
		return err;
	report->plan_ms = flush_clock_ms() - start;
	err = gc_collect(vol, opt, report);
	err = look_after(vol, report, err);
	report->seconds = (flush_clock_ms() - start) / 1e3;
	return err;
}
