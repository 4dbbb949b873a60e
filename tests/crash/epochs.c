/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lands between two flushes: all but one, one only, any subset. */
#include "config.h"

#include "player.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ALL_SUBSETS_OF 8	/* units at most */

/* Units [first, end) without a flush; @before: what their blocks held. */
struct epoch {
	size_t first, end;
	uint8_t *before;
};

static const uint8_t *before_of(const struct epoch *ep, size_t i)
{
	return ep->before + (i - ep->first) * BLOCK;
}

static void epoch_undo(struct player *p, const struct epoch *ep)
{
	for (size_t i = ep->end; i-- > ep->first; )
		state_set_block(&p->st, player_unit(p, i)->blk, before_of(ep, i));
}

static void epoch_apply(struct player *p, const struct epoch *ep)
{
	for (size_t i = ep->first; i < ep->end; i++)
		state_set_block(&p->st, player_unit(p, i)->blk,
				player_unit(p, i)->data);
}

/* All landed but one, and later writes of the same block: none does that. */
static void play_losses(struct player *p, const struct epoch *ep)
{
	for (size_t i = ep->first; i < ep->end; i++) {
		const struct unit *u = player_unit(p, i);

		state_set_block(&p->st, u->blk, before_of(ep, i));
		player_at(p, "epoch %zu to %zu without unit %zu", ep->first,
			  ep->end, i);
		p->in_pack = player_in_pack(p, u);
		player_judge(p, player_allowed(p, ep->first, ep->end));
		p->in_pack = false;
		state_set_block(&p->st, u->blk, u->data);
	}
}

static void play_survivors(struct player *p, const struct epoch *ep)
{
	for (size_t i = ep->first; i < ep->end; i++) {
		const struct unit *u = player_unit(p, i);

		state_set_block(&p->st, u->blk, u->data);
		player_at(p, "of epoch %zu to %zu only unit %zu", ep->first,
			  ep->end, i);
		p->in_pack = player_in_pack(p, u);
		player_judge(p, player_allowed(p, ep->first, ep->end));
		p->in_pack = false;
		state_set_block(&p->st, u->blk, before_of(ep, i));
	}
}

/* From the state before the epoch; @mask tells for short ones who survives. */
static void play_subset(struct player *p, const struct epoch *ep, int64_t mask)
{
	uint64_t seed = p->random, rate = player_random(p) % 256;

	for (size_t i = ep->first; i < ep->end; i++) {
		uint64_t r = player_random(p);
		bool lands = mask < 0 ? r % 256 < rate :
					mask >> (i - ep->first) & 1;

		if (lands && mask < 0 && (r >> 32) % 16 == 0)
			player_tear(p, player_unit(p, i), (r >> 40) % 256);
		else if (lands)
			state_set_block(&p->st, player_unit(p, i)->blk,
					player_unit(p, i)->data);
	}
	player_at(p, "subset of epoch %zu to %zu (random state %" PRIu64 ")",
		  ep->first, ep->end, seed);
	p->in_pack = true;
	player_judge(p, player_allowed(p, ep->first, ep->end));
	p->in_pack = false;
	epoch_undo(p, ep);
}

static void play_subsets(struct player *p, const struct epoch *ep)
{
	size_t nr = ep->end - ep->first;

	if (nr <= ALL_SUBSETS_OF)
		for (int64_t mask = 0; mask < INT64_C(1) << nr; mask++)
			play_subset(p, ep, mask);
	for (unsigned int i = 0; i < p->plan->nr_subsets; i++) {
		/* There are few of them, and they are the likely ones. */
		p->dump_next = i < 3;
		play_subset(p, ep, -1);
	}
}

static int play_epoch(struct player *p, struct epoch *ep)
{
	ep->before = malloc((ep->end - ep->first) * BLOCK);
	if (!ep->before)
		return -ENOMEM;
	for (size_t i = ep->first; i < ep->end; i++) {
		const struct unit *u = player_unit(p, i);

		memcpy(ep->before + (i - ep->first) * BLOCK,
		       player_block(p, u->blk), BLOCK);
		state_set_block(&p->st, u->blk, u->data);
	}
	play_losses(p, ep);
	epoch_undo(p, ep);
	play_survivors(p, ep);
	play_subsets(p, ep);
	epoch_apply(p, ep);
	free(ep->before);
	return 0;
}

int player_epochs(struct player *p)
{
	const struct txn_span *span = player_span(p);
	int err = 0;

	for (size_t i = span->first; i < span->end && !err; ) {
		struct epoch ep = { .first = i };

		while (i < span->end && player_unit(p, i)->data)
			i++;
		ep.end = i++;
		if (ep.end > ep.first)
			err = play_epoch(p, &ep);
	}
	return err;
}
