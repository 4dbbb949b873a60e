/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values, objects and arrays as text or JSON. */
#include "config.h"

#include "tool/escape.h"
#include "tool/out.h"
#include "tool/out_int.h"
#include "tool/size.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct out *out_new(enum out_mode mode, FILE *to)
{
	struct out *out = calloc(1, sizeof(*out));

	if (!out)
		return NULL;
	setlocale(LC_CTYPE, "");
	out->mode = mode;
	out->to = to;
	if (mode == OUT_JSON) {
		out->open[0] = json_object_new_object();
		if (!out->open[0]) {
			free(out);
			return NULL;
		}
		out_u64(out, "schema", NULL, 1);
	}
	return out;
}

static void print_json(struct out *out)
{
	const char *text = json_object_to_json_string_ext(out->open[0],
		JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);

	if (text)
		fprintf(out->to, "%s\n", text);
	else
		out->err = -ENOMEM;
}

int out_end(struct out *out)
{
	int err;

	if (!out)
		return 0;
	assert(!out->depth && !out->table);
	if (out->mode == OUT_JSON && !out->err)
		print_json(out);
	out_flush_lines(out);
	if (!out->err && fflush(out->to))
		out->err = -errno;
	else if (!out->err && ferror(out->to))
		out->err = -EIO;	/* an earlier write; its errno is gone */
	err = out->err;
	if (out->open[0])
		json_object_put(out->open[0]);
	free(out->lines);
	free(out);
	return err;
}

bool out_is_json(const struct out *out)
{
	return out->mode == OUT_JSON;
}

static bool json_wants(const struct out *out, const char *key)
{
	if (out->mode != OUT_JSON)
		return false;
	return key || json_object_is_type(out->open[out->depth],
					  json_type_array);
}

void out_add(struct out *out, const char *key, struct json_object *value)
{
	struct json_object *in = out->open[out->depth];
	int err;

	if (json_object_is_type(in, json_type_array))
		err = json_object_array_add(in, value);
	else
		err = json_object_object_add(in, key, value);
	if (err) {
		json_object_put(value);
		out->err = -ENOMEM;
	}
}

/* As json_object_new_...() returned it; a NULL would be a JSON null. */
static void add_new(struct out *out, const char *key,
		    struct json_object *value)
{
	if (value)
		out_add(out, key, value);
	else
		out->err = -ENOMEM;
}

static void free_line(struct out_line *line)
{
	free(line->label);
	free(line->value);
}

void out_flush_lines(struct out *out)
{
	size_t widest = 0;

	for (size_t i = 0; i < out->nr_lines; i++)
		if (strlen(out->lines[i].label) > widest)
			widest = strlen(out->lines[i].label);
	for (size_t i = 0; i < out->nr_lines; i++) {
		struct out_line *line = &out->lines[i];

		fprintf(out->to, "%*s%s:%*s %s\n", 2 * out->indent, "",
			line->label, (int)(widest - strlen(line->label)), "",
			line->value);
		free_line(line);
		out->printed = true;
	}
	out->nr_lines = 0;
}

static void add_line(struct out *out, const char *label, const char *value)
{
	struct out_line line;

	if (out->nr_lines == out->room) {
		size_t room = out->room ? 2 * out->room : 32;
		void *lines = realloc(out->lines, room * sizeof(line));

		if (!lines) {
			out->err = -ENOMEM;
			return;
		}
		out->lines = lines;
		out->room = room;
	}
	line.label = strdup(label);
	line.value = strdup(value);
	if (!line.label || !line.value) {
		free_line(&line);
		out->err = -ENOMEM;
		return;
	}
	out->lines[out->nr_lines++] = line;
}

static void add_text(struct out *out, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void add_text(struct out *out, const char *label, const char *fmt, ...)
{
	char value[400];		/* the widest double is 310 digits */
	va_list ap;

	if (out->mode != OUT_TEXT || !label)
		return;
	va_start(ap, fmt);
	vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	add_line(out, label, value);
}

void out_u64(struct out *out, const char *key, const char *label, uint64_t v)
{
	if (json_wants(out, key))
		add_new(out, key, json_object_new_uint64(v));
	add_text(out, label, "%" PRIu64, v);
}

void out_i64(struct out *out, const char *key, const char *label, int64_t v)
{
	if (json_wants(out, key))
		add_new(out, key, json_object_new_int64(v));
	add_text(out, label, "%" PRId64, v);
}

void out_bool(struct out *out, const char *key, const char *label, bool v)
{
	if (json_wants(out, key))
		add_new(out, key, json_object_new_boolean(v));
	add_text(out, label, "%s", v ? "yes" : "no");
}

void out_size(struct out *out, const char *key, const char *label,
	      uint64_t bytes)
{
	char text[SIZE_TEXT_MAX];

	if (json_wants(out, key))
		add_new(out, key, json_object_new_uint64(bytes));
	add_text(out, label, "%s", size_format(bytes, text));
}

void out_null(struct out *out, const char *key, const char *label)
{
	if (json_wants(out, key))
		out_add(out, key, NULL);
	add_text(out, label, "unknown");
}

struct json_object *out_json_double(struct out *out, double v, int decimals)
{
	struct json_object *value;
	char text[400];

	snprintf(text, sizeof(text), "%.*f", decimals, v);
	value = json_object_new_double_s(v, text);
	if (!value)
		out->err = -ENOMEM;
	return value;
}

void out_double(struct out *out, const char *key, const char *label, double v,
		int decimals)
{
	if (!isfinite(v)) {
		out_null(out, key, label);
		return;
	}
	if (json_wants(out, key))
		out_add(out, key, out_json_double(out, v, decimals));
	add_text(out, label, "%.*f", decimals, v);
}

struct json_object *out_json_str(struct out *out, const char *v)
{
	char *text = escape_json(v);
	struct json_object *value = text ? json_object_new_string(text) : NULL;

	if (!value)
		out->err = -ENOMEM;
	free(text);
	return value;
}

void out_str(struct out *out, const char *key, const char *label,
	     const char *v)
{
	char *text;

	if (!v) {
		out_null(out, key, label);
		return;
	}
	if (json_wants(out, key))
		out_add(out, key, out_json_str(out, v));
	if (out->mode != OUT_TEXT || !label)
		return;
	text = escape_text(v);
	if (text)
		add_line(out, label, text);
	else
		out->err = -ENOMEM;
	free(text);
}

void out_text(struct out *out, const char *fmt, ...)
{
	char *raw = NULL, *text = NULL;
	va_list ap;

	if (out->mode != OUT_TEXT)
		return;
	out_flush_lines(out);
	va_start(ap, fmt);
	if (vasprintf(&raw, fmt, ap) < 0)
		raw = NULL;
	va_end(ap);
	if (raw)
		text = escape_text(raw);
	if (text)
		fprintf(out->to, "%*s%s\n", text[0] ? 2 * out->indent : 0, "",
			text);
	else
		out->err = -ENOMEM;
	out->printed = true;
	free(text);
	free(raw);
}

void out_heading(struct out *out, const char *heading)
{
	out_flush_lines(out);
	if (!heading)
		return;
	if (out->printed && !out->indent)
		fputc('\n', out->to);
	fprintf(out->to, "%*s%s:\n", 2 * out->indent, "", heading);
	out->printed = true;
}

static void begin(struct out *out, const char *key, const char *heading,
		  struct json_object *(*new)(void))
{
	struct json_object *in = NULL;

	assert(out->depth + 1 < OUT_DEPTH_MAX);
	if (out->mode == OUT_JSON) {
		in = new();
		/* Out of memory: go on in the parent, out_end() will tell. */
		if (in)
			out_add(out, key, in);
		else
			out->err = -ENOMEM;
		if (out->err)
			in = out->open[out->depth];
	}
	if (out->mode == OUT_TEXT)
		out_heading(out, heading);
	out->open[++out->depth] = in;
	out->indented[out->depth] = heading;
	out->indent += out->indented[out->depth];
}

static void end(struct out *out)
{
	assert(out->depth > 0);
	out_flush_lines(out);
	out->indent -= out->indented[out->depth];
	out->depth--;
}

void out_begin_object(struct out *out, const char *key, const char *heading)
{
	begin(out, key, heading, json_object_new_object);
}

void out_end_object(struct out *out)
{
	end(out);
}

void out_begin_array(struct out *out, const char *key, const char *heading)
{
	begin(out, key, heading, json_object_new_array);
}

void out_end_array(struct out *out)
{
	end(out);
}
