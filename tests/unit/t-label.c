/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Labels from UTF-8 and back, and names of features. */
#include "config.h"

#include "format/feature.h"
#include "format/label.h"
#include "unit.h"

#include <errno.h>
#include <string.h>

static le16 units[OD_LABEL_UNITS];
static char text[LABEL_UTF8_MAX];

static void stored_as_utf16(void **state)
{
	static const uint16_t want[] = { 'a', 0xE9, 0x20AC, 0xD83D, 0xDE00, 0 };

	(void)state;
	assert_int_equal(label_from_utf8("a\u00e9\u20ac\U0001F600", units), 0);
	for (size_t i = 0; i < NR_OF(want); i++)
		assert_int_equal(le16_get(units[i]), want[i]);
	assert_int_equal(label_to_utf8(units, text), 10);
	assert_string_equal(text, "a\u00e9\u20ac\U0001F600");
}

static void first_and_last_of_each_length(void **state)
{
	static const char *const codes[] = {
		"\x01", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80",
		"\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf",
		"\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
	};

	(void)state;
	for (size_t i = 0; i < NR_OF(codes); i++) {
		assert_int_equal(label_from_utf8(codes[i], units), 0);
		label_to_utf8(units, text);
		assert_string_equal(text, codes[i]);
	}
}

static void invalid_text_is_refused(void **state)
{
	static const char *const bad[] = {
		"\x80", "\xff", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf",
		"\xf0\x8f\xbf\xbf", "\xed\xa0\x80", "\xed\xbf\xbf",
		"\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xc3", "\xe2\x82",
		"\xf0\x9f\x98", "a\xc3z",
	};

	(void)state;
	assert_int_equal(label_from_utf8("kept", units), 0);
	for (size_t i = 0; i < NR_OF(bad); i++)
		assert_int_equal(label_from_utf8(bad[i], units), -EILSEQ);
	label_to_utf8(units, text);
	assert_string_equal(text, "kept");
}

static void as_long_as_there_is_room(void **state)
{
	char in[2 * OD_LABEL_UNITS + 8];

	(void)state;
	memset(in, 'a', OD_LABEL_UNITS);
	in[OD_LABEL_UNITS] = '\0';
	assert_int_equal(label_from_utf8(in, units), 0);
	assert_int_equal(label_to_utf8(units, text), OD_LABEL_UNITS);
	strcpy(in + OD_LABEL_UNITS, "a");
	assert_int_equal(label_from_utf8(in, units), -ENAMETOOLONG);
	/* A pair does not fit where one unit would. */
	strcpy(in + OD_LABEL_UNITS - 1, "\U0001F600");
	assert_int_equal(label_from_utf8(in, units), -ENAMETOOLONG);
	strcpy(in + OD_LABEL_UNITS - 2, "\U0001F600");
	assert_int_equal(label_from_utf8(in, units), 0);
}

static void broken_pairs_on_disk_are_replaced(void **state)
{
	static const uint16_t disk[] = { 0xDC00, 'a', 0xD800, 'b', 0xD800 };

	(void)state;
	memset(units, 0, sizeof(units));
	for (size_t i = 0; i < NR_OF(disk); i++)
		le16_set(&units[i], disk[i]);
	label_to_utf8(units, text);
	assert_string_equal(text, "\ufffd" "a\ufffd" "b\ufffd");
	memset(units, 0, sizeof(units));
	le16_set(&units[OD_LABEL_UNITS - 1], 0xD800);
	assert_int_equal(label_to_utf8(units, text), 0);
	for (size_t i = 0; i < OD_LABEL_UNITS; i++)
		le16_set(&units[i], 0xFFFF);
	assert_int_equal(label_to_utf8(units, text), LABEL_UTF8_MAX - 1);
}

static void features_have_names(void **state)
{
	(void)state;
	for (int bit = 0; bit < 17; bit++) {
		const char *name = feature_name(UINT64_C(1) << bit);

		assert_non_null(name);
		assert_int_equal(feature_from_name(name, strlen(name)),
				 UINT64_C(1) << bit);
	}
	assert_null(feature_name(UINT64_C(1) << 17));
	assert_null(feature_name(UINT64_C(1) << 63));
	assert_null(feature_name(0));
	assert_int_equal(feature_from_name("extra", 5), 0);
	assert_int_equal(feature_from_name("", 0), 0);
	assert_int_equal(feature_without_extra_attr(OD_FEATURE_VERITY), 0);
	assert_int_equal(feature_without_extra_attr(OD_FEATURE_VERITY |
						    OD_FEATURE_INODE_CRTIME),
			 OD_FEATURE_INODE_CRTIME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stored_as_utf16),
		cmocka_unit_test(first_and_last_of_each_length),
		cmocka_unit_test(invalid_text_is_refused),
		cmocka_unit_test(as_long_as_there_is_room),
		cmocka_unit_test(broken_pairs_on_disk_are_replaced),
		cmocka_unit_test(features_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
