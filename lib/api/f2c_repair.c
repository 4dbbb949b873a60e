/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check, mend in memory, check again, until nothing changes any more; then one
 * commit. What the first check found and the last did not is repaired.
 */
#include "config.h"

#include "api/report_int.h"
#include "api/size_int.h"
#include "engine/repair.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROUNDS 40U

struct job {
	struct f2c_fs *fs;
	struct repair repair;
	struct check_options check;
	struct check_result last;	/* of the latest round, but the first */
	bool has_last;
	struct commit_stats commits;
};

/* The findings of the round; those of the first are kept for the report. */
static struct check_result *result_of(struct job *j,
				      struct f2c_check_report *r)
{
	return j->has_last ? &j->last : &r->result;
}

static int check_again(struct job *j, struct facts *f)
{
	if (j->has_last)
		check_result_free(&j->last);
	j->has_last = false;
	facts_free(f);
	facts_init(f);
	if (check_run(j->fs->vol, &j->check, &j->last))
		return -1;
	j->has_last = true;
	return 0;
}

/* Problems whose repair needs nothing but what is whole and known. */
static bool is_safe(enum problem_id id)
{
	static const enum problem_id safe[] = {
		P_CP_PACK_BAD, P_CP_FIELD, P_CP_FLAG_ERROR, P_CP_COUNT,
		P_CP_CURSEG, P_CP_ORPHAN, P_NAT_BITS, P_NAT_JOURNAL, P_SIT_JOURNAL,
		P_SIT_COUNT, P_SIT_TYPE, P_SIT_BIT_LOST, P_SIT_BIT_LEAKED,
		P_SSA_UNREADABLE, P_SSA_ENTRY, P_SSA_TYPE,
	};

	if (problem_get(id)->severity < SEV_ERROR)
		return true;
	for (size_t i = 0; i < sizeof(safe) / sizeof(*safe); i++)
		if (safe[i] == id)
			return true;
	return false;
}

static bool all_safe(const struct findings *f)
{
	for (unsigned int id = 0; id < NR_PROBLEMS; id++)
		if (f->counted[id] && !is_safe((enum problem_id)id))
			return false;
	return true;
}

/* Nothing is left but the marks that a full check clears. */
static bool only_marks(const struct findings *f)
{
	return findings_count(f, SEV_ERROR) == f->counted[P_CP_FLAG_ERROR];
}

static int mend(struct job *j, struct f2c_check_report *r, struct facts *f)
{
	bool again = true;
	int err = 0;

	for (unsigned int i = 0; !err && again && i < MAX_ROUNDS; i++) {
		err = repair_round(&j->repair, f, &again);
		if (!err && again)
			err = check_again(j, f);
	}
	if (!err && only_marks(&result_of(j, r)->findings))
		repair_clear_marks(&j->repair);
	return err;
}

/* As lists of findings are sorted, as far as that names what is wrong. */
static int compare_places(const struct finding *a, const struct finding *b)
{
	int c = (a->id > b->id) - (a->id < b->id);

	if (!c)
		c = strcmp(a->structure, b->structure);
	return c ? c : (a->number > b->number) - (a->number < b->number);
}

static bool is_in(const struct findings *list, const struct finding *f)
{
	size_t lo = 0, hi = list->nr;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		int c = compare_places(&list->v[mid], f);

		if (!c)
			return true;
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

/* Marks were found by the last check, too, but were cleared after it. */
static bool is_mark(const struct volume *vol, const struct finding *f)
{
	return (f->id == P_CP_FLAG_ERROR || f->id == P_CP_FLAG_FSCK ||
		f->id == P_CP_FLAG_STATE) && !vol->findings.counted[f->id];
}

/* What came to light when the rest was mended is told as well. */
static void add_new(struct findings *to, const struct findings *last)
{
	struct findings more;

	findings_init(&more);
	for (size_t i = 0; i < last->nr; i++) {
		const char *detail = last->v[i].detail;

		if (is_in(to, &last->v[i]))
			continue;
		if (detail)
			findings_add(&more, &last->v[i], "%s", detail);
		else
			findings_add(&more, &last->v[i], NULL);
	}
	findings_move(&more, to);
	findings_free(&more);
}

static int mark_repaired(struct job *j, struct f2c_check_report *r)
{
	struct findings *first = &r->result.findings;
	struct check_result *last = result_of(j, r);
	struct f2c_check_summary *s = &r->summary;

	if (j->has_last)
		add_new(first, &last->findings);
	s->errors = findings_count(first, SEV_ERROR);
	r->repaired = calloc(first->nr + 1, sizeof(*r->repaired));
	if (!r->repaired)
		return ctx_nomem(j->fs->ctx, "a report");
	for (size_t i = 0; i < first->nr; i++) {
		const struct finding *f = &first->v[i];

		r->repaired[i] = is_mark(j->fs->vol, f) ||
				 (j->has_last &&
				  !is_in(&last->findings, f));
		s->repaired += r->repaired[i];
	}
	s->left = findings_count(&last->findings, SEV_ERROR);
	if (last->findings.counted[P_CP_FLAG_ERROR] &&
	    !j->fs->vol->findings.counted[P_CP_FLAG_ERROR])
		s->left -= last->findings.counted[P_CP_FLAG_ERROR];
	return 0;
}

static void put_commit(const struct job *j, struct f2c_check_summary *s)
{
	const struct commit_stats *c = &j->commits;

	s->commits = c->commits;
	s->changed_under_mount = c->commits && j->fs->mounted_ro;
	s->blocks_written = c->blocks_written + j->repair.sums_written;
	s->phases = run_phases(c, 0, 0);
	s->nat_blocks_touched = c->nat_blocks_touched;
	s->nat_blocks_read = c->nat_blocks_read;
	s->nat_blocks_written = c->nat_blocks_written;
	s->nat_journal_hits = c->nat_journal_hits;
}

/* The findings are worth telling all the same. */
static void refuse(struct f2c_check_report *r, uint64_t pending)
{
	snprintf(r->refused, sizeof(r->refused), "%" PRIu64 " fsynced nodes "
		 "wait to be replayed, and not all errors can be repaired",
		 pending);
	r->summary.refused = r->refused;
	r->summary.left = r->summary.errors;
	r->summary.repaired = 0;
	free(r->repaired);
	r->repaired = NULL;
}

/*
 * A new checkpoint would make the kernel forget what was fsynced since the live
 * one: what is mended is then written with the replay, or not at all.
 */
static int write_all(struct job *j, struct f2c_check_report *r)
{
	uint64_t pending = result_of(j, r)->pending_fsyncs;
	struct volume *vol = j->fs->vol;
	int err;

	if (!j->repair.need_commit)
		return 0;
	err = volume_can_repair(vol);
	if (err)
		return err;
	/* It may be the newer one, and good. */
	if (vol->cp.unread[!vol->cp.pack] &&
	    cp_other_is_readable(vol->dev, &vol->lo, &vol->cp))
		return ctx_fail(vol->ctx, -EIO, "%s: not repaired: checkpoint "
				"pack %d could not be read before, and can be "
				"now; run this again", vol->dev->name,
				!vol->cp.pack);
	if (!pending)
		return commit(vol, &j->commits);
	if (r->summary.left)
		refuse(r, pending);
	else
		r->summary.to_replay = true;
	return 0;
}

static int work(struct job *j, struct f2c_check_report *r, bool only_safe)
{
	struct facts facts;
	int err;

	facts_init(&facts);
	j->check.facts = &facts;
	err = check_run(j->fs->vol, &j->check, &r->result);
	if (err)
		goto out;
	report_fill_summary(r, j->fs->vol);
	j->fs->quotas_wrong = r->summary.quotas_wrong;
	if (only_safe && !all_safe(&r->result.findings))
		goto out;
	err = mend(j, r, &facts);
	if (!err && j->repair.need_commit)
		err = mark_repaired(j, r);
	if (!err)
		err = write_all(j, r);
	j->fs->is_checked = !err && !r->summary.left;
	put_commit(j, &r->summary);
out:
	facts_free(&facts);
	return err;
}

int f2c_repair(struct f2c_fs *fs, const struct f2c_repair_options *options,
	       struct f2c_check_report **report)
{
	struct f2c_repair_options opt = { .size = sizeof(opt) };
	struct job j = { .fs = fs };
	struct f2c_check_report *r;
	struct told told;
	int err = run_can_write(fs);

	if (!err && options)
		err = size_copy_in(fs->ctx, "f2c_repair_options", &opt,
				   sizeof(opt), options);
	if (!err)
		err = report_take_options(fs, options ? &opt.check : NULL,
					  &told, &j.check);
	if (err)
		return err;
	r = calloc(1, sizeof(*r));
	if (!r)
		return ctx_nomem(fs->ctx, "a report");
	err = repair_init(&j.repair, fs->vol);
	if (!err)
		err = work(&j, r, opt.only_safe);
	if (j.has_last)
		check_result_free(&j.last);
	repair_free(&j.repair);
	if (err)
		f2c_check_report_free(r);
	else
		*report = r;
	return err;
}
