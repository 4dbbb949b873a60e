# SPDX-License-Identifier: GPL-2.0-or-later
# sbin_PROGRAMS += %D%/gcctl.f2fs
# gcctl_gcctl_f2fs_SOURCES = %D%/main.c
# gcctl_gcctl_f2fs_LDADD = $(PROGRAM_LIBS)
