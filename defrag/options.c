/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of defrag.f2fs. */
#include "config.h"

#include "defrag.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* @option is a literal. */
static void for_report(struct defrag *d, const char *option)
{
	if (!d->only_report)
		d->only_report = option;
}

static void for_run(struct defrag *d, const char *option)
{
	if (!d->only_run)
		d->only_run = option;
}

static int set_report(struct cli *cli, const char *arg)
{
	struct defrag *d = cli->priv;

	(void)arg;
	d->report = true;
	return 0;
}

static int set_force(struct cli *cli, const char *arg)
{
	struct defrag *d = cli->priv;

	(void)arg;
	d->force = true;
	for_report(d, "--force");
	return 0;
}

/* Columns in the words of the table, or NULL with a message. */
static char *parse_columns(struct cli *cli, const char *arg)
{
	const char *bad;
	char *columns = file_columns_parse(arg, &bad);
	char names[256];
	size_t len = 0;

	if (columns)
		return columns;
	if (!bad) {
		cli_fail(cli, "out of memory");
		return NULL;
	}
	for (const struct out_column *c = file_columns; c->key; c++)
		len += (size_t)snprintf(names + len, sizeof(names) - len,
					"%s%s", len ? ", " : "", c->key);
	cli_fail(cli, "'%.*s' is no column; there are: %s",
		 (int)strcspn(bad, ","), bad, names);
	return NULL;
}

static int set_columns(struct cli *cli, const char *arg)
{
	struct defrag *d = cli->priv;

	for_report(d, "--columns");
	free(d->columns);
	d->columns = parse_columns(cli, arg);
	return d->columns ? 0 : -EINVAL;
}

static int set_sort(struct cli *cli, const char *arg)
{
	struct defrag *d = cli->priv;
	char *column = parse_columns(cli, arg);
	int err = column ? 0 : -EINVAL;

	for_report(d, "--sort");
	if (!err && strchr(column, ','))
		err = cli_fail(cli, "takes one column");
	for (const struct out_column *c = file_columns; !err && c->key; c++)
		if (!strcmp(c->key, column))
			d->files.sort = c->key;
	free(column);
	return err;
}

static int set_reverse(struct cli *cli, const char *arg)
{
	struct defrag *d = cli->priv;

	(void)arg;
	d->files.reverse = true;
	for_report(d, "--reverse");
	return 0;
}

static int set_top(struct cli *cli, const char *arg)
{
	struct defrag *d = cli->priv;
	uint32_t top = 0;
	int err = cli_u32(cli, arg, 0, UINT32_MAX, &top);

	d->files.top = top;
	d->top_is_set = true;
	for_report(d, "--top");
	return err;
}

static int set_min_extents(struct cli *cli, const char *arg)
{
	struct defrag *d = cli->priv;

	return cli_u32(cli, arg, 1, UINT32_MAX, &d->run.min_extents);
}

static int set_min_score(struct cli *cli, const char *arg)
{
	struct defrag *d = cli->priv;
	uint32_t score = 0;
	int err = cli_u32(cli, arg, 0, 100, &score);

	d->run.min_score = score;
	return err;
}

static int set_exclude(struct cli *cli, const char *arg)
{
	struct defrag *d = cli->priv;
	const char **more = reallocarray(d->exclude, d->run.nr_exclude + 1,
					 sizeof(*more));

	if (!more)
		return cli_fail(cli, "out of memory");
	d->exclude = more;
	d->exclude[d->run.nr_exclude++] = arg;
	return 0;
}

static int set_dry_run(struct cli *cli, const char *arg)
{
	struct defrag *d = cli->priv;

	(void)arg;
	d->dry_run = true;
	return 0;
}

static int set_replay(struct cli *cli, const char *arg)
{
	struct defrag *d = cli->priv;

	(void)arg;
	d->replay = true;
	for_run(d, "--replay");
	return 0;
}

static int set_only_free(struct cli *cli, const char *arg)
{
	struct defrag *d = cli->priv;

	(void)arg;
	d->run.only_free = true;
	for_run(d, "--only-free");
	return 0;
}

static int set_full(struct cli *cli, const char *arg)
{
	struct defrag *d = cli->priv;

	(void)arg;
	d->run.full = true;
	for_run(d, "--full");
	return 0;
}

static int set_order(struct cli *cli, const char *arg)
{
	static const char *const names[] = {
		[F2C_ORDER_DIR] = "dir", [F2C_ORDER_INO] = "ino",
		[F2C_ORDER_SIZE] = "size", [F2C_ORDER_ATIME] = "atime",
		[F2C_ORDER_MTIME] = "mtime",
	};
	struct defrag *d = cli->priv;

	for_run(d, "--order");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(names[i], arg))
			continue;
		d->run.order = (enum f2c_order)i;
		return 0;
	}
	return cli_fail(cli, "'%s' is none of dir, ino, size, atime, mtime",
			arg);
}

static int set_max_moved(struct cli *cli, const char *arg)
{
	struct defrag *d = cli->priv;

	for_run(d, "--max-moved");
	return cli_move_limit(cli, arg, &d->run.max_moved_bytes);
}

static int set_time_limit(struct cli *cli, const char *arg)
{
	struct defrag *d = cli->priv;
	uint32_t seconds = 0;
	int err = cli_u32(cli, arg, 1, UINT32_MAX, &seconds);

	for_run(d, "--time-limit");
	d->run.time_limit = seconds;
	return err;
}

/* Of the existing defrag.f2fs, which moves a range of blocks. */
static int set_range(struct cli *cli, const char *arg)
{
	(void)arg;
	return cli_fail(cli, "ranges of blocks are not moved by this defrag.f2fs: name files or folders after the device, or nothing for all of them, or use --only-free to bring free space together");
}

static int set_debug(struct cli *cli, const char *arg)
{
	(void)arg;
	return cli_fail(cli, "there are no levels of debugging here: use --verbose");
}

const struct cli_opt defrag_options[] = {
	{ 'n', "dry-run", NULL, "tell what a run would do, write nothing", set_dry_run },
	{ 0, "replay", NULL, "first free orphans and recover fsynced files, as a mount would",
	  set_replay },
	{ 0, "only-free", NULL, "bring free space together and leave files as they are", set_only_free },
	{ 0, "full", NULL, "rewrite all files in order, also those that lie well", set_full },
	{ 0, "order", "ORDER", "which files come first and together: dir (the default: by folder), ino, size, atime or mtime",
	  set_order },
	{ 0, "max-moved", "SIZE", "move no more than SIZE bytes of files", set_max_moved },
	{ 0, "time-limit", "SEC", "stop at the last commit after SEC seconds", set_time_limit },
	{ 0, "min-extents", "N", "leave out files with fewer extents", set_min_extents },
	{ 0, "min-score", "N", "leave out files with a lower score (0 to 100)", set_min_score },
	{ 0, "exclude", "PATH", "leave out a file, a folder or what a glob matches; may be given again",
	  set_exclude },
	{ 0, "report", NULL, "tell how files and free space lie, and change nothing", set_report },
	{ 0, "columns", "LIST", "columns of the report, with commas between", set_columns },
	{ 0, "sort", "COLUMN", "sort the report by this column, largest numbers first (default: score)",
	  set_sort },
	{ 0, "reverse", NULL, "sort the other way round", set_reverse },
	{ 0, "top", "N", "report the first N files (default: 20, with --json all); 0: all", set_top },
	{ 'f', "force", NULL, "report on a volume that is in use; the figures may be old", set_force },
	{ 0, "json", NULL, "print one JSON document", set_json },
	{ 'q', "quiet", NULL, "no report, no progress, no warnings", set_quiet },
	{ 'v', "verbose", NULL, "a longer report, and what was noticed while reading",
	  set_verbose },
	{ 0, "progress", "FD", "write progress to this descriptor, a JSON object a line",
	  set_progress },
	{ 0, "no-prefetch", NULL, "wait for each block that is read, to see what prefetching is worth",
	  set_no_prefetch },
	{ 's', NULL, "BLOCK", NULL, set_range },
	{ 'l', NULL, "BLOCKS", NULL, set_range },
	{ 't', NULL, "BLOCK", NULL, set_range },
	{ 'i', NULL, NULL, NULL, set_range },
	{ 'S', NULL, NULL, NULL, set_range },
	{ 'd', NULL, "LEVEL", NULL, set_debug },
	{ 0 },
};

static int check_options(struct cli *cli)
{
	const struct defrag *d = cli->priv;

	if (d->only_report && !d->report)
		return cli_fail(cli, "%s is for --report only",
				d->only_report);
	if (d->only_run && d->report)
		return cli_fail(cli, "%s is not for --report, which moves nothing",
				d->only_run);
	if (!d->run.only_free)
		return 0;
	if (d->run.nr_paths)
		return cli_fail(cli, "'%s' cannot be moved with --only-free, which moves no files",
				d->run.paths[0]);
	if (d->run.full || d->run.min_extents || d->run.min_score > 0)
		return cli_fail(cli, "--only-free moves no files: %s has nothing to choose",
				d->run.full ? "--full" : d->run.min_extents ?
				"--min-extents" : "--min-score");
	return 0;
}

int finish_options(struct cli *cli)
{
	struct defrag *d = cli->priv;

	d->run.size = sizeof(d->run);
	d->run.paths = (const char *const *)cli->operands + 1;
	d->run.nr_paths = (size_t)cli->nr_operands - 1;
	d->run.exclude = d->exclude;
	d->files.min_extents = d->run.min_extents;
	d->files.min_score = d->run.min_score;
	if (!d->top_is_set && !d->s.json)
		d->files.top = 20;
	return check_options(cli);
}
