/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command lines: one table of options a program (or a command of a program)
 * gives the parser and --help. -h, --help, -V and --version are there without
 * a row. No option has an optional argument.
 */
#ifndef F2CORE_TOOL_CLI_H
#define F2CORE_TOOL_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct cli;
struct cli_command;

/* A table ends with a row of zeros. */
struct cli_opt {
	char letter;			/* 0: long form only */
	const char *name;		/* without dashes; NULL: letter only */
	const char *arg;		/* what --help calls its argument, or NULL */
	const char *help;		/* NULL: not in --help */
	/*
	 * Called in the order of the command line; @arg is NULL for an option
	 * without argument. 0, or what cli_fail() returned.
	 */
	int (*set)(struct cli *cli, const char *arg);
};

struct cli {
	/* The program fills these; what is left 0 or NULL has a good default. */
	const char *program;		/* in messages: "mkfs.f2fs" */
	const char *command;		/* "run" of "gcctl.f2fs run", or NULL */
	const char *usage;		/* "[OPTION]... DEVICE [SECTORS]" */
	const char *summary;		/* what it does, one or two sentences */
	const char *footer;		/* last paragraph of --help */
	const struct cli_opt *opts;	/* NULL: only the built-in ones */
	const struct cli_command *commands;	/* by cli_run_command() */
	int min_operands;
	int max_operands;		/* 0: as min_operands; -1: any number */
	int usage_status;		/* exit status of a usage error; 0: 2 */
	void *priv;			/* for the handlers */

	/* The parser fills these. */
	int status;			/* to exit with when cli_parse() is false */
	char **operands;		/* NULL after the last */
	int nr_operands;
	char **argv;
	char option[64];		/* the one at work: "--size" */
};

/*
 * Parse argv[1..argc-1]. True: go on with cli->operands. False: exit with
 * cli->status; --help and --version were printed, or a line on stderr says
 * what is wrong.
 */
bool cli_parse(struct cli *cli, int argc, char **argv);

/*
 * Print "program: option --size: <message>" (without the middle part outside
 * of a handler), set the status of a usage error and return -EINVAL.
 */
int cli_fail(struct cli *cli, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Parse a handler's argument; 0 with *@out set, or what cli_fail() returned. */
int cli_u64(struct cli *cli, const char *arg, uint64_t min, uint64_t max,
	    uint64_t *out);
int cli_u32(struct cli *cli, const char *arg, uint32_t min, uint32_t max,
	    uint32_t *out);
int cli_size(struct cli *cli, const char *arg, uint64_t *bytes);
/* Of what may be moved: no less than the smallest block that a volume has. */
int cli_move_limit(struct cli *cli, const char *arg, uint64_t *bytes);
int cli_percent(struct cli *cli, const char *arg, double *percent);
/* An open descriptor that can be written to. */
int cli_fd(struct cli *cli, const char *arg, int *fd);

/*
 * For fsck's old "-p 1", in the handler of -p: take the next word if it is a
 * single character of @set and not the last word of the command line. NULL if
 * not. New options don't use this.
 */
const char *cli_take_next(struct cli *cli, const char *set);

/* For a program of commands ("gcctl.f2fs run VOLUME"); ends with zeros. */
struct cli_command {
	const char *name;
	const char *help;		/* in the list of commands; NULL: hidden */
	int (*main)(int argc, char **argv);	/* argv[0] is the command's name */
};

/*
 * Run the command that argv[1] names and return its status. Without one, or
 * with a name that is not in the list, a usage error with status 2. --help
 * prints @summary and the list.
 */
int cli_run_command(const char *program, const char *summary,
		    const struct cli_command *commands, int argc, char **argv);

/* --help as it is printed; @to is checked for errors by the caller. */
void cli_print_help(const struct cli *cli, FILE *to);

/* The row a letter stands for, built-in ones too, or NULL. */
const struct cli_opt *cli_find_letter(const struct cli *cli, int letter);

/* The rows that are there without being in a table; ends with zeros. */
extern const struct cli_opt cli_builtin[];

#endif
