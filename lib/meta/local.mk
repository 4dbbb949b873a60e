# SPDX-License-Identifier: GPL-2.0-or-later
lib_libf2core_int_la_SOURCES += \
	%D%/checkpoint.c %D%/checkpoint.h \
	%D%/cp_int.h \
	%D%/cp_places.c \
	%D%/cp_summary.c \
	%D%/journal.h \
	%D%/nat.c %D%/nat.h \
	%D%/nat_bits.c \
	%D%/sit.c %D%/sit.h \
	%D%/ssa.c %D%/ssa.h \
	%D%/super.c %D%/super.h \
	%D%/table.c %D%/table.h \
	%D%/volume.c %D%/volume.h
