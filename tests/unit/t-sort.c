/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorting in place against qsort(), and how much it compares at the worst. */
#include "config.h"

#include "base/sort.h"
#include "unit.h"

#include <stdlib.h>

#define MOST 5000U

struct large {
	uint32_t fill[5];
	uint32_t key;
	uint64_t more[4];
};

static uint32_t seed;
static uint64_t nr_compared;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}

static int by_value(const void *pa, const void *pb)
{
	const uint32_t *a = pa, *b = pb;

	nr_compared++;
	return *a < *b ? -1 : *a > *b;
}

static int by_key(const void *pa, const void *pb)
{
	const struct large *a = pa, *b = pb;

	return a->key < b->key ? -1 : a->key > b->key;
}

/* All alike, few values, many, up, down, up and down, nearly in order. */
static uint32_t value(int pattern, uint32_t i, uint32_t nr)
{
	switch (pattern) {
	case 0:
		return 7;
	case 1:
		return random_below(3);
	case 2:
		return random_below(UINT32_MAX >> 8);
	case 3:
		return i;
	case 4:
		return nr - i;
	case 5:
		return i < nr / 2 ? i : nr - i;
	default:
		return random_below(50) ? i : random_below(nr);
	}
}

static void sorts_like_qsort(void **state)
{
	static uint32_t v[MOST], w[MOST];

	(void)state;
	for (uint32_t nr = 0; nr < MOST; nr += 1 + nr / 3) {
		for (int pattern = 0; pattern < 7; pattern++) {
			seed = nr * 7 + (uint32_t)pattern;
			for (uint32_t i = 0; i < nr; i++)
				v[i] = w[i] = value(pattern, i, nr);
			sort_in_place(v, nr, sizeof(*v), by_value);
			qsort(w, nr, sizeof(*w), by_value);
			assert_memory_equal(v, w, nr * sizeof(*v));
		}
	}
	sort_in_place(NULL, 0, sizeof(*v), by_value);
}

static void elements_stay_whole(void **state)
{
	static struct large v[MOST];

	(void)state;
	seed = 1;
	for (uint32_t i = 0; i < MOST; i++) {
		v[i].key = random_below(MOST);
		v[i].fill[0] = ~v[i].key;
		v[i].more[3] = v[i].key * 3ULL;
	}
	sort_in_place(v, MOST, sizeof(*v), by_key);
	for (uint32_t i = 0; i < MOST; i++) {
		assert_true(!i || v[i - 1].key <= v[i].key);
		assert_int_equal(v[i].fill[0], ~v[i].key);
		assert_int_equal(v[i].more[3], v[i].key * 3ULL);
	}
}

/*
 * An order that makes every split a bad one: values are given out only as they
 * are compared, the small ones to whatever is taken for the middle (M. D.
 * McIlroy, "A killer adversary for quicksort", 1999).
 */
static uint32_t given[MOST], nr_given, candidate;

static int by_whim(const void *pa, const void *pb)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	nr_compared++;
	if (given[a] == MOST && given[b] == MOST)
		given[a == candidate ? a : b] = nr_given++;
	if (given[a] == MOST)
		candidate = a;
	else if (given[b] == MOST)
		candidate = b;
	return given[a] < given[b] ? -1 : given[a] > given[b];
}

static void no_order_takes_long(void **state)
{
	static uint32_t v[MOST];

	(void)state;
	for (uint32_t i = 0; i < MOST; i++) {
		v[i] = i;
		given[i] = MOST;
	}
	given[0] = nr_given++;		/* so that it is not sorted as it is */
	v[0] = 1;
	v[1] = 0;
	nr_compared = 0;
	sort_in_place(v, MOST, sizeof(*v), by_whim);
	for (uint32_t i = 1; i < MOST; i++)
		assert_true(given[v[i - 1]] <= given[v[i]]);
	/* 13 is the logarithm; a quadratic sort takes millions. */
	assert_in_range(nr_compared, MOST, 5 * 13 * MOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorts_like_qsort),
		cmocka_unit_test(elements_stay_whole),
		cmocka_unit_test(no_order_takes_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
