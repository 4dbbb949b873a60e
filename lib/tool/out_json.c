/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The JSON document is printed as it is put, so that a list of a million files
 * needs no memory. A row of a table is a line.
 */
#include "config.h"

#include "tool/escape.h"
#include "tool/out_int.h"

#include <errno.h>
#include <json.h>
#include <stdlib.h>

static void next_line(struct out *out, int depth)
{
	fprintf(out->to, "\n%*s", 2 * depth, "");
}

static bool in_row(const struct out *out)
{
	return out->level[out->depth].is_row;
}

/* What stands before a value: a comma, its place, its key. */
static void before_value(struct out *out, const char *key)
{
	struct out_level *in = &out->level[out->depth];

	if (in->has_any)
		fputc(',', out->to);
	in->has_any = true;
	if (!in_row(out))
		next_line(out, out->depth + 1);
	if (!in->is_array)
		fprintf(out->to, "\"%s\":", key);
}

bool out_json_wants(const struct out *out, const char *key)
{
	return out->mode == OUT_JSON &&
	       (key || out->level[out->depth].is_array);
}

void out_json_value(struct out *out, const char *key, const char *text)
{
	before_value(out, key);
	fputs(text, out->to);
}

void out_json_str(struct out *out, const char *key, const char *v)
{
	char *text = escape_json(v);
	struct json_object *value = text ? json_object_new_string(text) : NULL;
	const char *quoted = NULL;

	if (value)
		quoted = json_object_to_json_string_ext(value,
			JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	if (!quoted)
		out->err = -ENOMEM;
	out_json_value(out, key, quoted ? quoted : "null");
	json_object_put(value);
	free(text);
}

void out_json_begin(struct out *out, const char *key)
{
	const struct out_level *level = &out->level[out->depth + 1];

	if (out->depth >= 0)
		before_value(out, key);
	fputc(level->is_array ? '[' : '{', out->to);
}

void out_json_end(struct out *out)
{
	const struct out_level *level = &out->level[out->depth];

	if (level->has_any && !in_row(out))
		next_line(out, out->depth);
	fputc(level->is_array ? ']' : '}', out->to);
	if (!out->depth)
		fputc('\n', out->to);
}
