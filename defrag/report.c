/* SPDX-License-Identifier: GPL-2.0-or-later */
/* defrag.f2fs --report: how files and free space lie. */
#include "config.h"

#include "defrag.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void put_degree(struct out *out, const struct f2c_frag *f,
		       uint32_t block_size)
{
	out_double(out, "degree", "Extents for each that is needed", f->degree,
		   2);
	out_double(out, "average_extent_blocks", NULL, f->average_extent, 2);
	out_size(out, NULL, "Average extent",
		 (uint64_t)(f->average_extent * block_size));
}

static void put_files(struct out *out, const char *key, const char *heading,
		      const struct f2c_frag *f, uint32_t block_size)
{
	out_begin_object(out, key, heading);
	out_u64(out, "files", "Files and folders with blocks", f->files);
	out_u64(out, "file_blocks", NULL, f->file_blocks);
	out_size(out, NULL, "In them", f->file_blocks * block_size);
	out_u64(out, "extents", "Extents", f->extents);
	out_u64(out, "ideal_extents", "Fewest extents possible",
		f->ideal_extents);
	out_u64(out, "fragmented_files", "In more extents than that",
		f->fragmented_files);
	put_degree(out, f, block_size);
	if (!strcmp(key, "fragmentation"))
		out_double(out, "non_contiguous_percent", NULL,
			   f->non_contiguous, 4);
	out_end_object(out);
}

static void put_run_sizes(struct out *out, const struct f2c_frag *f)
{
	static const struct out_column columns[] = {
		{ "min_blocks", "FROM", true },
		{ "max_blocks", "TO BLOCKS", true },
		{ "runs", "RUNS", true },
		{ "blocks", "BLOCKS", true },
		{ "percent", "PERCENT", true },
		{ 0 },
	};

	out_table_begin(out, "run_sizes", "Runs of free blocks by size",
			columns, NULL);
	for (unsigned int i = 0; i < 32; i++) {
		if (!f->free_runs_by_size[i])
			continue;
		out_row(out);
		out_cell_u64(out, UINT64_C(1) << i);
		out_cell_u64(out, (UINT64_C(2) << i) - 1);
		out_cell_u64(out, f->free_runs_by_size[i]);
		out_cell_u64(out, f->free_blocks_by_size[i]);
		out_cell_double(out, 100.0 * (double)f->free_blocks_by_size[i] /
				     (double)f->free_blocks, 1);
	}
	out_table_end(out);
}

static void put_types(struct out *out, const struct f2c_frag *f)
{
	out_begin_object(out, "types", NULL);
	for (unsigned int i = 0; i < F2C_NR_LOGS; i++) {
		out_begin_object(out, f2c_log_name(i), NULL);
		out_u64(out, "dirty_sections", NULL,
			f->dirty_sections_by_type[i]);
		out_end_object(out);
	}
	out_end_object(out);
}

/* "Dirty sections: 7 (5 hot data, 2 cold node)" */
static void put_dirty(struct out *out, const struct f2c_frag *f)
{
	char line[256], name[16];
	const char *sep = " (";
	size_t len = (size_t)snprintf(line, sizeof(line), "%" PRIu32,
				      f->dirty_sections);

	for (unsigned int i = 0; i < F2C_NR_LOGS; i++) {
		if (!f->dirty_sections_by_type[i])
			continue;
		snprintf(name, sizeof(name), "%s", f2c_log_name(i));
		*strchr(name, '_') = ' ';
		len += (size_t)snprintf(line + len, sizeof(line) - len,
					"%s%" PRIu32 " %s", sep,
					f->dirty_sections_by_type[i], name);
		sep = ", ";
	}
	snprintf(line + len, sizeof(line) - len, "%s",
		 f->dirty_sections ? ")" : "");
	out_u64(out, "dirty_sections", NULL, f->dirty_sections);
	out_str(out, NULL, "Dirty sections", line);
}

static void put_free_space(struct out *out, const struct f2c_frag *f,
			   uint32_t block_size)
{
	char line[64];

	out_begin_object(out, "free_space", "Free space");
	out_u64(out, "free_blocks", NULL, f->free_blocks);
	out_size(out, NULL, "Free", f->free_blocks * block_size);
	out_u64(out, "whole_section_blocks", NULL, f->whole_free_blocks);
	out_double(out, "whole_section_percent", NULL, f->whole_free, 2);
	snprintf(line, sizeof(line), "%.1f %% of it", f->whole_free);
	out_str(out, NULL, "In whole sections", line);
	out_u64(out, "free_sections", "Free sections", f->free_sections);
	put_dirty(out, f);
	out_u64(out, "free_segments", "Free segments", f->free_segments);
	out_u64(out, "dirty_segments", "Dirty segments", f->dirty_segments);
	out_u64(out, "free_runs", "Runs of free blocks", f->free_runs);
	out_u64(out, "longest_free_run", NULL, f->longest_free_run);
	out_size(out, NULL, "The longest", f->longest_free_run * block_size);
	put_types(out, f);
	if (out_is_json(out))
		put_run_sizes(out, f);
	out_end_object(out);
	if (!out_is_json(out))
		put_run_sizes(out, f);
}

static void put_list(const struct defrag *d, struct out *out,
		     uint32_t block_size)
{
	const struct file_list *list = &d->files;
	char heading[128];

	snprintf(heading, sizeof(heading), "%zu of %" PRIu64 " file%s, by %s%s",
		 list->nr, list->sum.files, plural(list->sum.files),
		 list->sort ? list->sort : "score",
		 list->reverse ? ", reversed" : "");
	if (!list->nr)
		out_text(out, "No file with blocks is among these.");
	if (list->nr || out_is_json(out))
		file_list_put(list, out, heading, d->columns, block_size);
}

/* Whether the list is of fewer files than there are. */
static bool is_choice(const struct defrag *d)
{
	return d->run.nr_paths || d->run.nr_exclude || d->run.min_extents ||
	       d->run.min_score > 0;
}

static void put_report(struct defrag *d, struct out *out, const char *volume,
		       const struct f2c_frag *total, uint32_t block_size)
{
	struct f2c_frag *sum = &d->files.sum;

	sum->degree = sum->ideal_extents ? (double)sum->extents /
					   (double)sum->ideal_extents : 1;
	sum->average_extent = sum->extents ? (double)sum->file_blocks /
					     (double)sum->extents : 0;
	out_str(out, "volume", NULL, volume);
	out_u64(out, "block_size", NULL, block_size);
	if (!out_is_json(out))
		put_list(d, out, block_size);
	if (out_is_json(out) || is_choice(d))
		put_files(out, "selected", "These files", sum, block_size);
	put_files(out, "fragmentation", "All files", total, block_size);
	put_free_space(out, total, block_size);
	if (out_is_json(out))
		put_list(d, out, block_size);
}

/* The volume is read as its last checkpoint left it. */
static void warn_pending(const struct defrag *d, const struct f2c_status *st)
{
	char text[128];

	if (!st->fsyncs_pending)
		return;
	snprintf(text, sizeof(text), "%" PRIu64 " fsynced node%s wait%s to be replayed by a mount, and %s not counted",
		 st->fsyncs_pending, plural(st->fsyncs_pending),
		 st->fsyncs_pending == 1 ? "s" : "",
		 st->fsyncs_pending == 1 ? "is" : "are");
	log_line(&d->s.log, F2C_WARNING, NULL, text);
}

int report(struct defrag *d, const char *volume)
{
	struct f2c_frag_options opt = {
		.size = sizeof(opt),
		.paths = d->run.paths, .nr_paths = d->run.nr_paths,
		.exclude = d->run.exclude, .nr_exclude = d->run.nr_exclude,
	};
	struct f2c_frag total = { .size = sizeof(total) };
	struct f2c_status st = { .size = sizeof(st) };
	struct out *out;
	int err;

	if (session_open(&d->s, volume, d->force ? F2C_FORCE : F2C_RDONLY))
		return session_no_result(&d->s);
	err = f2c_get_status(d->s.fs, &st);
	if (!err)
		err = f2c_frag_files(d->s.fs, &opt, file_list_add, &d->files,
				     &total);
	if (err) {
		session_fail(&d->s);
		return session_no_result(&d->s);
	}
	warn_pending(d, &st);
	file_list_finish(&d->files);
	out = session_out(&d->s);
	if (!out)
		return 1;
	put_report(d, out, volume, &total, st.block_size);
	return session_end_out(&d->s, out, 0);
}
