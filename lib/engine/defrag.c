/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A run of defragmentation: files, then free space, in passes, as long as a
 * pass makes room for files that the one before had none for. Every round is
 * a transaction.
 */
#include "config.h"

#include "engine/defrag_int.h"

#include "base/bits.h"
#include "engine/flush.h"
#include "engine/guard.h"
#include "engine/pack.h"
#include "engine/victim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char moving[] = "moving files";
const char defrag_gathering[] = "gathering free space";

/*
 * The time is looked at between transactions; within one only if it is large,
 * since what it has copied is lost then.
 */
bool defrag_is_late(struct defrag *d, uint64_t blocks)
{
	double now = flush_clock_ms(), expected = 0;

	if (d->deadline_ms <= 0)
		return false;
	if (d->moved.data_moved && blocks > DEFRAG_MOST_BY_TIME)
		expected = d->moved.merge_ms * (double)blocks /
			   (double)d->moved.data_moved;
	if (now + expected <= d->deadline_ms)
		return false;
	d->timed_out = true;
	return true;
}

/* What is done never shrinks, whatever room had to be made on the way. */
int defrag_show(struct defrag *d, const char *phase, uint64_t done,
		uint64_t total)
{
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

int defrag_progress(void *priv, uint64_t done, uint64_t total)
{
	struct defrag *d = priv;

	if (d->txn.moves.nr > DEFRAG_MOST_BY_TIME && defrag_is_late(d, 0))
		return 1;
	/* Much else may be written, but what is told are blocks of files. */
	if (total)
		done = done * (d->is_gathering ? d->txn.moves.nr :
			       d->in_round) / total;
	if (d->is_gathering)
		return defrag_show(d, defrag_gathering, d->gathered + done,
				   d->to_gather);
	return defrag_show(d, moving, d->done + done, d->total);
}

uint64_t defrag_may_move(const struct defrag *d)
{
	uint64_t moved = d->moved.data_moved;

	if (!d->opt->max_moved)
		return UINT64_MAX;
	return moved < d->opt->max_moved ? d->opt->max_moved - moved : 0;
}

/*
 * Free sections if each log had all blocks of its type in as few sections as
 * hold them, and a place to go on.
 */
static uint32_t most_free_secs(const struct volume *vol)
{
	uint64_t blocks[OD_NR_LOGS] = { 0 };
	uint64_t used = 0;

	for (uint32_t s = 0; s < vol->lo.nr_main_segs; s++) {
		const struct sit_seg *seg = sit_get(&vol->sit, s);

		blocks[seg->type < OD_NR_LOGS ? seg->type : 0] += seg->valid;
	}
	for (int t = 0; t < OD_NR_LOGS; t++)
		used += blocks[t] / blks_per_sec(&vol->lo) + 1;
	return used < vol->lo.nr_main_secs ?
	       vol->lo.nr_main_secs - (uint32_t)used : 0;
}

static void note_sections(struct defrag *d)
{
	struct defrag_report *rep = d->rep;

	rep->free_secs_after = volume_free_secs(d->vol);
	rep->dirty_secs_after = count_dirty_sections(d->vol);
	rep->free_secs_most = most_free_secs(d->vol);
	if (rep->free_secs_most < rep->free_secs_after)
		rep->free_secs_most = rep->free_secs_after;
}

int defrag_relocate(struct defrag *d)
{
	int err = relocate(&d->txn, &d->moved);

	if (!err)
		note_sections(d);
	return err;
}

static int begin_moving(struct defrag *d)
{
	struct txn *t = &d->txn;
	int err = txn_init(t, d->vol);

	t->section_rank = UINT32_MAX;
	t->kept = d->opt->exclude;
	t->nr_kept = d->opt->nr_exclude;
	t->queue_max = PACK_DEFAULT_MAX;
	t->dry_run = d->opt->dry_run;
	t->stop = defrag_progress;
	t->stop_priv = d;
	return err;
}

/* Sections with blocks of files that are excluded cannot be emptied. */
static int hold_excluded(struct defrag *d)
{
	struct txn *t = &d->txn;
	int err = begin_moving(d);

	for (size_t i = 0; !err && i < d->opt->nr_exclude; i++) {
		txn_reset(t);
		err = txn_add_file(t, d->opt->exclude[i], 0);
		for (size_t n = 0; n < t->moves.nr; n++)
			bit_set_lsb(d->held, blk_to_sec(&d->vol->lo,
							t->moves.v[n].src));
		if (err == -EBUSY)	/* pinned: found when it is met */
			err = 0;
	}
	txn_free(t);
	return err;
}

static int defrag_init(struct defrag *d, double start_ms)
{
	const struct layout *lo = &d->vol->lo;

	d->held = calloc(1, lo->nr_main_secs / 8 + 1);
	d->left = calloc(lo->nr_main_segs, sizeof(*d->left));
	if (!d->held || !d->left)
		return ctx_nomem(d->vol->ctx, "tables of the main area");
	d->floor = volume_free_secs(d->vol);
	if (d->opt->time_limit > 0)
		d->deadline_ms = start_ms + d->opt->time_limit * 1e3;
	return hold_excluded(d);
}

static void estimate_total(struct defrag *d)
{
	d->total = d->done;
	for (size_t i = 0; i < d->files.nr; i++)
		d->total += d->files.v[i].blocks;
}

/* Nothing of this is kept for gathering, which needs as much again. */
static int order_files(struct defrag *d, struct frag_file_vec *all)
{
	int err = defrag_select(d, all);

	vec_free(all);
	estimate_total(d);
	if (!err)
		err = begin_moving(d);
	if (!err)
		err = defrag_files(d);
	txn_free(&d->txn);
	vec_free(&d->files);
	return err;
}

static int gather(struct defrag *d)
{
	int err = begin_moving(d);

	if (!err)
		err = defrag_gather(d);
	txn_free(&d->txn);
	return err;
}

/* One pass over the files of the list, then over the free space. */
static int one_pass(struct defrag *d, struct frag_file_vec *all)
{
	int err = 0;

	d->rep->files_skipped = 0;
	d->rep->blocks_no_gain = d->rep->blocks_left_out = 0;
	d->no_room = 0;
	d->misses = 0;
	d->batch_max = 0;
	if (!d->opt->only_free)
		err = order_files(d, all);
	if (!err && !d->opt->files_only &&
	    d->rep->stopped_by == DEFRAG_DONE)
		err = gather(d);
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
		d->is_again = true;
	}
	if (!err && d->no_room && d->rep->stopped_by == DEFRAG_DONE)
		d->rep->stopped_by = DEFRAG_STOP_SPACE;
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
	err = defrag_init(&d, start);
	if (!err)
		err = all_passes(&d, &all);
	put_moved(&d);
	if (!err)
		err = frag_scan(vol, 0, &report->after);
	report->seconds = (flush_clock_ms() - start) / 1e3;
out:
	vec_free(&all);
	vec_free(&d.helpers);
	free(d.held);
	free(d.left);
	return err;
}
