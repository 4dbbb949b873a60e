/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sizes, counts and percentages from and to text, free of the locale. */
#include "config.h"

#include "tool/size.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The digits at *@text in @base; moves *@text behind them. */
static int parse_digits(const char **text, unsigned int base, uint64_t *value)
{
	const char *p = *text;
	uint64_t n = 0;

	for (;; p++) {
		unsigned int digit;

		if (is_digit(*p))
			digit = (unsigned int)(*p - '0');
		else if (base == 16 && *p && strchr("abcdef", *p | 0x20))
			digit = (unsigned int)((*p | 0x20) - 'a') + 10;
		else
			break;
		if (__builtin_mul_overflow(n, (uint64_t)base, &n) ||
		    __builtin_add_overflow(n, (uint64_t)digit, &n))
			return -ERANGE;
	}
	if (p == *text)
		return -EINVAL;
	*text = p;
	*value = n;
	return 0;
}

static int parse_number(const char **text, uint64_t *value)
{
	if ((*text)[0] == '0' && ((*text)[1] | 0x20) == 'x') {
		*text += 2;
		return parse_digits(text, 16, value);
	}
	return parse_digits(text, 10, value);
}

int size_parse_u64(const char *text, uint64_t *value)
{
	uint64_t n;
	int err = parse_number(&text, &n);

	if (err)
		return err;
	if (*text)
		return -EINVAL;
	*value = n;
	return 0;
}

int size_parse(const char *text, uint64_t *bytes)
{
	static const char letters[] = "KMGTP";
	const char *unit;
	unsigned int shift;
	uint64_t n;
	int err = parse_number(&text, &n);

	if (err)
		return err;
	if (!*text) {
		*bytes = n;
		return 0;
	}
	if (*text == ' ')
		text++;
	unit = *text ? strchr(letters, *text & ~0x20) : NULL;
	if (!unit || !*unit || (text[1] && strcasecmp(text + 1, "iB") != 0))
		return -EINVAL;
	shift = 10 * (unsigned int)(unit - letters + 1);
	if (n > UINT64_MAX >> shift)
		return -ERANGE;
	*bytes = n << shift;
	return 0;
}

int size_parse_percent(const char *text, double *percent)
{
	double value, scale = 0.1;
	uint64_t whole;
	int err = parse_digits(&text, 10, &whole);

	if (err)
		return err;
	value = (double)whole;
	if (*text == '.') {
		if (!is_digit(*++text))
			return -EINVAL;
		for (; is_digit(*text); text++, scale /= 10)
			value += scale * (*text - '0');
	}
	if (*text == '%')
		text++;
	if (*text)
		return -EINVAL;
	if (value > 100)
		return -ERANGE;
	*percent = value;
	return 0;
}

char *size_format(uint64_t bytes, char text[SIZE_TEXT_MAX])
{
	static const char letters[] = "KMGTPE";
	unsigned int step = 0, tenths;
	uint64_t whole, rest;

	while (step < 6 && bytes >> (10 * (step + 1)))
		step++;
	if (!step) {
		snprintf(text, SIZE_TEXT_MAX, "%" PRIu64 " B", bytes);
		return text;
	}
	whole = bytes >> (10 * step);
	rest = bytes - (whole << (10 * step));
	/* The upper ten bits of the rest are enough for one decimal. */
	tenths = (unsigned int)((rest >> (10 * (step - 1))) * 10 / 1024);
	if (rest)
		snprintf(text, SIZE_TEXT_MAX, "%" PRIu64 ".%u %ciB", whole,
			 tenths, letters[step - 1]);
	else
		snprintf(text, SIZE_TEXT_MAX, "%" PRIu64 " %ciB", whole,
			 letters[step - 1]);
	return text;
}
