/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bitmaps: both bit orders against masks written out by hand. */
#include "config.h"

#include "base/bits.h"
#include "unit.h"

#include <string.h>

static void msb_counts_from_the_top(void **state)
{
	uint8_t map[2] = { 0 };

	(void)state;
	bit_set_msb(map, 0);
	bit_set_msb(map, 9);
	assert_int_equal(map[0], 0x80);
	assert_int_equal(map[1], 0x40);
	assert_true(bit_test_msb(map, 0) && bit_test_msb(map, 9));
	assert_false(bit_test_msb(map, 7) || bit_test_msb(map, 8));
	bit_flip_msb(map, 7);
	bit_flip_msb(map, 9);
	assert_int_equal(map[0], 0x81);
	assert_int_equal(map[1], 0);
	bit_clear_msb(map, 0);
	bit_clear_msb(map, 1);		/* clear already */
	assert_int_equal(map[0], 0x01);
}

static void lsb_counts_from_the_bottom(void **state)
{
	uint8_t map[2] = { 0 };

	(void)state;
	bit_set_lsb(map, 0);
	bit_set_lsb(map, 9);
	assert_int_equal(map[0], 0x01);
	assert_int_equal(map[1], 0x02);
	assert_true(bit_test_lsb(map, 0) && bit_test_lsb(map, 9));
	assert_false(bit_test_lsb(map, 7) || bit_test_lsb(map, 8));
	bit_clear_lsb(map, 9);
	assert_int_equal(map[1], 0);
}

/* Whole words and the bytes left over, at any address. */
static void count_does_not_depend_on_place_or_length(void **state)
{
	uint8_t map[64];

	(void)state;
	memset(map, 0x11, sizeof(map));
	for (size_t from = 0; from < 9; from++)
		for (size_t len = 0; len < 40; len++)
			assert_int_equal(bits_count(map + from, len), 2 * len);
	memset(map, 0xff, sizeof(map));
	assert_int_equal(bits_count(map, sizeof(map)), 512);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(msb_counts_from_the_top),
		cmocka_unit_test(lsb_counts_from_the_bottom),
		cmocka_unit_test(count_does_not_depend_on_place_or_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
