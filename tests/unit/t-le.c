/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Little-endian integers against bytes written out by hand. */
#include "config.h"

#include "base/le.h"
#include "unit.h"

#include <string.h>

static const uint8_t bytes[8] = {
	0xf1, 0xe2, 0xd3, 0xc4, 0xb5, 0xa6, 0x97, 0x88
};

static void get_takes_the_lowest_byte_first(void **state)
{
	le16 a;
	le32 b;
	le64 c;

	(void)state;
	memcpy(&a, bytes, sizeof(a));
	memcpy(&b, bytes, sizeof(b));
	memcpy(&c, bytes, sizeof(c));
	assert_int_equal(le16_get(a), 0xe2f1);
	assert_int_equal(le32_get(b), 0xc4d3e2f1);
	assert_true(le64_get(c) == 0x8897a6b5c4d3e2f1U);
}

static void set_writes_the_lowest_byte_first(void **state)
{
	le16 a;
	le32 b;
	le64 c;

	(void)state;
	le16_set(&a, 0xe2f1);
	le32_set(&b, 0xc4d3e2f1);
	le64_set(&c, 0x8897a6b5c4d3e2f1U);
	assert_memory_equal(&a, bytes, 2);
	assert_memory_equal(&b, bytes, 4);
	assert_memory_equal(&c, bytes, 8);
}

/* On disk they lie at any address, so they may ask for no alignment. */
static void have_alignment_of_one(void **state)
{
	struct { uint8_t pad; le16 a; le32 b; le64 c; } s;

	(void)state;
	assert_int_equal(sizeof(s), 1 + 2 + 4 + 8);
	assert_int_equal(_Alignof(le64), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(get_takes_the_lowest_byte_first),
		cmocka_unit_test(set_writes_the_lowest_byte_first),
		cmocka_unit_test(have_alignment_of_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
