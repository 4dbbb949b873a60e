/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A run of defragmentation. Fragmented files go, as many in a round as the
 * free sections hold, each into one run; for a file that is too large for any
 * free run, room is made first. What is left in dirty sections is then
 * collected without cutting any run. Every round is a transaction.
 */
#include "config.h"

#include "engine/defrag_int.h"

#include "engine/flush.h"
#include "engine/guard.h"
#include "engine/pack.h"
#include "engine/victim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COLLECTIONS 4		/* of free space, while they gain */

/* What is done never shrinks, whatever room had to be made on the way. */
static int show_progress(struct defrag *d, const char *phase, uint64_t done,
			 uint64_t total)
{
	if (d->deadline_ms && flush_clock_ms() > d->deadline_ms) {
		d->timed_out = true;
		return 1;
	}
	if (!d->opt->progress)
		return 0;
	if (done > total)
		done = total;
	if (phase != d->phase)
		d->shown = 0;
	d->phase = phase;
	if (done > d->shown)
		d->shown = done;
	return d->opt->progress(d->opt->progress_priv, phase, d->shown, total);
}

static int report_progress(void *priv, uint64_t done, uint64_t total)
{
	static const char phase[] = "moving files";
	struct defrag *d = priv;

	/* Nodes are written too, but what is told are blocks of files. */
	if (total)
		done = done * d->txn.moves.nr / total;
	return show_progress(d, phase, d->done + done, d->total);
}

static uint64_t may_move(const struct defrag *d)
{
	uint64_t moved = d->moved.data_moved;

	if (!d->opt->max_moved)
		return UINT64_MAX;
	return moved < d->opt->max_moved ? d->opt->max_moved - moved : 0;
}

/* Nodes that moving a file rewrites: its inode, and direct ones. */
static uint64_t nr_nodes_of(const struct defrag *d, const struct candidate *c)
{
	return 2 + c->blocks / d->vol->lo.addrs_per_node;
}

/* How many files from @at on to try in one round; at least one. */
static size_t batch_size(struct defrag *d, size_t at)
{
	uint64_t room = (uint64_t)volume_free_secs(d->vol) *
			blks_per_sec(&d->vol->lo);
	uint64_t limit = may_move(d), blocks = 0, nodes = 0;
	size_t n = 0;

	while (at + n < d->files.nr) {
		const struct candidate *c = &d->files.v[at + n];

		blocks += c->blocks;
		nodes += nr_nodes_of(d, c);
		if (n && (blocks + nodes > room || blocks > PACK_DEFAULT_MAX ||
			  blocks > limit))
			break;
		n++;
	}
	return n;
}

static int plan_files(struct defrag *d, size_t at, size_t nr, bool whole)
{
	struct txn *t = &d->txn;
	int err = 0;

	txn_reset(t);
	t->whole = whole;
	for (size_t i = 0; !err && i < nr; i++)
		err = txn_add_file(t, d->files.v[at + i].ino, (uint32_t)i);
	if (!err)
		err = txn_resolve(t);
	return err ? err : txn_place(t);
}

static int moves_by_lblk(const void *pa, const void *pb)
{
	const struct move *a = pa, *b = pb;

	return a->lblk < b->lblk ? -1 : a->lblk > b->lblk;
}

/* Extents that the one file of the transaction would have. */
static uint32_t planned_extents(struct defrag *d)
{
	struct move_vec *moves = &d->txn.moves;
	uint32_t n = 0;

	vec_sort(moves, moves_by_lblk);
	for (size_t i = 0; i < moves->nr; i++)
		n += !i || moves->v[i].lblk != moves->v[i - 1].lblk + 1 ||
		     moves->v[i].dst != moves->v[i - 1].dst + 1;
	return n;
}

/*
 * One file for which there is no room in one run: make room, or else, when
 * nothing better is left to do, let it have as few extents as the free runs
 * allow, if that is a gain.
 */
static int plan_large_file(struct defrag *d, size_t at)
{
	int err = defrag_make_room(d, d->files.v[at].blocks);

	if (!err)
		err = plan_files(d, at, 1, true);
	if (err != -ENOSPC || !d->pieces_ok)
		return err;
	err = plan_files(d, at, 1, false);
	if (!err && planned_extents(d) >= d->files.v[at].extents)
		err = -ENOSPC;
	return err;
}

static void note_sections(struct defrag *d)
{
	d->rep->free_secs_after = volume_free_secs(d->vol);
	d->rep->dirty_secs_after = count_dirty_sections(d->vol);
}

int defrag_relocate(struct defrag *d)
{
	int err = relocate(&d->txn, &d->moved);

	if (!err)
		note_sections(d);
	return err;
}

/* What the files from @at on lose by the transaction that was planned. */
static uint64_t planned_gain(struct defrag *d, size_t at, size_t nr)
{
	uint64_t gain = 0;

	if (!d->txn.whole)
		return d->files.v[at].extents - planned_extents(d);
	for (size_t i = at; i < at + nr; i++)
		gain += d->files.v[i].extents - d->files.v[i].ideal;
	return gain;
}

static int one_round(struct defrag *d, size_t *at)
{
	size_t nr = batch_size(d, *at);
	double start = flush_clock_ms();
	uint64_t gain;
	int err;

	for (;;) {
		err = plan_files(d, *at, nr, true);
		if (err != -ENOSPC || nr == 1)
			break;
		nr = (nr + 1) / 2;
	}
	if (err == -ENOSPC)
		err = plan_large_file(d, *at);
	d->rep->plan_ms += flush_clock_ms() - start;
	if (err == -ENOSPC) {
		d->rep->files_skipped++;
		d->no_room++;
		d->done += d->files.v[*at].blocks;
		(*at)++;
		return 0;
	}
	if (err)
		return err;
	gain = planned_gain(d, *at, nr);
	err = defrag_relocate(d);
	if (err)
		return err;
	d->rep->extents_now -= gain;
	d->done += d->txn.moves.nr;
	d->rep->rounds++;
	d->rep->files_moved += nr;
	*at += nr;
	return 0;
}

static int move_files(struct defrag *d)
{
	size_t at = 0;
	int err = 0;

	while (!err && at < d->files.nr) {
		if (d->files.v[at].blocks > may_move(d)) {
			d->rep->stopped_by = DEFRAG_STOP_MOVED;
			return 0;
		}
		if (report_progress(d, 0, 0))
			return -EINTR;
		err = one_round(d, &at);
	}
	return err;
}

static int gc_progress(void *priv, const char *phase, uint64_t done,
		       uint64_t total)
{
	static const char gathering[] = "gathering free space";

	(void)phase;
	return show_progress(priv, gathering, done, total);
}

/* Empty dirty sections as long as that lowers their number. */
static int consolidate(struct defrag *d)
{
	struct gc_options opt = {
		.keep_runs = true, .dry_run = d->opt->dry_run,
		.kept = d->opt->exclude, .nr_kept = d->opt->nr_exclude,
		.progress = gc_progress, .progress_priv = d,
	};
	struct gc_report rep = { .moved = d->moved };
	int err = 0;

	for (int i = 0; !err && i < MOST_COLLECTIONS; i++) {
		uint64_t left = may_move(d);

		if (d->opt->max_moved && !left)
			break;
		if (d->opt->max_moved)
			opt.max_moved = rep.moved.data_moved +
					rep.moved.nodes_moved + left;
		err = gc_collect(d->vol, &opt, &rep);
		d->moved = rep.moved;
		d->rep->free_secs_after = rep.free_secs_after;
		d->rep->dirty_secs_after = rep.dirty_secs_after;
		if (rep.stopped_by == GC_STOP_SIGNAL)
			err = -EINTR;
		if (rep.stopped_by == GC_STOP_MOVED)
			d->rep->stopped_by = DEFRAG_STOP_MOVED;
		if (rep.stopped_by != GC_DONE ||
		    rep.dirty_secs_after >= rep.dirty_secs_before)
			break;
	}
	d->rep->plan_ms += rep.plan_ms;
	return err;
}

static int begin_moving(struct defrag *d)
{
	struct txn *t = &d->txn;
	int err = txn_init(t, d->vol);

	t->kept = d->opt->exclude;
	t->nr_kept = d->opt->nr_exclude;
	t->queue_max = PACK_DEFAULT_MAX;
	t->dry_run = d->opt->dry_run;
	t->stop = report_progress;
	t->stop_priv = d;
	return err;
}

static void estimate_total(struct defrag *d)
{
	d->total = d->done;
	for (size_t i = 0; i < d->files.nr; i++)
		d->total += d->files.v[i].blocks;
}

/* Nothing of this is kept for the collector, which needs as much again. */
static int order_files(struct defrag *d, struct frag_file_vec *all)
{
	int err = defrag_select(d, all);

	vec_free(all);
	estimate_total(d);
	if (!err)
		err = begin_moving(d);
	if (!err)
		err = move_files(d);
	txn_free(&d->txn);
	vec_free(&d->files);
	return err;
}

/* One pass over the files of the list, then over the free space. */
static int one_pass(struct defrag *d, struct frag_file_vec *all)
{
	int err = 0;

	d->rep->files_skipped = d->rep->blocks_skipped = 0;
	d->no_room = 0;
	if (!d->opt->only_free)
		err = order_files(d, all);
	if (!err && !d->opt->files_only &&
	    d->rep->stopped_by == DEFRAG_DONE)
		err = consolidate(d);
	return err;
}

/*
 * Files for which there was no room may find it once the free space has been
 * put together: go on while a pass lowers the extents. When that ends, files
 * may take several runs, if it is fewer than they have.
 */
static int all_passes(struct defrag *d, struct frag_file_vec *all)
{
	struct frag now = d->rep->before;
	int err;

	for (;;) {
		uint64_t extents = now.extents;

		err = one_pass(d, all);
		if (err || !d->no_room || d->rep->stopped_by != DEFRAG_DONE)
			break;
		err = frag_list(d->vol, 0, all, &now);
		if (err || (now.extents >= extents && d->pieces_ok))
			break;
		d->pieces_ok = now.extents >= extents;
	}
	if (err != -EINTR)
		return err;
	d->rep->stopped_by = d->timed_out ? DEFRAG_STOP_TIME :
					    DEFRAG_STOP_SIGNAL;
	return 0;
}

static void put_moved(struct defrag *d)
{
	struct defrag_report *rep = d->rep;

	rep->data_moved = d->moved.data_moved;
	rep->nodes_moved = d->moved.nodes_moved;
	rep->nodes_updated = d->moved.nodes_updated;
	rep->commits = d->moved.commits;
	rep->merge_ms = d->moved.merge_ms;
}

int defrag_run(struct volume *vol, const struct defrag_options *opt,
	       struct defrag_report *report)
{
	struct defrag d = { .vol = vol, .opt = opt, .rep = report };
	struct frag_file_vec all = { 0 };
	double start = flush_clock_ms();
	int err;

	memset(report, 0, sizeof(*report));
	err = guard_volume(vol);
	if (!err)
		err = frag_list(vol, 0, &all, &report->before);
	if (!err)
		err = guard_owners(vol, &report->before);
	if (err)
		goto out;
	report->plan_ms = flush_clock_ms() - start;
	report->extents_now = report->before.extents;
	report->free_secs_before = volume_free_secs(vol);
	report->dirty_secs_before = count_dirty_sections(vol);
	note_sections(&d);
	if (opt->time_limit > 0)
		d.deadline_ms = start + opt->time_limit * 1e3;
	d.held = calloc(1, vol->lo.nr_main_secs / 8 + 1);
	if (d.held)
		err = all_passes(&d, &all);
	else
		err = ctx_nomem(vol->ctx, "the map of held sections");
	put_moved(&d);
	if (!err)
		err = frag_scan(vol, 0, &report->after);
	report->seconds = (flush_clock_ms() - start) / 1e3;
out:
	vec_free(&all);
	free(d.held);
	return err;
}
