/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program does before all else. */
#include "config.h"

#include "tool/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <cmocka.h>

#define LARGE (20U << 20)

/*
 * Not once alone: glibc takes what is as large as a table that was freed from
 * the heap from then on.
 */
static void a_large_table_is_given_back(void **state)
{
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
	struct session s;

	session_init(&s, "test");
	for (int i = 0; i < 3; i++) {
		size_t before = mallinfo2().hblkhd;
		void *volatile table = malloc(LARGE);

		assert_non_null(table);
		assert_true(mallinfo2().hblkhd >= before + LARGE);
		free(table);
		assert_int_equal(mallinfo2().hblkhd, before);
	}
#else
	skip();
#endif
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_large_table_is_given_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
