/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Garbage collection: options and report of the engine in public words. */
#include "config.h"

#include "api/fs.h"
#include "api/run_int.h"
#include "api/size_int.h"
#include "api/victims_int.h"
#include "engine/gc.h"

#include <errno.h>

static int take_options(struct f2c_fs *fs, const struct f2c_gc_options *theirs,
			struct told *told, struct gc_options *opt)
{
	struct f2c_gc_options o;
	int err = size_copy_in(fs->ctx, "f2c_gc_options", &o, sizeof(o),
			       theirs);

	if (err)
		return err;
	if (!(o.until_free >= 0 && o.until_free <= 100))
		return ctx_fail(fs->ctx, -EINVAL, "f2c_gc_options: until_free is not a percentage");
	if (o.max_moved_bytes && o.max_moved_bytes < fs->vol->lo.block_size)
		return run_limit_fail(fs, o.max_moved_bytes);
	if (!(o.time_limit >= 0))
		return ctx_fail(fs->ctx, -EINVAL, "f2c_gc_options: time_limit is not a number of seconds");
	*told = (struct told){ o.progress, o.progress_priv };
	*opt = (struct gc_options){
		.full = o.full,
		.no_pack = o.no_pack,
		.dry_run = fs->flags & F2C_DRY_RUN,
		.max_sections = o.max_sections,
		.max_moved = o.max_moved_bytes / fs->vol->lo.block_size,
		.time_limit = o.time_limit,
		.until_free = o.until_free,
		.pack_max_blocks = o.pack_max_blocks < UINT32_MAX ?
				   (uint32_t)o.pack_max_blocks : UINT32_MAX,
		.progress = o.progress ? run_tell : NULL,
		.progress_priv = told,
		.fail_record_every = o.fail_record_every,
	};
	return victim_options_take(fs, o.victims, &opt->choice);
}

static const char *stop_name(enum gc_stop stop)
{
	switch (stop) {
	case GC_DONE:
		return NULL;
	case GC_STOP_SIGNAL:
		return "signal";
	case GC_STOP_SECTIONS:
		return "sections";
	case GC_STOP_FREE:
		return "until-free";
	case GC_STOP_SPACE:
		return "no-space";
	case GC_STOP_MOVED:
		return "max-moved";
	case GC_STOP_TIME:
		return "time";
	}
	return NULL;
}

static void put_counts(const struct gc_report *r, struct f2c_gc_report *out)
{
	out->stopped_by = stop_name(r->stopped_by);
	out->sections_selected = r->sections_selected;
	out->sections_skipped = r->sections_skipped;
	out->segments_freed = r->segments_freed;
	out->segments_already_empty = r->segments_already_empty;
	out->sections_freed = r->sections_freed;
	out->free_sections_before = r->free_secs_before;
	out->free_sections_after = r->free_secs_after;
	out->dirty_sections_before = r->dirty_secs_before;
	out->dirty_sections_after = r->dirty_secs_after;
	out->data_blocks_moved = r->moved.data_moved;
	out->node_blocks_moved = r->moved.nodes_moved;
	out->node_blocks_updated = r->moved.nodes_updated;
	out->blocks_moved = r->moved.data_moved + r->moved.nodes_moved;
	out->moved_at_once = r->moved.moved_at_once;
	out->queue_drains = r->moved.queue_drains;
	out->extents_before = r->before.extents;
	out->extents_after = r->after.extents;
	out->ideal_extents = r->after.ideal_extents;
	out->extents_split = r->moved.extents_split;
	out->seconds = r->seconds;
}

static void put_commits(const struct gc_report *r, struct f2c_gc_report *out)
{
	const struct commit_stats *c = &r->moved.commits;
	uint64_t had_to_change = r->moved.data_moved + r->moved.nodes_moved +
				 r->moved.nodes_updated;

	out->commits = c->commits;
	out->blocks_written = c->blocks_written;
	out->write_cost = run_write_cost(c, had_to_change);
	out->nat_blocks_touched = c->nat_blocks_touched;
	out->nat_blocks_read = c->nat_blocks_read;
	out->nat_blocks_written = c->nat_blocks_written;
	out->nat_journal_hits = c->nat_journal_hits;
	out->phases = run_phases(c, r->plan_ms, r->moved.merge_ms);
}

int f2c_gc_run(struct f2c_fs *fs, const struct f2c_gc_options *options,
	       struct f2c_gc_report *report)
{
	struct f2c_gc_report out = { 0 };
	struct gc_report r = { 0 };
	struct gc_options opt = { 0 };
	struct told told;
	int err = size_check(fs->ctx, "f2c_gc_report", report);

	if (err)
		return err;
	err = take_options(fs, options, &told, &opt);
	if (!err)
		err = run_can_write(fs);
	if (!err)
		err = gc_run(fs->vol, &opt, &r);
	victim_options_drop(&opt.choice);
	out.dry_run = fs->flags & F2C_DRY_RUN;
	put_counts(&r, &out);
	put_commits(&r, &out);
	size_copy_out(&out, sizeof(out), report);
	return err;
}
