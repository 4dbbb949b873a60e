/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings from a volume made fit to be shown: they may hold any bytes. */
#ifndef F2CORE_TOOL_ESCAPE_H
#define F2CORE_TOOL_ESCAPE_H

/*
 * A copy of @text in which each byte that is not part of valid UTF-8 is \xNN;
 * free() it. NULL if memory is short.
 */
char *escape_json(const char *text);

/* The same for a terminal, with control characters as \xNN too. */
char *escape_text(const char *text);

#endif
