/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as people type them and read them: sizes, counts, percentages. */
#ifndef F2CORE_TOOL_SIZE_H
#define F2CORE_TOOL_SIZE_H

#include <stddef.h>
#include <stdint.h>

/*
 * "4096", "64K", "64KiB", "2 TiB": K M G T P (either case) and KiB ... are powers
 * of 1024. KB and the like are refused, for they mean 1000 to some. Returns 0,
 * -EINVAL for what is not a size and -ERANGE for what does not fit 64 bits.
 */
int size_parse(const char *text, uint64_t *bytes);

/* A whole number, decimal or 0x hexadecimal; 0, -EINVAL or -ERANGE. */
int size_parse_u64(const char *text, uint64_t *value);

/*
 * "5", "12.5" or "5%", from 0 to 100, a point in every locale;
 * 0, -EINVAL or -ERANGE.
 */
int size_parse_percent(const char *text, double *percent);

#define SIZE_TEXT_MAX 32

/*
 * "512 B", "64 MiB", "1.5 GiB": one decimal, cut, and none where it is exact.
 * Returns @text.
 */
char *size_format(uint64_t bytes, char text[SIZE_TEXT_MAX]);

#endif
