/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The report of a check, or of a check with a repair after it. */
#ifndef F2CORE_API_REPORT_INT_H
#define F2CORE_API_REPORT_INT_H

#include "api/fs.h"
#include "api/run_int.h"
#include "check/check.h"

struct f2c_check_report {
	struct check_result result;
	bool *repaired;			/* one a finding kept; NULL: none */
	struct f2c_check_summary summary;
	struct f2c_finding finding;	/* the last one asked for */
	char line[1024];		/* its line */
	char refused[512];		/* why nothing is repaired */
};

/* Figures of the result; nothing is repaired. */
void report_fill_summary(struct f2c_check_report *r, const struct volume *vol);

/* Options of a check in the library's own words; @told must outlive them. */
int report_take_options(struct f2c_fs *fs,
			const struct f2c_check_options *options,
			struct told *told, struct check_options *out);

#endif
