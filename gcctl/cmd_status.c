/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gcctl.f2fs status: what a mounted kernel's debugfs status would show. */
#include "config.h"

#include "gcctl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct status_job {
	struct session s;		/* first: the shared handlers */
	bool force;
};

static int set_force(struct cli *cli, const char *arg)
{
	struct status_job *job = cli->priv;

	(void)arg;
	job->force = true;
	return 0;
}

static const struct cli_opt options[] = {
	{ 0, "json", NULL, "print one JSON document", set_json },
	{ 'f', "force", NULL, "read a volume that is in use; the figures may be old",
	  set_force },
	{ 'q', "quiet", NULL, "no warnings", set_quiet },
	{ 'v', "verbose", NULL, "also tell what was noticed while reading",
	  set_verbose },
	{ 0 },
};

/* Name of @bit, or "bit 20" in @number if it has none. */
static const char *bit_name(unsigned int bit, const char *(*name)(unsigned int),
			    char number[16])
{
	const char *text = name(bit);

	if (text)
		return text;
	snprintf(number, 16, "bit %u", bit);
	return number;
}

/* The names of set bits: an array in JSON, a list with commas in the text. */
static void put_bits(struct out *out, const char *key, const char *label,
		     uint64_t bits, const char *(*name)(unsigned int))
{
	char line[1024] = "none", number[16];
	size_t len = 0;

	if (out_is_json(out))
		out_begin_array(out, key, NULL);
	for (unsigned int bit = 0; bit < 64; bit++) {
		if (!(bits & UINT64_C(1) << bit))
			continue;
		if (out_is_json(out))
			out_str(out, NULL, NULL, bit_name(bit, name, number));
		else if (len < sizeof(line))
			len += (size_t)snprintf(line + len, sizeof(line) - len,
						"%s%s", len ? ", " : "",
						bit_name(bit, name, number));
	}
	if (out_is_json(out))
		out_end_array(out);
	else
		out_str(out, NULL, label, line);
}

static void put_volume(struct out *out, const char *path,
		       const struct f2c_status *st)
{
	out_str(out, "volume", "Volume", path);
	out_str(out, "label", "Label", st->label);
	out_str(out, "uuid", "UUID", st->uuid);
	out_u64(out, "features_mask", NULL, st->features);
	put_bits(out, "features", "Features", st->features, f2c_feature_name);
	out_u64(out, "checkpoint_version", "Checkpoint", st->checkpoint_version);
	out_u64(out, "checkpoint_flags_mask", NULL, st->checkpoint_flags);
	put_bits(out, "checkpoint_flags", "Checkpoint flags",
		 st->checkpoint_flags, f2c_cp_flag_name);
	out_u64(out, "orphans", "Orphans", st->orphans);
	out_u64(out, "fsyncs_pending", "Fsynced nodes to replay",
		st->fsyncs_pending);
	out_u64(out, "elapsed_seconds", "Seconds mounted", st->elapsed_seconds);
}

static void put_space(struct out *out, const struct f2c_status *st)
{
	char line[64];

	out_u64(out, "block_size", NULL, st->block_size);
	out_u64(out, "user_blocks", NULL, st->user_blocks);
	out_u64(out, "valid_blocks", NULL, st->valid_blocks);
	out_double(out, "utilization", NULL, st->utilization, 2);
	out_size(out, NULL, "For files", st->user_blocks * st->block_size);
	out_size(out, NULL, "In use", st->valid_blocks * st->block_size);
	snprintf(line, sizeof(line), "%.2f %%", st->utilization);
	out_str(out, NULL, "Utilization", line);
	out_u64(out, "valid_data_blocks", "Valid data blocks",
		st->valid_data_blocks);
	out_u64(out, "valid_node_blocks", "Valid node blocks",
		st->valid_node_blocks);
	out_u64(out, "valid_inodes", "Inodes", st->valid_inodes);
	out_u64(out, "nids_used", "Node ids in use", st->nids_used);
	out_u64(out, "nids_max", "Node ids in all", st->nids_max);
}

static void put_segments(struct out *out, const struct f2c_status *st)
{
	out_u64(out, "segments", "Segments", st->segments);
	out_u64(out, "free_segments", "Free segments", st->free_segments);
	out_u64(out, "dirty_segments", "Dirty segments", st->dirty_segments);
	out_u64(out, "full_segments", "Full segments", st->full_segments);
	out_u64(out, "reserved_segments", "Reserved segments",
		st->reserved_segments);
	out_u64(out, "overprovision_segments", "Over-provisioned segments",
		st->overprovision_segments);
	out_u64(out, "segments_per_section", "Segments in a section",
		st->segs_per_sec);
	out_u64(out, "sections_per_zone", "Sections in a zone",
		st->secs_per_zone);
	out_u64(out, "sections", "Sections", st->sections);
	out_u64(out, "free_sections", "Free sections", st->free_sections);
	out_u64(out, "dirty_sections", "Dirty sections", st->dirty_sections);
}

static void put_types_json(struct out *out, const struct f2c_status *st)
{
	out_begin_object(out, "types", NULL);
	for (unsigned int i = 0; i < F2C_NR_LOGS; i++) {
		const struct f2c_log_status *log = &st->logs[i];

		out_begin_object(out, f2c_log_name(i), NULL);
		out_u64(out, "segments", NULL, log->segments);
		out_u64(out, "dirty_segments", NULL, log->dirty_segments);
		out_u64(out, "full_segments", NULL, log->full_segments);
		out_u64(out, "valid_blocks", NULL, log->valid_blocks);
		out_u64(out, "current_segment", NULL, log->segno);
		out_u64(out, "next_block", NULL, log->next);
		out_str(out, "allocation", NULL, log->ssr ? "ssr" : "lfs");
		out_end_object(out);
	}
	out_end_object(out);
}

static void put_types_text(struct out *out, const struct f2c_status *st)
{
	static const struct out_column columns[] = {
		{ "type", "TYPE", false },
		{ "segments", "SEGMENTS", true },
		{ "dirty", "DIRTY", true },
		{ "full", "FULL", true },
		{ "valid", "VALID BLOCKS", true },
		{ "current", "CURRENT", true },
		{ "next", "NEXT BLOCK", true },
		{ "allocation", "ALLOCATION", false },
		{ 0 },
	};

	out_table_begin(out, "types", "By type of segment", columns, NULL);
	for (unsigned int i = 0; i < F2C_NR_LOGS; i++) {
		const struct f2c_log_status *log = &st->logs[i];
		char name[16];

		snprintf(name, sizeof(name), "%s", f2c_log_name(i));
		*strchr(name, '_') = ' ';
		out_row(out);
		out_cell_str(out, name);
		out_cell_u64(out, log->segments);
		out_cell_u64(out, log->dirty_segments);
		out_cell_u64(out, log->full_segments);
		out_cell_u64(out, log->valid_blocks);
		out_cell_u64(out, log->segno);
		out_cell_u64(out, log->next);
		out_cell_str(out, log->ssr ? "reuses holes" : "appends");
	}
	out_table_end(out);
}

static int report(struct status_job *job, const char *path)
{
	struct f2c_status st = { .size = sizeof(st) };
	struct out *out;

	if (session_open(&job->s, path, job->force ? F2C_FORCE : F2C_RDONLY))
		return session_no_result(&job->s);
	if (f2c_get_status(job->s.fs, &st)) {
		session_fail(&job->s);
		return session_no_result(&job->s);
	}
	out = session_out(&job->s);
	if (!out)
		return 1;
	put_volume(out, path, &st);
	out_text(out, "%s", "");
	put_space(out, &st);
	out_text(out, "%s", "");
	put_segments(out, &st);
	if (out_is_json(out))
		put_types_json(out, &st);
	else
		put_types_text(out, &st);
	return session_end_out(&job->s, out, 0);
}

int cmd_status(int argc, char **argv)
{
	struct status_job job = { 0 };
	struct cli cli = {
		.program = PROGRAM,
		.command = "status",
		.usage = "[OPTION]... VOLUME",
		.summary = "Show segments, sections, valid blocks and utilization of a volume that "
			"is not mounted.",
		.opts = options,
		.min_operands = 1,
		.priv = &job,
	};
	int status;

	session_init(&job.s, PROGRAM);
	if (!cli_parse(&cli, argc, argv))
		return cli.status;
	status = report(&job, cli.operands[0]);
	session_close(&job.s);
	return status;
}
