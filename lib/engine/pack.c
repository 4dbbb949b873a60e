/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The packing queue: records in, sorted batches out. */
#include "config.h"

#include "engine/pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct record_vec VEC_BODY(struct move *);

struct queue {
	struct txn *t;
	struct record_vec records;	/* in scan order */
	uint64_t asked;			/* records asked for */
	const struct move *last;	/* placed last, or NULL */
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
	q->last = r->v[nr - 1];
	qsort(r->v, nr, sizeof(*r->v), by_file);
	err = pack_fill(q->t, r->v, nr);
	memmove(r->v, r->v + nr, (r->nr - nr) * sizeof(*r->v));
	r->nr -= nr;
	return err;
}

/*
 * The queue is full. The run that the scan is in the middle of stays, so that
 * draining does not cut it, unless it is all there is.
 */
static int drain_early(struct queue *q)
{
	struct record_vec *r = &q->records;
	size_t tail = 1;

	q->t->queue_drains++;
	while (tail < r->nr &&
	       move_continues(r->v[r->nr - 1 - tail], r->v[r->nr - tail]))
		tail++;
	return drain(q, tail < r->nr ? r->nr - tail : r->nr);
}

static int get_record(struct queue *q, struct move *m)
{
	unsigned int every = q->t->fail_record_every;

	q->asked++;
	if (every && q->asked % every == 0)
		return -ENOMEM;
	return vec_push(&q->records, &m);
}

static int place_at_once(struct queue *q, struct move *m, uint8_t type)
{
	q->last = m;
	return place_move(q->t, m, type);
}

static int enqueue(struct queue *q, struct move *m)
{
	int err;

	/* The rest of a run that filled the queue by itself. */
	if (!q->records.nr && q->last && move_continues(q->last, m))
		return place_at_once(q, m, q->last->type);
	if (q->records.nr >= q->t->queue_max) {
		err = drain_early(q);
		if (err)
			return err;
		return enqueue(q, m);
	}
	if (!get_record(q, m))
		return 0;
	q->t->moved_at_once++;
	return place_at_once(q, m, m->type);
}

int pack_moves(struct txn *t)
{
	struct queue q = { .t = t };
	int err = 0;

	for (size_t i = 0; !err && i < t->moves.nr; i++)
		err = enqueue(&q, &t->moves.v[i]);
	if (!err)
		err = drain(&q, q.records.nr);
	vec_free(&q.records);
	return err;
}
