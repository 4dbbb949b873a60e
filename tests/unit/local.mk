# SPDX-License-Identifier: GPL-2.0-or-later
# One program a module. Adding one is two lines:
#	check_PROGRAMS += %D%/t-x
#	tests_unit_t_x_SOURCES = %D%/t-x.c

check_PROGRAMS += %D%/t-crc
tests_unit_t_crc_SOURCES = %D%/t-crc.c

check_PROGRAMS += %D%/t-cli
tests_unit_t_cli_SOURCES = %D%/t-cli.c

check_PROGRAMS += %D%/t-out
tests_unit_t_out_SOURCES = %D%/t-out.c

check_PROGRAMS += %D%/t-size
tests_unit_t_size_SOURCES = %D%/t-size.c