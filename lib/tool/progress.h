/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress of long work: one line on stderr, redrawn, when that is a terminal;
 * or lines "percent done total unit" on a descriptor (--progress=FD).
 */
#ifndef F2CORE_TOOL_PROGRESS_H
#define F2CORE_TOOL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress;

/*
 * @fd: the descriptor of --progress=FD, or -1. @quiet silences the terminal,
 * not the descriptor. NULL if memory is short, which the others accept.
 */
struct progress *progress_new(int fd, bool quiet);

/*
 * @what: the phase ("moving"), shown at once when it changes; within a phase
 * at most 5 lines a second are shown. @total 0: not known. @unit: "sections".
 */
void progress_set(struct progress *p, const char *what, uint64_t done,
		  uint64_t total, const char *unit);

/* Take the line off the terminal, before something else is printed there. */
void progress_clear(struct progress *p);

void progress_free(struct progress *p);

#endif
