/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libf2core: reads, checks and compacts F2FS volumes that are not mounted.
 *
 * Functions return 0 or a negative errno; the reason is then in f2c_error()
 * as one sentence that names the structure, its place and the values. Structs
 * that callers fill begin with their size, so that they can grow: set all of
 * it to zero, then `size = sizeof(...)`. Counts are blocks, segments or
 * sections as the names say; bytes are said to be bytes. A handle is for one
 * thread at a time. The library never prints and never exits.
 */
#ifndef F2CORE_H
#define F2CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define F2C_API __attribute__((visibility("default")))

/* ---- Context ---------------------------------------------------------- */

/** struct f2c_ctx - last error and log callback of a run */
struct f2c_ctx;

enum f2c_level { F2C_ERROR, F2C_WARNING, F2C_INFO, F2C_DEBUG };

/**
 * f2c_log_fn - receives a line of the library's log
 * @priv:   as given to f2c_set_log()
 * @module: "gc", "nat", ...
 * @text:   one line without a newline, valid during the call
 */
typedef void f2c_log_fn(void *priv, enum f2c_level level, const char *module,
			const char *text);

/**
 * f2c_ctx_new - a context, or NULL if memory is short
 *
 * Debug lines of the modules in the environment's F2CORE_DEBUG=gc,nat go to
 * the log. Since: 0.1
 */
F2C_API struct f2c_ctx *f2c_ctx_new(void);
/** f2c_ctx_free - release it, after all handles made with it. Since: 0.1 */
F2C_API void f2c_ctx_free(struct f2c_ctx *ctx);
/** f2c_set_log - where log lines go; NULL: nowhere. Since: 0.1 */
F2C_API void f2c_set_log(struct f2c_ctx *ctx, f2c_log_fn *fn, void *priv);
/** f2c_error - text of the last error, "" if none; the context's. Since: 0.1 */
F2C_API const char *f2c_error(const struct f2c_ctx *ctx);
/** f2c_version - "0.1.0", the library that is running. Since: 0.1 */
F2C_API const char *f2c_version(void);

/* ---- Progress --------------------------------------------------------- */

/** struct f2c_progress - how far long work is; the library's */
struct f2c_progress {
	const char *phase;		/* what is being done: "nodes", "moving
					 * files", ...; a literal */
	uint64_t done;			/* units done of the next: blocks, if it */
	uint64_t total;			/* moves any; may grow; 0: not known */
	/* Of defragmentation only, and what is not yet durable counts not. */
	uint64_t files_done;
	uint64_t files_total;		/* to be put in order; 0: not known */
	uint64_t extents_before;	/* of the whole volume */
	uint64_t extents_now;
};

/**
 * f2c_progress_fn - called now and then during long work
 *
 * Work that moves blocks may call it from another thread than the caller's,
 * with all signals blocked there, but never twice at once.
 *
 * Return: 0 to go on, anything else to stop. Work that writes then ends at
 * the last commit.
 */
typedef int f2c_progress_fn(void *priv, const struct f2c_progress *progress);

/* ---- Volumes ---------------------------------------------------------- */

/** struct f2c_fs - an opened volume */
struct f2c_fs;

enum f2c_open_flags {
	F2C_RDONLY	= 0,
	F2C_RDWR	= 1 << 0,	/* takes a lock against other tools */
	F2C_FORCE	= 1 << 1,	/* read although it is in use */
	F2C_DRY_RUN	= 1 << 2,	/* writes stay in memory, or beyond
					 * 8 MiB in a temporary file */
	F2C_MOUNTED_RO	= 1 << 3,	/* write although mounted read-only */
	F2C_NO_PREFETCH	= 1 << 4,	/* wait for each block that is read, as
					 * neither we nor the system read ahead:
					 * to see what that is worth */
};

/**
 * f2c_open - open the volume on a block device or in a file
 * @path:  device or image file
 * @flags: enum f2c_open_flags
 * @fs:    set on success; the caller's, to f2c_close()
 *
 * Return: 0, or
 *   -EBUSY       in use; the message says by whom
 *   -EUCLEAN     no valid superblock, or no valid checkpoint
 *   -EOPNOTSUPP  a kind of volume that is not supported
 *   or what open(2) and read(2) return
 * Since: 0.1
 * Rule: kernel fs/f2fs/super.c, read_raw_super_block(), and
 *   checkpoint.c, f2fs_get_valid_checkpoint()
 */
F2C_API int f2c_open(struct f2c_ctx *ctx, const char *path, unsigned int flags,
		     struct f2c_fs **fs);
/** f2c_close - NULL is accepted; nothing is written. Since: 0.1 */
F2C_API void f2c_close(struct f2c_fs *fs);

enum f2c_log_type {
	F2C_HOT_DATA, F2C_WARM_DATA, F2C_COLD_DATA,
	F2C_HOT_NODE, F2C_WARM_NODE, F2C_COLD_NODE,
	F2C_NR_LOGS
};

/** struct f2c_log_status - one of the six logs and the segments of its type */
struct f2c_log_status {
	uint32_t segno;			/* current segment */
	uint32_t next;			/* block in it that is written next */
	bool ssr;			/* reuses holes of a used segment */
	uint32_t segments;		/* of this type, with valid blocks */
	uint32_t dirty_segments;	/* of those, partly valid, current ones too */
	uint32_t full_segments;
	uint64_t valid_blocks;
};

/** struct f2c_status - segments and space, as the kernel's status shows them */
struct f2c_status {
	size_t size;			/* set by the caller */
	uint32_t block_size;		/* bytes */
	uint32_t segments;		/* of the main area */
	uint32_t segs_per_sec;
	uint32_t secs_per_zone;
	uint32_t sections;
	uint32_t free_segments;
	uint32_t free_sections;
	uint32_t dirty_segments;	/* partly valid, not current */
	uint32_t dirty_sections;
	uint32_t full_segments;
	uint32_t reserved_segments;
	uint32_t overprovision_segments;
	uint64_t user_blocks;		/* that files can have in all */
	uint64_t valid_blocks;		/* reserved ones included */
	uint64_t valid_data_blocks;	/* by the SIT */
	uint64_t valid_node_blocks;
	uint32_t valid_inodes;
	uint32_t nids_used;
	uint32_t nids_max;
	double utilization;		/* valid_blocks / user_blocks, percent */
	uint64_t checkpoint_version;
	uint32_t checkpoint_flags;
	uint64_t features;
	uint32_t orphans;
	uint64_t fsyncs_pending;	/* fsynced nodes a mount would replay */
	uint64_t elapsed_seconds;	/* mounted time so far */
	char uuid[37];
	char label[1540];		/* UTF-8 */
	struct f2c_log_status logs[F2C_NR_LOGS];
};

/**
 * f2c_get_status - what an opened volume looks like now
 * @status: filled as far as its size says; what lies beyond the library's own
 *          idea of the struct is set to zero
 *
 * Return: 0 or -EINVAL (no size), -EIO, -ENOMEM. Since: 0.1
 * Rule: kernel fs/f2fs/debug.c, update_general_status(), and segment.c,
 *   init_dirty_segmap()
 */
F2C_API int f2c_get_status(struct f2c_fs *fs, struct f2c_status *status);

/** f2c_log_name - "hot_data", ...; NULL out of range. Since: 0.1 */
F2C_API const char *f2c_log_name(unsigned int type);
/** f2c_cp_flag_name - name of bit @bit of checkpoint flags, or NULL. Since: 0.1 */
F2C_API const char *f2c_cp_flag_name(unsigned int bit);
/** f2c_feature_name - name of feature bit @bit as mkfs -O takes it, or NULL. Since: 0.1 */
F2C_API const char *f2c_feature_name(unsigned int bit);

/** struct f2c_frag - the yardstick of fragmentation */
struct f2c_frag {
	size_t size;			/* set by the caller */
	uint64_t files;			/* files and directories with blocks */
	uint64_t file_blocks;
	uint64_t extents;		/* merged FIEMAP runs */
	uint64_t ideal_extents;		/* as many as holes and pinned files make
					 * necessary */
	uint64_t fragmented_files;	/* with more extents than that */
	double degree;			/* extents / ideal_extents; 1 is best */
	double average_extent;		/* blocks */
	double non_contiguous;		/* share of file neighbours, percent */
	uint64_t free_blocks;
	uint64_t free_runs;
	uint64_t longest_free_run;	/* blocks */
	uint32_t free_segments;
	uint32_t dirty_segments;	/* partly valid, not current */
	uint32_t free_sections;
	uint32_t dirty_sections;
	uint32_t dirty_sections_by_type[F2C_NR_LOGS];
	uint64_t whole_free_blocks;	/* in free sections */
	double whole_free;		/* those of free_blocks, percent */
	/* [i]: free runs of 2^i to 2^(i+1) - 1 blocks, and the blocks in them */
	uint64_t free_runs_by_size[32];
	uint64_t free_blocks_by_size[32];
};

/** struct f2c_file_frag - how one file or directory lies */
struct f2c_file_frag {
	uint32_t inode;
	bool is_directory;
	bool is_pinned;			/* never moved */
	uint64_t size_bytes;
	uint64_t blocks;		/* real ones: no holes, nothing inline */
	uint64_t extents;
	uint64_t ideal_extents;
	double score;			/* 0 to 100: f2c_frag_files() */
	const char *path;		/* as bytes; "" if it is in no folder */
};

/**
 * f2c_file_frag_fn - receives one file of f2c_frag_files()
 * @file: valid during the call, with its path
 *
 * Return: 0 to go on, anything else to stop.
 */
typedef int f2c_file_frag_fn(void *priv, const struct f2c_file_frag *file);

/**
 * struct f2c_frag_options - which files; zero is the default everywhere
 *
 * A path is looked up from the root of the volume, with or without a slash
 * before it; symlinks are not followed. A folder means all that is below it,
 * too. A path that is not there and has '*', '?' or '[' in it is a glob
 * (fnmatch(3), without flags) for whole paths: '*' matches slashes, so "*.db"
 * is every such file on the volume.
 */
struct f2c_frag_options {
	size_t size;			/* set by the caller */
	unsigned int threads;		/* 0: as many as there are cores */
	const char *const *paths;	/* nr_paths of them; none: all files */
	size_t nr_paths;
	const char *const *exclude;	/* likewise; these globs may match nothing */
	size_t nr_exclude;
};

/**
 * f2c_frag_files - how files and free space lie
 * @fs:      any way opened; nothing is written
 * @options: may be NULL
 * @fn:      called for each chosen file with blocks, once, in order of its
 *           first path; files in no folder (orphans, quota files) come last,
 *           if no paths are given. NULL: only the totals are wanted
 * @total:   set on success, to the totals of the whole volume; may be NULL
 *
 * A score is on the scale known from e4defrag: to 30 a file is fine, to 55 it
 * is a little fragmented, above that it should be defragmented. If P percent
 * of the neighbouring blocks of a file are not adjacent on the volume, it is
 * 8 P up to P = 10, and grows evenly from there to 100 at P = 100.
 *
 * Parts of the tree that cannot be read are passed over with a warning in the
 * log.
 *
 * Return: 0, what @fn returned, or
 *   -ENOENT  a path that is not there, or a glob that matches nothing
 *   -EINVAL  a struct without size, or with options of a newer version
 *   -EIO, -ENOMEM
 * Since: 0.1
 * Rule: kernel fs/f2fs/data.c, f2fs_fiemap()
 */
F2C_API int f2c_frag_files(struct f2c_fs *fs,
			   const struct f2c_frag_options *options,
			   f2c_file_frag_fn *fn, void *priv,
			   struct f2c_frag *total);

/* ---- Formatting ------------------------------------------------------- */

/**
 * f2c_features_parse - feature bits from a list of names
 * @list: "extra_attr,inode_checksum"; added to *@features
 *
 * Return: 0 or -EINVAL for a name that is not known. Since: 0.1
 */
F2C_API int f2c_features_parse(struct f2c_ctx *ctx, const char *list,
			       uint64_t *features);

/** struct f2c_format_options - a new volume; zero is the default everywhere */
struct f2c_format_options {
	size_t size;			/* set by the caller */
	const char *label;		/* UTF-8 */
	const char *uuid;		/* as text; NULL: a random one */
	uint64_t bytes;			/* of the volume; 0: the whole device */
	uint64_t sectors;		/* the same in units of the sector size */
	bool create;			/* make the file if it is not there; needs bytes */
	uint32_t sector_size;		/* bytes; 0: the device's */
	uint32_t segs_per_sec;		/* 0: 1 */
	uint32_t secs_per_zone;		/* 0: 1 */
	double overprovision;		/* percent; 0: the best for the size */
	uint64_t features;
	const char *encoding;		/* of casefold: "utf8" or "utf8:strict" */
	const char *cold_extensions;	/* more of them, with commas between */
	const char *hot_extensions;
	bool large_nat;			/* room for more files than the default */
	bool heap;			/* logs from the end of the volume */
	bool no_discard;
	bool force;			/* overwrite what is there */
	bool dry_run;			/* write nothing */
	bool set_time;			/* all times are @time, not now */
	int64_t time;			/* seconds since 1970 */
	bool fixed_version;		/* first checkpoint not of random number */
	uint32_t uid, gid;		/* owner of the root directory */
};

/** struct f2c_format_report - the volume that was made, or would be */
struct f2c_format_report {
	size_t size;			/* set by the caller */
	bool dry_run;
	bool created;			/* the file was not there before */
	bool discarded;
	char replaced[128];		/* names of what was overwritten, or "" */
	char uuid[37];
	char label[1540];
	uint64_t features;
	uint64_t volume_bytes;
	uint64_t user_bytes;		/* what files can take */
	uint32_t block_size;		/* bytes */
	uint32_t sector_size;		/* bytes */
	uint64_t blocks;
	uint32_t segments;		/* of the whole volume */
	uint32_t segs_per_sec;
	uint32_t secs_per_zone;
	uint32_t checkpoint_segments;	/* of each area */
	uint32_t sit_segments;
	uint32_t nat_segments;
	uint32_t ssa_segments;
	uint32_t main_segments;
	uint32_t sections;		/* of the main area */
	uint32_t zones;
	uint32_t segment0_block;	/* where areas begin */
	uint32_t sit_block;
	uint32_t nat_block;
	uint32_t ssa_block;
	uint32_t main_block;
	uint32_t cp_payload_blocks;
	uint32_t nids;			/* files and other nodes there can be */
	double overprovision;		/* percent */
	uint32_t overprovision_segments; /* the reserve included */
	uint32_t reserved_segments;
	uint32_t checkpoint_flags;
};

/**
 * f2c_format - make a new volume
 * @path:    block device or file
 * @options: NULL for all defaults
 * @report:  filled on success, as far as its size says; may be NULL
 *
 * The old superblocks go first and the new ones are written last, so a cut
 * leaves no volume rather than half of one. With uuid and time given the same
 * options make the same bytes in a new file, on every machine.
 *
 * Return: 0, or
 *   -EINVAL   an option that cannot be, or does not fit another
 *   -ENOSPC   the device is too small; the message says the minimum
 *   -EFBIG    the device is too large; give a size
 *   -EEXIST   something is on the device and force is not set
 *   -EBUSY    in use; force does not help
 *   or what open(2) and write(2) return
 * Since: 0.1
 */
F2C_API int f2c_format(struct f2c_ctx *ctx, const char *path,
		       const struct f2c_format_options *options,
		       struct f2c_format_report *report);

/* ---- Check ------------------------------------------------------------ */

enum f2c_severity {
	F2C_SEV_NOTE,			/* a hint; the volume is consistent */
	F2C_SEV_ERROR,			/* an inconsistency */
	F2C_SEV_FATAL,			/* parts cannot be read at all */
};

/** struct f2c_check_options - how to check; zero is the default everywhere */
struct f2c_check_options {
	size_t size;			/* set by the caller */
	unsigned int threads;		/* 0: as many as there are cores */
	f2c_progress_fn *progress;	/* called by the caller's thread */
	void *progress_priv;
};

/** struct f2c_finding - one thing that is wrong, or worth a hint */
struct f2c_finding {
	const char *id;			/* "sit-count": never changes its meaning */
	enum f2c_severity severity;
	const char *text;		/* what is wrong, without the values */
	const char *repair;		/* what a repair would do */
	const char *structure;		/* "SIT entry", ... */
	uint64_t number;		/* which of them */
	uint64_t address;		/* block where it lies; 0: none */
	uint32_t inode;			/* that it belongs to; 0: none */
	const char *path;		/* of the inode, as bytes; NULL: not known */
	bool has_values;		/* the next two mean something */
	uint64_t found;
	uint64_t expected;
	const char *detail;		/* more words, or NULL */
	const char *line;		/* all of it in one line */
	bool repaired;			/* it was, by f2c_repair() */
};

/**
 * struct f2c_phases - where a run's time went, in milliseconds
 *
 * Summed over its commits; no moment counts twice. Reports count besides, of
 * NAT entries: nat_blocks_touched, blocks of the NAT that had to be changed,
 * nat_blocks_read and nat_blocks_written, all of them, and nat_journal_hits,
 * entries that needed none, since they went to the journal.
 */
struct f2c_phases {
	double plan_ms;			/* what to move, and where to */
	double merge_ms;		/* data, nodes and summaries written */
	double nat_flush_ms;		/* NAT blocks read and changed */
	double sit_flush_ms;		/* SIT blocks encoded */
	double sync_ms;			/* both written; the flush before the
					 * pack's last block */
	double checkpoint_ms;		/* the pack built and written */
	double barriers_ms;		/* the flush after its last block */
};

/** struct f2c_check_summary - what there is on the volume */
struct f2c_check_summary {
	uint64_t errors;		/* findings above a note, all of them */
	uint64_t notes;
	uint64_t files;			/* inodes that are no directory */
	uint64_t directories;
	uint64_t nodes;
	uint64_t blocks;		/* of the main area, in use */
	uint64_t main_blocks;		/* of the main area, in all */
	uint64_t orphans;
	uint64_t fsyncs_pending;	/* fsynced nodes a mount would replay */
	struct f2c_frag frag;
	bool quotas_wrong;		/* usage, or marked as such: f2c_replay()
					 * counts it again */
	/* Of f2c_repair(). */
	uint64_t left;			/* errors that are there still */
	uint64_t repaired;		/* errors and notes that are not */
	bool to_replay;			/* f2c_replay() will write it */
	const char *refused;		/* why nothing was, or NULL */
	uint64_t commits;		/* checkpoints written: 0 or 1 */
	bool changed_under_mount;	/* while it was mounted read-only */
	uint64_t blocks_written;
	struct f2c_phases phases;
	uint64_t nat_blocks_touched;
	uint64_t nat_blocks_read;
	uint64_t nat_blocks_written;
	uint64_t nat_journal_hits;
};

/** struct f2c_check_report - the result of a check */
struct f2c_check_report;

/**
 * f2c_check - check all structures of a volume against each other
 * @fs:      any way opened; nothing is written
 * @options: may be NULL
 * @report:  set on success, whatever was found; the caller's, to
 *           f2c_check_report_free(), before or after f2c_close()
 *
 * Every table, node and directory block is read once, in order of address.
 * What a kernel accepts without complaint is not a finding; a volume is
 * consistent if the summary counts no errors.
 *
 * Return: 0, or
 *   -ECANCELED  the callback stopped it
 *   -E2BIG      directories that would need more memory than the bound
 *   -EINVAL     options without size, or of a newer version
 *   -EIO, -ENOMEM
 * Since: 0.1
 * Rule: kernel fs/f2fs/: super.c, checkpoint.c, segment.c, node.c, inode.c and
 *   dir.c, their sanity checks
 */
F2C_API int f2c_check(struct f2c_fs *fs,
		      const struct f2c_check_options *options,
		      struct f2c_check_report **report);
/** f2c_check_report_free - NULL is accepted. Since: 0.1 */
F2C_API void f2c_check_report_free(struct f2c_check_report *report);
/** f2c_check_get_summary - the report's, never NULL. Since: 0.1 */
F2C_API const struct f2c_check_summary *
f2c_check_get_summary(const struct f2c_check_report *report);
/**
 * f2c_check_nr_findings - how many are kept: at most a million
 *
 * The summary counts all. Since: 0.1
 */
F2C_API size_t f2c_check_nr_findings(const struct f2c_check_report *report);
/**
 * f2c_check_finding - number @i of those kept, or NULL beyond the last
 *
 * Sorted by problem, structure and number. The struct and its line are the
 * report's and valid until the next call; the other strings live as long as
 * the report. Since: 0.1
 */
F2C_API const struct f2c_finding *
f2c_check_finding(struct f2c_check_report *report, size_t i);

/* ---- Replay ------------------------------------------------------------ */

/** struct f2c_replay_report - what was done for a volume not cleanly unmounted */
struct f2c_replay_report {
	size_t size;			/* set by the caller */
	bool dry_run;
	bool mounted_read_only;		/* when it was opened: what is in memory
					 * there is not what the volume holds now */
	uint64_t orphans_freed;		/* inodes deleted while they were open */
	uint64_t orphans_missing;	/* listed, but not there */
	uint64_t nodes_freed;
	uint64_t blocks_freed;		/* of data */
	uint64_t chain_nodes;		/* nodes written since the checkpoint */
	uint64_t inodes_recovered;
	uint64_t inodes_made;		/* of those, new ones */
	uint64_t inodes_freed;		/* whose last name others have now */
	uint64_t inodes_kept;		/* whose directory is gone, and which are
					 * in lost+found now */
	uint64_t names_added;
	uint64_t names_removed;
	uint64_t blocks_recovered;	/* of data */
	uint64_t blocks_refused;	/* of which it is not known whose they are */
	uint64_t chain_cut_at;		/* address of the first node that could not
					 * be used; 0: the chain was whole */
	const char *chain_cut_why;	/* NULL, or what is wrong with it */
	uint64_t commits;		/* 0: there was nothing to do */
	uint64_t blocks_written;
	uint64_t nat_blocks_touched, nat_blocks_read, nat_blocks_written,
		 nat_journal_hits;
	double seconds;
	struct f2c_phases phases;
	uint64_t quota_files;		/* whose usage was brought up to date */
	uint64_t quota_ids_changed;	/* entries that changed, came or went */
	bool quota_marked;		/* not possible: the kernel is told */
};

/**
 * f2c_replay - free orphans and roll fsynced files forward, as a mount does
 * @fs:     opened with F2C_RDWR or F2C_DRY_RUN
 * @report: set also on failure; a struct of the caller's
 *
 * All of it is one commit; a crash leaves the volume as it was or as it is
 * afterwards. Usage in quota files is that of the inodes then; where such a file
 * is damaged, there is a warning, and a mark for the kernel. If that is all there is
 * to do, it is done where the volume has that mark, or a check found usage that is
 * wrong. Without a f2c_check() before it that found no error, it is first
 * proved that each block in use has one owner.
 *
 * Return: 0 (also when there was nothing to do), or
 *   -EOPNOTSUPP  an unknown feature, or a state in which nothing may write
 *   -EUCLEAN     structures disagree: check the volume first
 *   -ENOSPC      no room for the nodes that must be written
 *   -EROFS       opened for reading
 *   -EINVAL      a struct without size
 *   -EIO, -ENOMEM
 * Since: 0.1
 * Rule: kernel fs/f2fs/checkpoint.c, f2fs_recover_orphan_inodes(), and
 *   recovery.c, f2fs_recover_fsync_data()
 */
F2C_API int f2c_replay(struct f2c_fs *fs, struct f2c_replay_report *report);

/* ---- Repair ------------------------------------------------------------ */

/** struct f2c_repair_options - how to repair; zero is the default everywhere */
struct f2c_repair_options {
	size_t size;			/* set by the caller */
	struct f2c_check_options check;	/* its size is set, too */
	bool only_safe;			/* nothing but what follows from content
					 * that is whole; else nothing at all */
};

/**
 * f2c_repair - check a volume and repair what can be
 * @fs:      opened for writing, or for a dry run
 * @options: may be NULL
 * @report:  set on success, as by f2c_check(): what was found, of each whether
 *           it is repaired, and what is left
 *
 * Tables are mended in memory and written as one new checkpoint, so a cut at
 * any moment leaves the volume as it was or repaired. Nothing that a name or
 * node reaches is given up to make numbers fit. A volume without errors and
 * marks is not written. After a run with something repaired the volume must be
 * opened again.
 *
 * Where fsynced nodes wait to be replayed a new checkpoint would make the kernel
 * forget them: what was mended is then left in memory (to_replay in the
 * summary), for f2c_replay() on the same handle to write with what it does. If
 * not all could be mended, nothing is written (refused).
 *
 * Return: 0, or
 *   -EOPNOTSUPP, -EROFS  the volume is of a kind that is not written
 *   -ENOSPC     no room for a log
 *   or as f2c_check(), or what write(2) returns
 * Since: 0.1
 * Rule: kernel fs/f2fs/checkpoint.c, do_checkpoint()
 */
F2C_API int f2c_repair(struct f2c_fs *fs,
		       const struct f2c_repair_options *options,
		       struct f2c_check_report **report);

/* ---- Garbage collection ----------------------------------------------- */

enum f2c_victim_policy {
	F2C_GREEDY,			/* fewest valid blocks first */
	F2C_COST_BENEFIT,		/* few valid blocks, and old */
	F2C_AGE_THRESHOLD,		/* of the oldest: old, and few */
};

enum f2c_victim_side {
	F2C_BOTH_SIDES,
	F2C_DATA_ONLY,
	F2C_NODES_ONLY,
};

/** struct f2c_section_range - sections, of which both ends belong to it */
struct f2c_section_range {
	uint32_t first, last;
};

/** struct f2c_victim_options - which sections; zero is the default everywhere */
struct f2c_victim_options {
	size_t size;			/* set by the caller */
	enum f2c_victim_policy policy;
	enum f2c_victim_side side;
	double skip_valid;		/* leave alone what is valid to this
					 * percentage or more; 0: nothing */
	const struct f2c_section_range *only;	/* no other sections */
	size_t nr_only;			/* 0: all */
};

/** struct f2c_victim - a section with both valid blocks and holes */
struct f2c_victim {
	uint32_t section;
	enum f2c_log_type type;
	bool is_current;		/* a log stands in it */
	uint32_t blocks;		/* it has in all */
	uint32_t valid_blocks;		/* would have to move */
	uint32_t gain_blocks;		/* would become free */
	uint64_t age_seconds;		/* mean, on the volume's own clock */
	uint32_t cost;			/* by the policy; the least is best */
};

/** struct f2c_victims_summary - of all of a list */
struct f2c_victims_summary {
	uint64_t sections, data_sections, node_sections;
	uint64_t valid_blocks, gain_blocks;
	uint32_t gain_sections;		/* at the best: f2c_victims_find() */
	uint32_t free_sections;		/* of the volume, as it is */
	uint32_t volume_sections;
	/* [i]: those that are 10 i to below 10 (i + 1) percent valid */
	uint64_t sections_by_share[10];
	uint64_t valid_blocks_by_share[10];
};

/** struct f2c_victims - a list of sections, in the order to empty them */
struct f2c_victims;

/**
 * f2c_victims_find - which sections garbage collection would empty
 * @fs:      any way opened; nothing is written
 * @options: may be NULL
 * @victims: set on success; the caller's, to f2c_victims_free()
 *
 * Costs are those of the kernel, to the last digit, for a volume that was just
 * mounted: with F2C_GREEDY the valid blocks, with the others 2^32 - 1 less a
 * benefit. With F2C_AGE_THRESHOLD sections are no victims before they are a
 * week older than the youngest, unless the whole volume is younger than that;
 * and the oldest fifth, but at least ten, goes before the others.
 *
 * gain_sections is a bound from the valid blocks and the room in the logs. It
 * does not count nodes that have to be rewritten for new addresses: a dry run
 * of f2c_gc_run() says what will be.
 *
 * Return: 0, or
 *   -EINVAL  a struct without size or of a newer version, or an option without
 *            sense
 *   -ENOMEM
 * Since: 0.1
 * Rule: kernel fs/f2fs/gc.c, get_gc_cost() and atgc_lookup_victim()
 */
F2C_API int f2c_victims_find(struct f2c_fs *fs,
			     const struct f2c_victim_options *options,
			     struct f2c_victims **victims);
/** f2c_victims_free - NULL is accepted. Since: 0.1 */
F2C_API void f2c_victims_free(struct f2c_victims *victims);
/** f2c_victims_nr - how many there are. Since: 0.1 */
F2C_API size_t f2c_victims_nr(const struct f2c_victims *victims);
/** f2c_victims_get - number @i of them, the best is 0; NULL: none. Since: 0.1 */
F2C_API const struct f2c_victim *
f2c_victims_get(const struct f2c_victims *victims, size_t i);
/** f2c_victims_get_summary - totals; as long as the list is. Since: 0.1 */
F2C_API const struct f2c_victims_summary *
f2c_victims_get_summary(const struct f2c_victims *victims);

/** struct f2c_gc_options - what to collect; zero is the default everywhere */
struct f2c_gc_options {
	size_t size;			/* set by the caller */
	bool full;			/* wholly valid sections too */
	bool no_pack;			/* move in scan order */
	const struct f2c_victim_options *victims;	/* NULL: the defaults */
	uint64_t max_sections;		/* victims at most; 0: all */
	uint64_t max_moved_bytes;	/* of data and nodes; 0: no limit */
	double time_limit;		/* seconds; 0: none */
	double until_free;		/* stop at this percentage of sections free */
	uint64_t pack_max_blocks;	/* records in the queue; 0: 32 MiB of them */
	f2c_progress_fn *progress;
	void *progress_priv;
	unsigned int fail_record_every;	/* for tests: every n-th record of the
					 * queue is not to be had; 0: none */
};

/** struct f2c_gc_report - what a run did; counts are of committed work only */
struct f2c_gc_report {
	size_t size;			/* set by the caller */
	bool dry_run;
	const char *stopped_by;		/* NULL, "signal", "sections", "until-free",
					 * "max-moved", "time", "no-space" */
	uint64_t sections_selected;	/* victims */
	uint64_t sections_skipped;	/* held by pinned files, or no room */
	uint64_t segments_freed;
	uint64_t segments_already_empty;
	uint64_t sections_freed;
	uint64_t free_sections_before;
	uint64_t free_sections_after;
	uint64_t dirty_sections_before;
	uint64_t dirty_sections_after;
	uint64_t data_blocks_moved;
	uint64_t node_blocks_moved;	/* out of victims */
	uint64_t node_blocks_updated;	/* owners rewritten for a new address */
	uint64_t blocks_moved;		/* data_blocks_moved + node_blocks_moved */
	uint64_t blocks_written;	/* all, metadata included */
	double write_cost;		/* blocks_written / blocks that had to change */
	uint64_t moved_at_once;		/* for want of a record */
	uint64_t queue_drains;		/* early, because the queue was full */
	uint64_t extents_before;
	uint64_t extents_after;
	uint64_t ideal_extents;
	uint64_t extents_split;		/* runs cut at a section left alone */
	uint64_t commits;
	uint64_t nat_blocks_touched, nat_blocks_read, nat_blocks_written,
		 nat_journal_hits;
	double seconds;
	struct f2c_phases phases;
};

/**
 * f2c_gc_run - empty dirty sections into free ones
 * @fs:     opened with F2C_RDWR or F2C_DRY_RUN
 * @report: set also when the run failed or was stopped midway, to what was
 *          committed; a struct of the caller's
 *
 * Victims are taken in the order of f2c_victims_find(), data before nodes, as
 * long as that frees sections; with full, max_sections or victims->only as long
 * as there are any. All blocks of one transaction are packed by inode and file
 * offset (options->no_pack: in scan order). Each
 * transaction is durable before its victims are reused; a crash leaves the
 * state before or after one.
 *
 * Return: 0 (also when stopped), or
 *   -EOPNOTSUPP  an unknown feature, or a state in which nothing may write
 *   -EBUSY       fsynced nodes wait to be replayed
 *   -EUCLEAN     structures disagree: check the volume first
 *   -EROFS       opened for reading
 *   -EINVAL      a struct without size, or with options of a newer version
 *   -EIO, -ENOMEM
 * Since: 0.1
 * Rule: kernel fs/f2fs/gc.c, do_garbage_collect()
 */
F2C_API int f2c_gc_run(struct f2c_fs *fs, const struct f2c_gc_options *options,
		       struct f2c_gc_report *report);

/* ---- Defragmentation -------------------------------------------------- */

/** enum f2c_order - in what order files are put in order */
enum f2c_order {
	F2C_ORDER_DIR,			/* files of one folder together */
	F2C_ORDER_INO,			/* by inode number */
	F2C_ORDER_SIZE,			/* small ones first */
	F2C_ORDER_ATIME,		/* those that were read longest ago first */
	F2C_ORDER_MTIME,		/* those that were written longest ago first */
};

/** struct f2c_defrag_options - what to defragment; zero is the default */
struct f2c_defrag_options {
	size_t size;			/* set by the caller */
	const char *const *paths;	/* as in f2c_frag_options; none: all */
	size_t nr_paths;
	const char *const *exclude;	/* files whose data must not move */
	size_t nr_exclude;
	uint32_t min_extents;		/* leave files with fewer as they are */
	double min_score;		/* likewise; f2c_frag_files() */
	uint64_t max_moved_bytes;	/* of data; 0: no limit */
	double time_limit;		/* seconds; 0: none */
	enum f2c_order order;
	bool only_free;			/* free space into whole sections, no files;
					 * not with paths or full */
	bool full;			/* rewrite also what lies well */
	f2c_progress_fn *progress;
	void *progress_priv;
};

/** struct f2c_defrag_report - what a run did; of committed work only */
struct f2c_defrag_report {
	size_t size;			/* set by the caller */
	bool dry_run;
	const char *stopped_by;		/* NULL, "signal", "max-moved", "time",
					 * "no-space" */
	uint64_t files_selected;	/* that would gain */
	uint64_t files_moved;
	uint64_t files_skipped;		/* pinned, or no room for them */
	uint64_t blocks_skipped;	/* of files that would not gain, or that
					 * the options leave out */
	uint64_t extents_before;	/* of the whole volume */
	uint64_t extents_after;
	uint64_t ideal_extents;
	uint64_t fragmented_files_before;
	uint64_t fragmented_files_after;
	uint64_t free_sections_before;
	uint64_t free_sections_after;
	uint64_t dirty_sections_before;
	uint64_t dirty_sections_after;
	uint64_t data_blocks_moved;
	uint64_t node_blocks_moved;
	uint64_t node_blocks_updated;	/* owners rewritten for a new address */
	uint64_t blocks_moved;		/* data_blocks_moved + node_blocks_moved */
	uint64_t blocks_written;	/* all, metadata included */
	double write_cost;		/* blocks_written / blocks that had to change */
	uint64_t rounds;		/* transactions that moved files */
	uint64_t rounds_for_room;	/* that only made room for them */
	uint64_t commits;
	uint64_t nat_blocks_touched, nat_blocks_read, nat_blocks_written,
		 nat_journal_hits;
	double seconds;
	struct f2c_phases phases;
	uint64_t free_sections_most;	/* that there could be after the run, if
					 * each log filled its sections */
	/* Parts of blocks_skipped: of files that would not gain, and of those
	 * that would, but that the options leave out. */
	uint64_t blocks_without_gain;
	uint64_t blocks_left_out;
};

/**
 * f2c_defrag_run - put files into the fewest extents, free space into sections
 * @fs:      opened with F2C_RDWR or F2C_DRY_RUN
 * @options: may be NULL
 * @report:  set also when the run failed or was stopped midway, to what was
 *           committed; a struct of the caller's
 *
 * Moves only what lowers the extents of a file or, without options->paths,
 * makes a section free, unless options->full is set. Pinned files are never
 * moved. Works in rounds, each durable before its sources are reused; a crash
 * leaves the state before or after one, and another run goes on from there.
 *
 * Return: 0 (also when stopped), or
 *   -ENOENT  a path that is not there, or a glob that matches nothing
 *   or as f2c_gc_run()
 * Since: 0.1
 */
F2C_API int f2c_defrag_run(struct f2c_fs *fs,
			   const struct f2c_defrag_options *options,
			   struct f2c_defrag_report *report);

#ifdef __cplusplus
}
#endif

#endif
