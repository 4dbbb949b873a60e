# SPDX-License-Identifier: GPL-2.0-or-later
# Power cuts and I/O errors. crash-run does the work; by hand:
#	tests/crash/crash-run --help

noinst_PROGRAMS += %D%/crash-run
tests_crash_crash_run_SOURCES = \
	%D%/crash-run.c \
	%D%/digest.c %D%/digest.h \
	%D%/enumerate.c %D%/enumerate.h \
	%D%/events.c %D%/events.h \
	%D%/faults.c %D%/faults.h \
	%D%/runner.c %D%/runner.h \
	%D%/state.c %D%/state.h
tests_crash_crash_run_LDADD = lib/tool/libf2tool.la lib/libf2core-int.la

bats_tests += %D%/crash-short.bats
crash_tests += %D%/gc.bats
EXTRA_DIST += %D%/guest-states
