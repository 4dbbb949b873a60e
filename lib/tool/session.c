/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening a volume for a program; messages; the frame of its document. */
#include "config.h"

#include "tool/session.h"

#include <errno.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define LARGE_BYTES (512 << 10)

int set_json(struct cli *cli, const char *arg)
{
	struct session *s = cli->priv;

	(void)arg;
	s->json = true;
	return 0;
}

int set_quiet(struct cli *cli, const char *arg)
{
	struct session *s = cli->priv;

	(void)arg;
	s->quiet = true;
	return 0;
}

int set_verbose(struct cli *cli, const char *arg)
{
	struct session *s = cli->priv;

	(void)arg;
	s->verbose = true;
	return 0;
}

int set_no_prefetch(struct cli *cli, const char *arg)
{
	struct session *s = cli->priv;

	(void)arg;
	s->no_prefetch = true;
	return 0;
}

int set_progress(struct cli *cli, const char *arg)
{
	struct session *s = cli->priv;

	return cli_fd(cli, arg, &s->progress_fd);
}

/*
 * Each transaction has large tables of its own. By default glibc takes them
 * from the heap once some were freed, and there they leave holes beneath what
 * stays; so the memory in use was a quarter of what was resident.
 */
static void give_large_tables_back(void)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
#endif
}

void session_init(struct session *s, const char *program)
{
	give_large_tables_back();
	*s = (struct session){ .progress_fd = -1, .log.program = program };
}

int session_open(struct session *s, const char *path, unsigned int flags)
{
	int err;

	s->log.level = s->quiet ? F2C_ERROR : s->verbose ? F2C_INFO :
						      F2C_WARNING;
	s->progress = progress_new(s->progress_fd, s->quiet);
	s->log.progress = s->progress;
	s->ctx = f2c_ctx_new();
	if (!s->ctx) {
		log_error(&s->log, "out of memory");
		return -ENOMEM;
	}
	log_attach(&s->log, s->ctx);
	if (s->no_prefetch)
		flags |= F2C_NO_PREFETCH;
	err = f2c_open(s->ctx, path, flags, &s->fs);
	if (err)
		session_fail(s);
	return err;
}

void session_close(struct session *s)
{
	f2c_close(s->fs);
	f2c_ctx_free(s->ctx);
	progress_free(s->progress);
}

void session_fail(struct session *s)
{
	log_error(&s->log, "%s", f2c_error(s->ctx));
}

struct out *session_out(struct session *s)
{
	struct out *out = out_new(s->json ? OUT_JSON : s->quiet ? OUT_NONE :
								  OUT_TEXT,
				  stdout);

	/* Some of a document is printed before its end. */
	progress_clear(s->progress);
	if (!out)
		log_error(&s->log, "out of memory");
	return out;
}

int session_end_out(struct session *s, struct out *out, int status)
{
	int err;

	if (status)
		out_str(out, "error", NULL, s->ctx ? f2c_error(s->ctx) :
						     "out of memory");
	out_i64(out, "exit_status", NULL, status);
	err = out_end(out);
	if (err) {
		log_error(&s->log, "standard output: %s", strerror(-err));
		return 1;
	}
	return status;
}

int session_no_result(struct session *s)
{
	struct out *out;

	if (!s->json)
		return 1;
	out = session_out(s);
	return out ? session_end_out(s, out, 1) : 1;
}
