/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs one of the engines and takes from its report what all have. */
#include "config.h"

#include "runner.h"

#include "api/fs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

int runner_choose(struct runner *r, struct volume *vol,
		  const char *const *paths, size_t nr)
{
	int err = select_inodes(vol, paths, nr, 0, &r->only);

	if (err)
		return err;
	r->defrag.only = r->only.v;
	r->defrag.nr_only = r->only.nr;
	/* As defrag.f2fs does it when files are named. */
	r->defrag.files_only = true;
	return 0;
}

static int run_gc(const struct runner *r, struct volume *vol,
		  gc_progress_fn *progress, void *priv, struct outcome *out)
{
	struct gc_options opt = r->gc;
	struct gc_report rep = { 0 };
	int err;

	opt.progress = progress;
	opt.progress_priv = priv;
	err = gc_run(vol, &opt, &rep);
	out->commits = rep.moved.commits.commits;
	out->free_secs_after = rep.free_secs_after;
	out->was_stopped = rep.stopped_by == GC_STOP_SIGNAL;
	snprintf(out->text, sizeof(out->text), "%" PRIu64
		 " sections selected, %" PRIu64 " data and %" PRIu64
		 " node blocks moved, %" PRIu64 " commits",
		 rep.sections_selected, rep.moved.data_moved,
		 rep.moved.nodes_moved, out->commits);
	return err;
}

static int run_defrag(const struct runner *r, struct volume *vol,
		      gc_progress_fn *progress, void *priv,
		      struct outcome *out)
{
	struct defrag_options opt = r->defrag;
	struct defrag_report rep = { 0 };
	int err;

	opt.progress = progress;
	opt.progress_priv = priv;
	err = defrag_run(vol, &opt, &rep);
	out->commits = rep.commits.commits;
	out->free_secs_after = rep.free_secs_after;
	out->was_stopped = rep.stopped_by == DEFRAG_STOP_SIGNAL;
	snprintf(out->text, sizeof(out->text), "%" PRIu64
		 " rounds with files, %" PRIu64 " for room, %" PRIu64
		 " data and %" PRIu64 " node blocks moved, %" PRIu64 " commits",
		 rep.rounds, rep.room_made, rep.data_moved, rep.nodes_moved,
		 out->commits);
	return err;
}

static int run_replay(struct volume *vol, struct outcome *out)
{
	/* The same in each run, since what they write is compared. */
	const struct inode_time now = { .sec = 1800000000 };
	struct replay_report rep = { 0 };
	int err = replay_run(vol, &now, &rep);

	out->commits = rep.commits.commits;
	out->free_secs_after = UINT64_MAX;
	snprintf(out->text, sizeof(out->text), "%" PRIu64 " orphans freed, %"
		 PRIu64 " files recovered from %" PRIu64 " nodes, %" PRIu64
		 " commits", rep.orphans.inodes, rep.recovered.inodes,
		 rep.recovered.chain_nodes, out->commits);
	return err;
}

/* As fsck.f2fs -y does it; an error that is left is a failure. */
static int run_repair(struct volume *vol, struct outcome *out)
{
	struct f2c_fs fs = { .ctx = vol->ctx, .vol = vol, .flags = F2C_RDWR };
	const struct f2c_check_summary *s;
	struct f2c_check_report *report;
	int err = f2c_repair(&fs, NULL, &report);

	out->free_secs_after = UINT64_MAX;
	if (err)
		return err;
	s = f2c_check_get_summary(report);
	out->commits = s->commits;
	snprintf(out->text, sizeof(out->text), "%" PRIu64 " errors, %" PRIu64
		 " left, %" PRIu64 " commits", s->errors, s->left, s->commits);
	if (s->left)
		err = ctx_fail(vol->ctx, -EUCLEAN, "%" PRIu64
			       " errors are left", s->left);
	f2c_check_report_free(report);
	return err;
}

int runner_run(const struct runner *r, struct volume *vol,
	       gc_progress_fn *progress, void *priv, struct outcome *out)
{
	*out = (struct outcome){ 0 };
	switch (r->engine) {
	case RUN_DEFRAG:
		return run_defrag(r, vol, progress, priv, out);
	case RUN_REPLAY:
		return run_replay(vol, out);
	case RUN_REPAIR:
		return run_repair(vol, out);
	default:
		return run_gc(r, vol, progress, priv, out);
	}
}

void runner_free(struct runner *r)
{
	vec_free(&r->only);
}
