/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fsck.f2fs: check a volume. The work is in the library. */
#include "config.h"

#include "fsck.h"
#include "tool/stop.h"

#include <errno.h>
#include <string.h>

static int status_of(const struct fsck *f,
		     const struct f2c_check_report *report)
{
	const struct f2c_check_summary *s = f2c_check_get_summary(report);
	int status = s->left ? FSCK_UNCORRECTED : FSCK_OK;

	/* What a dry run mended is wrong still. */
	if (f->repair && f->dry_run)
		return s->errors ? FSCK_UNCORRECTED : FSCK_OK;
	if (s->commits || f->replay.commits)
		status |= FSCK_CORRECTED;
	if (s->changed_under_mount ||
	    (f->replay.commits && f->replay.mounted_read_only))
		status |= FSCK_REBOOT;
	return status;
}

static int print_report(struct fsck *f, const char *path,
			struct f2c_check_report *report, int status)
{
	struct out *out = session_out(&f->s);
	int err;

	if (!out)
		return FSCK_ERROR;
	if (report)
		report_check(f, out, path, report);
	else
		out_str(out, "error", NULL, f->s.ctx ? f2c_error(f->s.ctx) :
						       "out of memory");
	out_i64(out, "exit_status", NULL, status);
	err = out_end(out);
	if (!err)
		return status;
	log_error(&f->s.log, "standard output: %s", strerror(-err));
	return status | FSCK_ERROR;
}

static int check_once(struct fsck *f, struct f2c_check_report **report)
{
	struct f2c_check_options opt = {
		.size = sizeof(opt),
		.progress = progress_of_library,
		.progress_priv = f->s.progress,
	};

	f2c_check_report_free(*report);
	*report = NULL;
	return f2c_check(f->s.fs, &opt, report);
}

static int repair(struct fsck *f, struct f2c_check_report **report)
{
	struct f2c_repair_options opt = {
		.size = sizeof(opt),
		.check = {
			.size = sizeof(opt.check),
			.progress = progress_of_library,
			.progress_priv = f->s.progress,
		},
		.only_safe = !f->all,
	};

	return f2c_repair(f->s.fs, &opt, report);
}

/*
 * A volume without errors that was not cleanly unmounted is brought to where
 * a mount would bring it, usage of quotas is counted again where that was wrong,
 * and unless errors of before are to be told, checked
 * once more.
 */
static int replay(struct fsck *f, struct f2c_check_report **report)
{
	const struct f2c_check_summary *s = f2c_check_get_summary(*report);
	int err;

	if (!f->repair || s->left ||
	    !(s->orphans || s->fsyncs_pending || s->quotas_wrong))
		return 0;
	f->replay.size = sizeof(f->replay);
	err = f2c_replay(f->s.fs, &f->replay);
	return err || s->errors ? err : check_once(f, report);
}

static unsigned int open_flags(const struct fsck *f)
{
	if (f->force)
		return F2C_FORCE;
	if (!f->repair)
		return F2C_RDONLY;
	return f->dry_run ? F2C_DRY_RUN : F2C_RDWR | F2C_MOUNTED_RO;
}

static int check(struct fsck *f, const char *path)
{
	struct f2c_check_report *report = NULL;
	int status = FSCK_ERROR;
	int err;

	if (!session_open(&f->s, path, open_flags(f))) {
		stop_install();
		err = f->repair ? repair(f, &report) : check_once(f, &report);
		if (!err)
			err = replay(f, &report);
		if (err)
			session_fail(&f->s);
		status = report ? status_of(f, report) : FSCK_OK;
		if (err)
			status |= err == -ECANCELED ? FSCK_CANCELED :
						      FSCK_ERROR;
	}
	if (report || f->s.json)
		status = print_report(f, path, report, status);
	f2c_check_report_free(report);
	return status;
}

int main(int argc, char **argv)
{
	struct fsck f = { .repair = false };
	struct cli cli = {
		.program = PROGRAM,
		.usage = "[OPTION]... DEVICE",
		.summary = "Check all structures of a volume against each other, name what is wrong, repair what can be, and tell how fragmented its files and its free space are. Nothing is written but with -a, -p or -y.",
		.footer = "Exit status, a sum: 0 the volume is consistent, 1 it was changed and is now, 2 reboot, 4 errors are left, 8 it could not be done, 16 wrong usage, 32 stopped by a signal.",
		.opts = fsck_options,
		.min_operands = 1,
		.usage_status = FSCK_USAGE,
		.priv = &f,
	};
	int status;

	session_init(&f.s, PROGRAM);
	if (!cli_parse(&cli, argc, argv))
		return cli.status;
	status = check(&f, cli.operands[0]);
	session_close(&f.s);
	return status;
}
