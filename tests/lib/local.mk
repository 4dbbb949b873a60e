# SPDX-License-Identifier: GPL-2.0-or-later
EXTRA_DIST += %D%/common.bash
EXTRA_DIST += %D%/run-bats
EXTRA_DIST += %D%/voltree.py
EXTRA_DIST += %D%/manifest.py
EXTRA_DIST += %D%/fiemap.py
EXTRA_DIST += %D%/frag-report.py
EXTRA_DIST += %D%/free-space.py
EXTRA_DIST += %D%/segments.py
EXTRA_DIST += %D%/victims.py
EXTRA_DIST += %D%/workload.py
EXTRA_DIST += %D%/fsynced.py
EXTRA_DIST += %D%/crowd.py
EXTRA_DIST += %D%/fsyncs.py
EXTRA_DIST += %D%/kinds.py
EXTRA_DIST += %D%/quota.py
EXTRA_DIST += %D%/names.py

# A reader of volumes for other tests; not a test by itself.
noinst_PROGRAMS += %D%/f2dump
tests_lib_f2dump_SOURCES = %D%/f2dump.c %D%/f2dump.h \
	%D%/f2dump_content.c %D%/f2dump_fiemap.c %D%/f2dump_manifest.c \
	%D%/sha256.c %D%/sha256.h
tests_lib_f2dump_LDADD = lib/libf2core-int.la

# Changes names on a volume, for tests of directories.
noinst_PROGRAMS += %D%/dir-edit
tests_lib_dir_edit_SOURCES = %D%/dir-edit.c
tests_lib_dir_edit_LDADD = lib/libf2core-int.la

# Commits of chosen NAT entries.
noinst_PROGRAMS += %D%/nat-dirty
tests_lib_nat_dirty_SOURCES = %D%/nat-dirty.c
tests_lib_nat_dirty_LDADD = lib/libf2core-int.la
EXTRA_DIST += %D%/f2fields.py
EXTRA_DIST += %D%/poke.py

# To be preloaded: a module needs an -rpath, though it is not installed.
check_LTLIBRARIES += %D%/signal-at.la
tests_lib_signal_at_la_SOURCES = %D%/signal-at.c
tests_lib_signal_at_la_LDFLAGS = -module -avoid-version -shared -rpath /none
check_LTLIBRARIES += %D%/drop-at.la
tests_lib_drop_at_la_SOURCES = %D%/drop-at.c
tests_lib_drop_at_la_LDFLAGS = -module -avoid-version -shared -rpath /none
