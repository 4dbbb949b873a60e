/* SPDX-License-Identifier: GPL-2.0-or-later */
/* defrag.f2fs without --report: a run, or with --dry-run its plan. */
#include "config.h"

#include "defrag.h"
#include "tool/run_report.h"
#include "tool/stop.h"

static int put_in_order(struct defrag *d, struct f2c_defrag_report *r)
{
	int err = 0;

	d->replayed.size = sizeof(d->replayed);
	if (d->replay)
		err = f2c_replay(d->s.fs, &d->replayed);
	return err ? err : f2c_defrag_run(d->s.fs, &d->run, r);
}

int run(struct defrag *d, const char *volume)
{
	struct f2c_defrag_report r = { .size = sizeof(r) };
	struct f2c_status st = { .size = sizeof(st) };
	struct out *out;
	int err;

	if (session_open(&d->s, volume, d->dry_run ? F2C_DRY_RUN : F2C_RDWR))
		return session_no_result(&d->s);
	/* To give sizes in bytes. */
	if (f2c_get_status(d->s.fs, &st))
		st.block_size = 4096;
	progress_unit(d->s.progress, st.block_size);
	d->run.progress = progress_of_library;
	d->run.progress_priv = d->s.progress;
	stop_install();
	err = put_in_order(d, &r);
	if (err)
		session_fail(&d->s);
	if (err && !r.commits && !d->replayed.commits)
		return session_no_result(&d->s);
	out = session_out(&d->s);
	if (!out)
		return 1;
	if (d->replayed.commits)
		put_replay(out, volume, &d->replayed, d->s.verbose);
	put_run(out, volume, &r, st.block_size, err, d->s.verbose);
	return session_end_out(&d->s, out, err ? 1 : 0);
}
