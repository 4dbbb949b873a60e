# SPDX-License-Identifier: GPL-2.0-or-later
lib_libf2core_int_la_SOURCES += \
	%D%/feature.c %D%/feature.h \
	%D%/fold.c %D%/fold.h \
	%D%/hash.c %D%/hash.h \
	%D%/label.c %D%/label.h \
	%D%/layout.c %D%/layout.h \
	%D%/ondisk.h \
	%D%/problem.c %D%/problem.h %D%/problems.def \
	%D%/validate.c %D%/validate.h \
	%D%/validate_cp.c
