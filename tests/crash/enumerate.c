/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between two flushes any of the writes may be lost, and a block may be torn
 * at 512 bytes; across a flush the order holds. For each transaction:
 *  - every prefix, and the block behind it torn at every sector;
 *  - every single loss in an epoch, and every single survivor;
 *  - all subsets of a short epoch, seeded ones of a long one.
 */
#include "config.h"

#include "enumerate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_PRINTED 20
#define ALL_SUBSETS_OF 8	/* units at most */

struct player {
	const struct run *run;
	const struct plan *plan;
	const struct whole *want;
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

static uint64_t next_random(struct player *p)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return p->random;
}

static void __attribute__((format(printf, 2, 3)))
say_where(struct player *p, const char *fmt, ...)
{
	va_list ap;
	int n = snprintf(p->where, sizeof(p->where), "transaction %zu, ",
			 p->txn);

	va_start(ap, fmt);
	vsnprintf(p->where + n, sizeof(p->where) - (size_t)n, fmt, ap);
	va_end(ap);
}

static void fail(struct player *p, const char *what)
{
	if (p->res.failures++ < MAX_PRINTED)
		fprintf(stderr, "%s: %s\n", p->where, what);
}

/* Read and check all of the state; another run can go on from it. */
static void walk(struct player *p)
{
	const char *wrong;
	struct volume *vol;

	p->res.walked++;
	if (image_open(&p->st.img, &vol)) {
		fail(p, "cannot be opened");
		return;
	}
	if (vol->cp.version != state_live(&p->st))
		fail(p, "the reader takes another checkpoint");
	wrong = whole_differs(p->want, vol);
	volume_close(vol);
	if (!wrong)
		wrong = whole_goes_on(p->want, &p->st.img, p->plan->runner);
	if (wrong)
		fail(p, wrong);
}

static void dump(struct player *p)
{
	char path[4096];
	FILE *list;

	snprintf(path, sizeof(path), "%s/state-%02" PRIu64 ".img",
		 p->plan->dump_dir, p->res.dumped);
	if (image_store(&p->st.img, path)) {
		fail(p, "cannot be written to a file");
		return;
	}
	snprintf(path, sizeof(path), "%s/list", p->plan->dump_dir);
	list = fopen(path, "a");
	if (list) {
		fprintf(list, "state-%02" PRIu64 ".img\t%s, checkpoint %" PRIu64
			"\n", p->res.dumped, p->where, state_live(&p->st));
		fclose(list);
	}
	p->res.dumped++;
	p->dumps_left--;
}

/* Judge the state as it is; some are also walked or dumped. */
static void judge(struct player *p, unsigned int allowed)
{
	const char *wrong = state_check(&p->st, allowed);

	p->res.states++;
	if (wrong) {
		fail(p, wrong);
		return;
	}
	/* A pack is judged by what is there of it, and there are few. */
	if (p->in_pack) {
		wrong = whole_refuses(&p->st.img);
		if (wrong)
			fail(p, wrong);
	}
	if (p->walk_every && next_random(p) % p->walk_every == 0 &&
	    p->res.walked < p->plan->nr_walks)
		walk(p);
	if (p->dumps_left &&
	    (p->dump_next || next_random(p) % p->dump_every == 0))
		dump(p);
	p->dump_next = false;
}

static uint8_t *block_at(struct player *p, uint32_t blk)
{
	return p->st.img.data + (size_t)blk * BLOCK;
}

/* Apply @u with only the sectors of @mask new. */
static void set_torn(struct player *p, const struct unit *u, unsigned int mask)
{
	uint8_t mix[BLOCK];

	memcpy(mix, block_at(p, u->blk), BLOCK);
	for (unsigned int i = 0; i < BLOCK / SECTOR; i++)
		if (mask & 1U << i)
			memcpy(mix + i * SECTOR, u->data + i * SECTOR, SECTOR);
	state_set_block(&p->st, u->blk, mix);
}

static const struct txn_span *span_of(const struct player *p)
{
	return &p->run->txns.v[p->txn];
}

static const struct unit *unit_at(const struct player *p, size_t i)
{
	return &p->run->units.v[i];
}

/* What may be live when units up to @i, and maybe @i itself, have landed. */
static unsigned int allowed_at(const struct player *p, size_t first, size_t end)
{
	const struct txn_span *span = span_of(p);

	if (!span->commits || end <= span->commit)
		return 1U << OLD;
	if (first > span->commit)
		return 1U << NEW;
	return 1U << OLD | 1U << NEW;
}

/* Rule 1: until the next checkpoint is durable nothing of the old is touched. */
static void check_rule_1(struct player *p)
{
	const struct ref *old = &p->run->refs[p->txn];
	const struct txn_span *span = span_of(p);
	size_t end = span->commits ? span->commit + 1 : span->end;

	for (size_t i = span->first; i < end; i++) {
		const struct unit *u = unit_at(p, i);

		if (!u->data || !ref_reaches(old, u->blk))
			continue;
		/* A summary may be written again with its valid entries. */
		if (u->blk >= p->base->lo.ssa_blk &&
		    u->blk < p->base->lo.main_blk &&
		    ref_accepts(p->base, old, u->blk, u->data))
			continue;
		say_where(p, "unit %zu", i);
		fail(p, "overwrites a block that the live checkpoint reaches");
	}
}

static bool is_in_pack(const struct player *p, const struct unit *u)
{
	return u->blk >= p->base->lo.cp_blk && u->blk < p->base->lo.sit_blk;
}

/* Which sectors are new in torn state @t: head first, tail first, any mixture. */
static unsigned int torn_mask(struct player *p, unsigned int t)
{
	unsigned int nr = BLOCK / SECTOR, all = (1U << nr) - 1;

	if (t < nr)
		return (1U << t) - 1;
	if (t < 2 * nr - 1)
		return all & ~((1U << (t - nr + 1)) - 1);
	return (unsigned int)next_random(p) & all;
}

static void play_torn(struct player *p, size_t i)
{
	const struct unit *u = unit_at(p, i);
	unsigned int nr = BLOCK / SECTOR, most = 2 * nr, mask;
	uint8_t before[BLOCK];

	memcpy(before, block_at(p, u->blk), BLOCK);
	p->in_pack = is_in_pack(p, u);
	if (p->in_pack)
		most += 2 * nr;
	for (unsigned int t = 1; t < most; t++) {
		/* Of data, one order is as good as another. */
		if (!p->in_pack && t >= nr && t < 2 * nr - 1)
			continue;
		mask = torn_mask(p, t);
		set_torn(p, u, mask);
		say_where(p, "prefix of %zu units, the next torn (%02x)", i,
			  mask);
		/* Equal halves may make a torn commit a whole one. */
		judge(p, allowed_at(p, i, i + 1));
		state_set_block(&p->st, u->blk, before);
	}
	p->in_pack = false;
}

static void play_prefixes(struct player *p)
{
	const struct txn_span *span = span_of(p);

	for (size_t i = span->first; i < span->end; i++) {
		const struct unit *u = unit_at(p, i);

		if (!u->data)
			continue;
		/* The moments around a commit go to a kernel for certain. */
		p->dump_next = span->commits && i == span->commit;
		play_torn(p, i);
		state_set_block(&p->st, u->blk, u->data);
		p->dump_next = span->commits &&
			       (i == span->commit || i + 2 == span->commit);
		say_where(p, "prefix of %zu units", i + 1);
		judge(p, allowed_at(p, i + 1, i + 1));
	}
}

/* ---- Epochs ------------------------------------------------------------ */

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
		state_set_block(&p->st, unit_at(p, i)->blk, before_of(ep, i));
}

static void epoch_apply(struct player *p, const struct epoch *ep)
{
	for (size_t i = ep->first; i < ep->end; i++)
		state_set_block(&p->st, unit_at(p, i)->blk,
				unit_at(p, i)->data);
}

/* All landed but one, and later writes of the same block: none does that. */
static void play_losses(struct player *p, const struct epoch *ep)
{
	for (size_t i = ep->first; i < ep->end; i++) {
		const struct unit *u = unit_at(p, i);

		state_set_block(&p->st, u->blk, before_of(ep, i));
		say_where(p, "epoch %zu to %zu without unit %zu", ep->first,
			  ep->end, i);
		p->in_pack = is_in_pack(p, u);
		judge(p, allowed_at(p, ep->first, ep->end));
		p->in_pack = false;
		state_set_block(&p->st, u->blk, u->data);
	}
}

static void play_survivors(struct player *p, const struct epoch *ep)
{
	for (size_t i = ep->first; i < ep->end; i++) {
		const struct unit *u = unit_at(p, i);

		state_set_block(&p->st, u->blk, u->data);
		say_where(p, "of epoch %zu to %zu only unit %zu", ep->first,
			  ep->end, i);
		p->in_pack = is_in_pack(p, u);
		judge(p, allowed_at(p, ep->first, ep->end));
		p->in_pack = false;
		state_set_block(&p->st, u->blk, before_of(ep, i));
	}
}

/* From the state before the epoch; @mask tells for short ones who survives. */
static void play_subset(struct player *p, const struct epoch *ep, int64_t mask)
{
	uint64_t seed = p->random, rate = next_random(p) % 256;

	for (size_t i = ep->first; i < ep->end; i++) {
		uint64_t r = next_random(p);
		bool lands = mask < 0 ? r % 256 < rate :
					mask >> (i - ep->first) & 1;

		if (lands && mask < 0 && (r >> 32) % 16 == 0)
			set_torn(p, unit_at(p, i), (r >> 40) % 256);
		else if (lands)
			state_set_block(&p->st, unit_at(p, i)->blk,
					unit_at(p, i)->data);
	}
	say_where(p, "subset of epoch %zu to %zu (random state %" PRIu64 ")",
		  ep->first, ep->end, seed);
	p->in_pack = true;
	judge(p, allowed_at(p, ep->first, ep->end));
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
		const struct unit *u = unit_at(p, i);

		memcpy(ep->before + (i - ep->first) * BLOCK,
		       block_at(p, u->blk), BLOCK);
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

static int play_epochs(struct player *p)
{
	const struct txn_span *span = span_of(p);
	int err = 0;

	for (size_t i = span->first; i < span->end && !err; ) {
		struct epoch ep = { .first = i };

		while (i < span->end && unit_at(p, i)->data)
			i++;
		ep.end = i++;
		if (ep.end > ep.first)
			err = play_epoch(p, &ep);
	}
	return err;
}

/* ---- All of it --------------------------------------------------------- */

static void rewind_to(struct player *p, const uint8_t *saved)
{
	const struct txn_span *span = span_of(p);

	for (size_t i = span->first; i < span->end; i++) {
		const struct unit *u = unit_at(p, i);

		if (u->data)
			state_set_block(&p->st, u->blk, saved +
					(size_t)u->blk * BLOCK);
	}
}

/* The share of a transaction in the states that are written to files. */
static uint64_t dumps_of_txn(const struct player *p)
{
	uint64_t half = p->plan->nr_dumps / 2, nr = p->run->txns.nr;

	return half * (p->txn + 1) / nr - half * p->txn / nr;
}

static int play_txn(struct player *p, uint8_t *saved)
{
	p->dumps_left = dumps_of_txn(p);
	state_set_refs(&p->st, &p->run->refs[p->txn],
		       &p->run->refs[p->txn + 1]);
	memcpy(saved, p->st.img.data, (size_t)p->st.img.nr_blks * BLOCK);
	check_rule_1(p);
	say_where(p, "before its first write");
	judge(p, 1U << OLD);
	play_prefixes(p);
	/* The new checkpoint's tree, read whole. */
	say_where(p, "at its end");
	walk(p);
	rewind_to(p, saved);
	p->dumps_left = dumps_of_txn(p);
	return play_epochs(p);
}

/* So many states there will be, roughly; to spread the samples. */
static uint64_t expected_states(const struct run *run)
{
	return 11 * (uint64_t)run->units.nr + 1;
}

int enumerate(const struct run *run, const struct image *base,
	      const struct whole *want, const struct plan *plan,
	      struct result *out)
{
	struct player p = {
		.run = run,
		.plan = plan,
		.want = want,
		.base = base,
		.random = plan->seed | 1,
	};
	uint8_t *saved = malloc((size_t)base->nr_blks * BLOCK);
	struct image copy;
	int err = image_copy(base, &copy);

	if (err || !saved)
		return -ENOMEM;
	err = state_init(&p.st, &copy);
	if (plan->nr_walks)
		p.walk_every = expected_states(run) / plan->nr_walks / 2 + 1;
	if (plan->nr_dumps)
		p.dump_every = expected_states(run) / plan->nr_dumps + 1;
	for (p.txn = 0; p.txn < run->txns.nr && !err; p.txn++)
		err = play_txn(&p, saved);
	state_free(&p.st);
	free(saved);
	*out = p.res;
	return err;
}
