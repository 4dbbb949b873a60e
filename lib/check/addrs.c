/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cutting a list of addresses into runs. Most slots of most lists are holes. */
#include "config.h"

#include "check/addrs.h"

#include <string.h>

static bool is_two_holes(const le32 *addrs)
{
	uint64_t both;

	memcpy(&both, addrs, sizeof(both));
	return !both;
}

/* Slots from @i on whose addresses follow @blk, up to the segment's end. */
static uint32_t run_length(const struct layout *lo, const le32 *addrs,
			   uint32_t i, uint32_t nr, uint32_t blk)
{
	uint32_t max = lo->blks_per_seg - blk_in_seg(lo, blk);
	uint32_t n = 1;

	if (max > nr - i)
		max = nr - i;
	while (n < max && le32_get(addrs[i + n]) == blk + n)
		n++;
	return n;
}

void addrs_walk(const struct layout *lo, const le32 *addrs, uint32_t nr,
		struct addr_walk *w)
{
	uint32_t n;

	for (uint32_t i = 0; i < nr; i += n) {
		uint32_t blk;

		if (i + 1 < nr && is_two_holes(addrs + i)) {
			n = 2;
			continue;
		}
		n = 1;
		blk = le32_get(addrs[i]);
		if (blk == OD_BLK_NULL)
			continue;
		if (blk == OD_BLK_NEW) {
			w->nr_new++;
		} else if (blk == OD_BLK_COMPRESS) {
			w->nr_compress++;
		} else if (!blk_is_main(lo, blk)) {
			w->nr_real++;
			if (w->bad)
				w->bad(w->priv, i, blk);
		} else {
			n = run_length(lo, addrs, i, nr, blk);
			w->nr_real += n;
			w->nr_runs++;
			w->run(w->priv, i, blk, n);
		}
	}
}
