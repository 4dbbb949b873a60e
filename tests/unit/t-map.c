/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hash map against a plain array. */
#include "config.h"

#include "base/map.h"
#include "unit.h"

#include <errno.h>
#include <string.h>

static void empty_map_has_nothing(void **state)
{
	struct map m = { 0 };
	uint64_t key, value = 5;
	size_t pos = 0;

	(void)state;
	assert_false(map_get(&m, 0, &value));
	assert_false(map_get(&m, UINT64_MAX, &value));
	assert_false(map_remove(&m, 0));
	assert_false(map_next(&m, &pos, &key, &value));
	assert_int_equal(value, 5);
	map_clear(&m);
	map_free(&m);
}

static void every_key_is_allowed(void **state)
{
	const uint64_t keys[] = { 0, 1, UINT32_MAX, UINT64_MAX - 1, UINT64_MAX };
	struct map m = { 0 };
	uint64_t value;

	(void)state;
	for (size_t i = 0; i < NR_OF(keys); i++)
		assert_int_equal(map_put(&m, keys[i], i), 0);
	for (size_t i = 0; i < NR_OF(keys); i++) {
		assert_int_equal(map_put(&m, keys[i], i + 100), 0);
		assert_true(map_get(&m, keys[i], &value));
		assert_int_equal(value, i + 100);
	}
	assert_int_equal(m.nr, NR_OF(keys));
	for (size_t i = 0; i < NR_OF(keys); i++) {
		assert_true(map_remove(&m, keys[i]));
		assert_false(map_get(&m, keys[i], NULL));
		assert_false(map_remove(&m, keys[i]));
	}
	assert_int_equal(m.nr, 0);
	map_free(&m);
}

/* Random puts and removals of few keys, so that chains grow and close. */
static void map_does_as_an_array_does(void **state)
{
	enum { KEYS = 3000 };
	static uint64_t plain[KEYS];	/* 0: not there */
	struct map m = { 0 };
	uint64_t value, key, x = 88172645463325252U;
	size_t nr = 0, pos = 0, visited = 0;

	(void)state;
	for (uint64_t step = 1; step < 200000; step++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		key = x % KEYS;
		if (x >> 60 & 1) {
			nr += !plain[key];
			plain[key] = step;
			assert_int_equal(map_put(&m, key << 20, step), 0);
		} else {
			nr -= plain[key] != 0;
			assert_int_equal(map_remove(&m, key << 20),
					 plain[key] != 0);
			plain[key] = 0;
		}
		assert_int_equal(m.nr, nr);
	}
	for (key = 0; key < KEYS; key++) {
		assert_int_equal(map_get(&m, key << 20, &value),
				 plain[key] != 0);
		if (plain[key])
			assert_int_equal(value, plain[key]);
	}
	while (map_next(&m, &pos, &key, &value)) {
		assert_int_equal(plain[key >> 20], value);
		visited++;
	}
	assert_int_equal(visited, nr);
	map_free(&m);
}

static void reserve_and_clear_keep_the_memory(void **state)
{
	struct map m = { 0 };
	struct map_slot *slot;

	(void)state;
	assert_int_equal(map_reserve(&m, 1000), 0);
	slot = m.slot;
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(map_put(&m, i, i), 0);
	assert_ptr_equal(m.slot, slot);
	map_clear(&m);
	assert_int_equal(m.nr, 0);
	assert_false(map_get(&m, 3, NULL));
	assert_ptr_equal(m.slot, slot);
	map_free(&m);
}

static void impossible_sizes_leave_it_unchanged(void **state)
{
	struct map m = { 0 };
	uint64_t value;

	(void)state;
	assert_int_equal(map_put(&m, 1, 2), 0);
	assert_int_equal(map_reserve(&m, SIZE_MAX), -ENOMEM);
	assert_int_equal(map_reserve(&m, SIZE_MAX / 16), -ENOMEM);
	assert_true(map_get(&m, 1, &value));
	assert_int_equal(value, 2);
	map_free(&m);
}

/* Two maps with the same keys must not have the same chains. */
static void hash_is_seeded(void **state)
{
	struct map a = { 0 }, b = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		assert_int_equal(map_put(&a, i, 0), 0);
		assert_int_equal(map_put(&b, i, 0), 0);
	}
	assert_int_equal(a.room, b.room);
	assert_true(memcmp(a.slot, b.slot, a.room * sizeof(*a.slot)) != 0);
	map_free(&a);
	map_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_map_has_nothing),
		cmocka_unit_test(every_key_is_allowed),
		cmocka_unit_test(map_does_as_an_array_does),
		cmocka_unit_test(reserve_and_clear_keep_the_memory),
		cmocka_unit_test(impossible_sizes_leave_it_unchanged),
		cmocka_unit_test(hash_is_seeded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
