/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of victims from the SIT. */
#include "config.h"

#include "engine/victim.h"

#include "base/bits.h"

#include <stdlib.h>

/*
 * Blocks that logs have written in a section: whole segments, and up to the
 * log's position in a current one.
 */
static uint32_t written_blocks(const struct volume *vol, uint32_t secno)
{
	const struct layout *lo = &vol->lo;
	uint32_t first = sec_to_seg(lo, secno), n = 0;

	for (uint32_t s = first; s < first + lo->segs_per_sec; s++) {
		uint32_t in_seg = sit_get(&vol->sit, s)->valid ?
				  lo->blks_per_seg : 0;

		for (int t = 0; t < OD_NR_LOGS; t++)
			if (vol->cp.log[t].segno == s &&
			    vol->cp.log[t].alloc_type == ALLOC_LFS)
				in_seg = vol->cp.log[t].next;
		n += in_seg;
	}
	return n;
}

bool section_is_dirty(const struct volume *vol, uint32_t secno)
{
	uint32_t valid = sit_sec_valid(&vol->sit, secno);

	if (!valid)
		return false;
	if (volume_sec_is_current(vol, secno))
		return valid < written_blocks(vol, secno);
	return valid < blks_per_sec(&vol->lo);
}

uint32_t count_dirty_sections(const struct volume *vol)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < vol->lo.nr_main_secs; s++)
		n += section_is_dirty(vol, s) &&
		     !volume_sec_is_current(vol, s);
	return n;
}

static bool section_is_node(const struct volume *vol, uint32_t secno)
{
	uint32_t first = sec_to_seg(&vol->lo, secno);

	for (uint32_t s = first; s < first + vol->lo.segs_per_sec; s++)
		if (sit_get(&vol->sit, s)->valid)
			return log_is_node(sit_get(&vol->sit, s)->type);
	return false;
}

static int by_cost(const void *pa, const void *pb)
{
	const struct victim *a = pa, *b = pb;

	if (a->valid != b->valid)
		return a->valid < b->valid ? -1 : 1;
	return a->secno < b->secno ? -1 : a->secno > b->secno;
}

int victim_list(struct volume *vol, bool nodes, bool full,
		const uint8_t *held, struct victim_vec *out)
{
	out->nr = 0;
	for (uint32_t s = 0; s < vol->lo.nr_main_secs; s++) {
		struct victim v = {
			.secno = s, .valid = sit_sec_valid(&vol->sit, s),
		};

		if (!v.valid || bit_test_lsb(held, s) ||
		    !(full || section_is_dirty(vol, s)))
			continue;
		v.is_node = section_is_node(vol, s);
		if (v.is_node == nodes && vec_push(out, &v))
			return ctx_nomem(vol->ctx, "the list of victims");
	}
	if (out->nr)
		qsort(out->v, out->nr, sizeof(*out->v), by_cost);
	return 0;
}
