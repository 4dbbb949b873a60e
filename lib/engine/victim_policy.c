/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What it costs to empty a section, by the kernel's policies and in its
 * integer arithmetic (kernel fs/f2fs/gc.c and segment.c, since Linux 6.13 for
 * sections of several segments). Times are seconds of the volume's clock.
 */
#include "config.h"

#include "engine/victim.h"

#define AGE_THRESHOLD	UINT64_C(604800)	/* a week */
#define AGE_WEIGHT	60U		/* percent; the rest is for holes */
#define ACCURACY	10000U
#define SCORED_LEAST	10U		/* of the oldest, these are scored */
#define SCORED_PERCENT	20U

struct span {
	uint64_t min, max;
};

static const struct span empty_span = { UINT64_MAX, 0 };

static void span_add(struct span *span, uint64_t mtime)
{
	if (mtime < span->min)
		span->min = mtime;
	if (mtime > span->max)
		span->max = mtime;
}

/*
 * The sum of mtime * valid over the sum of valid, exactly, without a product
 * that may overflow: quotients and remainders by the latter apart.
 */
static uint64_t mean_mtime(const struct volume *vol, uint32_t first,
			   uint32_t total)
{
	uint64_t whole = 0, rest = 0;

	for (uint32_t i = 0; i < vol->lo.segs_per_sec; i++) {
		const struct sit_seg *seg = sit_get(&vol->sit, first + i);

		whole += seg->mtime / total * seg->valid;
		rest += seg->mtime % total * seg->valid;
	}
	return whole + rest / total;
}

uint64_t section_mtime(const struct volume *vol, uint32_t secno)
{
	uint32_t first = sec_to_seg(&vol->lo, secno), total;
	uint64_t mtime;

	if (vol->lo.segs_per_sec == 1) {
		mtime = sit_get(&vol->sit, first)->mtime;
	} else {
		total = sit_sec_valid(&vol->sit, secno);
		if (!total)
			return UINT64_MAX;
		mtime = mean_mtime(vol, first, total);
	}
	return mtime < UINT64_MAX ? mtime : UINT64_MAX - 1;
}

/*
 * Of all sections, as a mount finds it: up to now, and further if a section
 * claims to be younger (kernel segment.c, init_min_max_mtime()).
 */
static struct span volume_span(const struct volume *vol)
{
	struct span span = empty_span;

	span.max = vol->cp.elapsed_time;
	for (uint32_t s = 0; s < vol->lo.nr_main_secs; s++) {
		uint64_t mtime = section_mtime(vol, s);

		if (mtime != UINT64_MAX)
			span_add(&span, mtime);
	}
	return span;
}

/* 100 * @part / @whole, where the product may not fit. */
static uint32_t percent_of(uint64_t part, uint64_t whole)
{
	if (part <= UINT64_MAX / 100)
		return (uint32_t)(100 * part / whole);
	return (uint32_t)(part / (whole / 100));
}

/* Kernel gc.c, get_cb_cost(). */
static uint32_t cost_benefit(const struct layout *lo, const struct victim *v,
			     const struct span *span)
{
	uint32_t u = v->valid / lo->segs_per_sec * 100 / lo->blks_per_seg;
	uint32_t age = 0;

	if (span->max > span->min)
		age = 100 - percent_of(v->mtime - span->min,
				       span->max - span->min);
	return UINT32_MAX - 100 * (100 - u) * age / (100 + u);
}

/* Kernel gc.c, atgc_lookup_victim(); @dirty is not empty. */
static uint32_t age_threshold(const struct layout *lo, const struct victim *v,
			      const struct span *dirty)
{
	uint32_t blocks = blks_per_sec(lo);
	uint64_t end = dirty->max + 1, total = end - dirty->min;
	uint64_t accuracy = UINT64_MAX / total / 100, age, holes;
	uint64_t mtime = v->mtime;

	if (accuracy > ACCURACY)
		accuracy = ACCURACY;
	if (mtime < dirty->min)
		mtime = dirty->min;
	if (mtime > dirty->max)
		mtime = dirty->max;
	age = accuracy * (end - mtime) / total * AGE_WEIGHT;
	holes = accuracy * (blocks - v->valid) / blocks * (100 - AGE_WEIGHT);
	return UINT32_MAX - (uint32_t)(age + holes);
}

/* The kernel does not take current sections, nor any without a hole. */
static bool is_kernels(const struct layout *lo, const struct victim *v)
{
	return !v->is_current && v->valid < blks_per_sec(lo);
}

static struct span dirty_span(const struct layout *lo,
			      const struct victim_vec *list)
{
	struct span span = empty_span;

	for (size_t i = 0; i < list->nr; i++)
		if (is_kernels(lo, &list->v[i]))
			span_add(&span, list->v[i].mtime);
	if (span.min <= span.max)
		return span;
	for (size_t i = 0; i < list->nr; i++)
		span_add(&span, list->v[i].mtime);
	return span;
}

static bool is_old(const struct victim *v, const struct span *dirty,
		   uint64_t threshold)
{
	return v->mtime <= dirty->max ? dirty->max - v->mtime >= threshold :
					!threshold;
}

static size_t count_old(const struct layout *lo, const struct victim_vec *list,
			const struct span *dirty, uint64_t threshold)
{
	size_t n = 0;

	for (size_t i = 0; i < list->nr; i++)
		n += is_kernels(lo, &list->v[i]) &&
		     is_old(&list->v[i], dirty, threshold);
	return n;
}

static int by_age(const void *pa, const void *pb)
{
	const struct victim *a = pa, *b = pb;

	if (a->mtime != b->mtime)
		return a->mtime < b->mtime ? -1 : 1;
	return a->secno < b->secno ? -1 : a->secno > b->secno;
}

/*
 * Sections younger than a week are no victims; unless none is older and the
 * volume itself is younger. Of the others the oldest fifth (at least ten) goes
 * first, the only ones that the kernel would look at now.
 */
static void score_by_age(const struct volume *vol, struct victim_vec *list)
{
	const struct layout *lo = &vol->lo;
	struct span dirty = dirty_span(lo, list);
	uint64_t threshold = AGE_THRESHOLD;
	size_t old = count_old(lo, list, &dirty, threshold), first, n = 0;

	if (!old && vol->cp.elapsed_time < threshold) {
		threshold = 0;
		old = count_old(lo, list, &dirty, 0);
	}
	first = old * SCORED_PERCENT / 100;
	if (first < SCORED_LEAST)
		first = SCORED_LEAST;
	vec_sort(list, by_age);
	for (size_t i = 0; i < list->nr; i++) {
		struct victim v = list->v[i];

		if (!is_old(&v, &dirty, threshold))
			continue;
		v.cost = age_threshold(lo, &v, &dirty);
		v.rank = !(first && is_kernels(lo, &v));
		first -= !v.rank;
		list->v[n++] = v;
	}
	list->nr = n;
}

void victim_score(const struct volume *vol, enum victim_policy policy,
		  struct victim_vec *list)
{
	struct span span;

	if (policy == VICTIM_AGE_THRESHOLD) {
		score_by_age(vol, list);
		return;
	}
	span = volume_span(vol);
	for (size_t i = 0; i < list->nr; i++)
		list->v[i].cost = policy == VICTIM_GREEDY ? list->v[i].valid :
				  cost_benefit(&vol->lo, &list->v[i], &span);
}
