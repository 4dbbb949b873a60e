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
	const char **exclude;
	size_t nr_exclude;
	/* The first option given that only a report has. */
	const char *only_report;
	const char *const *paths;
	size_t nr_paths;
};

extern const struct cli_opt defrag_options[];

/* Options that exclude each other: 0, or what cli_fail() returned. */
int check_options(struct cli *cli);

/* defrag.f2fs --report; what to exit with. */
int report(struct defrag *d, const char *volume);

#endif
