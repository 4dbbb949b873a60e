# SPDX-License-Identifier: GPL-2.0-or-later
EXTRA_DIST += %D%/check.bash %D%/repair-matrix %D%/repair-large.bats
bats_tests += %D%/checkpoint.bats
bats_tests += %D%/clean.bats
bats_tests += %D%/dirs.bats
bats_tests += %D%/inodes.bats
bats_tests += %D%/nodes.bats
bats_tests += %D%/repair.bats
bats_tests += %D%/quota.bats
bats_tests += %D%/super.bats
bats_tests += %D%/tables.bats

# Every field of both packs and tables damaged one by one: half an hour.
check-repair-large: all
	$(AM_V_at)$(MAKE) $(AM_MAKEFLAGS) check TESTS='%D%/repair-large.bats'

.PHONY: check-repair-large
