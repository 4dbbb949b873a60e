/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sizes, counts and percentages as people type and read them. */
#include "config.h"

#include "tool/size.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define KIB ((uint64_t)1024)

static void sizes_are_powers_of_1024(void **state)
{
	static const struct { const char *text; uint64_t bytes; } good[] = {
		{ "0", 0 }, { "4096", 4096 }, { "64K", 64 * KIB },
		{ "64k", 64 * KIB }, { "64KiB", 64 * KIB },
		{ "1M", KIB * KIB }, { "2 TiB", 2 * KIB * KIB * KIB * KIB },
		{ "3G", 3 * KIB * KIB * KIB }, { "0x10K", 16 * KIB },
		{ "18446744073709551615", UINT64_MAX },
		{ "16383P", 16383 * KIB * KIB * KIB * KIB * KIB },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		uint64_t bytes = 1;

		assert_int_equal(size_parse(good[i].text, &bytes), 0);
		assert_int_equal(bytes, good[i].bytes);
	}
}

static void what_is_no_size_is_refused(void **state)
{
	static const char *const bad[] = {
		"", " ", "K", "-1", "+1", "1.5G", "1KB", "1KiBs", "1 ", "1  K",
		" 1", "12x", "0x", "1Ki", "1i", "K1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		uint64_t bytes = 77;

		assert_int_equal(size_parse(bad[i], &bytes), -EINVAL);
		assert_int_equal(bytes, 77);
	}
}

static void overflow_is_told_apart(void **state)
{
	static const char *const large[] = {
		"18446744073709551616", "16384P", "99999999999999999999999K",
		"0x10000000000000000", "18014398509481984K",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
		uint64_t bytes = 77;

		assert_int_equal(size_parse(large[i], &bytes), -ERANGE);
		assert_int_equal(bytes, 77);
	}
}

static void whole_numbers(void **state)
{
	uint64_t n = 77;

	(void)state;
	assert_int_equal(size_parse_u64("12", &n), 0);
	assert_int_equal(n, 12);
	assert_int_equal(size_parse_u64("0xff", &n), 0);
	assert_int_equal(n, 255);
	assert_int_equal(size_parse_u64("12K", &n), -EINVAL);
	assert_int_equal(size_parse_u64("-1", &n), -EINVAL);
	assert_int_equal(size_parse_u64("18446744073709551616", &n), -ERANGE);
	assert_int_equal(n, 255);
}

static void percentages(void **state)
{
	double p = 0;

	(void)state;
	assert_int_equal(size_parse_percent("12.5", &p), 0);
	assert_true(p > 12.4999 && p < 12.5001);
	assert_int_equal(size_parse_percent("100%", &p), 0);
	assert_true(p == 100);
	assert_int_equal(size_parse_percent("100.1", &p), -ERANGE);
	assert_int_equal(size_parse_percent("5.", &p), -EINVAL);
	assert_int_equal(size_parse_percent("%", &p), -EINVAL);
	assert_int_equal(size_parse_percent("nan", &p), -EINVAL);
	assert_int_equal(size_parse_percent("-5", &p), -EINVAL);
	assert_true(p == 100);
}

static void sizes_are_shown_in_iec_units(void **state)
{
	static const struct { uint64_t bytes; const char *text; } rows[] = {
		{ 0, "0 B" }, { 1023, "1023 B" }, { 1024, "1 KiB" },
		{ 1025, "1.0 KiB" }, { 1536, "1.5 KiB" },
		{ KIB * KIB - 1, "1023.9 KiB" }, { 64 * KIB * KIB, "64 MiB" },
		{ 3 * KIB * KIB * KIB / 2, "1.5 GiB" },
		{ UINT64_MAX, "15.9 EiB" },
	};
	char text[SIZE_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(size_format(rows[i].bytes, text),
				    rows[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_powers_of_1024),
		cmocka_unit_test(what_is_no_size_is_refused),
		cmocka_unit_test(overflow_is_told_apart),
		cmocka_unit_test(whole_numbers),
		cmocka_unit_test(percentages),
		cmocka_unit_test(sizes_are_shown_in_iec_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
