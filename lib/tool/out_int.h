/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What out.c and out_table.c share. */
#ifndef F2CORE_TOOL_OUT_INT_H
#define F2CORE_TOOL_OUT_INT_H

#include "tool/out.h"

#define OUT_DEPTH_MAX 16

/* A line of text that waits for the width of its neighbours' labels. */
struct out_line {
	char *label;
	char *value;
};

/* An object or array that is open. */
struct out_level {
	bool is_array;
	bool is_row;			/* of a table */
	bool has_any;			/* values; JSON only */
	bool indented;			/* it has a heading; text only */
};

struct out_table;

struct out {
	enum out_mode mode;
	FILE *to;
	int err;			/* the first error, 0 or -ENOMEM */

	struct out_level level[OUT_DEPTH_MAX];	/* the document at 0 */
	int depth;			/* of the innermost */

	/* Text. */
	struct out_line *lines;
	size_t nr_lines, room;
	int indent;			/* in steps of two columns */
	bool printed;			/* anything so far */

	struct out_table *table;	/* the open one */
};

/* Print the lines that wait, their values in one column. */
void out_flush_lines(struct out *out);
/* Print @heading, with an empty line before it at the top. */
void out_heading(struct out *out, const char *heading);
/* A row of a table: an object. */
void out_begin_row(struct out *out);
void out_end_row(struct out *out);
void out_table_free(struct out_table *table);

/* Whether a value of this key goes into the document. */
bool out_json_wants(const struct out *out, const char *key);
/* @text is a JSON value. */
void out_json_value(struct out *out, const char *key, const char *text);
void out_json_str(struct out *out, const char *key, const char *v);
/* What opens the level below the innermost, and what closes the innermost. */
void out_json_begin(struct out *out, const char *key);
void out_json_end(struct out *out);

#endif
