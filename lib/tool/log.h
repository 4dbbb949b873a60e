/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages on stderr, one line each, as "program: message". */
#ifndef F2CORE_TOOL_LOG_H
#define F2CORE_TOOL_LOG_H

struct progress;

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

struct log {
	const char *program;
	/* What is less urgent is left out: LOG_ERROR for -q, LOG_INFO for -v. */
	enum log_level level;
	struct progress *progress;	/* cleared first; may be NULL */
};

/* "program: [warning: |module: ]text"; LOG_DEBUG is never left out. */
void log_line(const struct log *log, enum log_level level, const char *module,
	      const char *text);

void log_error(const struct log *log, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
