/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of a run: every figure in JSON, in the text what people ask. */
#include "config.h"

#include "defrag.h"
#include "tool/run_report.h"


static void put_changes_text(struct out *out, const struct f2c_defrag_report *r,
			     int err)
{
	changes_begin(out);
	/* A run that failed does not count them again. */
	if (!err) {
		changes_put(out, "Extents of all files", r->extents_before,
			    r->extents_after);
		changes_put(out, "Files in more extents than needed",
			    r->fragmented_files_before,
			    r->fragmented_files_after);
	}
	changes_put(out, "Free sections", r->free_sections_before,
		    r->free_sections_after);
	changes_put(out, "Dirty sections", r->dirty_sections_before,
		    r->dirty_sections_after);
	changes_end(out);
}

static void put_changes_json(struct out *out, const struct f2c_defrag_report *r,
			     int err)
{
	out_u64(out, "extents_before", NULL, r->extents_before);
	put_or_null(out, "extents_after", r->extents_after, err);
	out_u64(out, "fragmented_files_before", NULL,
		r->fragmented_files_before);
	put_or_null(out, "fragmented_files_after", r->fragmented_files_after,
		    err);
	out_u64(out, "free_sections_before", NULL, r->free_sections_before);
	out_u64(out, "free_sections_after", NULL, r->free_sections_after);
	out_u64(out, "free_sections_most", NULL, r->free_sections_most);
	out_u64(out, "dirty_sections_before", NULL, r->dirty_sections_before);
	out_u64(out, "dirty_sections_after", NULL, r->dirty_sections_after);
}

static void put_files(struct out *out, const struct f2c_defrag_report *r,
		      uint32_t block_size, bool verbose)
{
	out_u64(out, "ideal_extents", "Fewest extents possible",
		r->ideal_extents);
	out_u64(out, "files_selected", more(verbose, "Files that would gain"),
		r->files_selected);
	out_u64(out, "files_moved", "Files put in order", r->files_moved);
	out_u64(out, "files_skipped", r->files_skipped || verbose ?
		"Files that are pinned or have no room" : NULL,
		r->files_skipped);
	out_u64(out, "blocks_skipped", NULL, r->blocks_skipped);
	out_u64(out, "blocks_without_gain", NULL, r->blocks_without_gain);
	out_size(out, NULL, "In files without a gain",
		 r->blocks_without_gain * block_size);
	out_u64(out, "blocks_left_out", NULL, r->blocks_left_out);
	out_size(out, NULL, r->blocks_left_out || verbose ?
		 "In files that are left out" : NULL,
		 r->blocks_left_out * block_size);
	out_u64(out, "rounds", more(verbose, "Rounds"), r->rounds);
	out_u64(out, "rounds_for_room",
		more(verbose, "Rounds that only made room"),
		r->rounds_for_room);
}

void put_run(struct out *out, const char *volume,
	     const struct f2c_defrag_report *r, uint32_t block_size, int err,
	     bool verbose)
{
	out_str(out, "volume", NULL, volume);
	out_bool(out, "dry_run", NULL, r->dry_run);
	put_headline(out, volume, r->dry_run, r->stopped_by, r->commits, err);
	if (out_is_json(out))
		put_changes_json(out, r, err);
	else
		put_changes_text(out, r, err);
	put_stop(out, r->stopped_by);
	put_files(out, r, block_size, verbose);
	put_moved(out, &(struct moved_blocks){
		  .data = r->data_blocks_moved, .node = r->node_blocks_moved,
		  .updated = r->node_blocks_updated,
		  .written = r->blocks_written, .write_cost = r->write_cost,
		  }, block_size, verbose);
	out_u64(out, "commits", "Commits", r->commits);
	out_double(out, "seconds", "Seconds", r->seconds, 2);
	if (!verbose && !out_is_json(out))
		return;
	put_nat(out, r->nat_blocks_touched, r->nat_blocks_read,
		r->nat_blocks_written, r->nat_journal_hits);
	put_phases(out, &r->phases);
}
