/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages on stderr; names from a volume in them can't steer the terminal. */
#include "config.h"

#include "tool/escape.h"
#include "tool/log.h"
#include "tool/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void log_line(const struct log *log, enum f2c_level level, const char *module,
	      const char *text)
{
	const char *prefix = "";
	char debug[80];
	char *safe;

	/* The library filters debug lines by F2CORE_DEBUG. */
	if (level > log->level && level != F2C_DEBUG)
		return;
	if (level == F2C_WARNING)
		prefix = "warning: ";
	if (level == F2C_DEBUG) {
		snprintf(debug, sizeof(debug), "%s: ", module ? module : "");
		prefix = debug;
	}
	progress_clear(log->progress);
	safe = escape_text(text);
	fprintf(stderr, "%s: %s%s\n", log->program, prefix,
		safe ? safe : "out of memory for a message");
	free(safe);
}

static void from_library(void *priv, enum f2c_level level, const char *module,
			 const char *text)
{
	log_line(priv, level, module, text);
}

void log_attach(struct log *log, struct f2c_ctx *ctx)
{
	f2c_set_log(ctx, from_library, log);
}

void log_error(const struct log *log, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_line(log, F2C_ERROR, NULL, text);
}
