/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Room for a file where there is hardly more than all blocks need: a log that
 * the plan makes open a section more is given that back by windows, sections
 * in a row whose holes are more than what the log has spilt into the new one.
 * Emptying them fills as many sections but one. What lies across the ends of a
 * window moves too, and leaves holes, so it is one where little does.
 */
#include "config.h"

#include "engine/defrag_int.h"

#include "base/bits.h"

#include <errno.h>

#define MOST_SECS	8U		/* in a window */
#define MOST_LOOKS	256		/* windows whose ends are looked at */

struct window {
	uint32_t first, len;
	uint64_t left;			/* blocks that the plan leaves there */
	uint64_t cost;			/* what has to move: them, and beyond */
	uint64_t net;			/* holes, but for those it leaves beyond */
};

/* The best so far, of those whose holes are enough, and of all. */
struct choice {
	uint64_t want;			/* holes */
	int looks;			/* that may still be taken */
	struct window enough, most;
};

/* Sections that the plan makes the log open, less those it empties of it. */
static int64_t opened(const struct defrag *d, uint8_t type)
{
	const struct layout *lo = &d->vol->lo;
	const struct alloc *a = &d->txn.alloc;
	int64_t n = 0;

	for (size_t i = 0; i < a->segs.nr; i++)
		n += a->segs.v[i].type == type &&
		     a->segs.v[i].segno % lo->segs_per_sec == 0 &&
		     a->segs.v[i].segno != d->vol->cp.log[type].segno;
	for (uint32_t s = 0; s < lo->nr_main_secs; s++)
		n -= sit_sec_valid(&d->vol->sit, s) &&
		     !txn_left_in_sec(&d->txn, d->left, s) &&
		     !txn_leaves_log_in(&d->txn, s) &&
		     defrag_type_of(d->vol, s) == type;
	return n;
}

static bool is_helper(const struct defrag *d, uint32_t secno)
{
	for (size_t i = 0; i < d->helpers.nr; i++)
		if (d->helpers.v[i] == secno)
			return true;
	return false;
}

static bool may_empty(const struct defrag *d, uint32_t secno, uint8_t type)
{
	return secno < d->vol->lo.nr_main_secs && !is_helper(d, secno) &&
	       sit_sec_valid(&d->vol->sit, secno) &&
	       txn_left_in_sec(&d->txn, d->left, secno) &&
	       !bit_test_lsb(d->held, secno) &&
	       !txn_leaves_log_in(&d->txn, secno) &&
	       defrag_type_of(d->vol, secno) == type;
}

/* What goes on beyond the two ends, at most @most on each side. */
static int look_beyond(struct defrag *d, const struct window *w,
		       uint32_t most, uint64_t *beyond)
{
	const struct layout *lo = &d->vol->lo;
	uint32_t blk = seg_to_blk(lo, sec_to_seg(lo, w->first)), n, m = 0;
	int err = txn_run_beyond(&d->txn, blk, -1, most, &n);

	if (!err)
		err = txn_run_beyond(&d->txn, blk + w->len * blks_per_sec(lo) -
				     1, 1, most, &m);
	*beyond = (uint64_t)n + m;
	return err;
}

static void choose(struct choice *c, const struct window *w)
{
	const struct window *most = &c->most;

	if (w->net >= c->want && (!c->enough.len || w->cost < c->enough.cost))
		c->enough = *w;
	if (!most->len || w->net * most->cost > most->net * w->cost)
		c->most = *w;
}

/* Windows that begin at @first, unless there are cheaper ones. */
static int try_windows(struct defrag *d, uint32_t first, uint8_t type,
		       struct choice *c)
{
	uint32_t per_sec = blks_per_sec(&d->vol->lo);
	struct window w = { .first = first };
	int err = 0;

	while (!err && w.len < MOST_SECS && c->looks &&
	       may_empty(d, first + w.len, type)) {
		uint64_t holes, beyond;

		w.left += txn_left_in_sec(&d->txn, d->left, first + w.len++);
		holes = (uint64_t)w.len * per_sec - w.left;
		if (c->enough.len && w.left >= c->enough.cost)
			return 0;
		if (!holes)
			continue;
		c->looks--;
		err = look_beyond(d, &w, (uint32_t)holes, &beyond);
		w.cost = w.left + beyond;
		w.net = holes - beyond;
		if (!err && holes > beyond)
			choose(c, &w);
	}
	return err;
}

/* As many windows as have @want holes. -ENOSPC: there are not. */
static int add_windows(struct defrag *d, uint8_t type, uint64_t want)
{
	while (want) {
		struct choice c = { .want = want, .looks = MOST_LOOKS };
		const struct window *w;
		int err = 0;

		for (uint32_t s = 0; !err && s < d->vol->lo.nr_main_secs; s++)
			err = try_windows(d, s, type, &c);
		w = c.enough.len ? &c.enough : &c.most;
		if (err || !w->len)
			return err ? err : -ENOSPC;
		for (uint32_t s = w->first; s < w->first + w->len; s++)
			if (vec_push(&d->helpers, &s))
				return ctx_nomem(d->vol->ctx,
						 "the list of sections");
		want -= w->net < want ? w->net : want;
	}
	return 0;
}

/* One more than what the log has put into the section that it opened. */
static uint64_t spilt(const struct defrag *d, uint8_t type)
{
	uint32_t per_sec = blks_per_sec(&d->vol->lo);
	uint32_t room = alloc_room(&d->txn.alloc, type, 0) % per_sec;

	return room ? per_sec - room + 1 : 1;
}

int defrag_add_windows(struct defrag *d)
{
	size_t had = d->helpers.nr;

	for (uint8_t type = 0; type < OD_NR_LOGS; type++) {
		int err = opened(d, type) > 0 ?
			  add_windows(d, type, spilt(d, type)) : 0;

		if (err)
			return err;
	}
	return d->helpers.nr == had ? -ENOSPC : 0;
}
