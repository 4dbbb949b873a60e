/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a check found, for people and as JSON. */
#include "config.h"

#include "fsck.h"
#include "tool/run_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Of one kind; -v and --json show all. */
#define MAX_SHOWN 20U

static const char *severity_name(enum f2c_severity severity)
{
	switch (severity) {
	case F2C_SEV_NOTE:
		return "note";
	case F2C_SEV_ERROR:
		return "error";
	default:
		return "fatal";
	}
}

static void put_finding(struct out *out, const struct f2c_finding *found)
{
	out_begin_object(out, NULL, NULL);
	out_str(out, "id", NULL, found->id);
	out_str(out, "severity", NULL, severity_name(found->severity));
	out_str(out, "text", NULL, found->text);
	out_str(out, "structure", NULL, found->structure);
	out_u64(out, "number", NULL, found->number);
	put_or_null(out, "address", found->address, !found->address);
	put_or_null(out, "inode", found->inode, !found->inode);
	out_str(out, "path", NULL, found->path);
	put_or_null(out, "found", found->found, !found->has_values);
	put_or_null(out, "expected", found->expected, !found->has_values);
	out_str(out, "detail", NULL, found->detail);
	out_str(out, "repair", NULL, found->repair);
	out_bool(out, "repaired", NULL, found->repaired);
	out_end_object(out);
}

static void put_findings(struct out *out, struct f2c_check_report *report)
{
	size_t nr = f2c_check_nr_findings(report);

	out_begin_array(out, "findings", NULL);
	for (size_t i = 0; i < nr; i++)
		put_finding(out, f2c_check_finding(report, i));
	out_end_array(out);
}

static void print_finding(const struct fsck *f, struct out *out,
			  const struct f2c_finding *found)
{
	const char *done = !found->repaired ? "" :
			   f->dry_run ? ": would be repaired" : ": repaired";

	if (found->path)
		out_text(out, "%s: %s%s", found->line, found->path, done);
	else
		out_text(out, "%s%s", found->line, done);
}

/* A line each; of a problem that is all over the volume only the first ones. */
static void print_findings(const struct fsck *f, struct out *out,
			   struct f2c_check_report *report)
{
	size_t nr = f2c_check_nr_findings(report);
	const char *last = "";
	uint64_t same = 0;

	for (size_t i = 0; i <= nr; i++) {
		const struct f2c_finding *found = f2c_check_finding(report, i);

		if (!found || strcmp(found->id, last)) {
			if (same > MAX_SHOWN && !f->s.verbose)
				out_text(out, "%s: and %" PRIu64 " more", last,
					 same - MAX_SHOWN);
			same = 0;
		}
		if (!found)
			break;
		last = found->id;
		if (same++ >= MAX_SHOWN && !f->s.verbose)
			continue;
		print_finding(f, out, found);
	}
}

static void print_verbose(struct out *out, const struct f2c_check_summary *s)
{
	out_u64(out, NULL, "Files", s->files);
	out_u64(out, NULL, "Directories", s->directories);
	out_u64(out, NULL, "Nodes", s->nodes);
	out_u64(out, NULL, "Blocks in use", s->blocks);
	out_u64(out, NULL, "Blocks", s->main_blocks);
	out_u64(out, NULL, "Orphans", s->orphans);
	out_u64(out, NULL, "Fsynced nodes to replay", s->fsyncs_pending);
	out_u64(out, NULL, "Fragmented files", s->frag.fragmented_files);
	out_u64(out, NULL, "Longest run of free blocks",
		s->frag.longest_free_run);
}

static void print_summary(const struct fsck *f, struct out *out, const char *path,
			  const struct f2c_check_summary *s)
{
	char state[64] = "clean";

	if (s->errors)
		snprintf(state, sizeof(state), "%" PRIu64 " error%s",
			 s->errors, s->errors == 1 ? "" : "s");
	if (s->errors && !s->left)
		snprintf(state, sizeof(state), f->dry_run ?
			 "can be repaired" : "repaired");
	else if (s->repaired)
		snprintf(state, sizeof(state), "%" PRIu64 " error%s left",
			 s->left, s->left == 1 ? "" : "s");
	out_text(out, "%s: %s, %" PRIu64 " file%s, %" PRIu64
		 " director%s, %" PRIu64 " of %" PRIu64 " blocks in use",
		 path, state, s->files, s->files == 1 ? "" : "s",
		 s->directories, s->directories == 1 ? "y" : "ies",
		 s->blocks, s->main_blocks);
	out_text(out, "%s: fragmentation: %" PRIu64 " files with blocks, %"
		 PRIu64 " extents (%" PRIu64
		 " ideal), %.1f %% non-contiguous, %" PRIu64 " free runs",
		 path, s->frag.files, s->frag.extents, s->frag.ideal_extents,
		 s->frag.non_contiguous, s->frag.free_runs);
}

/* Of a volume that was not cleanly unmounted: what -p would do. */
static void print_offer(const struct fsck *f, struct out *out,
			const char *path, const struct f2c_check_summary *s)
{
	if (f->repair || s->errors || !(s->orphans || s->fsyncs_pending))
		return;
	out_text(out, "%s: not cleanly unmounted: %" PRIu64 " orphan%s to be "
		 "freed, %" PRIu64 " fsynced node%s to be replayed; the next "
		 "mount does it, or fsck.f2fs -p", path, s->orphans,
		 s->orphans == 1 ? "" : "s", s->fsyncs_pending,
		 s->fsyncs_pending == 1 ? "" : "s");
}

static void put_fragmentation(struct out *out, const struct f2c_frag *frag)
{
	out_begin_object(out, "fragmentation", NULL);
	out_u64(out, "files", NULL, frag->files);
	out_u64(out, "file_blocks", NULL, frag->file_blocks);
	out_u64(out, "extents", NULL, frag->extents);
	out_u64(out, "ideal_extents", NULL, frag->ideal_extents);
	out_u64(out, "fragmented_files", NULL, frag->fragmented_files);
	out_double(out, "degree", NULL, frag->degree, 2);
	out_double(out, "non_contiguous_percent", NULL, frag->non_contiguous,
		   4);
	out_u64(out, "free_blocks", NULL, frag->free_blocks);
	out_u64(out, "free_runs", NULL, frag->free_runs);
	out_u64(out, "longest_free_run", NULL, frag->longest_free_run);
	out_end_object(out);
}

/* What a repair wrote; for machines only. */
static void put_written(struct out *out, const struct f2c_check_summary *s)
{
	out_u64(out, "commits", NULL, s->commits);
	out_u64(out, "blocks_written", NULL, s->blocks_written);
	put_nat(out, s->nat_blocks_touched, s->nat_blocks_read,
		s->nat_blocks_written, s->nat_journal_hits);
	put_phases(out, &s->phases);
}

static void put_summary(struct out *out, const char *path,
			const struct f2c_check_summary *s)
{
	out_str(out, "volume", NULL, path);
	out_bool(out, "clean", NULL, !s->left);
	out_u64(out, "errors", NULL, s->errors);
	out_u64(out, "errors_left", NULL, s->left);
	out_u64(out, "repaired", NULL, s->repaired);
	out_str(out, "refused", NULL, s->refused);
	out_u64(out, "notes", NULL, s->notes);
	out_u64(out, "files", NULL, s->files);
	out_u64(out, "directories", NULL, s->directories);
	out_u64(out, "nodes", NULL, s->nodes);
	out_u64(out, "blocks", NULL, s->blocks);
	out_u64(out, "main_blocks", NULL, s->main_blocks);
	out_u64(out, "orphans", NULL, s->orphans);
	out_u64(out, "fsyncs_pending", NULL, s->fsyncs_pending);
	put_written(out, s);
	put_fragmentation(out, &s->frag);
}

/* Why something, or all, is as it was. */
static void print_undone(const struct fsck *f, struct out *out,
			 const char *path, const struct f2c_check_summary *s)
{
	if (!f->repair || !s->left)
		return;
	if (s->refused)
		out_text(out, "%s: nothing was changed: %s", path, s->refused);
	else if (!s->commits && !f->all)
		out_text(out, "%s: this needs -y: nothing was changed", path);
	else if (!s->commits)
		out_text(out, "%s: this cannot be repaired yet: nothing was changed",
			 path);
}

void report_check(struct fsck *f, struct out *out, const char *path,
		  struct f2c_check_report *report)
{
	const struct f2c_check_summary *s = f2c_check_get_summary(report);

	if (out_is_json(out)) {
		put_summary(out, path, s);
		if (f->replay.commits)
			put_replay(out, path, &f->replay, f->s.verbose);
		put_findings(out, report);
		return;
	}
	if (f->replay.commits)
		put_replay(out, path, &f->replay, f->s.verbose);
	print_findings(f, out, report);
	if (f->s.verbose)
		print_verbose(out, s);
	print_summary(f, out, path, s);
	print_offer(f, out, path, s);
	print_undone(f, out, path, s);
}
