/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parser: getopt_long on what the option table says. */
#include "config.h"

#include "tool/cli.h"
#include "tool/size.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What getopt_long returns for the long form of row i is LONG_BASE + i. */
#define LONG_BASE 256

struct parser {
	const struct cli_opt **rows;	/* the table's and the built-in ones */
	int nr_rows;
	struct option *longs;
	char *shorts;
};

/* Internal results of the two built-in handlers. */
enum { STOP_HELP = 1, STOP_VERSION = 2 };

static int set_help(struct cli *cli, const char *arg)
{
	(void)cli, (void)arg;
	return STOP_HELP;
}

static int set_version(struct cli *cli, const char *arg)
{
	(void)cli, (void)arg;
	return STOP_VERSION;
}

const struct cli_opt cli_builtin[] = {
	{ 'h', "help", NULL, "print this help and exit", set_help },
	{ 'V', "version", NULL, "print the version and exit", set_version },
	{ 0 },
};

static bool is_end(const struct cli_opt *row)
{
	return !row->letter && !row->name;
}

const struct cli_opt *cli_find_letter(const struct cli *cli, int letter)
{
	const struct cli_opt *row;

	for (row = cli->opts; row && !is_end(row); row++)
		if (row->letter == letter)
			return row;
	for (row = cli_builtin; !is_end(row); row++)
		if (row->letter == letter)
			return row;
	return NULL;
}

static int usage_status(const struct cli *cli)
{
	return cli->usage_status ? cli->usage_status : 2;
}

int cli_fail(struct cli *cli, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "%s: %s%s%s%s\n", cli->program,
		cli->option[0] ? "option " : "", cli->option,
		cli->option[0] ? ": " : "", text);
	cli->status = usage_status(cli);
	return -EINVAL;
}

static void parser_free(struct parser *ps)
{
	free(ps->rows);
	free(ps->longs);
	free(ps->shorts);
}

static void parser_add(struct parser *ps, const struct cli_opt *row,
		       struct option **next_long, char **next_short)
{
	if (row->name)
		*(*next_long)++ = (struct option){
			.name = row->name,
			.has_arg = row->arg ? required_argument : no_argument,
			.val = LONG_BASE + ps->nr_rows,
		};
	if (row->letter) {
		*(*next_short)++ = row->letter;
		if (row->arg)
			*(*next_short)++ = ':';
	}
	ps->rows[ps->nr_rows++] = row;
}

/* Make getopt's tables. A ':' first has it tell a missing argument apart. */
static int parser_init(struct parser *ps, const struct cli *cli)
{
	const struct cli_opt *row;
	struct option *next_long;
	char *next_short;
	size_t nr = 2;

	for (row = cli->opts; row && !is_end(row); row++)
		nr++;
	ps->rows = calloc(nr, sizeof(*ps->rows));
	ps->longs = calloc(nr + 1, sizeof(*ps->longs));
	ps->shorts = calloc(2 * nr + 2, 1);
	if (!ps->rows || !ps->longs || !ps->shorts)
		return -ENOMEM;
	next_long = ps->longs;
	next_short = ps->shorts;
	*next_short++ = ':';
	for (row = cli->opts; row && !is_end(row); row++)
		parser_add(ps, row, &next_long, &next_short);
	for (row = cli_builtin; !is_end(row); row++)
		parser_add(ps, row, &next_long, &next_short);
	return 0;
}

/* The row of what getopt_long returned, and its name as typed in messages. */
static const struct cli_opt *row_of(struct cli *cli, const struct parser *ps,
				    int found)
{
	const struct cli_opt *row;

	if (found >= LONG_BASE && found - LONG_BASE < ps->nr_rows) {
		row = ps->rows[found - LONG_BASE];
		snprintf(cli->option, sizeof(cli->option), "--%s", row->name);
		return row;
	}
	snprintf(cli->option, sizeof(cli->option),
		 isprint(found) ? "-%c" : "-\\x%02x", found & 0xff);
	return cli_find_letter(cli, found);
}

static int fail_unknown(struct cli *cli, const struct parser *ps,
			const char *word)
{
	size_t len;

	if (optopt) {
		if (row_of(cli, ps, optopt) && optopt >= LONG_BASE)
			return cli_fail(cli, "takes no argument");
		return cli_fail(cli, "unknown");
	}
	len = strcspn(word, "=");
	if (len > sizeof(cli->option) - 1)
		len = sizeof(cli->option) - 1;
	memcpy(cli->option, word, len);
	cli->option[len] = '\0';
	for (const struct option *o = ps->longs; o->name && len > 2; o++)
		if (!strncmp(o->name, cli->option + 2, len - 2))
			return cli_fail(cli, "may mean --%s or another", o->name);
	return cli_fail(cli, "unknown");
}

static int parse_options(struct cli *cli, const struct parser *ps, int argc,
			 char **argv)
{
	const struct cli_opt *row;
	int found, err;

	optind = 0;			/* start afresh, as glibc and musl do */
	opterr = 0;
	while ((found = getopt_long(argc, argv, ps->shorts, ps->longs,
				    NULL)) != -1) {
		if (found == '?')
			return fail_unknown(cli, ps, argv[optind - 1]);
		if (found == ':') {
			row = row_of(cli, ps, optopt);
			return cli_fail(cli, "needs an argument: %s",
					row && row->arg ? row->arg : "");
		}
		row = row_of(cli, ps, found);
		err = row->set(cli, optarg);
		if (err)
			return err;
	}
	cli->option[0] = '\0';
	return 0;
}

static int check_operands(struct cli *cli, int argc, char **argv)
{
	int max = cli->max_operands ? cli->max_operands : cli->min_operands;

	cli->operands = argv + optind;
	cli->nr_operands = argc - optind;
	if (cli->nr_operands < cli->min_operands)
		return cli_fail(cli, "too few arguments; usage: %s%s%s %s",
				cli->program, cli->command ? " " : "",
				cli->command ? cli->command : "",
				cli->usage ? cli->usage : "");
	if (max >= 0 && cli->nr_operands > max)
		return cli_fail(cli, "'%s' is one argument too many",
				cli->operands[max]);
	return 0;
}

static int print_and_stop(const struct cli *cli, int what)
{
	if (what == STOP_HELP)
		cli_print_help(cli, stdout);
	else
		printf("%s (f2core) %s\n", cli->program, PACKAGE_VERSION);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "%s: standard output: %s\n", cli->program,
			strerror(errno));
		return 1;
	}
	return 0;
}

/*
 * A file that is opened must not get the number of a standard one that was
 * closed, or what is printed goes there. What stands in for it cannot be
 * written to, so that an output that got lost still is an error.
 */
static void occupy_standard_files(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			return;
}

bool cli_parse(struct cli *cli, int argc, char **argv)
{
	struct parser ps = { 0 };
	int err;

	occupy_standard_files();
	cli->status = 0;
	cli->argv = argv;
	cli->option[0] = '\0';
	err = parser_init(&ps, cli);
	if (err) {
		cli_fail(cli, "out of memory");
		goto out;
	}
	err = parse_options(cli, &ps, argc, argv);
	if (!err)
		err = check_operands(cli, argc, argv);
	if (err > 0)
		cli->status = print_and_stop(cli, err);
	else if (err && !cli->status)
		cli->status = usage_status(cli);
out:
	parser_free(&ps);
	return !err;
}

const char *cli_take_next(struct cli *cli, const char *set)
{
	char **argv = cli->argv;
	const char *word = argv[optind];

	if (!word || !word[0] || word[1] || !strchr(set, word[0]) ||
	    !argv[optind + 1])
		return NULL;
	optind++;
	return word;
}

static int fail_range(struct cli *cli, const char *arg, uint64_t min,
		      uint64_t max)
{
	if (max == UINT64_MAX)
		return cli_fail(cli, "'%s' is out of range (%" PRIu64 " or more)",
				arg, min);
	return cli_fail(cli, "'%s' is out of range (%" PRIu64 " to %" PRIu64 ")",
			arg, min, max);
}

int cli_u64(struct cli *cli, const char *arg, uint64_t min, uint64_t max,
	    uint64_t *out)
{
	uint64_t n;
	int err = size_parse_u64(arg, &n);

	if (err == -EINVAL)
		return cli_fail(cli, "'%s' is not a whole number", arg);
	if (err || n < min || n > max)
		return fail_range(cli, arg, min, max);
	*out = n;
	return 0;
}

int cli_u32(struct cli *cli, const char *arg, uint32_t min, uint32_t max,
	    uint32_t *out)
{
	uint64_t n = 0;
	int err = cli_u64(cli, arg, min, max, &n);

	if (!err)
		*out = (uint32_t)n;
	return err;
}

int cli_size(struct cli *cli, const char *arg, uint64_t *bytes)
{
	int err = size_parse(arg, bytes);

	if (err == -ERANGE)
		return cli_fail(cli, "'%s' is too large", arg);
	if (err)
		return cli_fail(cli, "'%s' is not a size (as 4096, 64K or 64KiB)",
				arg);
	return 0;
}

int cli_move_limit(struct cli *cli, const char *arg, uint64_t *bytes)
{
	int err = cli_size(cli, arg, bytes);

	if (!err && *bytes < 4096)
		err = cli_fail(cli, "at %s nothing could be moved: a block is 4096 bytes or more",
			       arg);
	return err;
}

int cli_percent(struct cli *cli, const char *arg, double *percent)
{
	if (size_parse_percent(arg, percent))
		return cli_fail(cli, "'%s' is not a percentage from 0 to 100",
				arg);
	return 0;
}

int cli_fd(struct cli *cli, const char *arg, int *fd)
{
	uint64_t n = 0;
	int flags;
	int err = cli_u64(cli, arg, 0, INT32_MAX, &n);

	if (err)
		return err;
	flags = fcntl((int)n, F_GETFL);
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return cli_fail(cli, "descriptor %s is not open for writing",
				arg);
	*fd = (int)n;
	return 0;
}

int cli_run_command(const char *program, const char *summary,
		    const struct cli_command *commands, int argc, char **argv)
{
	struct cli cli = {
		.program = program,
		.usage = "COMMAND [OPTION]... VOLUME",
		.summary = summary,
		.commands = commands,
		.max_operands = -1,
	};

	if (argc > 1 && argv[1][0] != '-') {
		for (const struct cli_command *c = commands; c->name; c++)
			if (!strcmp(c->name, argv[1]))
				return c->main(argc - 1, argv + 1);
		cli_fail(&cli, "unknown command '%s'", argv[1]);
		return cli.status;
	}
	if (cli_parse(&cli, argc > 1 ? 2 : argc, argv))
		cli_fail(&cli, "no command given; --help lists them");
	return cli.status;
}
