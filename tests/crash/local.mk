# SPDX-License-Identifier: GPL-2.0-or-later
# Power cuts and I/O errors. crash-run does the work; by hand:
#	tests/crash/crash-run --help

noinst_PROGRAMS += %D%/crash-run
tests_crash_crash_run_SOURCES = \
	%D%/crash-run.c \
	%D%/digest.c %D%/digest.h \
	%D%/enumerate.c %D%/enumerate.h \
	%D%/epochs.c \
	%D%/events.c %D%/events.h \
	%D%/faults.c %D%/faults.h \
	%D%/hash.c %D%/hash.h \
	%D%/player.h \
	%D%/runner.c %D%/runner.h \
	%D%/state.c %D%/state.h \
	%D%/whole.c %D%/whole.h
tests_crash_crash_run_LDADD = lib/tool/libf2tool.la lib/libf2core-int.la

noinst_PROGRAMS += %D%/tree-digest
tests_crash_tree_digest_SOURCES = \
	%D%/tree-digest.c \
	%D%/digest.c %D%/digest.h \
	%D%/hash.c %D%/hash.h
tests_crash_tree_digest_LDADD = lib/libf2core-int.la

bats_tests += %D%/crash-short.bats
crash_tests += %D%/gc.bats
crash_tests += %D%/defrag.bats
crash_tests += %D%/repair.bats
crash_tests += %D%/kill.bats
EXTRA_DIST += %D%/guest-states %D%/states.bash \
	%D%/kill.bash %D%/killed.py %D%/crash-large.bats

# Every I/O error, more volumes, all three kernels: about half an hour.
check-crash-large: all
	$(AM_V_at)$(MAKE) $(AM_MAKEFLAGS) check TESTS='%D%/crash-large.bats'

.PHONY: check-crash-large
