# SPDX-License-Identifier: GPL-2.0-or-later
kernel_tests += %D%/judge.bats
kernel_tests += %D%/mkfs.bats
kernel_tests += %D%/read.bats
kernel_tests += %D%/gc.bats

EXTRA_DIST += %D%/setup %D%/uml-run %D%/guest-init %D%/guest-record \
	%D%/guest-fill %D%/guest-verify %D%/complaints %D%/make-image \
	%D%/judge.bash %D%/gc.bash %D%/ptrace-xstate.c %D%/gc-large.bats

# At full size: some minutes, and a few GiB of sparse files.
check-kernel-large: all
	$(AM_V_at)$(MAKE) $(AM_MAKEFLAGS) check TESTS='%D%/gc-large.bats'

.PHONY: check-kernel-large
