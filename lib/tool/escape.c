/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes that are not UTF-8, or that would steer a terminal, as \xNN. */
#include "config.h"

#include "tool/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Length of the valid UTF-8 sequence at @p, which ends with a 0; 0 if none. */
static size_t utf8_len(const uint8_t *p)
{
	size_t len;

	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	len = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	for (size_t i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, beyond U+10FFFF. */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return len;
}

static bool is_control(const uint8_t *p)
{
	return p[0] < 0x20 || p[0] == 0x7f || (p[0] == 0xc2 && p[1] < 0xa0);
}

static char *escape(const char *text, bool controls_too)
{
	const uint8_t *p = (const uint8_t *)text;
	char *copy = malloc(4 * strlen(text) + 1);
	char *to = copy;

	if (!copy)
		return NULL;
	while (*p) {
		size_t len = utf8_len(p);

		if (len && !(controls_too && is_control(p))) {
			memcpy(to, p, len);
			to += len;
			p += len;
			continue;
		}
		for (len = len ? len : 1; len; len--)
			to += sprintf(to, "\\x%02x", *p++);
	}
	*to = '\0';
	return copy;
}

char *escape_json(const char *text)
{
	return escape(text, false);
}

char *escape_text(const char *text)
{
	return escape(text, true);
}
