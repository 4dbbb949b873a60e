# SPDX-License-Identifier: GPL-2.0-or-later
bats_tests += %D%/lib-symbols.bats
bats_tests += %D%/lib-header.bats
bats_tests += %D%/help-and-man.bats
bats_tests += %D%/read-aged.bats
bats_tests += %D%/mkfs-cases.bats
bats_tests += %D%/mkfs-geometry.bats
bats_tests += %D%/mkfs-options.bats
