/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checksum against published values and a bit by bit division. */
#include "config.h"

#include "base/crc.h"
#include "unit.h"

#define F2FS_SEED 0xF2F52010U

/* The textbook: one bit at a time, reflected, nothing inverted. */
static uint32_t crc_by_bits(uint32_t crc, const void *data, size_t len)
{
	const uint8_t *p = data;

	while (len--) {
		crc ^= *p++;
		for (int i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0);
	}
	return crc;
}

/* CRC-32/JAMCRC, whose published check value is the CRC-32 one inverted. */
static void crc_of_check_string(void **state)
{
	(void)state;
	assert_int_equal(crc_update(0xffffffffU, "123456789", 9), 0x340bc6d9);
	assert_int_equal(crc_by_bits(0xffffffffU, "123456789", 9), 0x340bc6d9);
}

static void crc_equals_division_by_bits(void **state)
{
	uint8_t data[4096];
	uint32_t x = 1;

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++) {
		x = x * 1103515245 + 12345;
		data[i] = (uint8_t)(x >> 16);
	}
	for (size_t len = 0; len < 64; len++)
		assert_int_equal(crc_update(F2FS_SEED, data + len, len),
				 crc_by_bits(F2FS_SEED, data + len, len));
	assert_int_equal(crc_update(F2FS_SEED, data, sizeof(data)),
			 crc_by_bits(F2FS_SEED, data, sizeof(data)));
	assert_int_equal(crc_update(0, data, 4092), crc_by_bits(0, data, 4092));
}

static void crc_continues(void **state)
{
	const char text[] = "a checksum may be made in two parts";
	uint32_t whole = crc_update(F2FS_SEED, text, sizeof(text));
	uint32_t crc = crc_update(F2FS_SEED, text, 5);

	(void)state;
	assert_int_equal(crc_update(crc, text + 5, sizeof(text) - 5), whole);
}

static void crc_of_nothing_is_the_seed(void **state)
{
	(void)state;
	assert_int_equal(crc_update(F2FS_SEED, "", 0), F2FS_SEED);
	assert_int_equal(crc_update(F2FS_SEED, NULL, 0), F2FS_SEED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crc_of_check_string),
		cmocka_unit_test(crc_equals_division_by_bits),
		cmocka_unit_test(crc_continues),
		cmocka_unit_test(crc_of_nothing_is_the_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
