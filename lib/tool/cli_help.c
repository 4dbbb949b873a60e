/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --help: the option table as text of 80 columns. */
#include "config.h"

#include "tool/cli.h"

#include <string.h>

#define LINE_WIDTH 80
#define LEFT_MAX 28		/* a longer left column has a line of its own */

/* "  -n, --dry-run", "      --size=SIZE", "  -l LABEL". Returns its length. */
static size_t left_column(const struct cli_opt *opt, char *text, size_t size)
{
	char letter[8] = "    ";
	int len;

	if (opt->letter)
		snprintf(letter, sizeof(letter), "-%c%s", opt->letter,
			 opt->name ? ", " : "");
	if (opt->name)
		len = snprintf(text, size, "  %s--%s%s%s", letter, opt->name,
			       opt->arg ? "=" : "", opt->arg ? opt->arg : "");
	else
		len = snprintf(text, size, "  %s%s%s", letter,
			       opt->arg ? " " : "", opt->arg ? opt->arg : "");
	return (size_t)len < size ? (size_t)len : size - 1;
}

/* Print @text from column @at on, its further lines indented to @indent. */
static void print_wrapped(FILE *to, const char *text, size_t at, size_t indent)
{
	bool first = true;

	while (*(text += strspn(text, " "))) {
		size_t len = strcspn(text, " ");

		if (!first && at + 1 + len > LINE_WIDTH - 1) {
			fprintf(to, "\n%*s", (int)indent, "");
			at = indent;
			first = true;
		}
		fprintf(to, "%s%.*s", first ? "" : " ", (int)len, text);
		at += len + !first;
		first = false;
		text += len;
	}
	fputc('\n', to);
}

static void print_row(FILE *to, const char *left, size_t len, size_t indent,
		      const char *help)
{
	fputs(left, to);
	if (len + 2 > indent) {
		fputc('\n', to);
		len = 0;
	}
	fprintf(to, "%*s", (int)(indent - len), "");
	print_wrapped(to, help, indent, indent);
}

static size_t widest_left(const struct cli_opt *opts, size_t widest)
{
	char left[128];

	for (; opts && (opts->letter || opts->name); opts++) {
		size_t len = left_column(opts, left, sizeof(left));

		if (opts->help && len > widest && len <= LEFT_MAX)
			widest = len;
	}
	return widest;
}

static bool is_shadowed(const struct cli *cli, const struct cli_opt *builtin)
{
	return cli_find_letter(cli, builtin->letter) != builtin;
}

static void print_options(const struct cli *cli, FILE *to)
{
	size_t indent = widest_left(cli_builtin, widest_left(cli->opts, 0)) + 2;
	const struct cli_opt *opt;
	char left[128];

	fputs("\nOptions:\n", to);
	for (opt = cli->opts; opt && (opt->letter || opt->name); opt++)
		if (opt->help)
			print_row(to, left, left_column(opt, left, sizeof(left)),
				  indent, opt->help);
	for (opt = cli_builtin; opt->letter; opt++)
		if (!is_shadowed(cli, opt))
			print_row(to, left, left_column(opt, left, sizeof(left)),
				  indent, opt->help);
}

static void print_commands(const struct cli *cli, FILE *to)
{
	const struct cli_command *c;
	size_t widest = 0;
	char left[64];

	for (c = cli->commands; c->name; c++)
		if (c->help && strlen(c->name) > widest)
			widest = strlen(c->name);
	fputs("\nCommands:\n", to);
	for (c = cli->commands; c->name; c++) {
		if (!c->help)
			continue;
		snprintf(left, sizeof(left), "  %s", c->name);
		print_row(to, left, strlen(left), widest + 4, c->help);
	}
	fprintf(to, "\n'%s COMMAND --help' shows the options of a command.\n",
		cli->program);
}

void cli_print_help(const struct cli *cli, FILE *to)
{
	fprintf(to, "Usage: %s%s%s %s\n", cli->program, cli->command ? " " : "",
		cli->command ? cli->command : "", cli->usage ? cli->usage : "");
	if (cli->summary)
		print_wrapped(to, cli->summary, 0, 0);
	if (cli->commands)
		print_commands(cli, to);
	print_options(cli, to);
	if (cli->footer) {
		fputc('\n', to);
		print_wrapped(to, cli->footer, 0, 0);
	}
}
