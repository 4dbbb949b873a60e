/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which dirty entries go to a journal (kernel fs/f2fs/node.c,
 * __adjust_nat_entry_set(), and segment.c, adjust_sit_entry_set()): with the
 * smallest sets first, the room spares the most blocks.
 */
#include "config.h"

#include "engine/flush_sets.h"

int flush_sets_add(struct flush_sets *sets, uint32_t i)
{
	if (sets->nr && sets->v[sets->nr - 1].i == i) {
		sets->v[sets->nr - 1].nr++;
		return 0;
	}
	return vec_push(sets, &((struct flush_set){ .i = i, .nr = 1 }));
}

static int by_block(const void *pa, const void *pb)
{
	const struct flush_set *a = pa, *b = pb;

	return (a->i > b->i) - (a->i < b->i);
}

static int by_size(const void *pa, const void *pb)
{
	const struct flush_set *a = pa, *b = pb;

	return a->nr != b->nr ? (a->nr > b->nr) - (a->nr < b->nr) :
				by_block(pa, pb);
}

size_t flush_sets_share(struct flush_sets *sets, uint32_t room)
{
	uint64_t sum = 0;
	size_t n = 0;

	vec_sort(sets, by_size);
	while (n < sets->nr && sum + sets->v[n].nr <= room)
		sum += sets->v[n++].nr;
	if (n)
		qsort(sets->v, n, sizeof(*sets->v), by_block);
	if (n < sets->nr)
		qsort(sets->v + n, sets->nr - n, sizeof(*sets->v), by_block);
	return n;
}
