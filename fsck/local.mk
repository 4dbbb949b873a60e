# SPDX-License-Identifier: GPL-2.0-or-later
sbin_PROGRAMS += %D%/fsck.f2fs
fsck_fsck_f2fs_SOURCES = \
	%D%/fsck.h \
	%D%/main.c \
	%D%/options.c \
	%D%/report.c
fsck_fsck_f2fs_LDADD = $(PROGRAM_LIBS)
