# SPDX-License-Identifier: GPL-2.0-or-later
lib_libf2core_int_la_SOURCES += \
	%D%/dir.c %D%/dir.h \
	%D%/facts.c %D%/facts.h \
	%D%/extents.c \
	%D%/filemap.c %D%/filemap.h \
	%D%/frag.c %D%/frag.h \
	%D%/frag_files.c %D%/frag_files.h \
	%D%/frag_islands.c %D%/frag_islands.h \
	%D%/frag_scan.c \
	%D%/frag_space.c \
	%D%/inode.c %D%/inode.h \
	%D%/node.c %D%/node.h \
	%D%/node_scan.c \
	%D%/pending.c %D%/pending.h \
	%D%/quota.c %D%/quota.h \
	%D%/quota_usage.c %D%/quota_usage.h \
	%D%/walk.c %D%/walk.h \
	%D%/xattr.c %D%/xattr.h
