# SPDX-License-Identifier: GPL-2.0-or-later
lib_libf2core_int_la_SOURCES += \
	%D%/dev.h \
	%D%/dev_file.h \
	%D%/dev_stack.h
