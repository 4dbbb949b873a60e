# SPDX-License-Identifier: GPL-2.0-or-later
# The longest come first: no core waits for them in the end.
kernel_tests += %D%/judge.bats
kernel_tests += %D%/recover.bats
kernel_tests += %D%/names.bats
kernel_tests += %D%/gc.bats
kernel_tests += %D%/defrag.bats
kernel_tests += %D%/mkfs.bats
kernel_tests += %D%/mkfs-device.bats
kernel_tests += %D%/read.bats
kernel_tests += %D%/status.bats
kernel_tests += %D%/victims.bats
kernel_tests += %D%/check.bats
kernel_tests += %D%/device.bats
kernel_tests += %D%/flush.bats
kernel_tests += %D%/stopped.bats
kernel_tests += %D%/cases.bats
kernel_tests += %D%/kinds.bats
kernel_tests += %D%/quota.bats
kernel_tests += %D%/recover-cuts.bats

EXTRA_DIST += %D%/README.md
EXTRA_DIST += %D%/setup
EXTRA_DIST += %D%/uml-run
EXTRA_DIST += %D%/qemu-run
EXTRA_DIST += %D%/qemu-prepare
EXTRA_DIST += %D%/guest-init
EXTRA_DIST += %D%/guest-record
EXTRA_DIST += %D%/guest-fill
EXTRA_DIST += %D%/guest-collect
EXTRA_DIST += %D%/guest-verify
EXTRA_DIST += %D%/guest-victims
EXTRA_DIST += %D%/guest-quotas
EXTRA_DIST += %D%/complaints
EXTRA_DIST += %D%/make-image
EXTRA_DIST += %D%/judge.bash
EXTRA_DIST += %D%/gc.bash
EXTRA_DIST += %D%/ptrace-xstate.c
EXTRA_DIST += %D%/gc-large.bats
EXTRA_DIST += %D%/defrag.bash
EXTRA_DIST += %D%/defrag-large.bats
EXTRA_DIST += %D%/guest-mkfs-device
EXTRA_DIST += %D%/guest-names
EXTRA_DIST += %D%/mkfs-largest.bats
EXTRA_DIST += %D%/cut-images
EXTRA_DIST += %D%/cut-judge
EXTRA_DIST += %D%/cuts.bash
EXTRA_DIST += %D%/guest-mounts
EXTRA_DIST += %D%/recover-large.bats

# At full size: some minutes, and a few GiB of sparse files.
check-kernel-large: all
	$(AM_V_at)$(MAKE) $(AM_MAKEFLAGS) check \
		TESTS='%D%/gc-large.bats %D%/defrag-large.bats \
		%D%/mkfs-largest.bats $(large_cli_tests)'

# Some hundred power cuts; about half an hour.
check-recover-large: all
	$(AM_V_at)$(MAKE) $(AM_MAKEFLAGS) check TESTS=%D%/recover-large.bats

.PHONY: check-kernel-large check-recover-large
