/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress of long work: one line on stderr, redrawn, when that is a terminal;
 * or JSON objects, one a line, on a descriptor (--progress=FD).
 */
#ifndef F2CORE_TOOL_PROGRESS_H
#define F2CORE_TOOL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include <f2core.h>

struct progress;

/*
 * @fd: the descriptor of --progress=FD, or -1. @quiet silences the terminal,
 * not the descriptor. NULL if memory is short, which the others accept.
 */
struct progress *progress_new(int fd, bool quiet);

/* What is counted are pieces of so many bytes: shown as MiB on a terminal. */
void progress_unit(struct progress *p, uint64_t bytes);

/*
 * A phase is shown at once when it changes; within one at most 5 lines a
 * second. After a second or so the time that is left is told.
 */
void progress_set(struct progress *p, const struct f2c_progress *now);

/*
 * An f2c_progress_fn: @priv is a struct progress. Stops the work when a signal
 * asked for it (tool/stop.h).
 */
int progress_of_library(void *priv, const struct f2c_progress *now);

/* Take the line off the terminal, before something else is printed there. */
void progress_clear(struct progress *p);

void progress_free(struct progress *p);

#endif
