/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report on a volume that was made, as text and as JSON. */
#include "config.h"

#include "mkfs.h"
#include "tool/out.h"

#include <stdio.h>
#include <string.h>

/* The names of the bits that are set: a list, or one line of text. */
static void print_names(struct out *out, const char *key, const char *label,
			uint64_t bits, const char *(*name)(unsigned int bit))
{
	char line[512] = "";
	size_t len = 0;

	if (out_is_json(out))
		out_begin_array(out, key, NULL);
	for (unsigned int bit = 0; bit < 64; bit++) {
		if (!(bits >> bit & 1) || !name(bit))
			continue;
		if (out_is_json(out))
			out_str(out, NULL, NULL, name(bit));
		len += (size_t)snprintf(line + len, sizeof(line) - len, "%s%s",
					len ? ", " : "", name(bit));
	}
	if (out_is_json(out))
		out_end_array(out);
	else
		out_str(out, NULL, label, len ? line : "none");
}

static void print_identity(struct out *out, const char *path,
			   const struct f2c_format_report *r)
{
	out_str(out, "device", "Volume", path);
	out_bool(out, "dry_run", NULL, r->dry_run);
	out_bool(out, "created", NULL, r->created);
	if (r->replaced[0])
		out_str(out, "replaced", r->dry_run ? "Would replace" :
			"Replaced", r->replaced);
	else
		out_null(out, "replaced", NULL);
	out_str(out, "uuid", "UUID", r->uuid);
	out_str(out, "label", r->label[0] ? "Label" : NULL, r->label);
	print_names(out, "features", "Features", r->features,
		    f2c_feature_name);
}

static void print_areas(struct out *out, const struct f2c_format_report *r)
{
	out_u64(out, "checkpoint_segments", NULL, r->checkpoint_segments);
	out_u64(out, "sit_segments", NULL, r->sit_segments);
	out_u64(out, "nat_segments", NULL, r->nat_segments);
	out_u64(out, "ssa_segments", NULL, r->ssa_segments);
	out_u64(out, "main_segments", "Segments in the main area",
		r->main_segments);
	out_u64(out, "segment0_block", NULL, r->segment0_block);
	out_u64(out, "sit_block", NULL, r->sit_block);
	out_u64(out, "nat_block", NULL, r->nat_block);
	out_u64(out, "ssa_block", NULL, r->ssa_block);
	out_u64(out, "main_block", NULL, r->main_block);
	out_u64(out, "cp_payload_blocks", NULL, r->cp_payload_blocks);
	out_u64(out, "sections", "Sections", r->sections);
	out_u64(out, "zones", "Zones", r->zones);
	out_u64(out, "segments_per_section", "Segments per section",
		r->segs_per_sec);
	out_u64(out, "sections_per_zone", "Sections per zone",
		r->secs_per_zone);
}

static void print_space(struct out *out, const struct f2c_format_report *r)
{
	out_double(out, "overprovision_percent", "Overprovision, percent",
		   r->overprovision, 2);
	out_u64(out, "overprovision_segments", "Overprovision segments",
		r->overprovision_segments);
	out_u64(out, "reserved_segments", "Of these, reserved for cleaning",
		r->reserved_segments);
	out_u64(out, "nodes_max", "Files and other nodes at most", r->nids);
	out_size(out, "user_bytes", "Usable by files", r->user_bytes);
	out_u64(out, NULL, "Usable by files, bytes", r->user_bytes);
}

int report_print(const struct job *job, const char *path,
		 const struct f2c_format_report *r)
{
	struct out *out = out_new(job->json ? OUT_JSON : job->quiet ?
				  OUT_NONE : OUT_TEXT, stdout);
	int err;

	if (!out) {
		fprintf(stderr, "mkfs.f2fs: out of memory\n");
		return 1;
	}
	print_identity(out, path, r);
	out_u64(out, "block_size", "Block size, bytes", r->block_size);
	out_u64(out, "sector_size", "Sector size, bytes", r->sector_size);
	out_size(out, "volume_bytes", "Size", r->volume_bytes);
	out_u64(out, "blocks", "Blocks", r->blocks);
	out_u64(out, "segments", "Segments", r->segments);
	print_areas(out, r);
	print_space(out, r);
	out_bool(out, "discarded", r->dry_run ? NULL : "Discarded",
		 r->discarded);
	print_names(out, "checkpoint_flags", NULL, r->checkpoint_flags,
		    f2c_cp_flag_name);
	if (r->dry_run)
		out_text(out, "Dry run: nothing was written.");
	out_u64(out, "exit_status", NULL, 0);
	err = out_end(out);
	if (err)
		fprintf(stderr, "mkfs.f2fs: cannot print the report: %s\n",
			strerror(-err));
	return err ? 1 : 0;
}
