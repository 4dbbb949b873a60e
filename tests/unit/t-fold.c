/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded names: hashes are those that kernel 6.1 stored for these names. */
#include "config.h"

#include "unit.h"
#include "format/fold.h"
#include "format/hash.h"

#include <errno.h>
#include <string.h>

static int hash(const char *name, size_t len, uint32_t *out)
{
	uint8_t folded[OD_NAME_LEN];
	size_t n;
	int err = name_fold((const uint8_t *)name, len, folded, &n);

	if (!err)
		*out = dentry_hash(folded, n);
	return err;
}

static void ascii_is_folded(void **state)
{
	uint8_t name[OD_NAME_LEN], out[OD_NAME_LEN];
	size_t len;

	(void)state;
	assert_int_equal(name_fold((const uint8_t *)"@AZ[`az{", 8, out, &len),
			 0);
	assert_int_equal(len, 8);
	assert_memory_equal(out, "@az[`az{", 8);
	memset(name, 'A', sizeof(name));
	assert_int_equal(name_fold(name, 254, out, &len), 0);
	assert_int_equal(len, 254);
	assert_int_equal(out[253], 'a');
	/* The kernel wants room for a zero. */
	assert_int_equal(name_fold(name, 255, out, &len), 0);
	assert_int_equal(len, 255);
	assert_int_equal(out[0], 'A');
}

static void what_is_not_utf8_is_bytes(void **state)
{
	static const struct {
		const char *name;
		uint32_t hash;
	} bytes[] = {
		{ "Inv\xff" "ALID",
		  0x439db85e },
		{ "\xc0\x80" "AB",
		  0x1d732e72 },
		{ "\xed\xa0\x80Sur",
		  0xd8fa39eb },
		{ "\xf4\x90\x80\x80" "Big",
		  0x35789ada },
		{ "Trunc\xe2\x82",
		  0xb3a00355 },
	};
	uint32_t h;

	(void)state;
	for (size_t i = 0; i < NR_OF(bytes); i++) {
		assert_int_equal(hash(bytes[i].name, strlen(bytes[i].name),
				      &h), 0);
		assert_int_equal(h, bytes[i].hash);
	}
	assert_int_equal(hash("Cont\x80", 5, &h), -EOPNOTSUPP);
	assert_int_equal(hash("\x80" "A", 2, &h), 0);
	assert_int_equal(h, dentry_hash((const uint8_t *)"\x80" "A", 2));
}

static void characters_are_folded_as_the_kernel_does(void **state)
{
	static const struct {
		const char *name;
		uint32_t hash;
	} chars[] = {
		{ "Stra\xc3\x9f" "e",
		  0xd6e5379a },
		{ "\xc3\x84\xc3\x96\xc3\x9c",
		  0x5a415b24 },
		{ "\xce\x91\xce\x92\xce\x93\xce\xa3\xcf\x82",
		  0xe028152c },
		{ "\xd0\x9f\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82 \xd0\x9c\xd0\x98\xd0\xa0 \xd0\x81\xd0\xb6",
		  0xd68acb1f },
		{ "\xc4\xb0stanbul \xc4\xb1I",
		  0xe9bf6335 },
		{ "\xed\x95\x9c\xea\xb5\xad\xec\x96\xb4 Hangul \xea\xb0\x92",
		  0x03a0f1e0 },
		{ "\xe7\xa5\x9e\xef\xa6\xa8",
		  0x629ce5ce },
		{ "\xe2\x98\x95\xef\xb8\x8f Heart\xe2\x9d\xa4\xef\xb8\x8f",
		  0xedcabcdb },
		{ "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb Dev",
		  0x56077d6a },
		{ "\xf0\x9f\xab\xa0 New14 \xf0\x9f\xa9\xb7",
		  0xb72da5b5 },
		{ "\xea\xad\xb0\xe1\x8f\xa3" "Cherokee",
		  0x9d727b36 },
		{ "\xc3\xa9 E\xcc\x81 e\xcc\xa3\xcc\x81 e\xcc\x81\xcc\xa3",
		  0xf9318844 },
		{ "\xef\xac\x81 \xef\xac\x80 Ligatures",
		  0x1d1511b4 },
		{ "K \xc3\x85 \xce\xa9",
		  0x3b515622 },
		{ "\xc8\xba\xc8\xbe",
		  0xa024d10d },
		{ "\xef\xbe\x8a\xef\xbe\x9d\xef\xbd\xb6\xef\xbd\xb8 \xef\xbc\xa1\xef\xbc\xa2\xef\xbc\xa3",
		  0x5b041220 },
		{ "\xe3\x81\x8c\xe3\x82\xac \xe3\x83\xb7",
		  0x35c7b51c },
		{ "soft\xc2\xadHyphen",
		  0x20684d44 },
		{ "zero\xe2\x80\x8bWidth",
		  0xdc04ed33 },
		{ "\xc7\x85 \xc7\x86 \xc7\x84",
		  0x7fde5d11 },
		{ "\xce\x90 \xce\xb0",
		  0x2b084975 },
		{ "\xe1\xba\x9e",
		  0xfe0d6840 },
		{ "\xef\xbc\xa1",
		  0x3ac9ad8c },
		{ "\xce\x90\xe1\xbf\x93",
		  0x3da0ad0e },
		{ "\xe1\xba\x9b\xcc\xa3",
		  0xa6db48e6 },
		{ "A\xcd\x85\xcc\x81",
		  0x59b1074a },
		{ "\xe2\x85\xa7 \xe2\x92\xb6",
		  0x6b72fabd },
		{ "\xd4\xb1\xd5\x92 \xd6\x87",
		  0x460d8d0b },
		{ "\xe1\x82\xa0 \xe1\x83\x90",
		  0xd85435a4 },
		{ "\xe1\xb2\x90",
		  0xc4cf2c4d },
		{ "\xe2\x80\x8b",
		  0x2b50d572 },
		{ "x\xef\xb8\x8f",
		  0xe958e761 },
		{ "\xe0\xa4\x95\xe0\xa4\xbc \xe0\xa5\x98",
		  0x5ee34ee5 },
		{ "\xed\x9e\xb0\xed\x9f\x8b Jamo",
		  0x12d144d9 },
		{ "\xc7\xba",
		  0xed362c37 },
		{ "\xe1\xba\xad \xe1\xba\xac",
		  0xc4369871 },
		{ "\xe1\xbd\xaf\xe1\xbe\xac\xce\x8f\xce\x86 \xe1\xbe\xae",
		  0x67de44d0 },
	};
	uint32_t h;

	(void)state;
	for (size_t i = 0; i < NR_OF(chars); i++) {
#ifdef HAVE_UTF8PROC
		assert_int_equal(hash(chars[i].name, strlen(chars[i].name),
				      &h), 0);
		assert_int_equal(h, chars[i].hash);
#else
		assert_int_equal(hash(chars[i].name, strlen(chars[i].name),
				      &h), -EOPNOTSUPP);
#endif
	}
}

/* The kernel takes them as they are, and we may know what they fold to. */
static void characters_younger_than_the_kernels_are_refused(void **state)
{
	uint32_t h;

	(void)state;
	assert_int_equal(hash("\xf0\x90\x95\xb0Vith", 8, &h), -EOPNOTSUPP);
	assert_int_equal(hash("\xe2\xb0\xaf", 3, &h), -EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ascii_is_folded),
		cmocka_unit_test(what_is_not_utf8_is_bytes),
		cmocka_unit_test(characters_are_folded_as_the_kernel_does),
		cmocka_unit_test(
			characters_younger_than_the_kernels_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
