# SPDX-License-Identifier: GPL-2.0-or-later
sbin_PROGRAMS += %D%/gcctl.f2fs
gcctl_gcctl_f2fs_SOURCES = \
	%D%/main.c \
	%D%/gcctl.h \
	%D%/cmd_run.c \
	%D%/cmd_status.c \
	%D%/cmd_victims.c \
	%D%/choice.c %D%/choice.h \
	%D%/report.c %D%/report.h \
	%D%/victims.c %D%/victims.h
gcctl_gcctl_f2fs_LDADD = $(PROGRAM_LIBS)
