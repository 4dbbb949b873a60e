/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables: libsmartcols for people, an array of objects in JSON. */
#include "config.h"

#include "tool/escape.h"
#include "tool/out.h"
#include "tool/out_int.h"
#include "tool/size.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <libsmartcols.h>

/*
 * A table is printed in pieces of so many lines, as soon as they are there, or
 * one of a million files would take a gigabyte. Columns never get narrower.
 */
#define PIECE_LINES 1000

struct out_table {
	const struct out_column *columns;
	size_t nr_columns;
	int *shown_at;			/* a column's place, -1 if not chosen */
	struct libscols_table *scols;	/* text */
	struct libscols_line *line;	/* the row at work */
	size_t nr_lines;		/* that are not printed yet */
	size_t cell;			/* next column of the row */
	bool in_row;
};

void out_table_free(struct out_table *table)
{
	if (!table)
		return;
	scols_unref_table(table->scols);
	free(table->shown_at);
	free(table);
}

static size_t count_columns(const struct out_column *columns)
{
	size_t nr = 0;

	while (columns[nr].key)
		nr++;
	return nr;
}

/* The column that the @len characters at @name say, or -1. */
static int find_column(const struct out_column *columns, const char *name,
		       size_t len)
{
	for (int i = 0; columns[i].key; i++)
		if (strlen(columns[i].key) == len &&
		    !memcmp(columns[i].key, name, len))
			return i;
	return -1;
}

const char *out_unknown_column(const struct out_column *columns,
			       const char *chosen)
{
	for (;; chosen++) {
		size_t len = strcspn(chosen, ",");

		if (find_column(columns, chosen, len) < 0)
			return chosen;
		chosen += len;
		if (!*chosen)
			return NULL;
	}
}

static int show_column(struct out_table *table, int column, int place)
{
	const struct out_column *c = &table->columns[column];

	table->shown_at[column] = place;
	if (table->scols &&
	    !scols_table_new_column(table->scols, c->head, 0,
				    c->right ? SCOLS_FL_RIGHT : 0))
		return -ENOMEM;
	return 0;
}

static int show_columns(struct out_table *table, const char *chosen)
{
	int place = 0, err = 0;

	if (!chosen) {
		for (size_t i = 0; i < table->nr_columns && !err; i++)
			err = show_column(table, (int)i, place++);
		return err;
	}
	for (size_t i = 0; i < table->nr_columns; i++)
		table->shown_at[i] = -1;
	while (*chosen && !err) {
		size_t len = strcspn(chosen, ",");
		int i = find_column(table->columns, chosen, len);

		if (i >= 0 && table->shown_at[i] < 0)
			err = show_column(table, i, place++);
		chosen += len + (chosen[len] == ',');
	}
	return err;
}

static struct out_table *table_new(struct out *out,
				   const struct out_column *columns,
				   const char *chosen)
{
	struct out_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->columns = columns;
	table->nr_columns = count_columns(columns);
	table->shown_at = calloc(table->nr_columns + 1, sizeof(int));
	if (!table->shown_at)
		goto fail;
	if (out->mode == OUT_TEXT) {
		table->scols = scols_new_table();
		if (!table->scols ||
		    scols_table_set_stream(table->scols, out->to))
			goto fail;
		/* Cells are safe already; it would escape what escapes. */
		scols_table_enable_noencoding(table->scols, 1);
	}
	if (show_columns(table, chosen))
		goto fail;
	return table;
fail:
	out_table_free(table);
	return NULL;
}

void out_table_begin(struct out *out, const char *key, const char *heading,
		     const struct out_column *columns, const char *chosen)
{
	assert(!out->table);
	if (out->mode == OUT_TEXT) {
		if (!heading) {
			out_flush_lines(out);
			if (out->printed && !out->indent)
				fputc('\n', out->to);
		}
	}
	out_begin_array(out, key, heading);
	out->table = table_new(out, columns, chosen);
	if (!out->table)
		out->err = -ENOMEM;
}

/*
 * The columns of the piece that was printed, kept for the next one by a line
 * that is as wide and is not printed.
 */
static int begin_piece(struct out_table *table)
{
	struct libscols_column *c;
	struct libscols_line *line;
	char wide[400];

	scols_table_remove_lines(table->scols);
	scols_table_enable_noheadings(table->scols, 1);
	line = scols_table_new_line(table->scols, NULL);
	if (!line)
		return -ENOMEM;
	for (size_t i = 0; (c = scols_table_get_column(table->scols, i)); i++) {
		size_t width = scols_column_get_width(c);

		if (width >= sizeof(wide))
			width = sizeof(wide) - 1;
		memset(wide, '-', width);
		wide[width] = '\0';
		if (scols_line_set_data(line, i, wide))
			return -ENOMEM;
	}
	return 0;
}

static void print_piece(struct out *out)
{
	struct out_table *table = out->table;
	char *text = NULL, *from;

	if (!table->scols)
		return;
	if (!scols_table_is_noheadings(table->scols)) {
		if (scols_print_table(table->scols))
			out->err = -EIO;
	} else if (scols_print_table_to_string(table->scols, &text)) {
		out->err = -ENOMEM;
	} else {
		from = strchr(text, '\n');
		fprintf(out->to, "%s\n", from ? from + 1 : "");
	}
	free(text);
	table->nr_lines = 0;
}

static void end_row(struct out *out)
{
	if (!out->table->in_row)
		return;
	assert(out->table->cell == out->table->nr_columns);
	out->table->in_row = false;
	out_end_row(out);
}

void out_row(struct out *out)
{
	struct out_table *table = out->table;

	if (!table)
		return;
	end_row(out);
	if (table->nr_lines == PIECE_LINES) {
		print_piece(out);
		if (table->scols && begin_piece(table))
			out->err = -ENOMEM;
	}
	out_begin_row(out);
	table->in_row = true;
	table->cell = 0;
	if (table->scols) {
		table->line = scols_table_new_line(table->scols, NULL);
		if (!table->line)
			out->err = -ENOMEM;
		table->nr_lines++;
	}
}

/* The next column of the row, or NULL if it is not shown. */
static const struct out_column *next_cell(struct out *out, int *place)
{
	struct out_table *table = out->table;

	if (!table)
		return NULL;
	assert(table->in_row && table->cell < table->nr_columns);
	*place = table->shown_at[table->cell];
	table->cell++;
	return *place < 0 ? NULL : &table->columns[table->cell - 1];
}

static void cell_text(struct out *out, int place, const char *text)
{
	struct libscols_line *line = out->table->line;

	if (line && scols_line_set_data(line, (size_t)place, text))
		out->err = -ENOMEM;
}

void out_cell_u64(struct out *out, uint64_t v)
{
	const struct out_column *c;
	char text[24];
	int place;

	c = next_cell(out, &place);
	if (!c)
		return;
	out_u64(out, c->key, NULL, v);
	snprintf(text, sizeof(text), "%" PRIu64, v);
	cell_text(out, place, text);
}

void out_cell_size(struct out *out, uint64_t bytes)
{
	const struct out_column *c;
	char text[SIZE_TEXT_MAX];
	int place;

	c = next_cell(out, &place);
	if (!c)
		return;
	out_u64(out, c->key, NULL, bytes);
	cell_text(out, place, size_format(bytes, text));
}

void out_cell_double(struct out *out, double v, int decimals)
{
	const struct out_column *c;
	char text[400];
	int place;

	c = next_cell(out, &place);
	if (!c)
		return;
	out_double(out, c->key, NULL, v, decimals);
	snprintf(text, sizeof(text), "%.*f", decimals, v);
	cell_text(out, place, text);
}

void out_cell_bool(struct out *out, bool v)
{
	const struct out_column *c;
	int place;

	c = next_cell(out, &place);
	if (!c)
		return;
	out_bool(out, c->key, NULL, v);
	cell_text(out, place, v ? "yes" : "no");
}

void out_cell_str(struct out *out, const char *v)
{
	const struct out_column *c;
	char *text;
	int place;

	c = next_cell(out, &place);
	if (!c)
		return;
	out_str(out, c->key, NULL, v);
	text = escape_text(v ? v : "-");
	if (text)
		cell_text(out, place, text);
	else
		out->err = -ENOMEM;
	free(text);
}

void out_cell_null(struct out *out)
{
	out_cell_str(out, NULL);
}

void out_table_end(struct out *out)
{
	if (out->table) {
		end_row(out);
		print_piece(out);
		out->printed = true;
	}
	out_table_free(out->table);
	out->table = NULL;
	out_end_array(out);
}
