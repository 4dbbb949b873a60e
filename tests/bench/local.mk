# SPDX-License-Identifier: GPL-2.0-or-later
# Measurements, run by hand.
EXTRA_DIST += %D%/move-speed
EXTRA_DIST += %D%/nat-flush

noinst_PROGRAMS += %D%/read-blocks
tests_bench_read_blocks_SOURCES = %D%/read-blocks.c
tests_bench_read_blocks_LDADD = lib/libf2core-int.la
if HAVE_FUSE3
noinst_PROGRAMS += %D%/slow-disk
tests_bench_slow_disk_SOURCES = %D%/slow-disk.c
tests_bench_slow_disk_CPPFLAGS = $(AM_CPPFLAGS) $(FUSE3_CFLAGS)
tests_bench_slow_disk_LDADD = $(FUSE3_LIBS)
endif
EXTRA_DIST += %D%/fsck-speed
EXTRA_DIST += %D%/defrag-speed
EXTRA_DIST += %D%/hot-cold-kernel
EXTRA_DIST += %D%/real-tree
EXTRA_DIST += %D%/memory %D%/many-files.py
