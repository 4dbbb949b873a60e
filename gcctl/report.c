/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of a run: every figure in JSON, in the text what people ask. */
#include "config.h"

#include "report.h"
#include "tool/run_report.h"


static void put_changes_text(struct out *out, const struct f2c_gc_report *r,
			     int err)
{
	changes_begin(out);
	changes_put(out, "Free sections", r->free_sections_before,
		    r->free_sections_after);
	changes_put(out, "Dirty sections", r->dirty_sections_before,
		    r->dirty_sections_after);
	/* A run that failed does not count them again. */
	if (!err)
		changes_put(out, "Extents of all files", r->extents_before,
			    r->extents_after);
	changes_end(out);
}

static void put_changes_json(struct out *out, const struct f2c_gc_report *r,
			     int err)
{
	out_u64(out, "free_sections_before", NULL, r->free_sections_before);
	out_u64(out, "free_sections_after", NULL, r->free_sections_after);
	out_u64(out, "dirty_sections_before", NULL, r->dirty_sections_before);
	out_u64(out, "dirty_sections_after", NULL, r->dirty_sections_after);
	out_u64(out, "extents_before", NULL, r->extents_before);
	put_or_null(out, "extents_after", r->extents_after, err);
}

static void put_sections(struct out *out, const struct f2c_gc_report *r,
			 int err, bool verbose)
{
	if (err)
		out_null(out, "ideal_extents", NULL);
	else
		out_u64(out, "ideal_extents", "Fewest extents possible",
			r->ideal_extents);
	out_u64(out, "extents_split", r->extents_split || verbose ?
		"Extents cut at sections left alone" : NULL, r->extents_split);
	out_u64(out, "sections_selected", "Sections emptied",
		r->sections_selected);
	out_u64(out, "sections_skipped", r->sections_skipped || verbose ?
		"Sections left alone" : NULL, r->sections_skipped);
	out_u64(out, "sections_freed", more(verbose, "Sections freed"),
		r->sections_freed);
	out_u64(out, "segments_freed", more(verbose, "Segments freed"),
		r->segments_freed);
	out_u64(out, "segments_already_empty",
		more(verbose, "Segments that were empty already"),
		r->segments_already_empty);
}

static void put_blocks(struct out *out, const struct f2c_gc_report *r,
		       uint32_t block_size, bool verbose)
{
	put_moved(out, &(struct moved_blocks){
		  .data = r->data_blocks_moved, .node = r->node_blocks_moved,
		  .updated = r->node_blocks_updated,
		  .written = r->blocks_written, .write_cost = r->write_cost,
		  }, block_size, verbose);
	out_u64(out, "moved_at_once", more(verbose, "Moved without a record"),
		r->moved_at_once);
	out_u64(out, "queue_drains", more(verbose, "Queue drained early"),
		r->queue_drains);
	out_u64(out, "commits", "Commits", r->commits);
}

void report_run(struct out *out, const char *path,
		const struct f2c_gc_report *r, uint32_t block_size, int err,
		bool verbose)
{
	out_str(out, "volume", NULL, path);
	out_bool(out, "dry_run", NULL, r->dry_run);
	put_headline(out, path, r->dry_run, r->stopped_by, r->commits, err);
	if (out_is_json(out))
		put_changes_json(out, r, err);
	else
		put_changes_text(out, r, err);
	put_stop(out, r->stopped_by);
	put_sections(out, r, err, verbose);
	put_blocks(out, r, block_size, verbose);
	out_double(out, "seconds", "Seconds", r->seconds, 2);
	if (!verbose && !out_is_json(out))
		return;
	put_nat(out, r->nat_blocks_touched, r->nat_blocks_read,
		r->nat_blocks_written, r->nat_journal_hits);
	put_phases(out, &r->phases);
}
