/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gcctl.f2fs: garbage collection of volumes that are not mounted. */
#include "config.h"

#include "gcctl.h"

static const struct cli_command commands[] = {
	{ "status", "show segments, sections and the use of space", cmd_status },
	{ "victims", "list the sections that a run would empty, and their costs",
	  cmd_victims },
	{ "run", "empty dirty sections, so that free space is whole", cmd_run },
	{ 0 },
};

int main(int argc, char **argv)
{
	return cli_run_command(PROGRAM,
			       "Garbage collection of an F2FS volume that is not mounted: an image "
				"file or a block device.",
			       commands, argc, argv);
}
