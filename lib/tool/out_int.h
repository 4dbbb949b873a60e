/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What out.c and out_table.c share. */
#ifndef F2CORE_TOOL_OUT_INT_H
#define F2CORE_TOOL_OUT_INT_H

#include "tool/out.h"

#include <json.h>

#define OUT_DEPTH_MAX 16

/* A line of text that waits for the width of its neighbours' labels. */
struct out_line {
	char *label;
	char *value;
};

struct out_table;

struct out {
	enum out_mode mode;
	FILE *to;
	int err;			/* the first error, 0 or -ENOMEM */

	/* JSON: the open objects and arrays, the document at 0. */
	struct json_object *open[OUT_DEPTH_MAX];
	int depth;			/* of the innermost open one */

	/* Text. */
	struct out_line *lines;
	size_t nr_lines, room;
	int indent;			/* in steps of two columns */
	bool indented[OUT_DEPTH_MAX];	/* which levels have a heading */
	bool printed;			/* anything so far */

	struct out_table *table;	/* the open one */
};

/* Print the lines that wait, their values in one column. */
void out_flush_lines(struct out *out);
/* Print @heading, with an empty line before it at the top. */
void out_heading(struct out *out, const char *heading);
/* Put @value (taken over; NULL: memory was short) into the innermost. */
void out_add(struct out *out, const char *key, struct json_object *value);
struct json_object *out_json_str(struct out *out, const char *v);
struct json_object *out_json_double(struct out *out, double v, int decimals);
void out_table_free(struct out_table *table);

#endif
