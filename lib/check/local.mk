# SPDX-License-Identifier: GPL-2.0-or-later
lib_libf2core_int_la_SOURCES += \
	%D%/addrs.c %D%/addrs.h \
	%D%/check.c %D%/check.h %D%/check_int.h \
	%D%/dir_block.c \
	%D%/dir_names.c \
	%D%/gather.c \
	%D%/inode_ext.c \
	%D%/inode_fields.c \
	%D%/nids.c %D%/nids.h \
	%D%/node_identify.c \
	%D%/pass0_super.c \
	%D%/pass1_tables.c \
	%D%/pass2_nodes.c \
	%D%/pass2_second.c \
	%D%/pass3_dirs.c \
	%D%/pass4_links.c \
	%D%/pass5_owners.c \
	%D%/pass5_quota.c \
	%D%/pass5_space.c \
	%D%/paths.c \
	%D%/scan.c %D%/scan.h \
	%D%/space.c %D%/space.h \
	%D%/witness.c \
	%D%/xattrs.c
