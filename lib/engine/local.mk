# SPDX-License-Identifier: GPL-2.0-or-later
lib_libf2core_int_la_SOURCES += \
	%D%/create.c %D%/create.h %D%/create_int.h \
	%D%/create_checkpoint.c \
	%D%/create_geometry.c \
	%D%/create_options.c \
	%D%/create_quota.c \
	%D%/create_root.c \
	%D%/create_super.c
