/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stopping long work by SIGINT or SIGTERM: the first one sets a flag that the
 * work polls, a second one ends the program as usual.
 */
#ifndef F2CORE_TOOL_STOP_H
#define F2CORE_TOOL_STOP_H

#include <stdbool.h>

/* Also has a write to a pipe without reader fail instead of killing us. */
void stop_install(void);

bool stop_requested(void);

/* "SIGINT" or "SIGTERM" for "stopped_by", or NULL. */
const char *stop_reason(void);

#endif
