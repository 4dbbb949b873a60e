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

static void begin(struct out *out, const char *key, const char *heading,
		  struct out_level level)
{
	assert(out->depth + 1 < OUT_DEPTH_MAX);
	level.indented = heading;
	out->level[out->depth + 1] = level;
	if (out->mode == OUT_JSON)
		out_json_begin(out, key);
	if (out->mode == OUT_TEXT && out->depth >= 0)
		out_heading(out, heading);
	out->depth++;
	out->indent += level.indented;
}

static void end(struct out *out)
{
	assert(out->depth >= 0);
	out_flush_lines(out);
	if (out->mode == OUT_JSON)
		out_json_end(out);
	out->indent -= out->level[out->depth].indented;
	out->depth--;
}

struct out *out_new(enum out_mode mode, FILE *to)
{
	struct out *out = calloc(1, sizeof(*out));

	if (!out)
		return NULL;
	setlocale(LC_CTYPE, "");
	out->mode = mode;
	out->to = to;
	out->depth = -1;
	begin(out, NULL, NULL, (struct out_level){ 0 });
	out_u64(out, "schema", NULL, 1);
	return out;
}

int out_end(struct out *out)
{
	int err;

	if (!out)
		return 0;
	assert(!out->depth && !out->table);
	end(out);
	if (!out->err && fflush(out->to))
		out->err = -errno;
	else if (!out->err && ferror(out->to))
		out->err = -EIO;	/* an earlier write; its errno is gone */
	err = out->err;
	free(out->lines);
	free(out);
	return err;
}

bool out_is_json(const struct out *out)
{
	return out->mode == OUT_JSON;
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

/* A value whose text says the same in both forms. */
static void put(struct out *out, const char *key, const char *label,
		const char *text)
{
	if (out_json_wants(out, key))
		out_json_value(out, key, text);
	if (out->mode == OUT_TEXT && label)
		add_line(out, label, text);
}

void out_u64(struct out *out, const char *key, const char *label, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, v);
	put(out, key, label, text);
}

void out_i64(struct out *out, const char *key, const char *label, int64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, v);
	put(out, key, label, text);
}

void out_bool(struct out *out, const char *key, const char *label, bool v)
{
	if (out_json_wants(out, key))
		out_json_value(out, key, v ? "true" : "false");
	if (out->mode == OUT_TEXT && label)
		add_line(out, label, v ? "yes" : "no");
}

void out_size(struct out *out, const char *key, const char *label,
	      uint64_t bytes)
{
	char text[SIZE_TEXT_MAX];

	out_u64(out, key, NULL, bytes);
	if (out->mode == OUT_TEXT && label)
		add_line(out, label, size_format(bytes, text));
}

void out_null(struct out *out, const char *key, const char *label)
{
	if (out_json_wants(out, key))
		out_json_value(out, key, "null");
	if (out->mode == OUT_TEXT && label)
		add_line(out, label, "unknown");
}

void out_double(struct out *out, const char *key, const char *label, double v,
		int decimals)
{
	char text[400];			/* the widest double is 310 digits */

	if (!isfinite(v)) {
		out_null(out, key, label);
		return;
	}
	snprintf(text, sizeof(text), "%.*f", decimals, v);
	put(out, key, label, text);
}

void out_str(struct out *out, const char *key, const char *label,
	     const char *v)
{
	char *text;

	if (!v) {
		out_null(out, key, label);
		return;
	}
	if (out_json_wants(out, key))
		out_json_str(out, key, v);
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

void out_begin_object(struct out *out, const char *key, const char *heading)
{
	begin(out, key, heading, (struct out_level){ 0 });
}

void out_end_object(struct out *out)
{
	end(out);
}

void out_begin_row(struct out *out)
{
	begin(out, NULL, NULL, (struct out_level){ .is_row = true });
}

void out_end_row(struct out *out)
{
	end(out);
}

void out_begin_array(struct out *out, const char *key, const char *heading)
{
	begin(out, key, heading, (struct out_level){ .is_array = true });
}

void out_end_array(struct out *out)
{
	end(out);
}
