/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power cuts and I/O errors in a run of garbage collection or defragmentation,
 * or while a volume that was cut before is brought to what a mount makes of it.
 * The run's writes and flushes are recorded, and every state that a cut may
 * leave has to be the volume before or after a transaction, whole.
 * crash-run --help says how.
 */
#include "config.h"

#include "enumerate.h"
#include "faults.h"
#include "tool/cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
	struct runner runner;
	struct plan plan;
	unsigned int nr_faults;
	const char *plant;
	const char *result;		/* file for the volume after the run */
	struct f2c_ctx *ctx;
};

static int set_full(struct cli *cli, const char *arg)
{
	struct job *job = cli->priv;

	(void)arg;
	job->runner.gc.full = job->runner.defrag.full = true;
	return 0;
}

static int set_no_pack(struct cli *cli, const char *arg)
{
	(void)arg;
	((struct job *)cli->priv)->runner.gc.no_pack = true;
	return 0;
}

static int set_pack_max(struct cli *cli, const char *arg)
{
	struct job *job = cli->priv;

	return cli_u32(cli, arg, 1, UINT32_MAX, &job->runner.gc.pack_max_blocks);
}

static int set_sections(struct cli *cli, const char *arg)
{
	struct job *job = cli->priv;

	return cli_u64(cli, arg, 1, UINT32_MAX, &job->runner.gc.max_sections);
}

static int set_policy(struct cli *cli, const char *arg)
{
	static const char *const names[] = {
		[VICTIM_GREEDY] = "greedy",
		[VICTIM_COST_BENEFIT] = "cost-benefit",
		[VICTIM_AGE_THRESHOLD] = "age-threshold",
	};
	struct job *job = cli->priv;

	for (int i = VICTIM_GREEDY; i <= VICTIM_AGE_THRESHOLD; i++) {
		if (strcmp(arg, names[i]))
			continue;
		job->runner.gc.choice.policy = (enum victim_policy)i;
		return 0;
	}
	return cli_fail(cli, "there is no policy \"%s\"", arg);
}

static int set_only_free(struct cli *cli, const char *arg)
{
	(void)arg;
	((struct job *)cli->priv)->runner.defrag.only_free = true;
	return 0;
}

static int set_max_moved(struct cli *cli, const char *arg)
{
	struct job *job = cli->priv;
	uint64_t bytes;
	int err = cli_size(cli, arg, &bytes);

	if (err)
		return err;
	if (bytes < BLOCK)
		return cli_fail(cli, "is less than a block");
	job->runner.gc.max_moved = bytes / BLOCK;
	job->runner.defrag.max_moved = bytes / BLOCK;
	return 0;
}

static int set_seed(struct cli *cli, const char *arg)
{
	struct job *job = cli->priv;

	return cli_u64(cli, arg, 0, UINT64_MAX, &job->plan.seed);
}

static int set_subsets(struct cli *cli, const char *arg)
{
	struct job *job = cli->priv;

	return cli_u32(cli, arg, 0, UINT32_MAX, &job->plan.nr_subsets);
}

static int set_walks(struct cli *cli, const char *arg)
{
	struct job *job = cli->priv;

	return cli_u32(cli, arg, 0, UINT32_MAX, &job->plan.nr_walks);
}

static int set_dumps(struct cli *cli, const char *arg)
{
	struct job *job = cli->priv;

	return cli_u32(cli, arg, 1, 99, &job->plan.nr_dumps);
}

static int set_dump_dir(struct cli *cli, const char *arg)
{
	((struct job *)cli->priv)->plan.dump_dir = arg;
	return 0;
}

static int set_faults(struct cli *cli, const char *arg)
{
	struct job *job = cli->priv;

	return cli_u32(cli, arg, 0, UINT32_MAX, &job->nr_faults);
}

static int set_plant(struct cli *cli, const char *arg)
{
	((struct job *)cli->priv)->plant = arg;
	return 0;
}

static int set_result(struct cli *cli, const char *arg)
{
	((struct job *)cli->priv)->result = arg;
	return 0;
}

static const struct cli_opt options[] = {
	{ 0, "full", NULL, "as for the programs", set_full },
	{ 0, "max-moved", "SIZE", "likewise", set_max_moved },
	{ 0, "no-pack", NULL, "as for gcctl.f2fs run", set_no_pack },
	{ 0, "pack-max-blocks", "N", "likewise", set_pack_max },
	{ 0, "sections", "N", "likewise", set_sections },
	{ 0, "policy", "NAME", "likewise", set_policy },
	{ 0, "only-free", NULL, "as for defrag.f2fs", set_only_free },
	{ 0, "seed", "N", "for the random subsets", set_seed },
	{ 0, "subsets", "N", "random subsets of each epoch (default 8)", set_subsets },
	{ 0, "walks", "N", "states that are read and checked whole, and gone on with (default 8)", set_walks },
	{ 0, "faults", "N", "about N I/O errors of each kind, and stops (default 6)", set_faults },
	{ 0, "dumps", "N", "write some N of the states to files, for a kernel", set_dumps },
	{ 0, "dump-dir", "DIR", "there, with a list", set_dump_dir },
	{ 0, "result", "FILE", "write the volume after the run", set_result },
	{ 0, "plant", "FAULT", "change the recorded run so that the states must be found bad: commit-before-flush, commit-first, overwrite, forged-fsync, bad-copy",
	  set_plant },
	{ 0 },
};

static void on_log(void *priv, enum ctx_level level, const char *module,
		   const char *text)
{
	(void)priv;
	if (level != CTX_INFO)
		fprintf(stderr, "%s: %s\n", module, text);
}

static int load(struct job *job, const char *path, struct image *img)
{
	FILE *f = fopen(path, "rb");
	struct volume *vol;
	off_t bytes;
	int err = -EIO;

	if (!f || fseeko(f, 0, SEEK_END) || (bytes = ftello(f)) <= 0)
		goto out;
	*img = (struct image){
		.ctx = job->ctx,
		.nr_blks = (uint32_t)(bytes / BLOCK),
		.data = malloc((size_t)bytes),
	};
	rewind(f);
	if (!img->data || fread(img->data, (size_t)bytes, 1, f) != 1)
		goto out;
	err = image_open(img, &vol);
	if (err)
		goto out;
	img->lo = vol->lo;
	volume_close(vol);
out:
	if (err)
		fprintf(stderr, "%s: %s %s\n", path, strerror(-err),
			ctx_error(job->ctx));
	if (f)
		fclose(f);
	return err;
}

/* The run, recorded. *@vol keeps the events' data alive. */
static int record(struct job *job, const struct image *base,
		  struct volume **vol, struct dev **recorder)
{
	struct outcome o;
	struct dev *mem;
	int err;

	err = dev_mem_open(job->ctx, base->data,
			   (uint64_t)base->nr_blks * BLOCK, &mem);
	if (err)
		return err;
	err = dev_record_open(mem, recorder);
	if (err) {
		dev_close(mem);
		return err;
	}
	err = volume_open(job->ctx, *recorder, vol, NULL);
	if (err) {
		dev_close(*recorder);
		return err;
	}
	err = runner_run(&job->runner, *vol, NULL, NULL, &o);
	if (err)
		fprintf(stderr, "the run failed: %s\n", ctx_error(job->ctx));
	printf("run: %s\n", o.text);
	if (!err && !o.commits) {
		/* Else a test would prove nothing without being seen to. */
		fprintf(stderr, "the run has nothing to do on this volume\n");
		err = -ENODATA;
	}
	return err;
}

static int store_result(struct job *job, const struct image *base,
			struct dev *recorder)
{
	struct image after = *base;

	if (!job->result)
		return 0;
	after.data = dev_mem_data(dev_record_under(recorder));
	return image_store(&after, job->result);
}

/* Moving blocks changes nothing, a replay makes what it made without a cut. */
static int take_wants(const struct job *job, const struct image *base,
		      struct dev *recorder, struct whole want[2])
{
	struct image after = *base;
	int err = whole_take(base, &want[OLD]);

	want[NEW] = want[OLD];
	if (!err && want[OLD].unreadable &&
	    job->runner.engine != RUN_REPAIR) {
		fprintf(stderr, "the tree cannot be read\n");
		err = -EUCLEAN;
	}
	if (err || !runner_changes(&job->runner))
		return err;
	after.data = dev_mem_data(dev_record_under(recorder));
	err = whole_take(&after, &want[NEW]);
	if (!err && want[NEW].unreadable) {
		fprintf(stderr, "the tree cannot be read after the run\n");
		err = -EUCLEAN;
	}
	for (unsigned int id = 0; !err && id < NR_PROBLEMS; id++)
		if (want[NEW].found[id] > want[OLD].found[id]) {
			fprintf(stderr, "the run makes %s\n",
				problem_get((enum problem_id)id)->id);
			err = -EUCLEAN;
		}
	return err;
}

static int judge(struct job *job, const struct image *base,
		 struct dev *recorder, uint64_t *failures)
{
	struct whole want[2] = { 0 };
	struct result res = { 0 };
	uint64_t tried = 0;
	struct run run;
	int err;

	err = take_wants(job, base, recorder, want);
	if (!err)
		err = run_take(recorder, &run);
	if (err)
		return err;
	if (job->plant)
		err = run_plant(&run, job->plant, base);
	if (!err)
		err = run_split(&run, base);
	if (err == -EUCLEAN) {
		(*failures)++;
		err = 0;
	}
	if (!err)
		err = enumerate(&run, base, want, &job->plan, &res);
	*failures += res.failures;
	if (!err && !job->plant)
		err = faults_try(&run, base, &job->runner, want, job->nr_faults,
				 &tried, failures);
	printf("%" PRIu64 " paths, %zu transactions, %" PRIu64 " writes, %"
	       PRIu64 " flushes: %" PRIu64 " states, %" PRIu64
	       " read whole, %" PRIu64 " written to files; %" PRIu64
	       " errors and stops; seed %" PRIu64 "; %" PRIu64 " failures\n",
	       want[NEW].tree.paths, run.txns.nr, run.nr_writes, run.nr_flushes,
	       res.states, res.walked, res.dumped, tried, job->plan.seed,
	       *failures);
	run_free(&run);
	return err;
}

static int choose(struct job *job, const struct image *base,
		  const char *const *paths, size_t nr)
{
	struct volume *vol;
	int err;

	if (!nr)
		return 0;
	err = image_open(base, &vol);
	if (err)
		return err;
	err = runner_choose(&job->runner, vol, paths, nr);
	if (err)
		fprintf(stderr, "%s\n", ctx_error(job->ctx));
	volume_close(vol);
	return err;
}

/* @path: the image; the paths to choose follow it, up to a NULL. */
static int crash(struct job *job, const char *const *path, size_t nr_paths)
{
	struct image base = { 0 };
	struct volume *vol = NULL;
	struct dev *recorder = NULL;
	uint64_t failures = 0;
	int err = load(job, path[0], &base);

	if (err)
		return 1;
	err = choose(job, &base, path + 1, nr_paths);
	if (!err)
		err = record(job, &base, &vol, &recorder);
	if (!err)
		err = store_result(job, &base, recorder);
	if (!err)
		err = judge(job, &base, recorder, &failures);
	if (err)
		fprintf(stderr, "%s\n", strerror(-err));
	volume_close(vol);
	free(base.data);
	return err || failures;
}

static int set_engine(struct job *job, struct cli *cli)
{
	static const char *const names[] = {
		[RUN_GC] = "gc", [RUN_DEFRAG] = "defrag",
		[RUN_REPLAY] = "replay", [RUN_REPAIR] = "repair",
	};
	const char *name = cli->operands[0];
	unsigned int i = 0;

	while (i < sizeof(names) / sizeof(names[0]) && strcmp(name, names[i]))
		i++;
	if (i == sizeof(names) / sizeof(names[0]))
		return cli_fail(cli, "\"%s\" is none of gc, defrag, replay, repair",
				name);
	job->runner.engine = (enum runner_engine)i;
	if (i != RUN_DEFRAG && cli->nr_operands > 2)
		return cli_fail(cli, "%s takes no paths", name);
	if (job->plan.nr_dumps && !job->plan.dump_dir)
		return cli_fail(cli, "--dumps needs --dump-dir");
	return 0;
}

int main(int argc, char **argv)
{
	struct job job = {
		.plan = { .seed = 1, .nr_subsets = 8, .nr_walks = 8 },
		.nr_faults = 6,
	};
	struct cli cli = {
		.program = "crash-run",
		.usage = "[OPTION]... gc|defrag|replay IMAGE [PATH]...",
		.summary = "Try each state that a power cut or an I/O error may leave during a run "
			"on a copy of IMAGE in memory.",
		.opts = options,
		.min_operands = 2,
		.max_operands = -1,
		.priv = &job,
	};
	int status;

	job.plan.runner = &job.runner;
	if (!cli_parse(&cli, argc, argv) || set_engine(&job, &cli))
		return cli.status;
	job.ctx = ctx_new();
	if (!job.ctx)
		return 1;
	ctx_set_log(job.ctx, on_log, NULL);
	status = crash(&job, (const char *const *)cli.operands + 1,
		       (size_t)cli.nr_operands - 2);
	runner_free(&job.runner);
	ctx_free(job.ctx);
	return status;
}
