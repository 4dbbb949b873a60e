/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of defrag.f2fs share. */
#ifndef F2CORE_DEFRAG_H
#define F2CORE_DEFRAG_H

#include "files.h"
#include "tool/session.h"

#define PROGRAM "defrag.f2fs"

struct defrag {
	struct session s;		/* first: the shared handlers */
	bool report;
	bool force;			/* read a volume that is in use */
	char *columns;
	struct file_list files;
	bool top_is_set;
	const char **exclude;		/* run.exclude, which can grow */
	bool dry_run;
	bool replay;
	struct f2c_replay_report replayed;
	struct f2c_defrag_options run;
	/* The first option given that only a report has, or only a run. */
	const char *only_report;
	const char *only_run;
};

extern const struct cli_opt defrag_options[];

/*
 * After parsing: paths, defaults, and options that exclude each other. 0, or
 * what cli_fail() returned.
 */
int finish_options(struct cli *cli);

/* defrag.f2fs --report; what to exit with. */
int report(struct defrag *d, const char *volume);

/* Without it. */
int run(struct defrag *d, const char *volume);

/* What a run did; @err is what f2c_defrag_run() returned. */
void put_run(struct out *out, const char *volume,
	     const struct f2c_defrag_report *r, uint32_t block_size, int err,
	     bool verbose);

#endif
