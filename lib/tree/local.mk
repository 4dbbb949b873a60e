# SPDX-License-Identifier: GPL-2.0-or-later
lib_libf2core_int_la_SOURCES += \
	%D%/dir.h \
	%D%/filemap.h \
	%D%/frag.c %D%/frag.h \
	%D%/frag_scan.c \
	%D%/inode.c %D%/inode.h \
	%D%/node.c %D%/node.h \
	%D%/node_scan.c \
	%D%/pending.h \
	%D%/walk.h \
	%D%/xattr.h
