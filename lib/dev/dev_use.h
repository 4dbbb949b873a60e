/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who else uses a file or block device: mounts, swap, loop devices, what is
 * stacked on it, locks. Internal to lib/dev; the tests give made-up /proc,
 * /sys and /dev.
 */
#ifndef F2CORE_DEV_DEV_USE_H
#define F2CORE_DEV_DEV_USE_H

#include "dev/dev_file.h"

#include <sys/stat.h>

/* Where the facts are; no slash at the end. */
struct use_roots {
	const char *proc;
	const char *sys;
	const char *dev;
};

extern const struct use_roots use_system;

/* From harmless to bad; the worst that is found counts. */
enum use_kind {
	USE_NONE,
	USE_MOUNTED_RO,		/* may be read; written only by fsck */
	USE_RELATED,		/* its disk or a partition is: may be read */
	USE_BUSY,		/* may change at any time */
};

struct use {
	enum use_kind kind;
	char by[512];		/* goes on "NAME is ..."; "" for USE_NONE */
};

/* Note a use if it is worse than what is known. */
void use_note(struct use *use, enum use_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* All uses of the file or block device @st (of stat() or fstat()). */
void use_find(const struct use_roots *roots, const struct stat *st,
	      struct use *use);

/*
 * Mounts in the mount namespaces of other processes, as far as they may be
 * looked into. For a device that the kernel says is taken.
 */
void use_find_elsewhere(const struct use_roots *roots, const struct stat *st,
			struct use *use);

/* Parts of use_find(). */
void use_find_mounts(const struct use_roots *roots, const char *pid,
		     const struct stat *st, struct use *use);
void use_find_swaps(const struct use_roots *roots, const struct stat *st,
		    struct use *use);
void use_find_loops(const struct use_roots *roots, const struct stat *st,
		    struct use *use);
void use_find_stacked(const struct use_roots *roots, const struct stat *st,
		      struct use *use);

/* The file that stat()s like @st, or for a block device another node of it. */
bool use_is_same(const struct stat *st, const char *path);

/* The first line of a small file without its newline, or false. */
bool use_read_line(const char *path, char *buf, size_t size);

/*
 * Lock @fd until it is closed: for @write alone, else beside other readers.
 * Never waits long. Locks of programs that run a volume (virtual machines)
 * count too. -EBUSY with the holder in @use.
 */
int use_lock(const struct use_roots *roots, int fd, const struct stat *st,
	     bool write, struct use *use);

/* Note who holds a flock on the file, if that can be found out. */
bool use_find_lock(const struct use_roots *roots, const struct stat *st,
		   bool write, struct use *use);

/* dev_file_open() with the facts from elsewhere. */
int dev_file_open_roots(const struct use_roots *roots, struct f2c_ctx *ctx,
			const char *path, unsigned int flags,
			uint64_t create_bytes, struct dev **out);

#endif
