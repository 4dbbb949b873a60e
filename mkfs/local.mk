# SPDX-License-Identifier: GPL-2.0-or-later
sbin_PROGRAMS += %D%/mkfs.f2fs
mkfs_mkfs_f2fs_SOURCES = %D%/main.c %D%/report.c %D%/mkfs.h
mkfs_mkfs_f2fs_LDADD = $(PROGRAM_LIBS)
