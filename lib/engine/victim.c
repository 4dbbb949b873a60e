/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of victims from the SIT, and what they are worth. */
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

/* By its first segment in use; a log fills a section with one type. */
static uint8_t section_type(const struct volume *vol, uint32_t secno)
{
	uint32_t first = sec_to_seg(&vol->lo, secno);

	for (uint32_t s = first; s < first + vol->lo.segs_per_sec; s++) {
		const struct sit_seg *seg = sit_get(&vol->sit, s);

		if (seg->valid)
			return seg->type < OD_NR_LOGS ? seg->type : 0;
	}
	return 0;
}

static int list_all(const struct volume *vol, bool full,
		    struct victim_vec *out)
{
	out->nr = 0;
	for (uint32_t s = 0; s < vol->lo.nr_main_secs; s++) {
		struct victim v = {
			.secno = s, .valid = sit_sec_valid(&vol->sit, s),
		};

		if (!v.valid || !(full || section_is_dirty(vol, s)))
			continue;
		v.type = section_type(vol, s);
		v.is_node = log_is_node(v.type);
		v.is_current = volume_sec_is_current(vol, s);
		v.mtime = section_mtime(vol, s);
		if (vec_push(out, &v))
			return ctx_nomem(vol->ctx, "the list of victims");
	}
	return 0;
}

static bool is_named(const struct victim_options *opt, uint32_t secno)
{
	for (size_t i = 0; i < opt->nr_only; i++)
		if (secno >= opt->only[i].first && secno <= opt->only[i].last)
			return true;
	return !opt->nr_only;
}

/* The kernel's one-time mode rounds so (fs/f2fs/gc.c, get_gc_cost()). */
static bool is_too_full(const struct layout *lo,
			const struct victim_options *opt, uint32_t valid)
{
	return opt->skip_valid > 0 && opt->skip_valid < 100 &&
	       valid >= (uint32_t)(blks_per_sec(lo) * opt->skip_valid / 100);
}

static void keep_chosen(const struct volume *vol,
			const struct victim_options *opt, const uint8_t *held,
			struct victim_vec *list)
{
	size_t n = 0;

	for (size_t i = 0; i < list->nr; i++) {
		const struct victim *v = &list->v[i];

		if ((v->is_node ? opt->no_nodes : opt->no_data) ||
		    (held && bit_test_lsb(held, v->secno)) ||
		    is_too_full(&vol->lo, opt, v->valid) ||
		    !is_named(opt, v->secno))
			continue;
		list->v[n++] = *v;
	}
	list->nr = n;
}

static int by_cost(const void *pa, const void *pb)
{
	const struct victim *a = pa, *b = pb;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	return a->secno < b->secno ? -1 : a->secno > b->secno;
}

static int by_cost_and_age(const void *pa, const void *pb)
{
	const struct victim *a = pa, *b = pb;

	if (a->rank == b->rank && a->cost == b->cost && a->mtime != b->mtime)
		return a->mtime < b->mtime ? -1 : 1;
	return by_cost(pa, pb);
}

int victim_list(struct volume *vol, const struct victim_options *opt,
		const uint8_t *held, struct victim_vec *out)
{
	int err = list_all(vol, opt->full, out);

	if (err)
		return err;
	/* Before any is left out: ages are measured against all of them. */
	victim_score(vol, opt->policy, out);
	keep_chosen(vol, opt, held, out);
	if (opt->policy == VICTIM_AGE_THRESHOLD)
		vec_sort(out, by_cost_and_age);
	else
		vec_sort(out, by_cost);
	return 0;
}

uint64_t victim_room_in_logs(const struct alloc *a, bool nodes, bool full)
{
	const struct layout *lo = &a->vol->lo;
	uint64_t room = 0;

	for (uint8_t t = 0; t < OD_NR_LOGS; t++) {
		uint32_t segno = a->vol->cp.log[t].segno;

		if (!!log_is_node(t) == nodes && !full &&
		    segno < lo->nr_main_segs &&
		    !section_is_dirty(a->vol, seg_to_sec(lo, segno)))
			room += alloc_room(a, t, 0) % blks_per_sec(lo);
	}
	return room;
}

uint32_t victim_gain(const struct alloc *a, const struct victim *v, size_t nr,
		     bool nodes, bool full)
{
	uint32_t per_sec = blks_per_sec(&a->vol->lo);
	uint64_t room = victim_room_in_logs(a, nodes, full);
	uint64_t blocks = 0, secs = 0, opened;

	for (size_t i = 0; i < nr; i++) {
		if (v[i].is_node != nodes)
			continue;
		blocks += v[i].valid;
		secs++;
	}
	blocks = blocks > room ? blocks - room : 0;
	opened = (blocks + per_sec - 1) / per_sec;
	return opened < secs ? (uint32_t)(secs - opened) : 0;
}
