# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by the programs, not part of libf2core. Only <f2core.h> is in reach.

noinst_LTLIBRARIES += %D%/libf2tool.la
lib_tool_libf2tool_la_SOURCES = \
	%D%/cli.c %D%/cli_help.c %D%/cli.h \
	%D%/escape.c %D%/escape.h \
	%D%/log.c %D%/log.h \
	%D%/out.c %D%/out_json.c %D%/out_table.c %D%/out.h %D%/out_int.h \
	%D%/progress.c %D%/progress.h \
	%D%/run_report.c %D%/run_report.h \
	%D%/session.c %D%/session.h \
	%D%/size.c %D%/size.h \
	%D%/stop.c %D%/stop.h
lib_tool_libf2tool_la_CPPFLAGS = $(AM_CPPFLAGS)
lib_tool_libf2tool_la_CFLAGS = $(AM_CFLAGS) $(JSON_C_CFLAGS) $(SMARTCOLS_CFLAGS)
lib_tool_libf2tool_la_LIBADD = $(JSON_C_LIBS) $(SMARTCOLS_LIBS)
