/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From recorded events to transactions. */
#include "config.h"

#include "events.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int take_event(const struct dev_event *ev, struct run *out)
{
	struct unit unit = { 0 };

	if (!ev->len) {
		out->nr_flushes++;
		return vec_push(&out->units, &unit);
	}
	out->nr_writes++;
	if (ev->off % BLOCK || ev->len % BLOCK) {
		fprintf(stderr, "a write of %zu bytes at byte %" PRIu64
			" is not of whole blocks\n", ev->len, ev->off);
		return -EUCLEAN;
	}
	for (size_t i = 0; i < ev->len / BLOCK; i++) {
		unit.blk = (uint32_t)(ev->off / BLOCK + i);
		unit.data = ev->data + i * BLOCK;
		if (vec_push(&out->units, &unit))
			return -ENOMEM;
	}
	return 0;
}

int run_take(const struct dev *recorder, struct run *out)
{
	size_t nr = dev_record_nr_events(recorder);
	int err = 0;

	*out = (struct run){ 0 };
	for (size_t i = 0; i < nr && !err; i++)
		err = take_event(dev_record_event(recorder, i), out);
	return err;
}

void run_free(struct run *run)
{
	if (run->refs)
		for (size_t i = 0; i <= run->txns.nr; i++)
			ref_free(&run->refs[i]);
	free(run->refs);
	vec_free(&run->units);
	vec_free(&run->txns);
}

/*
 * Rule of the commit: all that the checkpoint reaches is durable before its
 * last block is written, and nothing else is written along with it.
 */
static int check_commit_alone(const struct run *run, size_t at)
{
	const struct unit *u = run->units.v;

	if (at && !u[at - 1].data && at + 1 < run->units.nr &&
	    !u[at + 1].data)
		return 0;
	fprintf(stderr, "unit %zu (block %" PRIu32 ") makes a checkpoint valid, but is not alone between two flushes\n",
		at, u[at].blk);
	return -EUCLEAN;
}

static int end_txn(struct run *run, size_t first, size_t commit, bool commits,
		   struct state *st)
{
	struct txn_span span = {
		.first = first,
		.commit = commit,
		.commits = commits,
		.end = commits ? commit + 1 : run->units.nr,
	};
	struct ref *refs;

	if (commits)
		while (span.end < run->units.nr && !run->units.v[span.end].data)
			span.end++;
	refs = realloc(run->refs, (run->txns.nr + 2) * sizeof(*refs));
	if (!refs)
		return -ENOMEM;
	run->refs = refs;
	if (vec_push(&run->txns, &span))
		return -ENOMEM;
	return ref_make(&st->img, &run->refs[run->txns.nr]);
}

static int find_txns(struct run *run, struct state *st)
{
	uint64_t live = state_live(st);
	int alone = 0, err = 0;
	size_t first = 0;

	for (size_t i = 0; i < run->units.nr && !err; i++) {
		const struct unit *u = &run->units.v[i];

		if (!u->data)
			continue;
		state_set_block(st, u->blk, u->data);
		if (state_live(st) == live)
			continue;
		live = state_live(st);
		if (check_commit_alone(run, i))
			alone = -EUCLEAN;
		err = end_txn(run, first, i, true, st);
		if (!err)
			first = run->txns.v[run->txns.nr - 1].end;
	}
	for (size_t i = first; i < run->units.nr && !err; i++)
		if (run->units.v[i].data) {
			fprintf(stderr, "block %" PRIu32 " is written behind the last commit\n",
				run->units.v[i].blk);
			alone = -EUCLEAN;
			err = end_txn(run, first, 0, false, st);
			break;
		}
	return err ? err : alone;
}

int run_split(struct run *run, const struct image *base)
{
	struct state st = { 0 };
	struct image copy;
	int err;

	run->refs = calloc(1, sizeof(*run->refs));
	if (!run->refs)
		return -ENOMEM;
	err = ref_make(base, &run->refs[0]);
	if (!err)
		err = image_copy(base, &copy);
	if (err)
		return err;
	err = state_init(&st, &copy);
	if (!err)
		err = find_txns(run, &st);
	state_free(&st);
	return err;
}

/* ---- Planted faults ---------------------------------------------------- */

/* Number of the first unit that is the last block of a pack. */
static size_t find_commit(const struct run *run, const struct image *base)
{
	const struct unit *u = run->units.v;

	for (size_t i = 1; i + 1 < run->units.nr; i++)
		if (u[i].data && !u[i - 1].data && !u[i + 1].data &&
		    u[i].blk >= base->lo.cp_blk && u[i].blk < base->lo.sit_blk)
			return i;
	return 0;
}

static void swap_units(struct run *run, size_t a, size_t b)
{
	struct unit u = run->units.v[a];

	run->units.v[a] = run->units.v[b];
	run->units.v[b] = u;
}

/* A node that looks as if it had been fsynced after the live checkpoint. */
static int plant_forged(struct run *run, const struct image *base)
{
	static uint8_t block[BLOCK];
	struct od_node_foot *foot = node_foot(&base->lo, block);
	struct unit unit = { .data = block };
	struct ref ref;
	int err = ref_make(base, &ref);

	if (err)
		return err;
	unit.blk = ref.chain_blk;
	le32_set(&foot->nid, OD_ROOT_INO);
	le32_set(&foot->ino, OD_ROOT_INO);
	le32_set(&foot->flag, OD_FOOT_FSYNC);
	le64_set(&foot->cp_ver, ref.chain_version);
	ref_free(&ref);
	if (vec_push(&run->units, &unit))
		return -ENOMEM;
	memmove(run->units.v + 1, run->units.v,
		(run->units.nr - 1) * sizeof(unit));
	run->units.v[0] = unit;
	return 0;
}

/* A data block goes where the live checkpoint has one. */
static int plant_overwrite(struct run *run, const struct image *base)
{
	uint32_t blk = base->lo.main_blk;
	struct ref ref;
	int err = ref_make(base, &ref);

	if (err)
		return err;
	while (blk < base->lo.end_blk && !ref_reaches(&ref, blk))
		blk++;
	run->units.v[0].blk = blk;
	ref_free(&ref);
	return 0;
}

/* The first block that is written gets another byte on its way. */
static void plant_bad_copy(struct run *run)
{
	static uint8_t block[BLOCK];

	memcpy(block, run->units.v[0].data, BLOCK);
	block[100] ^= 1;
	run->units.v[0].data = block;
}

int run_plant(struct run *run, const char *what, const struct image *base)
{
	size_t commit = find_commit(run, base);

	if (!commit)
		return -ENOENT;
	if (!strcmp(what, "commit-before-flush")) {
		swap_units(run, commit - 1, commit);
	} else if (!strcmp(what, "commit-first")) {
		/* In place of the first write, which goes where it was. */
		swap_units(run, 0, commit);
	} else if (!strcmp(what, "bad-copy")) {
		plant_bad_copy(run);
	} else if (!strcmp(what, "overwrite")) {
		return plant_overwrite(run, base);
	} else if (!strcmp(what, "forged-fsync")) {
		return plant_forged(run, base);
	} else {
		return -EINVAL;
	}
	return 0;
}
