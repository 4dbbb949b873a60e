/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs on a device that fails once, or from then on; and runs that stop. */
#include "config.h"

#include "faults.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Writes are few and all count; of reads and reports there are many alike. */
#define MOST_READS 32U
#define MOST_STOPS 32U

struct trial {
	const struct run *run;
	const struct image *base;
	const struct runner *runner;
	const struct whole *want;	/* OLD and NEW */
	char what[64];
	struct image scratch;		/* as @base between two trials */
	uint64_t tried;
	bool may_succeed;
	uint64_t *failures;
};

static void fail(struct trial *t, const char *why)
{
	if ((*t->failures)++ < 20)
		fprintf(stderr, "%s: %s\n", t->what, why);
}

/* A run works on: faults over a recorder over writes in memory over @base. */
static int stack(const struct image *base, const struct dev_fault_plan *plan,
		 struct dev **record, struct dev **out)
{
	struct dev *dev, *next;
	int err = image_dev(base, &dev);

	if (err)
		return err;
	err = dev_overlay_open(dev, &next);
	if (!err) {
		dev = next;
		err = dev_record_open(dev, &next);
	}
	if (!err) {
		dev = *record = next;
		err = dev_fault_open(dev, plan, &next);
	}
	if (err)
		dev_close(dev);
	else
		*out = next;
	return err;
}

/* What was written is the beginning of what a run without errors writes. */
static bool is_prefix(const struct trial *t, const struct dev *record)
{
	struct run part;
	bool same = !run_take(record, &part);

	for (size_t i = 0; same && i < part.units.nr; i++) {
		const struct unit *a = &part.units.v[i];
		const struct unit *b = &t->run->units.v[i];

		same = i < t->run->units.nr && a->blk == b->blk &&
		       !a->data == !b->data &&
		       (!a->data || !memcmp(a->data, b->data, BLOCK));
	}
	run_free(&part);
	return same;
}

/* As many writes and flushes as in a run without errors. */
static bool is_all(const struct trial *t, const struct dev *record)
{
	return dev_record_nr_events(record) ==
	       t->run->nr_writes + t->run->nr_flushes;
}

/* The version of a checkpoint that the run without errors had, too. */
static bool is_known_version(const struct trial *t, uint64_t version)
{
	for (size_t i = 0; i <= t->run->txns.nr; i++)
		if (t->run->refs[i].version == version)
			return true;
	return false;
}

static void judge(struct trial *t, struct volume *vol,
		  const struct outcome *o)
{
	uint64_t first = t->run->refs[0].version, commits;
	const char *wrong;

	commits = vol->cp.version - first;
	if (!is_known_version(t, vol->cp.version))
		fail(t, "leaves a checkpoint that the run never made");
	/* After an error of the last flush nobody knows. */
	else if (o->commits > commits ||
		 o->commits + 1 < commits)
		fail(t, "the report counts other commits than the volume has");
	else if (o->commits == commits && commits &&
		 o->free_secs_after != UINT64_MAX &&
		 o->free_secs_after != volume_free_secs(vol))
		fail(t, "the report counts other free sections than there are");
	wrong = whole_differs(&t->want[commits ? NEW : OLD], vol);
	if (wrong)
		fail(t, wrong);
}

/* Bring what was recorded to @to, as it is in the recording or in @from. */
static void play(const struct dev *record, const struct image *to,
		 const struct image *from)
{
	for (size_t i = 0; i < dev_record_nr_events(record); i++) {
		const struct dev_event *ev = dev_record_event(record, i);

		if (ev->len)
			memcpy(to->data + ev->off, from ? from->data + ev->off :
			       ev->data, ev->len);
	}
}

static void judge_result(struct trial *t, const struct dev *record,
			 const struct outcome *o)
{
	struct volume *vol;

	play(record, &t->scratch, NULL);
	if (image_open(&t->scratch, &vol)) {
		fail(t, "leaves a volume that cannot be opened");
	} else {
		judge(t, vol, o);
		volume_close(vol);
	}
	play(record, &t->scratch, t->base);
}

/* -ENOENT: the run is over before the n-th. */
static int try_one(struct trial *t, const struct dev_fault_plan *plan)
{
	struct outcome o = { 0 };
	struct volume *vol = NULL;
	struct dev *record, *dev;
	bool hit;
	int err = stack(t->base, plan, &record, &dev), ret;

	if (err)
		return err;
	ret = volume_open(t->base->ctx, dev, &vol, NULL);
	if (!ret)
		ret = runner_run(t->runner, vol, NULL, NULL, &o);
	hit = dev_fault_was_hit(dev);
	/* What is read when all is written only makes figures for people. */
	if (hit && !ret && !t->may_succeed &&
	    !(plan->fail_read && is_all(t, record)))
		fail(t, "the run says that all is well");
	if (hit && !is_prefix(t, record))
		fail(t, "writes what a run without errors does not write");
	if (hit)
		judge_result(t, record, &o);
	if (vol)
		volume_close(vol);
	else
		dev_close(dev);
	return hit ? 0 : -ENOENT;
}

/*
 * Error number @n of a kind. 0 tried, 1 the run is over before it, or negative.
 * A block that cannot be read once may be read again and then be there; all
 * else that fails, and reads that go on failing, have to end the run.
 */
static int try_nth(struct trial *t, const char *kind, size_t field, uint64_t n,
		   bool and_all_later)
{
	struct dev_fault_plan plan = { .and_all_later = and_all_later };
	int err;

	memcpy((uint8_t *)&plan + field, &n, sizeof(n));
	snprintf(t->what, sizeof(t->what), "error at %s %" PRIu64 "%s", kind, n,
		 and_all_later ? " and all later" : "");
	t->may_succeed = plan.fail_read && !and_all_later;
	err = try_one(t, &plan);
	if (err == -ENOENT)
		return 1;
	t->tried++;
	return err;
}

/* ---- A signal ---------------------------------------------------------- */

struct countdown {
	uint64_t left;
};

static int stop_when_zero(void *priv, const char *phase, uint64_t done,
			  uint64_t total)
{
	struct countdown *c = priv;

	(void)phase, (void)done, (void)total;
	return c->left && !--c->left;
}

/* Stop at report @n of progress: the last commit is what there is. */
static int try_stop(struct trial *t, uint64_t n)
{
	static const struct dev_fault_plan none;
	struct countdown c = { .left = n };
	struct outcome o = { 0 };
	struct volume *vol;
	struct dev *record, *dev;
	int err = stack(t->base, &none, &record, &dev);

	if (err)
		return err;
	err = volume_open(t->base->ctx, dev, &vol, NULL);
	if (err) {
		dev_close(dev);
		return err;
	}
	snprintf(t->what, sizeof(t->what), "stop at report %" PRIu64, n);
	if (runner_run(t->runner, vol, stop_when_zero, &c, &o))
		fail(t, "fails");
	if (!c.left && !o.was_stopped)
		fail(t, "is not said in the report");
	if (!is_prefix(t, record))
		fail(t, "writes what a whole run does not write");
	judge_result(t, record, &o);
	t->tried++;
	volume_close(vol);
	return c.left ? 1 : 0;
}

static int try_stops(struct trial *t, unsigned int nr)
{
	int err = 0;

	for (uint64_t n = 1; nr && !err; n += n / (nr / 2 + 1) + 1)
		err = try_stop(t, n);
	return err < 0 ? err : 0;
}

/* ---- I/O errors -------------------------------------------------------- */

/* @nr of the @of writes or flushes of a run; each in both ways if it is all. */
static int try_spread(struct trial *t, const char *kind, size_t field,
		      uint64_t of, unsigned int nr)
{
	uint64_t step = nr && of > nr ? of / nr : 1;
	int err = 0;

	for (uint64_t n = 1; nr && n <= of && !err; n += step) {
		err = try_nth(t, kind, field, n, n % 2);
		if (!err && step == 1)
			err = try_nth(t, kind, field, n, n % 2 == 0);
	}
	return err < 0 ? err : 0;
}

/*
 * Reads are not counted beforehand: ever larger numbers up to the end of the
 * run, and then the last ones.
 */
static int try_reads(struct trial *t, unsigned int nr)
{
	size_t field = offsetof(struct dev_fault_plan, fail_read);
	uint64_t low = 1, high = 1;
	int err = 0;

	while (nr && !err) {
		low = high;
		err = try_nth(t, "read", field, low, true);
		if (!err)
			err = try_nth(t, "read", field, low, false);
		high += high / (nr / 2 + 1) + 1;
	}
	high = low;
	low = 1;
	while (err >= 0 && nr && high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		err = try_nth(t, "read", field, middle, true);
		if (err)
			high = middle;
		else
			low = middle;
	}
	return err < 0 ? err : 0;
}

int faults_try(const struct run *run, const struct image *base,
	       const struct runner *runner, const struct whole *want,
	       unsigned int nr, uint64_t *tried, uint64_t *failures)
{
	struct trial t = {
		.run = run,
		.base = base,
		.runner = runner,
		.want = want,
		.failures = failures,
	};
	int err = image_copy(base, &t.scratch);

	if (err)
		return err;
	err = try_spread(&t, "write",
			 offsetof(struct dev_fault_plan, fail_write),
			 run->nr_writes, nr);
	if (!err)
		err = try_spread(&t, "flush",
				 offsetof(struct dev_fault_plan, fail_flush),
				 run->nr_flushes, nr);
	if (!err)
		err = try_reads(&t, nr < MOST_READS ? nr : MOST_READS);
	if (!err)
		err = try_stops(&t, nr < MOST_STOPS ? nr : MOST_STOPS);
	free(t.scratch.data);
	*tried = t.tried;
	return err;
}
