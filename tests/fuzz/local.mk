# SPDX-License-Identifier: GPL-2.0-or-later
noinst_PROGRAMS += %D%/tree-damage
tests_fuzz_tree_damage_SOURCES = %D%/tree-damage.c
tests_fuzz_tree_damage_LDADD = lib/libf2core-int.la
bats_tests += %D%/tree-damage.bats
