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
	out_double(out, "sync_ms", "Waiting for the device", ph->sync_ms, 1);
	out_double(out, "checkpoint_ms", "Checkpoint", ph->checkpoint_ms, 1);
	out_double(out, "barriers_ms", "Barriers", ph->barriers_ms, 1);
	out_end_object(out);
}
