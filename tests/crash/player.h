/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state that is played on, for those who play a transaction's states. */
#ifndef F2CORE_CRASH_PLAYER_H
#define F2CORE_CRASH_PLAYER_H

#include "enumerate.h"

struct player {
	const struct run *run;
	const struct plan *plan;
	const struct whole *want;	/* OLD and NEW */
	const struct image *base;
	struct state st;
	struct result res;
	uint64_t random;
	/* One state in so many is walked, one dumped. */
	uint64_t walk_every, dump_every;
	uint64_t dumps_left;		/* of prefixes, then of epochs */
	bool dump_next;			/* whatever chance says */
	bool in_pack;			/* what is not whole is of a pack */
	size_t txn;
	char where[128];
};

uint64_t player_random(struct player *p);
/* Which state it is, for messages. */
void player_at(struct player *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

const struct txn_span *player_span(const struct player *p);
const struct unit *player_unit(const struct player *p, size_t i);
bool player_in_pack(const struct player *p, const struct unit *u);
uint8_t *player_block(struct player *p, uint32_t blk);
/* Apply @u with only the sectors of @mask new. */
void player_tear(struct player *p, const struct unit *u, unsigned int mask);

/*
 * Which checkpoints may be live, as bits OLD and NEW, when all before unit
 * @first have landed, and of those up to @end some.
 */
unsigned int player_allowed(const struct player *p, size_t first, size_t end);

/* Judge the state as it is; some are also read whole, or dumped. */
void player_judge(struct player *p, unsigned int allowed);

/* All states within the epochs of the transaction. 0 or -ENOMEM. */
int player_epochs(struct player *p);

#endif
