# SPDX-License-Identifier: GPL-2.0-or-later
# Programs of cmocka (tests/unit) and files of bats, all run by automake's
# harness, one log each. A bats file is one line in its folder's local.mk:
#	bats_tests += %D%/x.bats	in make check
#	kernel_tests += %D%/x.bats	in make check-kernel
#	crash_tests += %D%/x.bats	in make check-crash

bats_tests =
kernel_tests =
crash_tests =
large_cli_tests =

if HAVE_CMOCKA
include tests/unit/local.mk
endif
include tests/cli/local.mk
include tests/check/local.mk
include tests/kernel/local.mk
include tests/crash/local.mk
include tests/fuzz/local.mk
include tests/lib/local.mk
include tests/images/local.mk
include tests/bench/local.mk

TESTS = $(check_PROGRAMS)
if HAVE_BATS
TESTS += $(bats_tests)
endif

TEST_EXTENSIONS = .bats
BATS_LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/lib/run-bats
AM_TESTS_ENVIRONMENT = \
	MKFS='$(abs_top_builddir)/mkfs/mkfs.f2fs'; export MKFS; \
	FSCK='$(abs_top_builddir)/fsck/fsck.f2fs'; export FSCK; \
	DEFRAG='$(abs_top_builddir)/defrag/defrag.f2fs'; export DEFRAG; \
	GCCTL='$(abs_top_builddir)/gcctl/gcctl.f2fs'; export GCCTL; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir;

EXTRA_DIST += $(bats_tests) $(kernel_tests) $(crash_tests) $(large_cli_tests)

check-kernel: all
	$(AM_V_at)$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(kernel_tests)'

check-crash: all
	$(AM_V_at)$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(crash_tests)'

# What a sanitizer can find something in: not what asks about the build and the
# pages, nor the long comparisons of figures. The engines are under it in their
# unit tests.
not_sanitized = %D%/cli/lib-symbols.bats %D%/cli/lib-header.bats \
	%D%/cli/help-and-man.bats %D%/cli/mkfs-geometry.bats \
	%D%/cli/gcctl-run.bats %D%/cli/gcctl-status.bats \
	%D%/cli/gcctl-refuse.bats %D%/cli/defrag-report.bats \
	%D%/cli/defrag-run.bats %D%/cli/replay.bats \
	%D%/check/repair.bats %D%/check/quota.bats \
	%D%/crash/crash-short.bats
check-sanitized: all
	$(AM_V_at)$(MAKE) $(AM_MAKEFLAGS) check \
		TESTS='$(check_PROGRAMS) $(filter-out $(not_sanitized),$(bats_tests))'

.PHONY: check-kernel check-crash check-sanitized
