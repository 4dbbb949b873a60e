/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fills the runs of free space with groups: whole inodes, or without packing
 * the runs that the scan met. A log's addresses make a jump where a section
 * that is not free follows; a group may lie across such a jump only if it had
 * as many extents before. Otherwise one that fits is taken first, or the end
 * of the section stays empty.
 */
#include "config.h"

#include "engine/pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_AHEAD 256			/* groups looked at for one that fits */

/* Moves that are to lie in one run. */
struct group {
	struct move **moves;		/* in the order of the run */
	uint32_t nr;
	uint8_t type;			/* log they go to together */
	bool placed;
	/*
	 * Extents that it may gain by jumps and still have no more than
	 * before: runs as they lie minus runs of the file.
	 */
	uint32_t spare;
};

struct group_vec VEC_BODY(struct group);

struct fill {
	struct txn *t;
	struct group_vec groups;
};

/*
 * A group goes to the log that most of its blocks came from, or the fewest,
 * where there is no room for those.
 */
static uint8_t common_type(const struct group *g, bool fewest)
{
	uint32_t nr[OD_NR_LOGS] = { 0 };
	uint8_t best = g->moves[0]->type;

	for (uint32_t i = 0; i < g->nr; i++)
		nr[g->moves[i]->type]++;
	for (uint8_t t = 0; t < OD_NR_LOGS; t++)
		if (fewest ? nr[t] && nr[t] < nr[best] : nr[t] > nr[best])
			best = t;
	return best;
}

static uint32_t count_spare(const struct group *g)
{
	uint32_t spare = 0;

	for (uint32_t i = 1; i < g->nr; i++) {
		const struct move *a = g->moves[i - 1], *b = g->moves[i];

		if (b->lblk == a->lblk + 1 && b->src != a->src + 1)
			spare++;
	}
	return spare;
}

static bool belong_together(const struct txn *t, const struct move *a,
			    const struct move *b)
{
	return t->no_pack ? move_continues(a, b) : a->ino == b->ino;
}

static int make_groups(struct fill *f, struct move **order, size_t nr)
{
	for (size_t i = 0; i < nr; ) {
		struct group g = { .moves = order + i };

		do {
			i++;
			g.nr++;
		} while (i < nr && belong_together(f->t, order[i - 1],
						   order[i]));
		g.type = common_type(&g, f->t->to_rare_log);
		g.spare = count_spare(&g);
		if (vec_push(&f->groups, &g))
			return ctx_nomem(f->t->vol->ctx, "the order of blocks");
	}
	return 0;
}

static int place_blocks(struct fill *f, struct group *g, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		int err = place_move(f->t, g->moves[i], g->type);

		if (err)
			return err;
	}
	g->moves += nr;
	g->nr -= nr;
	g->placed = g->nr == 0;
	return 0;
}

/* Most blocks up to @room after which the file has a gap anyway. */
static uint32_t natural_break(const struct group *g, uint32_t room)
{
	for (uint32_t n = room; n; n--)
		if (g->moves[n]->lblk != g->moves[n - 1]->lblk + 1)
			return n;
	return 0;
}

/* A later group of the same log that fits into @room blocks. */
static struct group *find_fitting(struct fill *f, const struct group *g,
				  uint32_t room)
{
	struct group *end = f->groups.v + f->groups.nr;
	struct group *other = (struct group *)(uintptr_t)g + 1;

	for (int i = 0; i < LOOK_AHEAD && other < end; i++, other++)
		if (!other->placed && other->type == g->type &&
		    other->nr <= room)
			return other;
	return NULL;
}

/*
 * @g does not fit into the @room that is left before a jump: use the room as
 * well as can be done without a new extent. *@fresh tells that the log has
 * just jumped into the best run there is, so that another jump is no help.
 */
static int use_room(struct fill *f, struct group *g, uint32_t room,
		    bool *fresh)
{
	bool was_fresh = *fresh;
	struct group *other;
	uint32_t n;

	*fresh = false;
	if (g->spare && !f->t->whole) {
		g->spare--;
		return place_blocks(f, g, room);
	}
	n = natural_break(g, room);
	if (n)
		return place_blocks(f, g, n);
	other = find_fitting(f, g, room);
	if (other)
		return place_blocks(f, other, other->nr);
	if (f->t->may_split) {
		f->t->extents_split++;
		return place_blocks(f, g, room);
	}
	if (was_fresh)
		return -ENOSPC;
	*fresh = true;
	return alloc_jump(&f->t->alloc, g->type);
}

static int place_group(struct fill *f, struct group *g)
{
	bool fresh = false;
	int err = 0;

	while (!err && !g->placed) {
		uint32_t room = alloc_room(&f->t->alloc, g->type,
					   g->nr);

		if (g->nr <= room) {
			err = place_blocks(f, g, g->nr);
		} else if (room) {
			err = use_room(f, g, room, &fresh);
		} else {
			err = alloc_jump(&f->t->alloc, g->type);
			fresh = true;
		}
	}
	return err;
}

int pack_fill(struct txn *t, struct move **order, size_t nr)
{
	struct fill f = { .t = t };
	int err = make_groups(&f, order, nr);

	for (size_t i = 0; !err && i < f.groups.nr; i++)
		err = place_group(&f, &f.groups.v[i]);
	vec_free(&f.groups);
	return err;
}

int pack_run(struct txn *t, struct move *run, uint32_t nr)
{
	uint8_t type = run->type;
	bool fresh = false;
	int err = 0;

	while (!err && nr) {
		uint32_t room = alloc_room(&t->alloc, type, nr);

		if (!room || (room < nr && !fresh && !t->may_split)) {
			err = alloc_jump(&t->alloc, type);
			fresh = true;
			continue;
		}
		if (room < nr && !t->may_split)
			return -ENOSPC;
		if (room < nr)
			t->extents_split++;
		else
			room = nr;
		for (nr -= room; !err && room; room--)
			err = place_move(t, run++, type);
	}
	return err;
}
