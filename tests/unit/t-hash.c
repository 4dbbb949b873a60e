/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hashes and bucket places. The hashes were read from a volume that a kernel
 * 6.12 wrote.
 */
#include "config.h"

#include "format/hash.h"

#include <string.h>

#include "unit.h"

static uint32_t hash_of(const char *name)
{
	return dentry_hash((const uint8_t *)name, strlen(name));
}

static uint32_t hash_of_range(unsigned int first, unsigned int end)
{
	uint8_t name[255];

	for (unsigned int i = first; i < end; i++)
		name[i - first] = (uint8_t)i;
	return dentry_hash(name, end - first);
}

static uint32_t hash_of_repeat(int byte, size_t len)
{
	uint8_t name[255];

	memset(name, byte, len);
	return dentry_hash(name, len);
}

static void dots_hash_to_zero(void **state)
{
	(void)state;
	assert_int_equal(hash_of("."), 0);
	assert_int_equal(hash_of(".."), 0);
	assert_int_equal(hash_of("..."), 0xd96dc3e1);
}

static void names_hash_as_the_kernel_wrote_them(void **state)
{
	static const struct {
		const char *name;
		uint32_t hash;
	} known[] = {
		{ "a", 0x6d0ea4c1 },
		{ "ab", 0xd27d8659 },
		{ "abc", 0xb1435ec5 },
		{ "abcd", 0x5a24112e },
		{ "hello.txt", 0x5107c3f3 },
		{ "fifteen-letters", 0xe22ee71f },
		{ "sixteen-letters.", 0x49f25ea5 },
		{ "seventeen-letters", 0xc7cf5a29 },
		{ "with\nnewline and \x01\x7f", 0x949fb74 },
		{ "entry-0026-nnnnnnnnnnnnnnnnnnnnnnnnnn", 1557611 },
	};

	(void)state;
	for (size_t i = 0; i < NR_OF(known); i++)
		assert_int_equal(hash_of(known[i].name), known[i].hash);
}

static void bytes_are_unsigned(void **state)
{
	(void)state;
	assert_int_equal(hash_of("\xff"), 0xc6854b30);
	assert_int_equal(hash_of("\x80\x81\x82"), 0x93853232);
	assert_int_equal(hash_of("\xc3\xa9t\xc3\xa9 \xe2\x99\xa5"), 0x5d68c941);
	assert_int_equal(hash_of_range(0x80, 0xa0), 0x9796fb);
	assert_int_equal(hash_of_range(0xa0, 0xc1), 0xec8b6ca4);
}

static void long_names_go_round_by_round(void **state)
{
	char fox[300] = "";

	(void)state;
	assert_int_equal(hash_of_repeat('x', 48), 0x14c48a2b);
	assert_int_equal(hash_of_repeat('y', 49), 0x18d791ed);
	assert_int_equal(hash_of_repeat(0xfe, 255), 0xa165f453);
	for (int i = 0; i < 6; i++)
		strcat(fox, "The quick brown fox jumps over the lazy dog. ");
	fox[254] = '\0';
	assert_int_equal(hash_of(fox), 0x677a726f);
}

static void buckets_double_until_the_limit(void **state)
{
	(void)state;
	assert_int_equal(dir_nr_buckets(0, 0), 1);
	assert_int_equal(dir_nr_buckets(3, 0), 8);
	assert_int_equal(dir_nr_buckets(3, 2), 32);
	assert_int_equal(dir_nr_buckets(30, 0), 1U << 30);
	assert_int_equal(dir_nr_buckets(31, 0), 1U << 30);
	assert_int_equal(dir_nr_buckets(63, 63), 1U << 30);
	assert_int_equal(dir_bucket_blks(30), 2);
	assert_int_equal(dir_bucket_blks(31), 4);
}

static void levels_follow_each_other(void **state)
{
	(void)state;
	assert_int_equal(dir_bucket_lblk(0, 0, 0), 0);
	assert_int_equal(dir_bucket_lblk(1, 0, 0), 2);
	assert_int_equal(dir_bucket_lblk(1, 0, 1), 4);
	assert_int_equal(dir_bucket_lblk(2, 0, 0), 6);
	assert_int_equal(dir_bucket_lblk(1, 3, 2), 2 * 8 + 2 * 2);
	/* Levels 0 to 62: sum of 2^(l+1) below 31, then 32 of 2^32. */
	assert_true(dir_bucket_lblk(63, 0, 0) ==
		    (1ULL << 32) - 2 + 32 * (1ULL << 32));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dots_hash_to_zero),
		cmocka_unit_test(names_hash_as_the_kernel_wrote_them),
		cmocka_unit_test(bytes_are_unsigned),
		cmocka_unit_test(long_names_go_round_by_round),
		cmocka_unit_test(buckets_double_until_the_limit),
		cmocka_unit_test(levels_follow_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
