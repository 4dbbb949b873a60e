/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks of a dry run: in memory, beyond a bound in a file, or not at all. */
#include "config.h"

#include "dev/shadow.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { IN_MEMORY = 2048, NR = IN_MEMORY + 300 };

static void fill(uint8_t *block, size_t i)
{
	for (size_t k = 0; k < SHADOW_BYTES; k++)
		block[k] = (uint8_t)(i * 31 + k / 7);
}

static void add_all(struct shadows *s)
{
	uint8_t block[SHADOW_BYTES];

	shadows_init(s);
	for (size_t i = 0; i < NR; i++) {
		size_t n = 0;

		fill(block, i);
		assert_int_equal(shadow_add(s, block, &n), 0);
		assert_int_equal(n, i);
	}
}

static void all_are_as_they_were(const struct shadows *s)
{
	uint8_t block[SHADOW_BYTES], back[SHADOW_BYTES];

	for (size_t i = 0; i < NR; i++) {
		fill(block, i);
		assert_int_equal(shadow_read(s, i, 0, SHADOW_BYTES, back), 0);
		assert_memory_equal(back, block, SHADOW_BYTES);
	}
}

static void beyond_the_bound_they_are_in_a_file(void **state)
{
	struct shadows s;
	struct stat st;
	uint8_t back[20];

	(void)state;
	setenv("TMPDIR", ".", 1);
	add_all(&s);
	for (size_t i = 0; i < NR; i++)
		assert_int_equal(!s.copy[i], i >= IN_MEMORY);
	assert_int_equal(fstat(s.fd, &st), 0);
	assert_int_equal(st.st_nlink, 0);
	all_are_as_they_were(&s);
	for (size_t i = 0; i < NR; i += NR - 1) {
		assert_int_equal(shadow_write(&s, i, 4090, 6, "change"), 0);
		assert_int_equal(shadow_read(&s, i, 4086, 10, back), 0);
		assert_memory_equal(back + 4, "change", 6);
		assert_int_equal(back[3], (uint8_t)(i * 31 + 4089 / 7));
	}
	shadows_free(&s);
}

static void without_a_file_they_stay_in_memory(void **state)
{
	struct shadows s;

	(void)state;
	setenv("TMPDIR", "/nonexistent", 1);
	add_all(&s);
	assert_int_equal(s.fd, -1);
	all_are_as_they_were(&s);
	shadows_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beyond_the_bound_they_are_in_a_file),
		cmocka_unit_test(without_a_file_they_stay_in_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
