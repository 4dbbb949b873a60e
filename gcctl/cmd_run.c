/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gcctl.f2fs run: garbage collection, or with --dry-run its plan. */
#include "config.h"

#include "choice.h"
#include "report.h"
#include "tool/run_report.h"
#include "tool/stop.h"

#include <stdint.h>

struct run_job {
	struct choice choice;		/* first: the shared handlers */
	bool dry_run;
	bool replay;
	struct f2c_replay_report replayed;
	struct f2c_gc_options gc;
};

static int set_sections(struct cli *cli, const char *arg)
{
	struct run_job *job = cli->priv;

	return cli_u64(cli, arg, 1, UINT32_MAX, &job->gc.max_sections);
}

static int set_until_free(struct cli *cli, const char *arg)
{
	struct run_job *job = cli->priv;

	return cli_percent(cli, arg, &job->gc.until_free);
}

static int set_max_moved(struct cli *cli, const char *arg)
{
	struct run_job *job = cli->priv;

	return cli_move_limit(cli, arg, &job->gc.max_moved_bytes);
}

static int set_time_limit(struct cli *cli, const char *arg)
{
	struct run_job *job = cli->priv;
	uint32_t seconds;
	int err = cli_u32(cli, arg, 1, UINT32_MAX, &seconds);

	if (!err)
		job->gc.time_limit = seconds;
	return err;
}

static int set_full(struct cli *cli, const char *arg)
{
	struct run_job *job = cli->priv;

	(void)arg;
	job->gc.full = true;
	return 0;
}

static int set_no_pack(struct cli *cli, const char *arg)
{
	struct run_job *job = cli->priv;

	(void)arg;
	job->gc.no_pack = true;
	return 0;
}

static int set_pack_max(struct cli *cli, const char *arg)
{
	struct run_job *job = cli->priv;

	return cli_u64(cli, arg, 1, UINT32_MAX, &job->gc.pack_max_blocks);
}

static int set_dry_run(struct cli *cli, const char *arg)
{
	struct run_job *job = cli->priv;

	(void)arg;
	job->dry_run = true;
	return 0;
}

static int set_replay(struct cli *cli, const char *arg)
{
	struct run_job *job = cli->priv;

	(void)arg;
	job->replay = true;
	return 0;
}

/* For tests of what happens when memory for a record cannot be had. */
static int set_fail_record(struct cli *cli, const char *arg)
{
	struct run_job *job = cli->priv;
	uint32_t every;
	int err = cli_u32(cli, arg, 1, UINT32_MAX, &every);

	if (!err)
		job->gc.fail_record_every = every;
	return err;
}

static const struct cli_opt options[] = {
	CHOICE_OPTIONS,
	{ 0, "sections", "N", "empty at most N sections", set_sections },
	{ 0, "until-free", "PCT", "stop when PCT percent of the sections are free",
	  set_until_free },
	{ 0, "max-moved", "SIZE", "move no more than SIZE bytes", set_max_moved },
	{ 0, "time-limit", "SEC", "stop at the last commit after SEC seconds",
	  set_time_limit },
	{ 0, "full", NULL, "also move sections that are wholly valid, so that every file comes together",
	  set_full },
	{ 0, "no-pack", NULL, "move blocks in the order in which they lie, not file by file",
	  set_no_pack },
	{ 0, "pack-max-blocks", "N", "sort at most N blocks by file at a time (default: as many as 32 MiB of memory hold)",
	  set_pack_max },
	{ 0, "replay", NULL, "first free orphans and recover fsynced files, as a mount would",
	  set_replay },
	{ 'n', "dry-run", NULL, "tell what a run would do, write nothing", set_dry_run },
	{ 0, "json", NULL, "print one JSON document", set_json },
	{ 'q', "quiet", NULL, "no report, no progress, no warnings", set_quiet },
	{ 'v', "verbose", NULL, "a longer report, and what was noticed while reading",
	  set_verbose },
	{ 0, "progress", "FD", "write progress to this descriptor, a JSON object a line",
	  set_progress },
	{ 0, "no-prefetch", NULL, "wait for each block that is read, to see what prefetching is worth",
	  set_no_prefetch },
	{ 0, "fail-record-every", "N", NULL, set_fail_record },
	{ 0 },
};

static int collect(struct run_job *job, struct f2c_gc_report *r)
{
	int err = 0;

	job->replayed.size = sizeof(job->replayed);
	if (job->replay)
		err = f2c_replay(job->choice.s.fs, &job->replayed);
	return err ? err : f2c_gc_run(job->choice.s.fs, &job->gc, r);
}

static int run(struct run_job *job, const char *path)
{
	struct f2c_gc_report r = { .size = sizeof(r) };
	struct f2c_status st = { .size = sizeof(st) };
	struct out *out;
	int err;

	if (session_open(&job->choice.s, path, job->dry_run ? F2C_DRY_RUN : F2C_RDWR))
		return session_no_result(&job->choice.s);
	/* To give sizes in bytes. */
	if (f2c_get_status(job->choice.s.fs, &st))
		st.block_size = 4096;
	progress_unit(job->choice.s.progress, st.block_size);
	job->gc.size = sizeof(job->gc);
	job->gc.victims = choice_options(&job->choice);
	job->gc.progress = progress_of_library;
	job->gc.progress_priv = job->choice.s.progress;
	stop_install();
	err = collect(job, &r);
	if (err)
		session_fail(&job->choice.s);
	if (err && !r.commits && !job->replayed.commits)
		return session_no_result(&job->choice.s);
	out = session_out(&job->choice.s);
	if (!out)
		return 1;
	if (job->replayed.commits)
		put_replay(out, path, &job->replayed, job->choice.s.verbose);
	report_run(out, path, &r, st.block_size, err, job->choice.s.verbose);
	return session_end_out(&job->choice.s, out, err ? 1 : 0);
}

int cmd_run(int argc, char **argv)
{
	struct run_job job = { 0 };
	struct cli cli = {
		.program = PROGRAM,
		.command = "run",
		.usage = "[OPTION]... VOLUME",
		.summary = "Empty the dirty sections of a volume that is not mounted: what is "
			"valid in them moves to free sections, file by file and in file "
			"order, so that free space becomes whole and files come together.",
		.footer = "A power cut or an error at any time leaves the volume as it was before "
			"the run or as it was at one of the run's commits. SIGINT and SIGTERM "
			"stop at the last commit, with a report.",
		.opts = options,
		.min_operands = 1,
		.priv = &job,
	};
	int status;

	session_init(&job.choice.s, PROGRAM);
	status = cli_parse(&cli, argc, argv) ? run(&job, cli.operands[0]) :
					       cli.status;
	choice_free(&job.choice);
	session_close(&job.choice.s);
	return status;
}
