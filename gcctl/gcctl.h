/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands of gcctl.f2fs share. */
#ifndef F2CORE_GCCTL_H
#define F2CORE_GCCTL_H

#include "tool/session.h"

#define PROGRAM "gcctl.f2fs"

int cmd_status(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_victims(int argc, char **argv);

#endif
