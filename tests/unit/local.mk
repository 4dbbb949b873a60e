# SPDX-License-Identifier: GPL-2.0-or-later
# One program a module. Adding one is two lines:
#	check_PROGRAMS += %D%/t-x
#	tests_unit_t_x_SOURCES = %D%/t-x.c

check_PROGRAMS += %D%/t-crc
tests_unit_t_crc_SOURCES = %D%/t-crc.c
