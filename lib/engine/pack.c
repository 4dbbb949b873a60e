/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The packing queue: records in, sorted batches out. */
#include "config.h"

#include "engine/pack.h"

#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct record_vec VEC_BODY(struct move *);

struct queue {
	struct txn *t;
	struct record_vec records;	/* in scan order */
	uint64_t asked;			/* records asked for */
	size_t next;			/* all moves before it are placed or queued */
};

static int by_file(const void *pa, const void *pb)
{
	const struct move *const *a = pa, *const *b = pb;

	if ((*a)->rank != (*b)->rank)
		return (*a)->rank < (*b)->rank ? -1 : 1;
	if ((*a)->ino != (*b)->ino)
		return (*a)->ino < (*b)->ino ? -1 : 1;
	return (*a)->lblk < (*b)->lblk ? -1 : (*a)->lblk > (*b)->lblk;
}

/* Place the first @nr records and forget them. */
static int drain(struct queue *q, size_t nr)
{
	struct record_vec *r = &q->records;
	int err;

	if (!nr)
		return 0;
	sort_in_place(r->v, nr, sizeof(*r->v), by_file);
	err = pack_fill(q->t, r->v, nr);
	memmove(r->v, r->v + nr, (r->nr - nr) * sizeof(*r->v));
	r->nr -= nr;
	return err;
}

/* The last records that are one run. */
static size_t tail_run(const struct queue *q)
{
	const struct record_vec *r = &q->records;
	size_t nr = r->nr ? 1 : 0;

	while (nr < r->nr &&
	       move_continues(r->v[r->nr - 1 - nr], r->v[r->nr - nr]))
		nr++;
	return nr;
}

/*
 * Place the run that the scan is in the middle of, all of it, its records
 * first: it needs no more of them. @m: the move at hand, not queued. Blocks
 * that follow each other on the device do so in the list of moves.
 */
static int place_run(struct queue *q, struct move *m)
{
	const struct move *end = q->t->moves.v + q->t->moves.nr;
	struct record_vec *r = &q->records;
	size_t tail = tail_run(q), nr = 1;
	struct move *first = m;

	if (tail && move_continues(r->v[r->nr - 1], m)) {
		first = r->v[r->nr - tail];
		r->nr -= tail;
	}
	while (first + nr < end && move_continues(first + nr - 1, first + nr))
		nr++;
	q->next = (size_t)(first - q->t->moves.v) + nr;
	return pack_run(q->t, first, (uint32_t)nr);
}

/*
 * The queue is full. The run that the scan is in the middle of stays, so that
 * draining does not cut it; if it is all there is, it goes as a whole.
 */
static int drain_early(struct queue *q, struct move *m)
{
	size_t tail = tail_run(q);

	q->t->queue_drains++;
	if (tail < q->records.nr)
		return drain(q, q->records.nr - tail);
	if (move_continues(q->records.v[tail - 1], m))
		return place_run(q, m);
	return drain(q, tail);
}

static int get_record(struct queue *q, struct move *m)
{
	unsigned int every = q->t->fail_record_every;

	q->asked++;
	if (every && q->asked % every == 0)
		return -ENOMEM;
	return vec_push(&q->records, &m);
}

static int enqueue(struct queue *q, struct move *m)
{
	size_t at = (size_t)(m - q->t->moves.v), placed;
	int err = 0;

	if (q->records.nr && q->records.nr >= q->t->queue_max)
		err = drain_early(q, m);
	if (err || q->next > at)
		return err;
	q->next = at + 1;
	if (!get_record(q, m))
		return 0;
	placed = q->next;
	err = place_run(q, m);
	q->t->moved_at_once += q->next + 1 - placed;
	return err;
}

int pack_moves(struct txn *t)
{
	struct queue q = { .t = t };
	int err = 0;

	while (!err && q.next < t->moves.nr)
		err = enqueue(&q, &t->moves.v[q.next]);
	if (!err)
		err = drain(&q, q.records.nr);
	vec_free(&q.records);
	return err;
}
