/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run of a program that works on one volume: the options that all have,
 * the library's handles, and the frame of the document that it prints.
 */
#ifndef F2CORE_TOOL_SESSION_H
#define F2CORE_TOOL_SESSION_H

#include <stdbool.h>

#include <f2core.h>

#include "tool/cli.h"
#include "tool/log.h"
#include "tool/out.h"
#include "tool/progress.h"

/* Zero but for what session_init() sets. */
struct session {
	bool json;
	bool quiet;
	bool verbose;
	bool no_prefetch;
	int progress_fd;		/* -1: the terminal */

	struct f2c_ctx *ctx;
	struct f2c_fs *fs;
	struct log log;
	struct progress *progress;
};

/* Handlers of the shared options; cli->priv begins with a session. */
int set_json(struct cli *cli, const char *arg);
int set_quiet(struct cli *cli, const char *arg);
int set_verbose(struct cli *cli, const char *arg);
int set_progress(struct cli *cli, const char *arg);
int set_no_prefetch(struct cli *cli, const char *arg);

void session_init(struct session *s, const char *program);

/* Open @path with F2C_ flags. On failure the message was printed. */
int session_open(struct session *s, const char *path, unsigned int flags);
void session_close(struct session *s);

/* Print the library's last error. */
void session_fail(struct session *s);

/* A document for this session; NULL with a message if memory is short. */
struct out *session_out(struct session *s);

/*
 * Put "exit_status", and "error" if @status is not 0, end the document and
 * return what to exit with: @status, or 1 if the output could not be written.
 */
int session_end_out(struct session *s, struct out *out, int status);

/* With --json, the document of a command that could not begin. Returns 1. */
int session_no_result(struct session *s);

#endif
