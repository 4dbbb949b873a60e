# SPDX-License-Identifier: GPL-2.0-or-later
lib_libf2core_int_la_SOURCES += \
	%D%/bits.h \
	%D%/crc.c %D%/crc.h \
	%D%/ctx.c %D%/ctx.h \
	%D%/le.h \
	%D%/map.c %D%/map.h \
	%D%/setsum.c %D%/setsum.h \
	%D%/sort.h \
	%D%/vec.h \
	%D%/work.c %D%/work.h
