/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Room for a large file: a row of sections is emptied into free sections
 * elsewhere, the row that costs least.
 */
#include "config.h"

#include "engine/defrag_int.h"

#include "base/bits.h"

#include <errno.h>

#define MOST_TRIES 8			/* rows looked at for one file */

/* First sections of rows that could not be emptied after all. */
struct tried {
	uint32_t first[MOST_TRIES];
	int nr;
};

/* A row of sections. */
struct row {
	uint32_t first;
	uint32_t len;
	uint64_t valid;			/* blocks that have to leave */
	uint32_t free;			/* sections of it that are free already */
	uint32_t bars;			/* sections that cannot be emptied */
};

static void row_add(const struct defrag *d, struct row *row, uint32_t secno,
		    int sign)
{
	uint32_t valid = sit_sec_valid(&d->vol->sit, secno);
	bool barred = bit_test_lsb(d->held, secno) ||
		      volume_sec_is_current(d->vol, secno);

	row->valid += (uint64_t)(int64_t)(sign * (int64_t)valid);
	row->free += (uint32_t)(sign * (!valid && !barred));
	row->bars += (uint32_t)(sign * barred);
}

static bool was_tried(const struct tried *tried, uint32_t first)
{
	for (int i = 0; i < tried->nr; i++)
		if (tried->first[i] == first)
			return true;
	return false;
}

/* The cheapest row of @len sections whose blocks fit elsewhere. */
static bool find_row(const struct defrag *d, uint32_t len,
		     const struct tried *tried, struct row *best)
{
	const struct layout *lo = &d->vol->lo;
	uint32_t nr_free = volume_free_secs(d->vol);
	struct row row = { .len = len };
	bool found = false;

	for (uint32_t s = 0; s < lo->nr_main_secs; s++) {
		uint64_t elsewhere;

		row_add(d, &row, s, 1);
		if (s >= len)
			row_add(d, &row, s - len, -1);
		if (s + 1 < len || row.bars || !row.valid)
			continue;
		row.first = s + 1 - len;
		elsewhere = (uint64_t)(nr_free - row.free) * blks_per_sec(lo);
		if (row.valid > elsewhere ||
		    (found && row.valid >= best->valid) ||
		    was_tried(tried, row.first))
			continue;
		*best = row;
		found = true;
	}
	return found;
}

static int plan_row(struct defrag *d, const struct row *row)
{
	struct txn *t = &d->txn;
	int err = 0;

	txn_reset(t);
	t->whole = false;
	t->most_bytes = 0;
	for (uint32_t s = row->first; !err && s < row->first + row->len; s++) {
		if (sit_sec_valid(&d->vol->sit, s))
			err = txn_add_section(t, s);
		else if (vec_push(&t->withheld, &s))
			err = ctx_nomem(d->vol->ctx, "a list of sections");
	}
	if (!err)
		err = txn_take_runs_along(t);
	if (!err)
		err = txn_resolve(t);
	return err ? err : txn_place(t);
}

/* Whether the planned row may be emptied: it costs no free section. */
static bool is_allowed(struct defrag *d)
{
	struct txn_outcome o;

	txn_foresee(&d->txn, d->left, &o);
	return o.free_secs >= d->floor &&
	       d->txn.moves.nr <= defrag_may_move(d);
}

/* So many free sections in a row are there already. */
static bool has_row(const struct defrag *d, uint32_t len)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < d->vol->lo.nr_main_secs && n < len; s++)
		n = sit_sec_valid(&d->vol->sit, s) ||
		    volume_sec_is_current(d->vol, s) ? 0 : n + 1;
	return n >= len;
}

int defrag_make_room(struct defrag *d, uint32_t blocks)
{
	uint32_t per_sec = blks_per_sec(&d->vol->lo);
	uint32_t len = (blocks + per_sec - 1) / per_sec;
	struct tried tried = { .nr = 0 };
	struct row row = { 0 };

	if (len > d->vol->lo.nr_main_secs || has_row(d, len))
		return -ENOSPC;
	while (tried.nr < MOST_TRIES && find_row(d, len, &tried, &row)) {
		int err = plan_row(d, &row);

		if (err == -EBUSY)
			defrag_hold_pinned(d);
		if (!err && !is_allowed(d))
			err = -ENOSPC;
		if (err == -EBUSY || err == -ENOSPC || err == -E2BIG) {
			tried.first[tried.nr++] = row.first;
			continue;
		}
		if (!err)
			err = defrag_relocate(d);
		if (!err)
			d->rep->room_made++;
		return err;
	}
	return -ENOSPC;
}
