/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a program reports on stdout: one call feeds both forms, aligned text
 * ("Label: value") and one JSON document, so they cannot drift apart.
 *
 * @key:   snake_case full words, for JSON; NULL inside an array, or for a
 *         line that only the text has
 * @label: for the text; NULL for a value that only JSON has
 *
 * Names and other strings from a volume may hold anything: bytes that are not
 * UTF-8 are shown as \xNN in both forms, control characters so in the text.
 * Errors are kept until out_end(), so calls need no checks. out_new() takes
 * LC_CTYPE from the environment, for the width of what tables show.
 */
#ifndef F2CORE_TOOL_OUT_H
#define F2CORE_TOOL_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum out_mode {
	OUT_TEXT,
	OUT_JSON,
	OUT_NONE,			/* -q: takes everything, prints nothing */
};

struct out;

/* NULL if memory is short. The JSON document begins with "schema": 1. */
struct out *out_new(enum out_mode mode, FILE *to);

/*
 * Print what is still held back; free @out in any case. JSON is printed as it
 * is put, text when a table or a group of lines ends. 0, -ENOMEM, or the errno of a write that failed.
 */
int out_end(struct out *out);

bool out_is_json(const struct out *out);

void out_u64(struct out *out, const char *key, const char *label, uint64_t v);
void out_i64(struct out *out, const char *key, const char *label, int64_t v);
void out_bool(struct out *out, const char *key, const char *label, bool v);
void out_str(struct out *out, const char *key, const char *label,
	     const char *v);		/* NULL: as out_null() */
/* Bytes; "1.5 GiB" in the text, the plain number in JSON. */
void out_size(struct out *out, const char *key, const char *label,
	      uint64_t bytes);
void out_double(struct out *out, const char *key, const char *label, double v,
		int decimals);
/* Unknown: null, and "unknown" in the text. */
void out_null(struct out *out, const char *key, const char *label);

/* A line of text only. JSON says the same in keys of its own. */
void out_text(struct out *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* @heading stands above in the text, its values indented; NULL: neither. */
void out_begin_object(struct out *out, const char *key, const char *heading);
void out_end_object(struct out *out);
void out_begin_array(struct out *out, const char *key, const char *heading);
void out_end_array(struct out *out);

/*
 * Tables: columns for people, an array of objects in JSON. The cells of a row
 * are given in the order of @columns; those of columns that were not chosen
 * are dropped.
 */
struct out_column {
	const char *key;		/* NULL ends the list */
	const char *head;
	bool right;			/* numbers: to the right */
};

/* The first name in @chosen (keys with commas between) that is no column. */
const char *out_unknown_column(const struct out_column *columns,
			       const char *chosen);

/* @chosen: what is shown, in that order; NULL for all. */
void out_table_begin(struct out *out, const char *key, const char *heading,
		     const struct out_column *columns, const char *chosen);
void out_row(struct out *out);		/* begin a row */
void out_cell_u64(struct out *out, uint64_t v);
void out_cell_size(struct out *out, uint64_t bytes);
void out_cell_double(struct out *out, double v, int decimals);
void out_cell_bool(struct out *out, bool v);
void out_cell_str(struct out *out, const char *v);
void out_cell_null(struct out *out);
void out_table_end(struct out *out);

#endif
