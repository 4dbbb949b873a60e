/* SPDX-License-Identifier: GPL-2.0-or-later */
/* I/O errors and stops in the middle of a run. */
#ifndef F2CORE_CRASH_FAULTS_H
#define F2CORE_CRASH_FAULTS_H

#include "events.h"
#include "whole.h"

/*
 * Let the run fail at its n-th read, write or flush, for up to @nr different n
 * of each, spread over the whole of it: it has to return an error, write
 * nothing after it that the run without errors would not have, and leave the
 * old or the last committed state (@want: OLD, NEW). Likewise stops at its n-th report of
 * progress, which are no errors. @failures is added to.
 */
int faults_try(const struct run *run, const struct image *base,
	       const struct runner *runner, const struct whole *want,
	       unsigned int nr, uint64_t *tried, uint64_t *failures);

#endif
