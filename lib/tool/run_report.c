/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the report of a run, in the keys that all of them share. */
#include "config.h"

#include "tool/run_report.h"

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
