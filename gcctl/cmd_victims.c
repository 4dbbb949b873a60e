/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gcctl.f2fs victims: which sections a run would empty, and what for. */
#include "config.h"

#include "victims.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_TOP	20

static int set_top(struct cli *cli, const char *arg)
{
	struct victims_job *job = cli->priv;

	job->top_is_set = true;
	return cli_u32(cli, arg, 0, UINT32_MAX, &job->top);
}

static int unknown_column(struct cli *cli, const char *word, size_t len)
{
	char names[256];
	size_t at = 0;

	for (const struct out_column *c = victim_columns; c->key; c++)
		at += (size_t)snprintf(names + at, sizeof(names) - at,
				       "%s%s", at ? ", " : "", c->key);
	return cli_fail(cli, "'%.*s' is no column; there are: %s", (int)len,
			word, names);
}

static int set_columns(struct cli *cli, const char *arg)
{
	struct victims_job *job = cli->priv;
	char *to;

	/* Each word is replaced by a key, which may be longer. */
	free(job->columns);
	job->columns = to = malloc(strlen(arg) * VICTIM_KEY_MAX + 1);
	if (!to)
		return cli_fail(cli, "out of memory");
	for (;;) {
		size_t len = strcspn(arg, ",");
		int column = victim_column(arg, len);

		if (column < 0)
			return unknown_column(cli, arg, len);
		to = stpcpy(to, victim_columns[column].key);
		arg += len;
		if (!*arg++)
			return 0;
		*to++ = ',';
	}
}

static int set_sort(struct cli *cli, const char *arg)
{
	struct victims_job *job = cli->priv;
	int column = victim_column(arg, strlen(arg));

	if (column < 0)
		return unknown_column(cli, arg, strlen(arg));
	job->sort = column;
	return 0;
}

static int set_reverse(struct cli *cli, const char *arg)
{
	struct victims_job *job = cli->priv;

	(void)arg;
	job->reverse = true;
	return 0;
}

static int set_force(struct cli *cli, const char *arg)
{
	struct victims_job *job = cli->priv;

	(void)arg;
	job->force = true;
	return 0;
}

static const struct cli_opt options[] = {
	CHOICE_OPTIONS,
	{ 0, "top", "N", "list the first N sections (default: 20, with --json all); 0: all",
	  set_top },
	{ 0, "columns", "LIST", "columns of the list, with commas between", set_columns },
	{ 0, "sort", "COLUMN", "sort the list by this column (default: cost)", set_sort },
	{ 0, "reverse", NULL, "sort the other way round", set_reverse },
	{ 0, "json", NULL, "print one JSON document", set_json },
	{ 'f', "force", NULL, "read a volume that is in use; the figures may be old",
	  set_force },
	{ 'q', "quiet", NULL, "no report and no warnings", set_quiet },
	{ 'v', "verbose", NULL, "also tell what was noticed while reading",
	  set_verbose },
	{ 0 },
};

static int report(struct victims_job *job, const char *path)
{
	struct f2c_status st = { .size = sizeof(st) };
	struct session *s = &job->choice.s;
	struct out *out;
	int err;

	if (session_open(s, path, job->force ? F2C_FORCE : F2C_RDONLY))
		return session_no_result(s);
	err = f2c_get_status(s->fs, &st);
	if (!err)
		err = f2c_victims_find(s->fs, choice_options(&job->choice),
				       &job->victims);
	if (err) {
		session_fail(s);
		return session_no_result(s);
	}
	if (!job->top_is_set && !s->json)
		job->top = DEFAULT_TOP;
	out = session_out(s);
	if (!out)
		return 1;
	err = victims_put(job, out, path, &st);
	if (err)
		log_error(&s->log, "out of memory");
	return session_end_out(s, out, err ? 1 : 0);
}

int cmd_victims(int argc, char **argv)
{
	struct victims_job job = { .sort = victim_column("cost", 4) };
	struct cli cli = {
		.program = PROGRAM,
		.command = "victims",
		.usage = "[OPTION]... VOLUME",
		.summary = "List the dirty sections of a volume that is not mounted, those first that a run would empty first, with what each costs and gains.",
		.opts = options,
		.min_operands = 1,
		.priv = &job,
	};
	int status;

	session_init(&job.choice.s, PROGRAM);
	status = cli_parse(&cli, argc, argv) ? report(&job, cli.operands[0]) :
					       cli.status;
	f2c_victims_free(job.victims);
	free(job.columns);
	choice_free(&job.choice);
	session_close(&job.choice.s);
	return status;
}
