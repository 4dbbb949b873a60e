/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fsck.f2fs: check a volume. The work is in the library. */
#include "config.h"

#include "fsck.h"
#include "tool/stop.h"

#include <errno.h>
#include <string.h>

static void fail(const struct fsck *f)
{
	log_error(&f->log, "%s", f2c_error(f->ctx));
}

static int open_volume(struct fsck *f, const char *path)
{
	int err;

	f->log.program = PROGRAM;
	f->log.level = f->quiet ? F2C_ERROR : f->verbose ? F2C_INFO :
							   F2C_WARNING;
	f->progress = progress_new(f->progress_fd, f->quiet);
	f->log.progress = f->progress;
	f->ctx = f2c_ctx_new();
	if (!f->ctx) {
		log_error(&f->log, "out of memory");
		return -ENOMEM;
	}
	log_attach(&f->log, f->ctx);
	err = f2c_open(f->ctx, path, f->force ? F2C_FORCE : F2C_RDONLY, &f->fs);
	if (err)
		fail(f);
	return err;
}

static int status_of(const struct f2c_check_report *report)
{
	return f2c_check_get_summary(report)->errors ? FSCK_UNCORRECTED :
						       FSCK_OK;
}

static int print_report(struct fsck *f, const char *path,
			struct f2c_check_report *report, int status)
{
	struct out *out = out_new(f->json ? OUT_JSON :
				  f->quiet ? OUT_NONE : OUT_TEXT, stdout);
	int err;

	if (!out) {
		log_error(&f->log, "out of memory");
		return FSCK_ERROR;
	}
	if (report)
		report_check(f, out, path, report, status);
	else
		out_str(out, "error", NULL, f->ctx ? f2c_error(f->ctx) :
						     "out of memory");
	out_i64(out, "exit_status", NULL, status);
	progress_clear(f->progress);
	err = out_end(out);
	if (!err)
		return status;
	log_error(&f->log, "standard output: %s", strerror(-err));
	return status | FSCK_ERROR;
}

static int check(struct fsck *f, const char *path)
{
	struct f2c_check_options opt = {
		.size = sizeof(opt),
		.progress = progress_of_library,
	};
	struct f2c_check_report *report = NULL;
	int status = FSCK_ERROR;
	int err;

	if (!open_volume(f, path)) {
		stop_install();
		opt.progress_priv = f->progress;
		err = f2c_check(f->fs, &opt, &report);
		if (err)
			fail(f);
		status = err == -ECANCELED ? FSCK_CANCELED :
			 err ? FSCK_ERROR : status_of(report);
	}
	if (report || f->json)
		status = print_report(f, path, report, status);
	f2c_check_report_free(report);
	return status;
}

int main(int argc, char **argv)
{
	struct fsck f = { .progress_fd = -1 };
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

	if (!cli_parse(&cli, argc, argv))
		return cli.status;
	status = check(&f, cli.operands[0]);
	f2c_close(f.fs);
	f2c_ctx_free(f.ctx);
	progress_free(f.progress);
	return status;
}
