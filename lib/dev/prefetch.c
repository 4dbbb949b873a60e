/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hints for a sorted list of blocks, merged through small gaps. */
#include "config.h"

#include "dev/prefetch.h"

#include <stdlib.h>

static int cmp_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Most lists come sorted. */
static void sort_blks(uint32_t *blks, size_t nr)
{
	for (size_t i = 1; i < nr; i++)
		if (blks[i - 1] > blks[i]) {
			qsort(blks, nr, sizeof(*blks), cmp_u32);
			return;
		}
}

/* Hint the run that begins at pf->next, made of entries before @end. */
static void hint_run(struct prefetch *pf, size_t end)
{
	uint64_t from = pf->blks[pf->next++];
	uint64_t to = from + 1;

	while (pf->next < end && pf->blks[pf->next] <= to + pf->gap &&
	       pf->blks[pf->next] - from < UINT32_MAX)
		to = (uint64_t)pf->blks[pf->next++] + 1;
	dev_prefetch(pf->dev, (uint32_t)from, (uint32_t)(to - from));
}

void prefetch_start(struct prefetch *pf, struct dev *dev, uint32_t *blks,
		    size_t nr, uint32_t gap, uint32_t window)
{
	sort_blks(blks, nr);
	pf->dev = dev;
	pf->blks = blks;
	pf->nr = nr;
	pf->next = 0;
	pf->gap = gap;
	pf->window = window ? window : 1;
	prefetch_reach(pf, 0);
}

/* Only when half of the window is used up, so that runs stay long. */
void prefetch_reach(struct prefetch *pf, size_t i)
{
	size_t end = pf->nr;

	if (pf->next < i)
		pf->next = i < pf->nr ? i : pf->nr;
	if (pf->next - i > pf->window / 2)
		return;
	if (end - i > pf->window)
		end = i + pf->window;
	while (pf->next < end)
		hint_run(pf, end);
}

void prefetch_batch(struct dev *dev, uint32_t *blks, size_t nr, uint32_t gap)
{
	struct prefetch pf = { .dev = dev, .blks = blks, .nr = nr, .gap = gap };

	sort_blks(blks, nr);
	while (pf.next < nr)
		hint_run(&pf, nr);
}
