/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of fsck.f2fs share. */
#ifndef F2CORE_FSCK_H
#define F2CORE_FSCK_H

#include <stdbool.h>

#include <f2core.h>

#include "tool/cli.h"
#include "tool/log.h"
#include "tool/out.h"
#include "tool/progress.h"

#define PROGRAM "fsck.f2fs"

/* Exit status: a sum of these (fsck(8)). */
enum {
	FSCK_OK		= 0,
	FSCK_UNCORRECTED = 4,
	FSCK_ERROR	= 8,
	FSCK_USAGE	= 16,
	FSCK_CANCELED	= 32,
};

struct fsck {
	bool json;
	bool quiet;
	bool verbose;
	bool force;			/* read a volume that is in use */
	bool repair;			/* asked for by -a, -p or -y */
	int progress_fd;		/* -1: the terminal */

	struct f2c_ctx *ctx;
	struct f2c_fs *fs;
	struct log log;
	struct progress *progress;
};

extern const struct cli_opt fsck_options[];

/* Everything that a check found; @status is what we exit with. */
void report_check(struct fsck *f, struct out *out, const char *path,
		  struct f2c_check_report *report, int status);

#endif
