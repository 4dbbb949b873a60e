# SPDX-License-Identifier: GPL-2.0-or-later
# lib_libf2core_int_la_SOURCES += %D%/x.c %D%/x.h
