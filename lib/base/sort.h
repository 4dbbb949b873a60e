/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sorting where it takes its place: without a copy of the array, which qsort()
 * makes, and with the comparison inlined. Quicksort from the middle of three;
 * what it would be slow with is left to heapsort, so no input takes more than
 * n log n. Equal elements may change places.
 */
#ifndef F2CORE_BASE_SORT_H
#define F2CORE_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SORT_MOST_BYTES	96		/* of an element */
#define SORT_FEW	12		/* elements that are inserted one by one */

#define SORT_INLINE static inline __attribute__((always_inline))

typedef int sort_compare(const void *a, const void *b);

SORT_INLINE void sort_swap(uint8_t *a, uint8_t *b, size_t size)
{
	_Alignas(max_align_t) uint8_t t[SORT_MOST_BYTES];

	memcpy(t, a, size);
	memcpy(a, b, size);
	memcpy(b, t, size);
}

SORT_INLINE bool sort_is_done(const uint8_t *v, size_t nr, size_t size,
			      sort_compare *compare)
{
	for (size_t i = 1; i < nr; i++)
		if (compare(v + (i - 1) * size, v + i * size) > 0)
			return false;
	return true;
}

SORT_INLINE void sort_few(uint8_t *v, size_t nr, size_t size,
			  sort_compare *compare)
{
	_Alignas(max_align_t) uint8_t t[SORT_MOST_BYTES];

	for (size_t i = 1; i < nr; i++) {
		size_t at = i;

		memcpy(t, v + i * size, size);
		for (; at && compare(v + (at - 1) * size, t) > 0; at--)
			memcpy(v + at * size, v + (at - 1) * size, size);
		memcpy(v + at * size, t, size);
	}
}

/* Let element @at sink to where both below it are smaller. */
SORT_INLINE void sort_sink(uint8_t *v, size_t at, size_t nr, size_t size,
			   sort_compare *compare)
{
	size_t below;

	for (; (below = 2 * at + 1) < nr; at = below) {
		if (below + 1 < nr && compare(v + below * size,
					      v + (below + 1) * size) < 0)
			below++;
		if (compare(v + at * size, v + below * size) >= 0)
			return;
		sort_swap(v + at * size, v + below * size, size);
	}
}

SORT_INLINE void sort_by_heap(uint8_t *v, size_t nr, size_t size,
			      sort_compare *compare)
{
	for (size_t i = nr / 2; i--; )
		sort_sink(v, i, nr, size, compare);
	while (nr-- > 1) {
		sort_swap(v, v + nr * size, size);
		sort_sink(v, 0, nr, size, compare);
	}
}

/* Returns how many elements go to the left; neither side is empty. */
SORT_INLINE size_t sort_split(uint8_t *v, size_t nr, size_t size,
			      sort_compare *compare)
{
	uint8_t *mid = v + nr / 2 * size, *last = v + (nr - 1) * size;
	_Alignas(max_align_t) uint8_t pivot[SORT_MOST_BYTES];
	uint8_t *a = v, *b = last;

	if (compare(mid, v) < 0)
		sort_swap(mid, v, size);
	if (compare(last, mid) < 0)
		sort_swap(last, mid, size);
	if (compare(mid, v) < 0)
		sort_swap(mid, v, size);
	memcpy(pivot, mid, size);
	for (;;) {
		do
			a += size;
		while (compare(a, pivot) < 0);
		do
			b -= size;
		while (compare(b, pivot) > 0);
		if (a >= b)
			return (size_t)(a - v) / size;
		sort_swap(a, b, size);
	}
}

/* Elements of at most SORT_MOST_BYTES. */
SORT_INLINE void sort_in_place(void *base, size_t nr, size_t size,
			       sort_compare *compare)
{
	struct { uint8_t *v; size_t nr; int tries; } todo[64];
	uint8_t *v = base;
	int n = 0, tries = 2;

	if (sort_is_done(v, nr, size, compare))
		return;
	for (size_t i = nr; i; i /= 2)
		tries += 2;
	for (;;) {
		while (nr > SORT_FEW && tries) {
			size_t left = sort_split(v, nr, size, compare);
			bool left_is_more = left > nr - left;

			/* Of what waits each is at most half of the last. */
			tries--;
			todo[n].v = left_is_more ? v : v + left * size;
			todo[n].nr = left_is_more ? left : nr - left;
			todo[n++].tries = tries;
			v = left_is_more ? v + left * size : v;
			nr = left_is_more ? nr - left : left;
		}
		if (nr > SORT_FEW)
			sort_by_heap(v, nr, size, compare);
		else
			sort_few(v, nr, size, compare);
		if (!n)
			return;
		v = todo[--n].v;
		nr = todo[n].nr;
		tries = todo[n].tries;
	}
}

/* Of a vector (base/vec.h). */
#define vec_sort_in_place(vec, compare) \
	sort_in_place((vec)->v, (vec)->nr, sizeof(*(vec)->v), (compare))

#endif
