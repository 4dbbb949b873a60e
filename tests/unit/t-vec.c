/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The growable array. */
#include "config.h"

#include "base/vec.h"
#include "unit.h"

struct pair { uint32_t a; uint64_t b; };
struct pair_vec VEC_BODY(struct pair);
struct byte_vec VEC_BODY(uint8_t);

static void push_keeps_order_and_content(void **state)
{
	struct pair_vec vec = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		struct pair p = { i, (uint64_t)i << 33 };

		assert_int_equal(vec_push(&vec, &p), 0);
		assert_int_equal(vec.nr, i + 1);
	}
	for (uint32_t i = 0; i < 1000; i++) {
		assert_int_equal(vec.v[i].a, i);
		assert_true(vec.v[i].b == (uint64_t)i << 33);
	}
	vec_free(&vec);
	assert_null(vec.v);
	assert_int_equal(vec.nr, 0);
	assert_int_equal(vec.room, 0);
}

static void reserve_moves_nothing_later(void **state)
{
	struct byte_vec vec = { 0 };
	uint8_t *v;

	(void)state;
	assert_int_equal(vec_reserve(&vec, 100), 0);
	assert_true(vec.room >= 100);
	assert_int_equal(vec.nr, 0);
	v = vec.v;
	for (uint8_t i = 0; i < 100; i++)
		assert_int_equal(vec_push(&vec, &i), 0);
	assert_ptr_equal(vec.v, v);
	assert_int_equal(vec_reserve(&vec, 10), 0);
	assert_ptr_equal(vec.v, v);
	vec_free(&vec);
}

/* Sizes that overflow are refused, and the content survives. */
static void impossible_sizes_are_refused(void **state)
{
	struct pair_vec vec = { 0 };
	struct pair p = { 7, 8 };

	(void)state;
	assert_int_equal(vec_push(&vec, &p), 0);
	assert_int_equal(vec_reserve(&vec, SIZE_MAX), -ENOMEM);
	assert_int_equal(vec_reserve(&vec, SIZE_MAX / 2 + 1), -ENOMEM);
	assert_int_equal(vec_reserve(&vec, SIZE_MAX / sizeof(p) + 1), -ENOMEM);
	assert_int_equal(vec.nr, 1);
	assert_int_equal(vec.v[0].a, 7);
	vec_free(&vec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(push_keeps_order_and_content),
		cmocka_unit_test(reserve_moves_nothing_later),
		cmocka_unit_test(impossible_sizes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
