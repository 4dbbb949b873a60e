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
		.summary = "Put the files of a volume that is not mounted, or those that "
			"are named, into as few extents as can be, and free space into "
			"whole sections.",
		.footer = "PATH is a file, a folder or a glob, looked up from the root of the "
			"volume. A power cut or an error at any time leaves the volume as it "
			"was before the run or as it was at one of the run's commits. SIGINT "
			"and SIGTERM stop at the last commit, with a report; another run goes "
			"on from there.",
		.opts = defrag_options,
		.min_operands = 1,
		.max_operands = -1,
		.priv = &d,
	};
	int status;

	session_init(&d.s, PROGRAM);
	if (!cli_parse(&cli, argc, argv) || finish_options(&cli)) {
		status = cli.status;
		goto out;
	}
	status = d.report ? report(&d, cli.operands[0]) :
			    run(&d, cli.operands[0]);
	session_close(&d.s);
out:
	file_list_free(&d.files);
	free(d.exclude);
	free(d.columns);
	return status;
}
