# SPDX-License-Identifier: GPL-2.0-or-later
# One program a module. Adding one is two lines:
#	check_PROGRAMS += %D%/t-x
#	tests_unit_t_x_SOURCES = %D%/t-x.c

check_PROGRAMS += %D%/t-bits
tests_unit_t_bits_SOURCES = %D%/t-bits.c %D%/unit.h

check_PROGRAMS += %D%/t-crc
tests_unit_t_crc_SOURCES = %D%/t-crc.c %D%/unit.h

check_PROGRAMS += %D%/t-ctx
tests_unit_t_ctx_SOURCES = %D%/t-ctx.c %D%/unit.h

check_PROGRAMS += %D%/t-dev
tests_unit_t_dev_SOURCES = %D%/t-dev.c %D%/unit.h

check_PROGRAMS += %D%/t-shadow
tests_unit_t_shadow_SOURCES = %D%/t-shadow.c %D%/unit.h
check_PROGRAMS += %D%/t-dev-stack
tests_unit_t_dev_stack_SOURCES = %D%/t-dev-stack.c %D%/unit.h

check_PROGRAMS += %D%/t-dev-use
tests_unit_t_dev_use_SOURCES = %D%/t-dev-use.c %D%/unit.h

check_PROGRAMS += %D%/t-le
tests_unit_t_le_SOURCES = %D%/t-le.c %D%/unit.h

check_PROGRAMS += %D%/t-map
tests_unit_t_map_SOURCES = %D%/t-map.c %D%/unit.h

check_PROGRAMS += %D%/t-prefetch
tests_unit_t_prefetch_SOURCES = %D%/t-prefetch.c %D%/unit.h

check_PROGRAMS += %D%/t-sort
tests_unit_t_sort_SOURCES = %D%/t-sort.c %D%/unit.h

check_PROGRAMS += %D%/t-vec
tests_unit_t_vec_SOURCES = %D%/t-vec.c %D%/unit.h

check_PROGRAMS += %D%/t-work
tests_unit_t_work_SOURCES = %D%/t-work.c %D%/unit.h

check_PROGRAMS += %D%/t-cli
tests_unit_t_cli_SOURCES = %D%/t-cli.c

check_PROGRAMS += %D%/t-out
tests_unit_t_out_SOURCES = %D%/t-out.c

check_PROGRAMS += %D%/t-session
tests_unit_t_session_SOURCES = %D%/t-session.c

check_PROGRAMS += %D%/t-size
tests_unit_t_size_SOURCES = %D%/t-size.c
check_PROGRAMS += %D%/t-progress
tests_unit_t_progress_SOURCES = %D%/t-progress.c

tree_fake = %D%/fake.c %D%/fake.h %D%/unit.h
check_PROGRAMS += %D%/t-node
tests_unit_t_node_SOURCES = %D%/t-node.c %D%/unit.h
check_PROGRAMS += %D%/t-inode
tests_unit_t_inode_SOURCES = %D%/t-inode.c $(tree_fake)
check_PROGRAMS += %D%/t-filemap
tests_unit_t_filemap_SOURCES = %D%/t-filemap.c $(tree_fake)
check_PROGRAMS += %D%/t-dir
tests_unit_t_dir_SOURCES = %D%/t-dir.c $(tree_fake)
check_PROGRAMS += %D%/t-xattr
tests_unit_t_xattr_SOURCES = %D%/t-xattr.c $(tree_fake)
check_PROGRAMS += %D%/t-frag
tests_unit_t_frag_SOURCES = %D%/t-frag.c $(tree_fake)
check_PROGRAMS += %D%/t-hash
tests_unit_t_hash_SOURCES = %D%/t-hash.c %D%/unit.h

check_PROGRAMS += %D%/t-problem
tests_unit_t_problem_SOURCES = %D%/t-problem.c %D%/unit.h

# What is tested on a small volume made in memory.
check_LTLIBRARIES += %D%/libtiny.la
tests_unit_libtiny_la_SOURCES = %D%/tiny.c %D%/tiny.h %D%/unit.h
tests_unit_libtiny_la_LIBADD =
TINY_LIBS = %D%/libtiny.la $(LDADD)

check_PROGRAMS += %D%/t-layout
tests_unit_t_layout_SOURCES = %D%/t-layout.c
tests_unit_t_layout_LDADD = $(TINY_LIBS)

check_PROGRAMS += %D%/t-validate
tests_unit_t_validate_SOURCES = %D%/t-validate.c %D%/known.h
tests_unit_t_validate_LDADD = $(TINY_LIBS)

check_PROGRAMS += %D%/t-super
tests_unit_t_super_SOURCES = %D%/t-super.c
tests_unit_t_super_LDADD = $(TINY_LIBS)

check_PROGRAMS += %D%/t-checkpoint
tests_unit_t_checkpoint_SOURCES = %D%/t-checkpoint.c
tests_unit_t_checkpoint_LDADD = $(TINY_LIBS)

check_PROGRAMS += %D%/t-nat
tests_unit_t_nat_SOURCES = %D%/t-nat.c
tests_unit_t_nat_LDADD = $(TINY_LIBS)

check_PROGRAMS += %D%/t-sit
tests_unit_t_sit_SOURCES = %D%/t-sit.c
tests_unit_t_sit_LDADD = $(TINY_LIBS)

check_PROGRAMS += %D%/t-ssa
tests_unit_t_ssa_SOURCES = %D%/t-ssa.c
tests_unit_t_ssa_LDADD = $(TINY_LIBS)

check_PROGRAMS += %D%/t-volume
tests_unit_t_volume_SOURCES = %D%/t-volume.c
tests_unit_t_volume_LDADD = $(TINY_LIBS)

check_PROGRAMS += %D%/t-meta-fuzz
tests_unit_t_meta_fuzz_SOURCES = %D%/t-meta-fuzz.c
tests_unit_t_meta_fuzz_LDADD = $(TINY_LIBS)
check_PROGRAMS += %D%/t-pending
tests_unit_t_pending_SOURCES = %D%/t-pending.c $(tree_fake)

# What is tested on volumes made file by file.
check_LTLIBRARIES += %D%/libbuilder.la
tests_unit_libbuilder_la_SOURCES = %D%/volume_builder.c \
	%D%/volume_builder.h %D%/volume_verify.c %D%/volume_write.c %D%/unit.h
tests_unit_libbuilder_la_LIBADD =
BUILDER_LIBS = %D%/libbuilder.la $(LDADD)

check_PROGRAMS += %D%/t-gc
tests_unit_t_gc_SOURCES = %D%/t-gc.c
tests_unit_t_gc_LDADD = $(BUILDER_LIBS)

check_PROGRAMS += %D%/t-commit
tests_unit_t_commit_SOURCES = %D%/t-commit.c
tests_unit_t_commit_LDADD = $(BUILDER_LIBS)

check_PROGRAMS += %D%/t-flush
tests_unit_t_flush_SOURCES = %D%/t-flush.c
tests_unit_t_flush_LDADD = $(BUILDER_LIBS)

check_PROGRAMS += %D%/t-txn
tests_unit_t_txn_SOURCES = %D%/t-txn.c
tests_unit_t_txn_LDADD = $(BUILDER_LIBS)
check_PROGRAMS += %D%/t-create
tests_unit_t_create_SOURCES = %D%/t-create.c %D%/unit.h

check_PROGRAMS += %D%/t-label
tests_unit_t_label_SOURCES = %D%/t-label.c %D%/unit.h
check_PROGRAMS += %D%/t-check
tests_unit_t_check_SOURCES = %D%/t-check.c %D%/unit.h

check_PROGRAMS += %D%/t-crash
tests_unit_t_crash_SOURCES = %D%/t-crash.c
tests_unit_t_crash_LDADD = $(BUILDER_LIBS)

check_PROGRAMS += %D%/t-pack-store
tests_unit_t_pack_store_SOURCES = %D%/t-pack-store.c
tests_unit_t_pack_store_LDADD = $(BUILDER_LIBS)

check_PROGRAMS += %D%/t-frag-files
tests_unit_t_frag_files_SOURCES = %D%/t-frag-files.c
tests_unit_t_frag_files_LDADD = $(BUILDER_LIBS)
check_PROGRAMS += %D%/t-alloc
tests_unit_t_alloc_SOURCES = %D%/t-alloc.c
tests_unit_t_alloc_LDADD = $(BUILDER_LIBS)

check_PROGRAMS += %D%/t-check-extent
tests_unit_t_check_extent_SOURCES = %D%/t-check-extent.c
tests_unit_t_check_extent_LDADD = $(BUILDER_LIBS)

check_PROGRAMS += %D%/t-gc-tight
tests_unit_t_gc_tight_SOURCES = %D%/t-gc-tight.c
tests_unit_t_gc_tight_LDADD = $(BUILDER_LIBS)

check_PROGRAMS += %D%/t-pack
tests_unit_t_pack_SOURCES = %D%/t-pack.c
tests_unit_t_pack_LDADD = $(BUILDER_LIBS)

check_PROGRAMS += %D%/t-victim
tests_unit_t_victim_SOURCES = %D%/t-victim.c
tests_unit_t_victim_LDADD = $(BUILDER_LIBS)

check_PROGRAMS += %D%/t-victim-cost
tests_unit_t_victim_cost_SOURCES = %D%/t-victim-cost.c
tests_unit_t_victim_cost_LDADD = $(BUILDER_LIBS)
check_PROGRAMS += %D%/t-gc-fuzz
tests_unit_t_gc_fuzz_SOURCES = %D%/t-gc-fuzz.c
tests_unit_t_gc_fuzz_LDADD = $(BUILDER_LIBS)
check_PROGRAMS += %D%/t-guard
tests_unit_t_guard_SOURCES = %D%/t-guard.c
tests_unit_t_guard_LDADD = $(BUILDER_LIBS)

check_PROGRAMS += %D%/t-defrag
tests_unit_t_defrag_SOURCES = %D%/t-defrag.c
tests_unit_t_defrag_LDADD = $(BUILDER_LIBS)
check_PROGRAMS += %D%/t-map-edit
tests_unit_t_map_edit_SOURCES = %D%/t-map-edit.c
tests_unit_t_map_edit_LDADD = $(BUILDER_LIBS)

check_PROGRAMS += %D%/t-quota
tests_unit_t_quota_SOURCES = %D%/t-quota.c
tests_unit_t_quota_LDADD = $(BUILDER_LIBS)
check_PROGRAMS += %D%/t-dir-edit
tests_unit_t_dir_edit_SOURCES = %D%/t-dir-edit.c
tests_unit_t_dir_edit_LDADD = $(BUILDER_LIBS)
check_PROGRAMS += %D%/t-lost-found
tests_unit_t_lost_found_SOURCES = %D%/t-lost-found.c
tests_unit_t_lost_found_LDADD = $(BUILDER_LIBS)
check_PROGRAMS += %D%/t-recover
tests_unit_t_recover_SOURCES = %D%/t-recover.c
tests_unit_t_recover_LDADD = $(BUILDER_LIBS)
check_PROGRAMS += %D%/t-fold
tests_unit_t_fold_SOURCES = %D%/t-fold.c %D%/unit.h
tests_unit_t_fold_CFLAGS = $(AM_CFLAGS) $(UTF8PROC_CFLAGS)
