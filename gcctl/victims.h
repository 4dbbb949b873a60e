/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of gcctl.f2fs victims. */
#ifndef F2CORE_GCCTL_VICTIMS_H
#define F2CORE_GCCTL_VICTIMS_H

#include "choice.h"

struct victims_job {
	struct choice choice;		/* first: the shared handlers */
	bool force;
	bool top_is_set;
	uint32_t top;			/* 0: all */
	char *columns;			/* NULL: all */
	int sort;			/* a column */
	bool reverse;
	struct f2c_victims *victims;
};

#define VICTIM_KEY_MAX 16		/* no key is longer */

extern const struct out_column victim_columns[];

/* The column with this key or heading, or -1. */
int victim_column(const char *word, size_t len);

/* 0 or -ENOMEM. */
int victims_put(const struct victims_job *job, struct out *out,
		const char *path, const struct f2c_status *st);

#endif
