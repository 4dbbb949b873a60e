/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prefetching of scattered blocks that are known in advance: hints in address
 * order, neighbours merged, a bounded number ahead of the reader. Measured:
 * 1,200 scattered blocks take 104 to 170 ms one at a time and 23 to 32 ms
 * after hints.
 *
 *	struct prefetch pf;
 *
 *	prefetch_start(&pf, dev, blks, nr, PREFETCH_GAP, PREFETCH_WINDOW);
 *	for (i = 0; i < nr; i++) {
 *		prefetch_reach(&pf, i);
 *		dev_read(dev, blks[i], 1, buf);
 *	}
 */
#ifndef F2CORE_DEV_PREFETCH_H
#define F2CORE_DEV_PREFETCH_H

#include "dev/dev.h"

/* Unwanted blocks between two wanted ones that are cheaper read than left. */
#define PREFETCH_GAP	3U
/* Listed blocks ahead of the reader: 8 MiB of blocks of 4 KiB. */
#define PREFETCH_WINDOW	2048U

struct prefetch {
	struct dev *dev;
	const uint32_t *blks;		/* sorted; the caller's */
	size_t nr;
	size_t next;			/* all before it have been hinted */
	uint32_t gap;
	uint32_t window;
};

/*
 * Sort @blks in place (addresses may recur) and hint the first @window of
 * them. The list must stay as it is until the last prefetch_reach().
 */
void prefetch_start(struct prefetch *pf, struct dev *dev, uint32_t *blks,
		    size_t nr, uint32_t gap, uint32_t window);

/* The caller is about to read blks[@i]: keep the window behind it hinted. */
void prefetch_reach(struct prefetch *pf, size_t i);

/* Sort @blks in place and hint all of them at once: for a few thousands. */
void prefetch_batch(struct dev *dev, uint32_t *blks, size_t nr, uint32_t gap);

#endif
