# SPDX-License-Identifier: GPL-2.0-or-later
lib_libf2core_int_la_SOURCES += \
	%D%/alloc.c %D%/alloc.h \
	%D%/commit.c %D%/commit.h \
	%D%/copy.c %D%/copy.h \
	%D%/create.c %D%/create.h %D%/create_int.h \
	%D%/create_checkpoint.c \
	%D%/create_geometry.c \
	%D%/create_options.c \
	%D%/create_quota.c \
	%D%/create_root.c \
	%D%/create_super.c \
	%D%/defrag.c %D%/defrag.h %D%/defrag_int.h \
	%D%/defrag_files.c \
	%D%/defrag_gather.c \
	%D%/defrag_room.c \
	%D%/defrag_round.c \
	%D%/defrag_select.c \
	%D%/defrag_units.c \
	%D%/defrag_window.c \
	%D%/dentry_edit.c %D%/dentry_edit.h \
	%D%/dir_edit.c %D%/dir_edit.h %D%/dir_edit_int.h \
	%D%/dir_edit_find.c \
	%D%/dir_edit_grow.c \
	%D%/edit.c %D%/edit.h %D%/edit_int.h \
	%D%/edit_space.c \
	%D%/flush.h \
	%D%/flush_sets.c %D%/flush_sets.h \
	%D%/gc.c %D%/gc.h %D%/gc_int.h \
	%D%/gc_plan.c \
	%D%/guard.c %D%/guard.h \
	%D%/lost_found.c %D%/lost_found.h \
	%D%/map_edit.c %D%/map_edit.h \
	%D%/nat_bits.c %D%/nat_bits.h \
	%D%/nat_flush.c \
	%D%/node_foot.h \
	%D%/orphans.c %D%/orphans.h \
	%D%/pack.c %D%/pack.h \
	%D%/pack_fill.c \
	%D%/pack_store.c \
	%D%/quota_edit.c %D%/quota_edit.h \
	%D%/quota_tree.c %D%/quota_tree.h \
	%D%/recover.c %D%/recover.h %D%/recover_int.h \
	%D%/recover_check.c \
	%D%/recover_data.c \
	%D%/recover_dentry.c \
	%D%/recover_inode.c \
	%D%/relocate.c %D%/relocate.h \
	%D%/repair.c %D%/repair.h %D%/repair_int.h \
	%D%/repair_cp.c \
	%D%/repair_find.c %D%/repair_find.h \
	%D%/repair_logs.c \
	%D%/repair_nat.c \
	%D%/repair_sit.c \
	%D%/repair_sums.c \
	%D%/replay.c %D%/replay.h \
	%D%/sit_flush.c \
	%D%/txn.c %D%/txn.h \
	%D%/txn_border.c \
	%D%/txn_file.c \
	%D%/txn_foresee.c \
	%D%/txn_place.c \
	%D%/txn_resolve.c \
	%D%/txn_write.c \
	%D%/victim.c %D%/victim.h \
	%D%/victim_policy.c
