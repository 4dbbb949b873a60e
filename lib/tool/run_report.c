/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the report of a run, in the keys that all of them share. */
#include "config.h"

#include "tool/run_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void put_headline(struct out *out, const char *volume, bool dry_run,
		  const char *stopped_by, uint64_t commits, int err)
{
	const char *what = "done";

	if (err)
		what = "the run failed; this is what was committed before";
	else if (dry_run)
		what = "a run would do this (nothing was written)";
	else if (stopped_by && !strcmp(stopped_by, "signal"))
		what = "stopped by a signal; this is what was committed before";
	else if (!commits)
		what = "nothing to do";
	out_text(out, "%s: %s:", volume, what);
}

static const char *stop_label(const char *reason)
{
	static const struct {
		const char *reason, *text;
	} words[] = {
		{ "signal", "a signal" },
		{ "sections", "the limit of --sections" },
		{ "until-free", "the goal of --until-free" },
		{ "max-moved", "the limit of --max-moved" },
		{ "time", "the limit of --time-limit" },
		{ "no-space", "too little free space to go on" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i].reason, reason))
			return words[i].text;
	return reason;
}

void put_stop(struct out *out, const char *stopped_by)
{
	if (!stopped_by)
		return;
	out_str(out, "stopped_by", NULL, stopped_by);
	out_str(out, NULL, "Stopped by", stop_label(stopped_by));
}

const char *more(bool verbose, const char *label)
{
	return verbose ? label : NULL;
}

static const struct out_column before_after[] = {
	{ "what", "", false },
	{ "before", "BEFORE", true },
	{ "after", "AFTER", true },
	{ 0 },
};

void changes_begin(struct out *out)
{
	out_table_begin(out, "changes", NULL, before_after, NULL);
}

void changes_put(struct out *out, const char *what, uint64_t before,
		 uint64_t after)
{
	out_row(out);
	out_cell_str(out, what);
	out_cell_u64(out, before);
	out_cell_u64(out, after);
}

void changes_end(struct out *out)
{
	out_table_end(out);
	out_text(out, "%s", "");
}

void put_or_null(struct out *out, const char *key, uint64_t v, int err)
{
	if (err)
		out_null(out, key, NULL);
	else
		out_u64(out, key, NULL, v);
}

void put_moved(struct out *out, const struct moved_blocks *m,
	       uint32_t block_size, bool verbose)
{
	uint64_t all = m->data + m->node;
	char line[96];

	out_u64(out, "blocks_moved", NULL, all);
	snprintf(line, sizeof(line), "%" PRIu64 " (%" PRIu64 " data, %" PRIu64
		 " node)", all, m->data, m->node);
	out_str(out, NULL, "Blocks moved", line);
	out_u64(out, "data_blocks_moved", NULL, m->data);
	out_u64(out, "node_blocks_moved", NULL, m->node);
	out_u64(out, "node_blocks_updated",
		more(verbose, "Nodes written for new addresses"), m->updated);
	out_u64(out, "blocks_written", more(verbose, "Blocks written"),
		m->written);
	out_size(out, NULL, "Written", m->written * block_size);
	out_double(out, "write_cost",
		   more(verbose, "Blocks written for each that had to change"),
		   m->write_cost, 3);
}

static void put_replay_text(struct out *out, const char *volume,
			    const struct f2c_replay_report *r)
{
	const char *would = r->dry_run ? "would be " : "";

	if (r->orphans_freed)
		out_text(out, "%s: %" PRIu64 " orphan%s %sfreed, with %" PRIu64
			 " blocks", volume, r->orphans_freed,
			 r->orphans_freed == 1 ? "" : "s", would,
			 r->nodes_freed + r->blocks_freed);
	if (r->chain_nodes)
		out_text(out, "%s: %" PRIu64 " fsynced file%s %srecovered, from %"
			 PRIu64 " nodes", volume, r->inodes_recovered,
			 r->inodes_recovered == 1 ? "" : "s", would,
			 r->chain_nodes);
	if (r->inodes_kept)
		out_text(out, "%s: %" PRIu64 " file%s whose directory is gone %s"
			 "put into lost+found", volume, r->inodes_kept,
			 r->inodes_kept == 1 ? "" : "s", would);
	if (r->blocks_refused)
		out_text(out, "%s: %" PRIu64 " block%s cannot be recovered, as "
			 "it is not known whose they are", volume,
			 r->blocks_refused, r->blocks_refused == 1 ? "" : "s");
	if (r->commits && !r->orphans_freed && !r->chain_nodes &&
	    r->quota_files)
		out_text(out, "%s: usage of %" PRIu64 " owners %scorrected in "
			 "quota files", volume, r->quota_ids_changed, would);
	if (r->chain_cut_at)
		out_text(out, "%s: what was fsynced last cannot be recovered, "
			 "from the node at block %" PRIu64 " on: %s", volume,
			 r->chain_cut_at, r->chain_cut_why);
}

void put_replay(struct out *out, const char *volume,
		const struct f2c_replay_report *r, bool verbose)
{
	if (!out_is_json(out))
		put_replay_text(out, volume, r);
	if (!out_is_json(out) && !verbose)
		return;
	out_begin_object(out, "replay", "Replay");
	out_bool(out, "dry_run", NULL, r->dry_run);
	out_u64(out, "orphans_freed", "Orphans freed", r->orphans_freed);
	out_u64(out, "orphans_missing", NULL, r->orphans_missing);
	out_u64(out, "nodes_freed", "Nodes freed", r->nodes_freed);
	out_u64(out, "blocks_freed", "Blocks of data freed", r->blocks_freed);
	out_u64(out, "chain_nodes", "Nodes replayed", r->chain_nodes);
	out_u64(out, "inodes_recovered", "Files recovered",
		r->inodes_recovered);
	out_u64(out, "inodes_made", "New files among them", r->inodes_made);
	out_u64(out, "inodes_freed", "Files that lost their last name",
		r->inodes_freed);
	out_u64(out, "inodes_kept", "Files put into lost+found",
		r->inodes_kept);
	out_u64(out, "names_added", "Names added", r->names_added);
	out_u64(out, "names_removed", "Names removed", r->names_removed);
	out_u64(out, "blocks_recovered", "Blocks of data recovered",
		r->blocks_recovered);
	out_u64(out, "blocks_refused", NULL, r->blocks_refused);
	put_or_null(out, "chain_cut_at", r->chain_cut_at, !r->chain_cut_at);
	out_str(out, "chain_cut_why", NULL, r->chain_cut_why);
	out_u64(out, "quota_files", NULL, r->quota_files);
	out_u64(out, "quota_ids_changed", NULL, r->quota_ids_changed);
	out_bool(out, "quota_marked", NULL, r->quota_marked);
	out_u64(out, "commits", NULL, r->commits);
	out_u64(out, "blocks_written", "Blocks written", r->blocks_written);
	out_double(out, "seconds", "Seconds", r->seconds, 3);
	put_nat(out, r->nat_blocks_touched, r->nat_blocks_read,
		r->nat_blocks_written, r->nat_journal_hits);
	put_phases(out, &r->phases);
	out_end_object(out);
}

void put_nat(struct out *out, uint64_t touched, uint64_t read,
	     uint64_t written, uint64_t journal_hits)
{
	out_begin_object(out, "nat", "NAT blocks");
	out_u64(out, "blocks_touched", "Touched", touched);
	out_u64(out, "blocks_read", "Read", read);
	out_u64(out, "blocks_written", "Written", written);
	out_u64(out, "journal_hits", "Entries in the journal instead",
		journal_hits);
	out_end_object(out);
}

void put_phases(struct out *out, const struct f2c_phases *ph)
{
	out_begin_object(out, "phases", "Milliseconds");
	out_double(out, "plan_ms", "Planning", ph->plan_ms, 1);
	out_double(out, "merge_ms", "Copying", ph->merge_ms, 1);
	out_double(out, "nat_flush_ms", "NAT", ph->nat_flush_ms, 1);
	out_double(out, "sit_flush_ms", "SIT", ph->sit_flush_ms, 1);
	out_double(out, "sync_ms", "Metadata to the device", ph->sync_ms, 1);
	out_double(out, "checkpoint_ms", "Checkpoint", ph->checkpoint_ms, 1);
	out_double(out, "barriers_ms", "Barriers", ph->barriers_ms, 1);
	out_end_object(out);
}
