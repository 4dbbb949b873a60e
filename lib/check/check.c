/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The passes one after the other, and what they share. */
#include "config.h"

#include "base/work.h"
#include "check/check_int.h"

#include <errno.h>
#include <string.h>

#define PROGRESS_EVERY	1024U
#define MIN_DIR_BLOCKS	(1U << 20)

int check_progress(struct check *c, unsigned int worker, const char *phase,
		   uint64_t total)
{
	uint64_t done = __atomic_add_fetch(&c->done, 1, __ATOMIC_RELAXED);
	struct check_worker *w = &c->workers[worker];

	if (worker || !c->opt->progress || w->next_progress > done)
		return 0;
	w->next_progress = done + PROGRESS_EVERY;
	c->phase = phase;
	c->phase_total = total;
	return c->opt->progress(c->opt->priv, phase, done, total) ?
	       ctx_fail(c->vol->ctx, -ECANCELED, "the check was stopped") : 0;
}

size_t check_max_dir_blocks(const struct check *c)
{
	return MIN_DIR_BLOCKS + 4 * c->nids.nr;
}

int check_too_many_dir_blocks(const struct check *c)
{
	return ctx_fail(c->vol->ctx, -E2BIG,
			"directories have more than %zu blocks, with %zu "
			"nodes in all: too many to be checked",
			check_max_dir_blocks(c), c->nids.nr);
}

static int make_workers(struct check *c)
{
	c->workers = calloc(c->nr_threads, sizeof(*c->workers));
	if (!c->workers)
		return ctx_nomem(c->vol->ctx, "a list of threads");
	for (unsigned int i = 0; i < c->nr_threads; i++) {
		struct check_worker *w = &c->workers[i];

		w->block = malloc(c->lo->block_size);
		w->frag = frag_collector_new(c->lo);
		if (!w->block || !w->frag)
			return ctx_nomem(c->vol->ctx, "a thread's buffers");
	}
	return 0;
}

static void free_workers(struct check *c)
{
	for (unsigned int i = 0; c->workers && i < c->nr_threads; i++) {
		struct check_worker *w = &c->workers[i];

		free(w->block);
		frag_collector_free(w->frag);
		vec_free(&w->dirs);
		vec_free(&w->dir_blocks);
		vec_free(&w->exts);
		vec_free(&w->keys);
		quota_usage_free(&w->usage);
	}
	free(c->workers);
}

/* What opening the volume found belongs to the result. */
static void take_findings(struct check *c)
{
	const struct findings *from = &c->vol->findings;

	for (size_t i = 0; i < from->nr; i++) {
		const char *detail = from->v[i].detail;

		if (detail)
			check_found_as(c, &from->v[i], "%s", detail);
		else
			check_found_as(c, &from->v[i], NULL);
	}
}

static int finish_frag(struct check *c)
{
	struct frag_collector *all[CHECK_MAX_THREADS];
	int err;

	for (unsigned int i = 0; i < c->nr_threads; i++)
		all[i] = c->workers[i].frag;
	err = frag_finish(c->vol, all, c->nr_threads, &c->res->frag);
	if (err)
		return err;
	frag_free_space(c->vol, &c->res->frag);
	for (unsigned int i = 0; i < c->nr_threads; i++) {
		frag_collector_free(c->workers[i].frag);
		c->workers[i].frag = NULL;
		c->res->files += c->workers[i].files;
		c->res->dirs += c->workers[i].dirs_seen;
	}
	return 0;
}

/* The last word on a phase is that all of it is done. */
static int end_phase(struct check *c)
{
	const char *phase = c->phase;

	c->phase = NULL;
	c->done = 0;
	for (unsigned int i = 0; i < c->nr_threads; i++)
		c->workers[i].next_progress = 0;
	if (!phase || !c->opt->progress(c->opt->priv, phase, c->phase_total,
					c->phase_total))
		return 0;
	return ctx_fail(c->vol->ctx, -ECANCELED, "the check was stopped");
}

static int run_passes(struct check *c)
{
	static int (*const passes[])(struct check *) = {
		pass0_super, pass1_tables, pass2_nodes, finish_frag,
		pass2_second_look, pass3_dirs, pass4_links, pass5_space,
		pass5_owners, pass5_quota,
	};
	int err = 0;

	names_init(c);
	for (size_t i = 0; !err && i < sizeof(passes) / sizeof(*passes); i++) {
		err = passes[i](c);
		if (!err)
			err = end_phase(c);
	}
	return err;
}

int check_run(struct volume *vol, const struct check_options *opt,
	      struct check_result *out)
{
	struct check c = { .vol = vol, .lo = &vol->lo, .opt = opt,
			   .res = out, .findings = &out->findings };
	int err;

	memset(out, 0, sizeof(*out));
	findings_init(&out->findings);
	c.nr_threads = work_nr_threads(opt->nr_threads, CHECK_MAX_THREADS);
	err = make_workers(&c);
	if (!err)
		err = nids_build(vol->ctx, &vol->nat, &c.nids);
	if (!err)
		err = space_init(vol->ctx, &vol->lo, &c.space);
	if (!err) {
		out->nodes = c.nids.nr;
		take_findings(&c);
		err = run_passes(&c);
	}
	if (!err) {
		findings_sort(&out->findings);
		err = check_fill_paths(&c);
	}
	if (!err && opt->facts)
		err = check_gather(&c, opt->facts);
	free_workers(&c);
	vec_free(&c.dirs);
	vec_free(&c.dir_blocks);
	vec_free(&c.exts);
	nids_free(&c.nids);
	space_free(&c.space);
	if (err)
		check_result_free(out);
	return err;
}

void check_result_free(struct check_result *res)
{
	for (size_t i = 0; i < res->nr_paths; i++)
		free(res->paths[i]);
	free(res->paths);
	res->paths = NULL;
	res->nr_paths = 0;
	findings_free(&res->findings);
}
