# SPDX-License-Identifier: GPL-2.0-or-later
lib_libf2core_int_la_SOURCES += \
	%D%/dev.c %D%/dev.h \
	%D%/dev_fault.c \
	%D%/dev_file.c %D%/dev_file.h %D%/dev_file_int.h \
	%D%/dev_lock.c \
	%D%/dev_mem.c \
	%D%/dev_open.c \
	%D%/dev_overlay.c \
	%D%/dev_record.c \
	%D%/dev_stack.h \
	%D%/dev_use.c %D%/dev_use.h \
	%D%/dev_use_sys.c \
	%D%/prefetch.c %D%/prefetch.h \
	%D%/probe.c %D%/probe.h \
	%D%/probe_magic.c \
	%D%/shadow.c %D%/shadow.h
