/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The check of a volume: options in, findings out. */
#include "config.h"

#include "api/frag_int.h"
#include "api/report_int.h"
#include "api/size_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert((int)F2C_SEV_NOTE == (int)SEV_NOTE, "f2c_severity");
static_assert((int)F2C_SEV_ERROR == (int)SEV_ERROR, "f2c_severity");
static_assert((int)F2C_SEV_FATAL == (int)SEV_FATAL, "f2c_severity");

void report_fill_summary(struct f2c_check_report *r, const struct volume *vol)
{
	struct f2c_check_summary *s = &r->summary;
	const struct check_result *res = &r->result;

	s->errors = findings_count(&res->findings, SEV_ERROR);
	s->left = s->errors;
	s->notes = findings_count(&res->findings, SEV_NOTE) - s->errors;
	s->files = res->files;
	s->directories = res->dirs;
	s->nodes = res->nodes;
	s->blocks = res->blocks;
	s->main_blocks = vol->lo.end_blk - vol->lo.main_blk;
	s->orphans = res->orphans;
	s->fsyncs_pending = res->pending_fsyncs;
	s->quotas_wrong = res->findings.counted[P_QUOTA_USAGE] ||
			  res->findings.counted[P_CP_FLAG_QUOTA];
	s->frag.size = sizeof(s->frag);
	frag_to_public(&res->frag, &s->frag);
}

int report_take_options(struct f2c_fs *fs,
			const struct f2c_check_options *options,
			struct told *told, struct check_options *out)
{
	struct f2c_check_options opt = { .size = sizeof(opt) };
	int err = 0;

	if (options)
		err = size_copy_in(fs->ctx, "f2c_check_options", &opt,
				   sizeof(opt), options);
	if (err)
		return err;
	*told = (struct told){ opt.progress, opt.progress_priv };
	*out = (struct check_options){
		.nr_threads = opt.threads,
		.progress = opt.progress ? run_tell : NULL,
		.priv = told,
	};
	return 0;
}

int f2c_check(struct f2c_fs *fs, const struct f2c_check_options *options,
	      struct f2c_check_report **report)
{
	struct check_options check;
	struct told told;
	struct f2c_check_report *r;
	int err = report_take_options(fs, options, &told, &check);

	if (err)
		return err;
	r = calloc(1, sizeof(*r));
	if (!r)
		return ctx_nomem(fs->ctx, "a report");
	err = check_run(fs->vol, &check, &r->result);
	if (err) {
		free(r);
		return err;
	}
	report_fill_summary(r, fs->vol);
	fs->is_checked = !r->summary.errors;
	fs->quotas_wrong = r->summary.quotas_wrong;
	*report = r;
	return 0;
}

void f2c_check_report_free(struct f2c_check_report *report)
{
	if (!report)
		return;
	check_result_free(&report->result);
	free(report->repaired);
	free(report);
}

const struct f2c_check_summary *
f2c_check_get_summary(const struct f2c_check_report *report)
{
	return &report->summary;
}

size_t f2c_check_nr_findings(const struct f2c_check_report *report)
{
	return report->result.findings.nr;
}

const struct f2c_finding *f2c_check_finding(struct f2c_check_report *report,
					    size_t i)
{
	const struct check_result *res = &report->result;
	const struct finding *f;
	const struct problem *p;

	if (i >= res->findings.nr)
		return NULL;
	f = &res->findings.v[i];
	p = problem_get(f->id);
	finding_format(f, report->line, sizeof(report->line));
	report->finding = (struct f2c_finding){
		.id = p->id,
		.severity = (enum f2c_severity)p->severity,
		.text = p->text,
		.repair = p->repair,
		.structure = f->structure,
		.number = f->number,
		.address = f->blk,
		.inode = f->ino,
		.path = i < res->nr_paths ? res->paths[i] : NULL,
		.has_values = f->has_values,
		.found = f->found,
		.expected = f->expected,
		.detail = f->detail,
		.line = report->line,
		.repaired = report->repaired && report->repaired[i],
	};
	return &report->finding;
}
