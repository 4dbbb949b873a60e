/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of fsck.f2fs. Letters that scripts and fsck(8) pass to the
 * existing checker are taken, those that mean nothing here without a word in
 * --help.
 */
#include "config.h"

#include "fsck.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>

static int set_force(struct cli *cli, const char *arg)
{
	struct fsck *f = cli->priv;

	(void)arg;
	f->force = true;
	return 0;
}

static int set_repair(struct cli *cli, const char *arg)
{
	struct fsck *f = cli->priv;

	(void)arg;
	f->repair = true;
	return 0;
}

static int set_repair_all(struct cli *cli, const char *arg)
{
	struct fsck *f = cli->priv;

	f->all = true;
	return set_repair(cli, arg);
}

static int set_dry_run(struct cli *cli, const char *arg)
{
	struct fsck *f = cli->priv;

	(void)arg;
	f->dry_run = true;
	return 0;
}

/* "-p", "-p1" (the digit is a letter of its own below) and "-p 1". */
static int set_preen(struct cli *cli, const char *arg)
{
	cli_take_next(cli, "012");
	return set_repair(cli, arg);
}

/* fsck(8) gives -C a descriptor; elsewhere it names an encoding. */
static int set_encoding(struct cli *cli, const char *arg)
{
	for (const char *p = arg; *p; p++)
		if (!isdigit((unsigned char)*p))
			return 0;
	return set_progress(cli, arg);
}

/* A check is always of everything and has one depth. */
static int set_nothing(struct cli *cli, const char *arg)
{
	(void)cli;
	(void)arg;
	return 0;
}

/* What the existing checker can show and this one cannot. */
static int set_not_there(struct cli *cli, const char *arg)
{
	struct fsck *f = cli->priv;
	struct log log = { .program = PROGRAM, .level = F2C_WARNING };
	char text[128];

	(void)arg;
	if (f->s.quiet)
		return 0;
	snprintf(text, sizeof(text), "option %s is not there yet; the volume is checked without it",
		 cli->option);
	log_line(&log, F2C_WARNING, NULL, text);
	return 0;
}

const struct cli_opt fsck_options[] = {
	{ 'n', "dry-run", NULL, "write nothing, with -a, -p or -y too: tell what they would do",
	  set_dry_run },
	{ 'f', "full", NULL, "check everything, which is how it is without this too", set_nothing },
	{ 'a', NULL, NULL, "do without questions what is safe: free orphans, recover fsynced files, repair tables; if there is more, nothing",
	  set_repair },
	{ 'p', NULL, NULL, "like -a; a level 0, 1 or 2 may follow", set_preen },
	{ 'y', NULL, NULL, "repair without questions all that can be", set_repair_all },
	{ 'q', NULL, NULL, "keep quota limits in a repair", set_nothing },
	{ 'C', NULL, "FD", "like --progress=FD; if it is no number, an encoding, which is ignored",
	  set_encoding },
	{ 0, "force", NULL, "check a volume that is in use; what changes meanwhile is found wrong",
	  set_force },
	{ 0, "json", NULL, "print one JSON document", set_json },
	{ 0, "quiet", NULL, "print nothing but errors of the program itself", set_quiet },
	{ 'v', "verbose", NULL, "tell more of the volume, and what was noticed while reading",
	  set_verbose },
	{ 0, "progress", "FD", "write progress to this descriptor, a JSON object a line",
	  set_progress },
	{ 0, "no-prefetch", NULL, "wait for each block that is read, to see what prefetching is worth",
	  set_no_prefetch },
	/* Of the existing checker. */
	{ '0', NULL, NULL, NULL, set_nothing },
	{ '1', NULL, NULL, NULL, set_nothing },
	{ '2', NULL, NULL, NULL, set_nothing },
	{ 'c', NULL, "N", NULL, set_nothing },
	{ 'd', NULL, "LEVEL", NULL, set_nothing },
	{ 'g', NULL, NULL, NULL, set_nothing },
	{ 'l', NULL, NULL, NULL, set_not_there },
	{ 'm', NULL, "N", NULL, set_nothing },
	{ 'M', NULL, NULL, NULL, set_not_there },
	{ 'O', NULL, "FEATURES", NULL, set_nothing },
	{ 'S', NULL, NULL, NULL, set_not_there },
	{ 't', NULL, NULL, NULL, set_not_there },
	{ 0, "kernel-check", NULL, NULL, set_nothing },
	{ 0, "no-kernel-check", NULL, NULL, set_nothing },
	{ 0, "debug-cache", NULL, NULL, set_nothing },
	{ 0 },
};
