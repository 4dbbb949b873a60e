/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages on stderr, one line each, as "program: message". */
#ifndef F2CORE_TOOL_LOG_H
#define F2CORE_TOOL_LOG_H

#include <f2core.h>

struct progress;

struct log {
	const char *program;
	/* What is less urgent is left out: F2C_ERROR for -q, F2C_INFO for -v. */
	enum f2c_level level;
	struct progress *progress;	/* cleared first; may be NULL */
};

/* "program: [warning: |module: ]text"; F2C_DEBUG is never left out. */
void log_line(const struct log *log, enum f2c_level level, const char *module,
	      const char *text);

/* Have the library's log go there. @log must live as long as @ctx. */
void log_attach(struct log *log, struct f2c_ctx *ctx);

void log_error(const struct log *log, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
