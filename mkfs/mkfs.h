/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the program share. */
#ifndef MKFS_MKFS_H
#define MKFS_MKFS_H

#include <f2core.h>

struct job {
	struct f2c_ctx *ctx;
	struct f2c_format_options o;
	bool quiet;
	bool json;
};

/* Print the result; the exit status. */
int report_print(const struct job *job, const char *path,
		 const struct f2c_format_report *r);

#endif
