# SPDX-License-Identifier: GPL-2.0-or-later
sbin_PROGRAMS += %D%/defrag.f2fs
defrag_defrag_f2fs_SOURCES = \
	%D%/defrag.h \
	%D%/files.c %D%/files.h \
	%D%/main.c \
	%D%/options.c \
	%D%/put_run.c \
	%D%/report.c \
	%D%/run.c
defrag_defrag_f2fs_LDADD = $(PROGRAM_LIBS)
