# SPDX-License-Identifier: GPL-2.0-or-later
include_HEADERS += %D%/f2core.h
lib_libf2core_int_la_SOURCES += \
	%D%/f2c_check.c \
	%D%/f2c_ctx.c \
	%D%/f2c_defrag.c \
	%D%/f2c_format.c \
	%D%/f2c_frag.c \
	%D%/f2c_fs.c \
	%D%/f2c_gc.c \
	%D%/f2c_name.c \
	%D%/f2c_repair.c \
	%D%/f2c_replay.c \
	%D%/f2c_status.c \
	%D%/f2c_victims.c %D%/victims_int.h \
	%D%/frag_int.h \
	%D%/fs.h \
	%D%/report_int.h \
	%D%/run_int.c %D%/run_int.h \
	%D%/select.c %D%/select.h \
	%D%/size_int.c %D%/size_int.h
