/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of gcctl.f2fs victims: the list, its totals, and a histogram. */
#include "config.h"

#include "victims.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { COL_SECTION, COL_TYPE, COL_VALID, COL_SHARE, COL_AGE, COL_COST,
       COL_GAIN, COL_CURRENT, NR_COLS };

const struct out_column victim_columns[NR_COLS + 1] = {
	[COL_SECTION] = { "section", "SECTION", true },
	[COL_TYPE] = { "type", "TYPE", false },
	[COL_VALID] = { "valid_blocks", "VALID", true },
	[COL_SHARE] = { "valid_percent", "SHARE", true },
	[COL_AGE] = { "age_seconds", "AGE", true },
	[COL_COST] = { "cost", "COST", true },
	[COL_GAIN] = { "gain_blocks", "GAIN", true },
	[COL_CURRENT] = { "current", "CURRENT", false },
};

struct row {
	const struct f2c_victim *v;
	size_t place;			/* in the library's order */
	int sort;
	bool reverse;
};

int victim_column(const char *word, size_t len)
{
	for (int i = 0; i < NR_COLS; i++) {
		const struct out_column *c = &victim_columns[i];

		if (strlen(c->key) == len && !memcmp(c->key, word, len))
			return i;
		if (strlen(c->head) == len && !strncasecmp(c->head, word, len))
			return i;
	}
	return -1;
}

/* What a column is sorted by, the smallest first. */
static int64_t sort_value(const struct row *r)
{
	switch (r->sort) {
	case COL_SECTION:
		return r->v->section;
	case COL_TYPE:
		return r->v->type;
	case COL_VALID:
	case COL_SHARE:
		return -(int64_t)r->v->valid_blocks;
	case COL_AGE:
		return r->v->age_seconds < INT64_MAX ?
		       -(int64_t)r->v->age_seconds : -INT64_MAX;
	case COL_GAIN:
		return -(int64_t)r->v->gain_blocks;
	case COL_CURRENT:
		return !r->v->is_current;
	default:
		return (int64_t)r->place;
	}
}

static int compare_rows(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;
	int64_t x = sort_value(a), y = sort_value(b);
	int ret = (x > y) - (x < y);

	if (a->reverse)
		ret = -ret;
	return ret ? ret : (a->place > b->place) - (a->place < b->place);
}

/* In the largest unit that it has one of. */
static char *age_text(uint64_t seconds, char text[32])
{
	static const struct {
		uint64_t seconds;
		const char *unit;
	} units[] = {
		{ 86400, "d" }, { 3600, "h" }, { 60, "min" }, { 1, "s" },
	};
	size_t i = 0;

	while (i < 3 && seconds < units[i].seconds)
		i++;
	snprintf(text, 32, "%" PRIu64 " %s", seconds / units[i].seconds,
		 units[i].unit);
	return text;
}

static const char *type_text(const struct out *out, enum f2c_log_type type,
			     char text[16])
{
	snprintf(text, 16, "%s", f2c_log_name(type));
	if (!out_is_json(out))
		*strchr(text, '_') = ' ';
	return text;
}

static void put_row(struct out *out, const struct f2c_victim *v)
{
	char text[32], type[16];
	double share = 100.0 * v->valid_blocks / v->blocks;

	out_row(out);
	out_cell_u64(out, v->section);
	out_cell_str(out, type_text(out, v->type, type));
	out_cell_u64(out, v->valid_blocks);
	if (out_is_json(out)) {
		out_cell_double(out, share, 2);
		out_cell_u64(out, v->age_seconds);
	} else {
		snprintf(text, sizeof(text), "%.1f %%", share);
		out_cell_str(out, text);
		out_cell_str(out, age_text(v->age_seconds, text));
	}
	out_cell_u64(out, v->cost);
	out_cell_u64(out, v->gain_blocks);
	if (out_is_json(out))
		out_cell_bool(out, v->is_current);
	else
		out_cell_str(out, v->is_current ? "yes" : "");
}

static int put_list(const struct victims_job *job, struct out *out)
{
	size_t nr = f2c_victims_nr(job->victims), shown = nr;
	struct row *rows = calloc(nr + 1, sizeof(*rows));
	char heading[96];

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		rows[i] = (struct row){ f2c_victims_get(job->victims, i), i,
					job->sort, job->reverse };
	qsort(rows, nr, sizeof(*rows), compare_rows);
	if (job->top && shown > job->top)
		shown = job->top;
	snprintf(heading, sizeof(heading), "%zu of %zu section%s, by %s%s",
		 shown, nr, nr == 1 ? "" : "s", victim_columns[job->sort].key,
		 job->reverse ? ", reversed" : "");
	if (strchr(heading, '_'))
		*strchr(heading, '_') = ' ';
	if (nr || out_is_json(out)) {
		out_table_begin(out, "victims", heading, victim_columns,
				job->columns);
		for (size_t i = 0; i < shown; i++)
			put_row(out, rows[i].v);
		out_table_end(out);
	} else {
		out_text(out, "No section is dirty and among those chosen.");
	}
	free(rows);
	return 0;
}

static void put_totals(struct out *out, const struct f2c_victims_summary *sum,
		       uint32_t block_size)
{
	char line[96];

	out_begin_object(out, "totals", "All of these");
	snprintf(line, sizeof(line), "%" PRIu64 " (%" PRIu64 " data, %" PRIu64 " node)",
		 sum->sections, sum->data_sections, sum->node_sections);
	out_u64(out, "sections", NULL, sum->sections);
	out_str(out, NULL, "Sections", line);
	out_u64(out, "data_sections", NULL, sum->data_sections);
	out_u64(out, "node_sections", NULL, sum->node_sections);
	out_u64(out, "valid_blocks", "Valid blocks to move", sum->valid_blocks);
	out_size(out, NULL, "That is", sum->valid_blocks * block_size);
	out_u64(out, "gain_blocks", "Free blocks in them", sum->gain_blocks);
	out_size(out, NULL, "That is", sum->gain_blocks * block_size);
	out_u64(out, "gain_sections", "Sections gained at the best",
		sum->gain_sections);
	out_end_object(out);
}

static void put_volume(struct out *out, const struct f2c_status *st,
		       const struct f2c_victims_summary *sum)
{
	out_u64(out, "sections", "Sections of the volume", st->sections);
	out_u64(out, "dirty_sections", "Dirty sections", st->dirty_sections);
	out_u64(out, "free_sections", "Free sections", sum->free_sections);
	out_u64(out, "free_sections_at_best", "Free sections at the best",
		(uint64_t)sum->free_sections + sum->gain_sections);
}

static void put_histogram(struct out *out,
			  const struct f2c_victims_summary *sum)
{
	static const struct out_column columns[] = {
		{ "min_percent", "FROM %", true },
		{ "below_percent", "BELOW %", true },
		{ "sections", "SECTIONS", true },
		{ "valid_blocks", "VALID BLOCKS", true },
		{ 0 },
	};

	out_table_begin(out, "histogram", "Sections by their share of valid blocks",
			columns, NULL);
	for (unsigned int i = 0; i < 10; i++) {
		if (!sum->sections_by_share[i] && !out_is_json(out))
			continue;
		out_row(out);
		out_cell_u64(out, 10 * i);
		out_cell_u64(out, 10 * (i + 1));
		out_cell_u64(out, sum->sections_by_share[i]);
		out_cell_u64(out, sum->valid_blocks_by_share[i]);
	}
	out_table_end(out);
}

int victims_put(const struct victims_job *job, struct out *out,
		const char *path, const struct f2c_status *st)
{
	const struct f2c_victims_summary *sum =
		f2c_victims_get_summary(job->victims);
	int err = 0;

	out_str(out, "volume", NULL, path);
	out_u64(out, "block_size", NULL, st->block_size);
	out_u64(out, "elapsed_seconds", NULL, st->elapsed_seconds);
	if (!out_is_json(out))
		err = put_list(job, out);
	out_str(out, "policy", "Policy", policy_name(job->choice.opt.policy));
	put_volume(out, st, sum);
	put_totals(out, sum, st->block_size);
	if (out_is_json(out) || sum->sections)
		put_histogram(out, sum);
	if (out_is_json(out))
		err = put_list(job, out);
	return err;
}
