/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checksum against values that others computed. */
#include "config.h"

#include "base/crc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* CRC-32/JAMCRC, whose published check value is the CRC-32 one inverted. */
static void crc_of_check_string(void **state)
{
	(void)state;
	assert_int_equal(crc_update(0xffffffffU, "123456789", 9), 0x340bc6d9);
}

static void crc_continues(void **state)
{
	const char text[] = "a checksum may be made in two parts";
	uint32_t whole = crc_update(0xF2F52010, text, sizeof(text));
	uint32_t crc = crc_update(0xF2F52010, text, 5);

	(void)state;
	assert_int_equal(crc_update(crc, text + 5, sizeof(text) - 5), whole);
}

static void crc_of_nothing_is_the_seed(void **state)
{
	(void)state;
	assert_int_equal(crc_update(0xF2F52010, "", 0), 0xF2F52010);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crc_of_check_string),
		cmocka_unit_test(crc_continues),
		cmocka_unit_test(crc_of_nothing_is_the_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
