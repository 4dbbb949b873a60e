/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The plan of a round. Files that move leave holes behind, so a round by
 * itself can cost free sections. Then the sections that it leaves with the
 * fewest blocks are emptied in the same transaction: every commit has as many
 * free sections as the run began with, and it may end after any.
 */
#include "config.h"

#include "engine/defrag_int.h"

#include "base/bits.h"
#include "engine/victim.h"

#include <errno.h>

#define MOST_TRIES 12			/* plans with more and more helpers */

/* A section that may be emptied, and the blocks that the plan leaves in it. */
struct remnant {
	uint32_t secno;
	uint32_t left;
};

struct remnant_vec VEC_BODY(struct remnant);

void defrag_hold_pinned(struct defrag *d)
{
	for (size_t i = 0; i < d->txn.pinned.nr; i++)
		bit_set_lsb(d->held, d->txn.pinned.v[i]);
}

static int plan_once(struct defrag *d, size_t at, size_t nr, bool leave_dirty)
{
	struct txn *t = &d->txn;
	int err = 0;

	txn_reset(t);
	t->most_bytes = txn_most_bytes(d->vol, nr == 1 ?
				       d->files.v[at].blocks : 0);
	for (size_t i = 0; !err && i < d->helpers.nr; i++)
		err = txn_add_section(t, d->helpers.v[i]);
	for (size_t i = 0; !err && i < nr; i++)
		err = txn_add_file(t, d->files.v[at + i].ino, (uint32_t)i);
	if (!err && txn_is_too_large(t))
		err = -E2BIG;
	if (!err && d->helpers.nr)
		err = txn_take_runs_along(t);
	if (!err)
		err = txn_resolve(t);
	t->leave_dirty = leave_dirty;
	if (!err)
		err = txn_place(t);
	t->leave_dirty = false;
	return err == -E2BIG ? -ENOSPC : err;
}

static int by_left(const void *pa, const void *pb)
{
	const struct remnant *a = pa, *b = pb;

	if (a->left != b->left)
		return a->left < b->left ? -1 : 1;
	return a->secno < b->secno ? -1 : a->secno > b->secno;
}

/* Sections that the plan leaves partly filled, with the fewest blocks first. */
static int list_remnants(struct defrag *d, struct remnant_vec *out)
{
	const struct layout *lo = &d->vol->lo;

	for (uint32_t s = 0; s < lo->nr_main_secs; s++) {
		struct remnant r = {
			.secno = s,
			.left = txn_left_in_sec(&d->txn, d->left, s),
		};

		if (!r.left || r.left == blks_per_sec(lo) ||
		    !sit_sec_valid(&d->vol->sit, s) ||
		    bit_test_lsb(d->held, s) || txn_leaves_log_in(&d->txn, s))
			continue;
		if (vec_push(out, &r))
			return ctx_nomem(d->vol->ctx, "the list of sections");
	}
	vec_sort(out, by_left);
	return 0;
}

/* Blocks that the logs can take, as the plan leaves them, in their segments. */
static uint64_t room_in_logs(const struct defrag *d)
{
	uint64_t room = 0;

	for (uint8_t i = 0; i < OD_NR_LOGS; i++)
		room += alloc_room(&d->txn.alloc, i, 0) %
			blks_per_sec(&d->vol->lo);
	return room;
}

/*
 * Whether a run goes on far beyond the section: all of it would be taken
 * along, to leave a hole there.
 */
static int reaches_far(struct defrag *d, uint32_t secno, bool *yes)
{
	const struct layout *lo = &d->vol->lo;
	uint32_t most = blks_per_sec(lo) / 4, before, behind = 0;
	uint32_t first = seg_to_blk(lo, sec_to_seg(lo, secno));
	int err = txn_run_beyond(&d->txn, first, -1, most, &before);

	if (!err)
		err = txn_run_beyond(&d->txn, first + blks_per_sec(lo) - 1, 1,
				     most, &behind);
	*yes = before + behind >= most;
	return err;
}

/*
 * Take those of the list, of the one kind or the other, until they have @want
 * holes in all.
 */
static int take_helpers(struct defrag *d, const struct remnant_vec *list,
			bool far, uint64_t want, uint64_t *got)
{
	for (size_t i = 0; i < list->nr && *got < want; i++) {
		const struct remnant *r = &list->v[i];
		bool is_far;
		int err = reaches_far(d, r->secno, &is_far);

		if (err)
			return err;
		if (is_far != far)
			continue;
		*got += blks_per_sec(&d->vol->lo) - r->left;
		if (vec_push(&d->helpers, &r->secno))
			return ctx_nomem(d->vol->ctx, "the list of sections");
	}
	return 0;
}

/*
 * @short_of free sections are missing: as many more helpers as have so many
 * holes, but for what the logs can take. -ENOSPC: there are none.
 */
static int add_helpers(struct defrag *d, uint32_t short_of)
{
	uint64_t want = (uint64_t)short_of * blks_per_sec(&d->vol->lo);
	uint64_t got = room_in_logs(d);
	struct remnant_vec list = { 0 };
	size_t had = d->helpers.nr;
	int err = list_remnants(d, &list);

	if (got > want / 2)
		got = want / 2;
	if (!err)
		err = take_helpers(d, &list, false, want, &got);
	if (!err && d->helpers.nr == had)
		err = take_helpers(d, &list, true, want, &got);
	vec_free(&list);
	return !err && d->helpers.nr == had ? -ENOSPC : err;
}

static void drop_held_helpers(struct defrag *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->helpers.nr; i++)
		if (!bit_test_lsb(d->held, d->helpers.v[i]))
			d->helpers.v[n++] = d->helpers.v[i];
	d->helpers.nr = n;
}

static int plan_with_helpers(struct defrag *d, size_t at, size_t nr,
			     bool leave_dirty)
{
	d->helpers.nr = 0;
	for (int i = 0; i < MOST_TRIES; i++) {
		struct txn_outcome o;
		int err = plan_once(d, at, nr, leave_dirty);

		if (err == -EBUSY && d->txn.pinned.nr) {
			defrag_hold_pinned(d);
			drop_held_helpers(d);
			continue;
		}
		if (err)
			return err;
		if (d->txn.moves.nr > defrag_may_move(d)) {
			d->over_limit = true;
			return -ENOSPC;
		}
		txn_foresee(&d->txn, d->left, &o);
		if (o.free_secs >= d->floor)
			return 0;
		err = d->by_windows ? defrag_add_windows(d) :
		      add_helpers(d, d->floor - o.free_secs);
		if (err)
			return err;
	}
	return -ENOSPC;
}

/* Blocks that the plan moves besides those of the files. */
static uint64_t overhead(const struct defrag *d, size_t at, size_t nr)
{
	uint64_t n = d->txn.moves.nr;

	for (size_t i = 0; i < d->txn.nodes.nr; i++)
		n += d->txn.nodes.v[i].is_victim;
	for (size_t i = 0; i < nr; i++)
		n -= d->files.v[at + i].blocks;
	return n;
}

/* What would have to leave the logs' sections to make those free. */
static uint64_t left_with_logs(const struct defrag *d)
{
	uint64_t n = 0;

	for (uint32_t s = 0; s < d->vol->lo.nr_main_secs; s++)
		if (volume_sec_is_current(d->vol, s) &&
		    section_is_dirty(d->vol, s))
			n += txn_left_in_sec(&d->txn, d->left, s);
	return n;
}

/*
 * Logs that stand in sections with holes leave these if all dirty sections are
 * to be collected later, as what is put there moves twice then; but not if
 * that costs more now than it may cost later.
 */
int defrag_plan_files(struct defrag *d, size_t at, size_t nr, bool whole)
{
	struct secno_vec first;
	uint64_t cost;
	int err;

	d->over_limit = false;
	d->txn.whole = whole;
	if (d->opt->files_only || d->opt->max_moved || d->is_again)
		return plan_with_helpers(d, at, nr, false);
	err = plan_with_helpers(d, at, nr, true);
	if (err == -ENOSPC)
		return plan_with_helpers(d, at, nr, false);
	if (err || !d->helpers.nr)
		return err;
	cost = overhead(d, at, nr);
	first = d->helpers;
	d->helpers = (struct secno_vec){ 0 };
	err = plan_with_helpers(d, at, nr, false);
	if (err != -ENOSPC && (err || overhead(d, at, nr) +
				      left_with_logs(d) < cost)) {
		vec_free(&first);
		return err;
	}
	vec_free(&d->helpers);
	d->helpers = first;
	return plan_once(d, at, nr, true);
}
