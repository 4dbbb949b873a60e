/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The option table: parsing, the text of usage errors, --help. */
#include "config.h"

#include "tool/cli.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct wish {
	bool dry_run;
	int verbose;
	uint64_t size;
	const char *label;
	char level;
};

static int set_dry_run(struct cli *cli, const char *arg)
{
	struct wish *w = cli->priv;

	assert_null(arg);
	w->dry_run = true;
	return 0;
}

static int set_verbose(struct cli *cli, const char *arg)
{
	struct wish *w = cli->priv;

	(void)arg;
	w->verbose++;
	return 0;
}

static int set_size(struct cli *cli, const char *arg)
{
	struct wish *w = cli->priv;

	return cli_size(cli, arg, &w->size);
}

static int set_label(struct cli *cli, const char *arg)
{
	struct wish *w = cli->priv;

	w->label = arg;
	return 0;
}

static int set_preen(struct cli *cli, const char *arg)
{
	struct wish *w = cli->priv;
	const char *level = cli_take_next(cli, "012");

	(void)arg;
	w->level = level ? level[0] : '-';
	return 0;
}

static const struct cli_opt options[] = {
	{ 'n', "dry-run", NULL, "plan and report, write nothing", set_dry_run },
	{ 'v', NULL, NULL, "say more", set_verbose },
	{ 'l', NULL, "LABEL", "name of the volume, up to 512 characters of "
	  "UTF-16, which is long enough that this text needs a second line",
	  set_label },
	{ 0, "size", "SIZE", "stop after SIZE bytes", set_size },
	{ 0, "an-option-with-a-very-long-name", "ARGUMENT", "long", set_label },
	{ 'p', NULL, NULL, "preen", set_preen },
	{ 0, "secret", NULL, NULL, set_verbose },
	{ 0 },
};

struct result {
	bool go_on;
	int status;
	int nr_operands;
	char first[64];			/* operand */
	char err[512];			/* what went to stderr */
	char out[4096];
	struct wish wish;
};

static void read_all(int fd, char *text, size_t size)
{
	ssize_t n;

	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	n = read(fd, text, size - 1);
	assert_true(n >= 0);
	text[n] = '\0';
}

/* Have @fd go to a new file; returns what it was before. */
static int divert(int fd, int *file)
{
	char name[] = "t-cli.XXXXXX";
	int before = dup(fd);

	*file = mkstemp(name);
	assert_true(*file >= 0);
	unlink(name);
	dup2(*file, fd);
	return before;
}

static void restore(int fd, int before)
{
	dup2(before, fd);
	close(before);
}

/* Split @line at spaces and parse it by the table above. */
static struct result parse(const char *line)
{
	struct result r = { 0 };
	struct cli cli = {
		.program = "prog", .usage = "[OPTION]... DEVICE [SECTORS]",
		.summary = "Try things.", .opts = options, .priv = &r.wish,
		.min_operands = 1, .max_operands = 2, .usage_status = 16,
	};
	char *words = strdup(line), *argv[20] = { 0 };
	int argc = 0, err_file, out_file, err_before, out_before;

	argv[argc++] = (char *)"whatever";
	for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	fflush(stdout);
	err_before = divert(2, &err_file);
	out_before = divert(1, &out_file);
	r.go_on = cli_parse(&cli, argc, argv);
	fflush(stdout);
	restore(1, out_before);
	restore(2, err_before);
	read_all(err_file, r.err, sizeof(r.err));
	read_all(out_file, r.out, sizeof(r.out));
	close(err_file);
	close(out_file);
	r.status = cli.status;
	r.nr_operands = cli.nr_operands;
	if (r.go_on)
		snprintf(r.first, sizeof(r.first), "%s", cli.operands[0]);
	r.wish.label = r.wish.label ? "set" : NULL;
	free(words);
	return r;
}

static void options_and_operands_mix(void **state)
{
	struct result r = parse("-vn disk --size 2M -l name 1000 -v");

	(void)state;
	assert_true(r.go_on);
	assert_true(r.wish.dry_run);
	assert_int_equal(r.wish.verbose, 2);
	assert_int_equal(r.wish.size, 2 << 20);
	assert_non_null(r.wish.label);
	assert_int_equal(r.nr_operands, 2);
	assert_string_equal(r.first, "disk");
	assert_string_equal(r.err, "");
}

static void after_two_dashes_all_are_operands(void **state)
{
	struct result r = parse("-- -n");

	(void)state;
	assert_true(r.go_on);
	assert_false(r.wish.dry_run);
	assert_string_equal(r.first, "-n");
}

static void usage_errors_name_the_option(void **state)
{
	static const struct { const char *line, *err; } rows[] = {
		{ "-x disk", "prog: option -x: unknown\n" },
		{ "-vx disk", "prog: option -x: unknown\n" },
		{ "--foo=3 disk", "prog: option --foo: unknown\n" },
		{ "--s disk",
		  "prog: option --s: may mean --size or another\n" },
		{ "disk -l", "prog: option -l: needs an argument: LABEL\n" },
		{ "disk --size",
		  "prog: option --size: needs an argument: SIZE\n" },
		{ "--dry-run=yes disk",
		  "prog: option --dry-run: takes no argument\n" },
		{ "--size=12q disk", "prog: option --size: '12q' is not a size "
		  "(as 4096, 64K or 64KiB)\n" },
		{ "--size 99999999999P disk",
		  "prog: option --size: '99999999999P' is too large\n" },
		{ "a b c", "prog: 'c' is one argument too many\n" },
		{ "", "prog: too few arguments; usage: "
		  "prog [OPTION]... DEVICE [SECTORS]\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct result r = parse(rows[i].line);

		assert_false(r.go_on);
		assert_int_equal(r.status, 16);
		assert_string_equal(r.err, rows[i].err);
		assert_string_equal(r.out, "");
	}
}

static void help_goes_to_stdout(void **state)
{
	struct result r = parse("--help");

	(void)state;
	assert_false(r.go_on);
	assert_int_equal(r.status, 0);
	assert_string_equal(r.err, "");
	assert_string_equal(r.out,
"Usage: prog [OPTION]... DEVICE [SECTORS]\n"
"Try things.\n"
"\n"
"Options:\n"
"  -n, --dry-run    plan and report, write nothing\n"
"  -v               say more\n"
"  -l LABEL         name of the volume, up to 512 characters of UTF-16, which is\n"
"                   long enough that this text needs a second line\n"
"      --size=SIZE  stop after SIZE bytes\n"
"      --an-option-with-a-very-long-name=ARGUMENT\n"
"                   long\n"
"  -p               preen\n"
"  -h, --help       print this help and exit\n"
"  -V, --version    print the version and exit\n");
}

static void version_names_program_and_suite(void **state)
{
	struct result r = parse("-V");

	(void)state;
	assert_false(r.go_on);
	assert_int_equal(r.status, 0);
	assert_string_equal(r.out, "prog (f2core) " PACKAGE_VERSION "\n");
}

static void preen_takes_a_level_but_never_the_device(void **state)
{
	(void)state;
	assert_int_equal(parse("-p 1 disk").wish.level, '1');
	assert_int_equal(parse("-p disk").wish.level, '-');
	assert_int_equal(parse("-p 1").wish.level, '-');
	assert_string_equal(parse("-p 1").first, "1");
	assert_int_equal(parse("-p 7 disk").wish.level, '-');
}

static int command_ran;

static int run_command(int argc, char **argv)
{
	command_ran = argc;
	assert_string_equal(argv[0], "run");
	return 42;
}

static void a_command_gets_the_rest(void **state)
{
	static const struct cli_command commands[] = {
		{ "run", "run it", run_command }, { 0 },
	};
	char *good[] = { (char *)"prog", (char *)"run", (char *)"-x", NULL };
	char *bad[] = { (char *)"prog", (char *)"walk", NULL };
	int file, before;

	(void)state;
	assert_int_equal(cli_run_command("prog", "", commands, 3, good), 42);
	assert_int_equal(command_ran, 2);
	before = divert(2, &file);
	assert_int_equal(cli_run_command("prog", "", commands, 2, bad), 2);
	assert_int_equal(cli_run_command("prog", "", commands, 1, bad), 2);
	restore(2, before);
	close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_and_operands_mix),
		cmocka_unit_test(after_two_dashes_all_are_operands),
		cmocka_unit_test(usage_errors_name_the_option),
		cmocka_unit_test(help_goes_to_stdout),
		cmocka_unit_test(version_names_program_and_suite),
		cmocka_unit_test(preen_takes_a_level_but_never_the_device),
		cmocka_unit_test(a_command_gets_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
