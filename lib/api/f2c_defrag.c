/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Defragmentation: paths become inode numbers, options and report of the
 * engine public words.
 */
#include "config.h"

#include "api/fs.h"
#include "api/run_int.h"
#include "api/select.h"
#include "api/size_int.h"
#include "engine/defrag.h"

#include <assert.h>
#include <errno.h>

static_assert((int)F2C_ORDER_DIR == (int)ORDER_DIR, "f2c_order");
static_assert((int)F2C_ORDER_INO == (int)ORDER_INO, "f2c_order");
static_assert((int)F2C_ORDER_SIZE == (int)ORDER_SIZE, "f2c_order");
static_assert((int)F2C_ORDER_ATIME == (int)ORDER_ATIME, "f2c_order");
static_assert((int)F2C_ORDER_MTIME == (int)ORDER_MTIME, "f2c_order");

/* What the engine's options borrow. */
struct chosen {
	struct ino_vec only;
	struct ino_vec exclude;
	struct told told;
	const struct defrag_report *r;	/* as it grows */
};

static int tell_progress(void *priv, const char *phase, uint64_t done,
			 uint64_t total)
{
	const struct chosen *c = priv;
	struct f2c_progress p = {
		.phase = phase, .done = done, .total = total,
		.files_done = c->r->files_moved,
		.files_total = c->r->files_selected,
		.extents_before = c->r->before.extents,
		.extents_now = c->r->extents_now,
	};

	return c->told.fn(c->told.priv, &p);
}

static int check_values(struct f2c_fs *fs, const struct f2c_defrag_options *o)
{
	const char *bad = NULL;

	if (o->max_moved_bytes &&
	    o->max_moved_bytes < fs->vol->lo.block_size)
		return run_limit_fail(fs, o->max_moved_bytes);
	if (!(o->min_score >= 0 && o->min_score <= 100))
		bad = "min_score is not from 0 to 100";
	else if (!(o->time_limit >= 0))
		bad = "time_limit is not a number of seconds";
	else if ((unsigned int)o->order > F2C_ORDER_MTIME)
		bad = "order is none of those that there are";
	else if (o->only_free && (o->nr_paths || o->full))
		bad = "only_free moves no files, but some are named";
	return bad ? ctx_fail(fs->ctx, -EINVAL, "f2c_defrag_options: %s", bad)
		   : 0;
}

static int choose(struct f2c_fs *fs, const struct f2c_defrag_options *o,
		  struct chosen *c, struct defrag_options *opt)
{
	int err = 0;

	if (o->nr_paths)
		err = select_inodes(fs->vol, o->paths, o->nr_paths, 0,
				    &c->only);
	if (!err && o->nr_exclude)
		err = select_inodes(fs->vol, o->exclude, o->nr_exclude,
				    SELECT_MAY_MISS, &c->exclude);
	if (err)
		return err;
	/* Not what the vectors have, which is NULL for none. */
	opt->only = o->nr_paths ? c->only.v : NULL;
	opt->nr_only = c->only.nr;
	opt->exclude = c->exclude.v;
	opt->nr_exclude = c->exclude.nr;
	return 0;
}

static int take_options(struct f2c_fs *fs,
			const struct f2c_defrag_options *theirs,
			struct chosen *c, struct defrag_options *opt)
{
	struct f2c_defrag_options o = { .size = sizeof(o) };
	int err = 0;

	if (theirs)
		err = size_copy_in(fs->ctx, "f2c_defrag_options", &o,
				   sizeof(o), theirs);
	if (!err)
		err = check_values(fs, &o);
	if (err)
		return err;
	*opt = (struct defrag_options){
		.min_extents = o.min_extents,
		.min_score = o.min_score,
		.max_moved = o.max_moved_bytes / fs->vol->lo.block_size,
		.time_limit = o.time_limit,
		.order = (enum defrag_order)o.order,
		.only_free = o.only_free,
		.files_only = o.nr_paths,
		.full = o.full,
		.dry_run = fs->flags & F2C_DRY_RUN,
		.progress = o.progress ? tell_progress : NULL,
		.progress_priv = c,
	};
	c->told = (struct told){ o.progress, o.progress_priv };
	return choose(fs, &o, c, opt);
}

static const char *stop_name(enum defrag_stop stop)
{
	switch (stop) {
	case DEFRAG_DONE:
		return NULL;
	case DEFRAG_STOP_SIGNAL:
		return "signal";
	case DEFRAG_STOP_MOVED:
		return "max-moved";
	case DEFRAG_STOP_TIME:
		return "time";
	case DEFRAG_STOP_SPACE:
		return "no-space";
	}
	return NULL;
}

static void put_counts(const struct defrag_report *r,
		       struct f2c_defrag_report *out)
{
	out->stopped_by = stop_name(r->stopped_by);
	out->files_selected = r->files_selected;
	out->files_moved = r->files_moved;
	out->files_skipped = r->files_skipped;
	out->blocks_skipped = r->blocks_no_gain + r->blocks_left_out;
	out->blocks_without_gain = r->blocks_no_gain;
	out->blocks_left_out = r->blocks_left_out;
	out->extents_before = r->before.extents;
	out->extents_after = r->after.extents;
	out->ideal_extents = r->before.ideal_extents;
	out->fragmented_files_before = r->before.fragmented_files;
	out->fragmented_files_after = r->after.fragmented_files;
	out->free_sections_before = r->free_secs_before;
	out->free_sections_after = r->free_secs_after;
	out->free_sections_most = r->free_secs_most;
	out->dirty_sections_before = r->dirty_secs_before;
	out->dirty_sections_after = r->dirty_secs_after;
	out->data_blocks_moved = r->data_moved;
	out->node_blocks_moved = r->nodes_moved;
	out->node_blocks_updated = r->nodes_updated;
	out->blocks_moved = r->data_moved + r->nodes_moved;
	out->rounds = r->rounds;
	out->rounds_for_room = r->room_made;
	out->seconds = r->seconds;
}

static void put_commits(const struct defrag_report *r,
			struct f2c_defrag_report *out)
{
	const struct commit_stats *c = &r->commits;
	uint64_t had_to_change = r->data_moved + r->nodes_moved +
				 r->nodes_updated;

	out->commits = c->commits;
	out->blocks_written = c->blocks_written;
	out->write_cost = run_write_cost(c, had_to_change);
	out->nat_blocks_touched = c->nat_blocks_touched;
	out->nat_blocks_read = c->nat_blocks_read;
	out->nat_blocks_written = c->nat_blocks_written;
	out->nat_journal_hits = c->nat_journal_hits;
	out->phases = run_phases(c, r->plan_ms, r->merge_ms);
}

int f2c_defrag_run(struct f2c_fs *fs, const struct f2c_defrag_options *options,
		   struct f2c_defrag_report *report)
{
	struct f2c_defrag_report out = { 0 };
	struct defrag_options opt = { 0 };
	struct defrag_report r = { 0 };
	struct chosen chosen = { .r = &r };
	int err = size_check(fs->ctx, "f2c_defrag_report", report);

	if (err)
		return err;
	err = run_can_write(fs);
	if (!err)
		err = take_options(fs, options, &chosen, &opt);
	if (!err)
		err = defrag_run(fs->vol, &opt, &r);
	vec_free(&chosen.only);
	vec_free(&chosen.exclude);
	out.dry_run = fs->flags & F2C_DRY_RUN;
	put_counts(&r, &out);
	put_commits(&r, &out);
	size_copy_out(&out, sizeof(out), report);
	return err;
}
