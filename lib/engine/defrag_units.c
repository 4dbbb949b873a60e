/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What there is to gather: sections with holes, each with those beside it that
 * a large part of a run lies in. Moving such a run out of one section alone
 * would only put the hole into the next.
 */
#include "config.h"

#include "engine/defrag_int.h"

#include "base/bits.h"
#include "engine/victim.h"

/* Part of a section that a run beyond the border has to fill. */
#define LARGE_PART 4

uint8_t defrag_type_of(const struct volume *vol, uint32_t secno)
{
	uint32_t first = sec_to_seg(&vol->lo, secno);

	for (uint32_t s = first; s < first + vol->lo.segs_per_sec; s++)
		if (sit_get(&vol->sit, s)->valid)
			return sit_get(&vol->sit, s)->type;
	return LOG_WARM_DATA;
}

/*
 * Whether a run that crosses the border of section @secno on the side of @step
 * lies in the section beyond it for a large part.
 */
static int needs_next(struct defrag *d, uint32_t secno, int step, bool *yes)
{
	const struct layout *lo = &d->vol->lo;
	uint32_t next = secno + (uint32_t)step, valid, most, nr;
	uint32_t blk = seg_to_blk(lo, sec_to_seg(lo, secno));
	int err;

	*yes = false;
	if (step > 0)
		blk += blks_per_sec(lo) - 1;
	if (next >= lo->nr_main_secs)
		return 0;
	valid = sit_sec_valid(&d->vol->sit, next);
	most = blks_per_sec(lo) / LARGE_PART;
	if (valid < most)
		most = valid;
	err = txn_run_beyond(&d->txn, blk, step, most, &nr);
	*yes = nr && nr >= most;
	return err;
}

static int grow(struct defrag *d, struct unit *u, int step, uint64_t most)
{
	for (;;) {
		uint32_t edge = step > 0 ? u->first + u->len - 1 : u->first;
		bool more;
		int err = needs_next(d, edge, step, &more);

		if (err || !more)
			return err;
		edge += (uint32_t)step;
		if (step < 0)
			u->first--;
		u->len++;
		u->valid += sit_sec_valid(&d->vol->sit, edge);
		if (bit_test_lsb(d->held, edge))
			u->valid = UINT32_MAX;	/* is left out */
		if (u->valid > most)
			return 0;
	}
}

/* By blocks to move for each that is gained. */
static int by_cost(const struct unit *a, const struct unit *b,
		   uint32_t per_sec)
{
	uint64_t x = a->valid * ((uint64_t)b->len * per_sec - b->valid);
	uint64_t y = b->valid * ((uint64_t)a->len * per_sec - a->valid);

	if (x != y)
		return x < y ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

static int compare(const void *a, const void *b, void *per_sec)
{
	return by_cost(a, b, *(const uint32_t *)per_sec);
}

int defrag_units(struct defrag *d, bool nodes, uint64_t most,
		 struct unit_vec *out)
{
	uint32_t per_sec = blks_per_sec(&d->vol->lo), next = 0;
	int err = 0;

	out->nr = 0;
	if (most > UINT32_MAX - 1)
		most = UINT32_MAX - 1;
	for (uint32_t s = 0; !err && s < d->vol->lo.nr_main_secs; s++) {
		struct unit u = {
			.first = s, .len = 1, .type = defrag_type_of(d->vol, s),
			.valid = sit_sec_valid(&d->vol->sit, s),
		};

		if (s < next || !section_is_dirty(d->vol, s) ||
		    log_is_node(u.type) != nodes ||
		    bit_test_lsb(d->held, s))
			continue;
		err = grow(d, &u, -1, most);
		if (!err && u.valid <= most)
			err = grow(d, &u, 1, most);
		if (u.first + u.len > next)
			next = u.first + u.len;
		if (!err && u.valid <= most && vec_push(out, &u))
			err = ctx_nomem(d->vol->ctx, "the list of sections");
	}
	if (!err && out->nr)
		qsort_r(out->v, out->nr, sizeof(*out->v), compare, &per_sec);
	return err;
}

static bool holds(const struct unit *u, uint32_t secno)
{
	return secno >= u->first && secno - u->first < u->len;
}

void tally_add(const struct defrag *d, struct tally *tally,
	       const struct unit *u, int sign)
{
	const struct layout *lo = &d->vol->lo;

	tally->valid += (uint64_t)((int64_t)u->valid * sign);
	tally->secs += (int64_t)u->len * sign;
	tally->blocks[u->type < OD_NR_LOGS ? u->type : 0] +=
		(uint64_t)((int64_t)u->valid * sign);
	for (uint8_t t = 0; t < OD_NR_LOGS; t++)
		if (holds(u, seg_to_sec(lo, d->vol->cp.log[t].segno)))
			tally->renewed[t] += sign;
}

/* A log that comes to the end of its section opens the next one at once. */
static int64_t secs_opened(const struct defrag *d, const struct tally *tally,
			   uint8_t t)
{
	uint32_t per_sec = blks_per_sec(&d->vol->lo);
	uint64_t blocks = tally->blocks[t], room = 0;

	if (!blocks && !tally->renewed[t])
		return 0;
	if (!tally->renewed[t])
		room = alloc_room(&d->txn.alloc, t, 0) % per_sec;
	return blocks < room ? 0 : (int64_t)((blocks - room) / per_sec) + 1;
}

int64_t tally_gain(const struct defrag *d, const struct tally *tally)
{
	int64_t gain = tally->secs;

	for (uint8_t t = 0; t < OD_NR_LOGS; t++)
		gain -= secs_opened(d, tally, t);
	return gain;
}
