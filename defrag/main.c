/* SPDX-License-Identifier: GPL-2.0-or-later */
/* defrag.f2fs: files into few extents, free space into whole sections. */
#include "config.h"

#include "defrag.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
	struct defrag d = { 0 };
	struct cli cli = {
		.program = PROGRAM,
		.usage = "[OPTION]... DEVICE [PATH]...",
		.summary = "Tell how the files and the free space of a volume lie that is not mounted.",
		.footer = "PATH is a file, a folder or a glob, looked up from the root of the volume. Exit status: 0 done, 1 failed, 2 wrong usage.",
		.opts = defrag_options,
		.min_operands = 1,
		.max_operands = -1,
		.priv = &d,
	};
	int status;

	session_init(&d.s, PROGRAM);
	if (!cli_parse(&cli, argc, argv) || check_options(&cli)) {
		status = cli.status;
		goto out;
	}
	d.paths = (const char *const *)cli.operands + 1;
	d.nr_paths = (size_t)cli.nr_operands - 1;
	status = report(&d, cli.operands[0]);
	session_close(&d.s);
out:
	file_list_free(&d.files);
	free(d.exclude);
	free(d.columns);
	return status;
}
