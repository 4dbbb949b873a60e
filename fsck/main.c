/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fsck.f2fs: check a volume. The work is in the library. */
#include "config.h"

#include "fsck.h"
#include "tool/stop.h"

#include <errno.h>
#include <string.h>

static int status_of(const struct f2c_check_report *report)
{
	return f2c_check_get_summary(report)->errors ? FSCK_UNCORRECTED :
						       FSCK_OK;
}

static int print_report(struct fsck *f, const char *path,
			struct f2c_check_report *report, int status)
{
	struct out *out = session_out(&f->s);
	int err;

	if (!out)
		return FSCK_ERROR;
	if (report)
		report_check(f, out, path, report, status);
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

static int check(struct fsck *f, const char *path)
{
	struct f2c_check_options opt = { .size = sizeof(opt) };
	struct f2c_check_report *report = NULL;
	int status = FSCK_ERROR;
	int err;

	if (!session_open(&f->s, path, f->force ? F2C_FORCE : F2C_RDONLY)) {
		opt.progress = progress_of_library;
		opt.progress_priv = f->s.progress;
		stop_install();
		err = f2c_check(f->s.fs, &opt, &report);
		if (err)
			session_fail(&f->s);
		status = err == -ECANCELED ? FSCK_CANCELED :
			 err ? FSCK_ERROR : status_of(report);
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
		.summary = "Check all structures of a volume against each other, name what is wrong, and tell how fragmented its files and its free space are. Nothing is written.",
		.footer = "Exit status: 0 the volume is consistent, 4 errors were found, 8 it could not be checked, 16 wrong usage, 32 stopped by a signal.",
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
