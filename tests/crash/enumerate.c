/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between two flushes any of the writes may be lost, and a block may be torn
 * at 512 bytes; across a flush the order holds. For each transaction:
 *  - every prefix, and the block behind it torn at every sector;
 *  - every single loss in an epoch, and every single survivor;
 *  - all subsets of a short epoch, seeded ones of a long one.
 */
#include "config.h"

#include "player.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_PRINTED 20

uint64_t player_random(struct player *p)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return p->random;
}

void player_at(struct player *p, const char *fmt, ...)
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
	int which;

	p->res.walked++;
	if (image_open(&p->st.img, &vol)) {
		fail(p, "cannot be opened");
		return;
	}
	if (vol->cp.version != state_live(&p->st))
		fail(p, "the reader takes another checkpoint");
	which = vol->cp.version == p->run->refs[0].version ? OLD : NEW;
	wrong = whole_differs(&p->want[which], vol);
	volume_close(vol);
	if (!wrong)
		wrong = whole_goes_on(&p->want[NEW], &p->st.img,
				      p->plan->runner);
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
void player_judge(struct player *p, unsigned int allowed)
{
	const char *wrong = state_check(&p->st, allowed);

	p->res.states++;
	if (wrong) {
		fail(p, wrong);
		return;
	}
	/* A pack is judged by what is there of it, and there are few. */
	if (p->in_pack) {
		wrong = p->plan->runner->engine == RUN_REPAIR ? NULL :
			whole_refuses(&p->st.img);
		if (wrong)
			fail(p, wrong);
	}
	if (p->walk_every && player_random(p) % p->walk_every == 0 &&
	    p->res.walked < p->plan->nr_walks)
		walk(p);
	if (p->dumps_left &&
	    (p->dump_next || player_random(p) % p->dump_every == 0))
		dump(p);
	p->dump_next = false;
}

uint8_t *player_block(struct player *p, uint32_t blk)
{
	return p->st.img.data + (size_t)blk * BLOCK;
}

/* Apply @u with only the sectors of @mask new. */
void player_tear(struct player *p, const struct unit *u, unsigned int mask)
{
	uint8_t mix[BLOCK];

	memcpy(mix, player_block(p, u->blk), BLOCK);
	for (unsigned int i = 0; i < BLOCK / SECTOR; i++)
		if (mask & 1U << i)
			memcpy(mix + i * SECTOR, u->data + i * SECTOR, SECTOR);
	state_set_block(&p->st, u->blk, mix);
}

const struct txn_span *player_span(const struct player *p)
{
	return &p->run->txns.v[p->txn];
}

const struct unit *player_unit(const struct player *p, size_t i)
{
	return &p->run->units.v[i];
}

/* What may be live when units up to @i, and maybe @i itself, have landed. */
unsigned int player_allowed(const struct player *p, size_t first, size_t end)
{
	const struct txn_span *span = player_span(p);

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
	const struct txn_span *span = player_span(p);
	size_t end = span->commits ? span->commit + 1 : span->end;

	for (size_t i = span->first; i < end; i++) {
		const struct unit *u = player_unit(p, i);

		if (!u->data || !ref_reaches(old, u->blk))
			continue;
		/* A summary may be written again with its valid entries. */
		if (u->blk >= p->base->lo.ssa_blk &&
		    u->blk < p->base->lo.main_blk &&
		    ref_accepts(p->base, old, u->blk, u->data))
			continue;
		player_at(p, "unit %zu", i);
		fail(p, "overwrites a block that the live checkpoint reaches");
	}
}

bool player_in_pack(const struct player *p, const struct unit *u)
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
	return (unsigned int)player_random(p) & all;
}

static void play_torn(struct player *p, size_t i)
{
	const struct unit *u = player_unit(p, i);
	unsigned int nr = BLOCK / SECTOR, most = 2 * nr, mask;
	uint8_t before[BLOCK];

	memcpy(before, player_block(p, u->blk), BLOCK);
	p->in_pack = player_in_pack(p, u);
	if (p->in_pack)
		most += 2 * nr;
	for (unsigned int t = 1; t < most; t++) {
		/* Of data, one order is as good as another. */
		if (!p->in_pack && t >= nr && t < 2 * nr - 1)
			continue;
		mask = torn_mask(p, t);
		player_tear(p, u, mask);
		player_at(p, "prefix of %zu units, the next torn (%02x)", i,
			  mask);
		/* Equal halves may make a torn commit a whole one. */
		player_judge(p, player_allowed(p, i, i + 1));
		state_set_block(&p->st, u->blk, before);
	}
	p->in_pack = false;
}

static void play_prefixes(struct player *p)
{
	const struct txn_span *span = player_span(p);

	for (size_t i = span->first; i < span->end; i++) {
		const struct unit *u = player_unit(p, i);

		if (!u->data)
			continue;
		/* The moments around a commit go to a kernel for certain. */
		p->dump_next = span->commits && i == span->commit;
		play_torn(p, i);
		state_set_block(&p->st, u->blk, u->data);
		p->dump_next = span->commits &&
			       (i == span->commit || i + 2 == span->commit);
		player_at(p, "prefix of %zu units", i + 1);
		player_judge(p, player_allowed(p, i + 1, i + 1));
	}
}

/* ---- All of it --------------------------------------------------------- */

static void rewind_to(struct player *p, const uint8_t *saved)
{
	const struct txn_span *span = player_span(p);

	for (size_t i = span->first; i < span->end; i++) {
		const struct unit *u = player_unit(p, i);

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
	player_at(p, "before its first write");
	player_judge(p, 1U << OLD);
	play_prefixes(p);
	/* The new checkpoint's tree, read whole. */
	player_at(p, "at its end");
	walk(p);
	rewind_to(p, saved);
	p->dumps_left = dumps_of_txn(p);
	return player_epochs(p);
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
