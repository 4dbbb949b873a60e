/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of a run. */
#ifndef F2CORE_GCCTL_REPORT_H
#define F2CORE_GCCTL_REPORT_H

#include "gcctl.h"

/* @err: what f2c_gc_run() returned; the counts are then what was committed. */
void report_run(struct out *out, const char *path,
		const struct f2c_gc_report *r, uint32_t block_size, int err,
		bool verbose);

#endif
