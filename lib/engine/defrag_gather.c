/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Free space into whole sections. What lies in partly filled sections is put
 * together behind the logs, the cheapest first, as long as that frees
 * sections. Where there is too little room to gain one at once, what fits is
 * slid into the logs' sections as long as that leaves fewer holes behind.
 * Either way each commit is a step forward, so it ends, and a second run,
 * which starts where nothing was found to do, moves nothing.
 */
#include "config.h"

#include "engine/defrag_int.h"

#include "base/bits.h"
#include "engine/flush.h"

#include <errno.h>
#include <string.h>

/* Blocks moved for each that becomes free in a whole section. */
#define MOST_FOR_GAIN	16
/* Blocks moved for each hole that is filled, where that is all that is won. */
#define MOST_FOR_HOLE	16
/* Units that nothing could be done with, until the rest is not tried. */
#define MOST_MISSES	4

/* Units of which each choice is looked at. */
#define MOST_CHOICES	10U

struct gather {
	struct defrag *d;
	struct unit_vec units;		/* all that could move, cheapest first */
	struct unit_vec set;		/* of them, those to be emptied now */
	struct txn_outcome now;
	bool may_slide;
	bool fits;			/* all units can move at once */
	bool moved;			/* a plan was carried out */
	bool retry;			/* units were found to be held */
};

static uint64_t most_at_once(const struct defrag *d, bool nodes)
{
	uint64_t most = (uint64_t)volume_free_secs(d->vol) *
			blks_per_sec(&d->vol->lo);
	uint64_t limit = d->deadline_ms > 0 ? DEFRAG_MOST_BY_TIME :
					      txn_most_blocks(d->vol, nodes);

	for (uint8_t t = 0; t < OD_NR_LOGS; t++)
		most += alloc_room(&d->txn.alloc, t, 0) %
			blks_per_sec(&d->vol->lo);
	if (most > limit)
		most = limit;
	return most < defrag_may_move(d) ? most : defrag_may_move(d);
}

static int plan_set(struct gather *g, size_t nr)
{
	struct defrag *d = g->d;
	struct txn *t = &d->txn;
	int err = 0;

	txn_reset(t);
	t->most_bytes = nr > 1 ? txn_most_bytes(d->vol, 0) : 0;
	for (size_t i = 0; i < nr; i++) {
		const struct unit *u = &g->set.v[i];

		for (uint32_t s = u->first; !err && s < u->first + u->len; s++)
			if (!bit_test_lsb(t->is_victim, s))
				err = txn_add_section(t, s);
	}
	if (!err)
		err = txn_take_runs_along(t);
	if (!err)
		err = txn_resolve(t);
	if (!err)
		err = txn_place(t);
	if (err == -EBUSY) {
		defrag_hold_pinned(d);
		g->retry = true;
		return -ENOSPC;
	}
	return err == -E2BIG ? -ENOSPC : err;
}

static bool pays(const struct gather *g)
{
	struct defrag *d = g->d;
	uint64_t moved = d->txn.moves.nr;
	struct txn_outcome o;

	for (size_t i = 0; i < d->txn.nodes.nr; i++)
		moved += d->txn.nodes.v[i].is_victim;
	txn_foresee(&d->txn, d->left, &o);
	if (d->txn.moves.nr > defrag_may_move(d) ||
	    o.free_secs < g->now.free_secs)
		return false;
	if (o.free_secs > g->now.free_secs)
		return moved <= (uint64_t)(o.free_secs - g->now.free_secs) *
				blks_per_sec(&d->vol->lo) * MOST_FOR_GAIN;
	return g->may_slide && o.holes < g->now.holes &&
	       moved <= (g->now.holes - o.holes) * MOST_FOR_HOLE;
}

/* Whether by the counts of blocks alone a free section may be worth it. */
static bool may_pay(const struct gather *g, size_t nr)
{
	struct tally tally = { 0 };
	int64_t gain;

	for (size_t i = 0; i < nr; i++)
		tally_add(g->d, &tally, &g->set.v[i], 1);
	gain = tally_gain(g->d, &tally);
	return gain > 0 && tally.valid <= (uint64_t)gain *
		blks_per_sec(&g->d->vol->lo) * MOST_FOR_GAIN;
}

/* Empty the first @nr units of the set, if that is of use. */
static int try(struct gather *g, size_t nr)
{
	struct defrag *d = g->d;
	double start = flush_clock_ms();
	int err;

	if (!g->may_slide && !may_pay(g, nr))
		return 0;
	err = plan_set(g, nr);
	d->rep->plan_ms += flush_clock_ms() - start;
	if (err == -ENOSPC || (!err && !pays(g)))
		return 0;
	if (!err)
		err = defrag_relocate(d);
	g->moved = !err;
	if (!err)
		d->gathered += d->txn.moves.nr + d->txn.nodes.nr;
	return err;
}

/* As many units from number @from on as may move at once. */
static int fill_set(struct gather *g, size_t from, uint64_t most)
{
	uint64_t valid = 0;

	g->set.nr = 0;
	for (size_t i = from; i < g->units.nr; i++) {
		const struct unit *u = &g->units.v[i];

		if (valid + u->valid > most)
			continue;
		valid += u->valid;
		if (vec_push(&g->set, u))
			return ctx_nomem(g->d->vol->ctx, "the list of sections");
	}
	return 0;
}

/* What emptying some units would cost and bring, by the counts of blocks. */
struct deal {
	uint64_t valid;
	int64_t gain;
};

/* Fewer blocks for each section; of equals the one that gains more. */
static bool is_better(struct deal a, struct deal b)
{
	uint64_t x = a.valid * (uint64_t)b.gain;
	uint64_t y = b.valid * (uint64_t)a.gain;

	return a.gain > 0 && (!b.gain || x < y || (x == y && a.gain > b.gain));
}

static struct deal deal_of(const struct gather *g, const struct tally *tally)
{
	int64_t gain = tally_gain(g->d, tally);

	return (struct deal){ tally->valid, gain > 0 ? gain : 0 };
}

/* The best of all choices among the first few units, as bits. */
static uint32_t best_choice(const struct gather *g, struct deal *best)
{
	size_t nr = g->set.nr < MOST_CHOICES ? g->set.nr : MOST_CHOICES;
	uint32_t bits = 0;

	for (uint32_t b = 1; b < 1U << nr; b++) {
		struct tally tally = { 0 };
		struct deal deal;

		for (size_t i = 0; i < nr; i++)
			if (b >> i & 1)
				tally_add(g->d, &tally, &g->set.v[i], 1);
		deal = deal_of(g, &tally);
		if (!is_better(deal, *best))
			continue;
		*best = deal;
		bits = b;
	}
	return bits;
}

static void keep_chosen(struct gather *g, uint32_t bits)
{
	size_t n = 0;

	for (size_t i = 0; i < MOST_CHOICES && i < g->set.nr; i++)
		if (bits >> i & 1)
			g->set.v[n++] = g->set.v[i];
	g->set.nr = n;
}

/* The first units of the set that gain as much as any number of them. */
static size_t best_prefix(const struct gather *g, int64_t *gain)
{
	struct tally tally = { 0 };
	size_t best = 0;

	*gain = 0;
	for (size_t i = 0; i < g->set.nr; i++) {
		int64_t n;

		tally_add(g->d, &tally, &g->set.v[i], 1);
		n = tally_gain(g->d, &tally);
		if (n > *gain) {
			*gain = n;
			best = i + 1;
		}
	}
	return best;
}

/* Leave out of the set, now of @nr units, what the gain does not need. */
static void prune(struct gather *g, size_t nr, int64_t gain)
{
	struct tally tally = { 0 };
	size_t n = nr;

	for (size_t i = 0; i < nr; i++)
		tally_add(g->d, &tally, &g->set.v[i], 1);
	for (size_t i = nr; i-- > 0; ) {
		tally_add(g->d, &tally, &g->set.v[i], -1);
		if (tally_gain(g->d, &tally) >= gain)
			continue;
		tally_add(g->d, &tally, &g->set.v[i], 1);
		g->set.v[--n] = g->set.v[i];
	}
	memmove(g->set.v, g->set.v + n, (nr - n) * sizeof(*g->set.v));
	g->set.nr = nr - n;
}

/*
 * By the counts of blocks: of a few units, which are large then, those that
 * cost least for what they gain; of many all that gain something, since what
 * goes in one transaction moves once.
 */
static int try_best(struct gather *g, uint64_t most)
{
	int err = fill_set(g, 0, most);

	if (err)
		return err;
	g->fits = g->set.nr == g->units.nr;
	if (g->set.nr <= MOST_CHOICES) {
		struct deal best = { 0 };

		keep_chosen(g, best_choice(g, &best));
	} else {
		int64_t gain;
		size_t nr = best_prefix(g, &gain);

		prune(g, nr, gain);
	}
	return g->set.nr ? try(g, g->set.nr) : 0;
}

/* As it comes: all that fits, the half of it, and so on. */
static int try_any(struct gather *g, uint64_t most)
{
	int err = 0;

	for (size_t from = 0; !err && !g->moved && !g->retry &&
			      from < g->units.nr && from < MOST_MISSES; from++) {
		err = fill_set(g, from, most);
		for (size_t nr = g->set.nr; !err && nr && !g->moved &&
					    !g->retry; nr /= 2)
			err = try(g, nr);
	}
	return err;
}

/* One transaction, if there is one that is of use. */
static int step(struct gather *g, bool nodes)
{
	struct defrag *d = g->d;
	struct tally all = { 0 };
	uint64_t most;
	int err;

	g->moved = g->retry = false;
	txn_reset(&d->txn);
	txn_foresee(&d->txn, d->left, &g->now);
	most = most_at_once(d, nodes);
	err = defrag_units(d, nodes, most, &g->units);
	for (size_t i = 0; i < g->units.nr; i++)
		tally_add(d, &all, &g->units.v[i], 1);
	if (err || tally_gain(d, &all) <= 0)
		return err;
	if (d->to_gather < d->gathered + all.valid)
		d->to_gather = d->gathered + all.valid;
	if (defrag_show(d, defrag_gathering, d->gathered, d->to_gather) ||
	    defrag_is_late(d, 0))
		return -EINTR;
	g->may_slide = false;
	err = try_best(g, most);
	if (!err && !g->moved && !g->retry)
		err = try_any(g, most);
	g->may_slide = true;
	if (!err && !g->moved && !g->retry && !g->fits)
		err = try_any(g, most);
	return err;
}

int defrag_gather(struct defrag *d)
{
	struct gather g = { .d = d };
	int err;

	d->txn.whole = false;
	d->is_gathering = true;
	do {
		err = step(&g, false);
		/* After the data: moving that leaves holes among the nodes. */
		if (!err && !g.moved && !g.retry)
			err = step(&g, true);
	} while (!err && (g.moved || g.retry));
	d->is_gathering = false;
	vec_free(&g.units);
	vec_free(&g.set);
	return err;
}
