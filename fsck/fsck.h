/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of fsck.f2fs share. */
#ifndef F2CORE_FSCK_H
#define F2CORE_FSCK_H

#include "tool/session.h"

#define PROGRAM "fsck.f2fs"

/* Exit status: a sum of these (fsck(8)). */
enum {
	FSCK_OK		= 0,
	FSCK_CORRECTED	= 1,
	FSCK_REBOOT	= 2,		/* changed while mounted read-only */
	FSCK_UNCORRECTED = 4,
	FSCK_ERROR	= 8,
	FSCK_USAGE	= 16,
	FSCK_CANCELED	= 32,
};

struct fsck {
	struct session s;		/* first: the shared handlers */
	bool force;			/* read a volume that is in use */
	bool repair;			/* asked for by -a, -p or -y */
	bool all;			/* -y: not only what is safe */
	bool dry_run;			/* -n: even then nothing is written */
	struct f2c_replay_report replay; /* commits: 0 if there was none */
};

extern const struct cli_opt fsck_options[];

/* Everything that a check found, and what of it is repaired. */
void report_check(struct fsck *f, struct out *out, const char *path,
		  struct f2c_check_report *report);

#endif
