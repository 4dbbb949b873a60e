/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Locks: flock between our own tools, and a look at those of programs that
 * run a volume from a file (virtual machines).
 */
#include "config.h"

#include "dev/dev_use.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sysmacros.h>
#include <time.h>

/*
 * QEMU keeps a read lock on byte 101 of an image that it may write to (its
 * block/file-posix.c: RAW_LOCK_PERM_BASE, and BLK_PERM_WRITE as bit 1).
 */
#define QEMU_WRITES_BYTE 101

#define TRIES 10
#define TRY_MS 50

static void note_process(const struct use_roots *roots, long pid,
			 struct use *use)
{
	char path[PATH_MAX], name[64];

	snprintf(path, sizeof(path), "%s/%ld/comm", roots->proc, pid);
	if (pid > 0 && use_read_line(path, name, sizeof(name)))
		use_note(use, USE_BUSY, "is locked by process %ld (%s)", pid,
			 name);
	else
		use_note(use, USE_BUSY, "is locked by another process");
}

/*
 * "1: FLOCK  ADVISORY  WRITE 1234 fd:00:5678 0 EOF"; a waiting one has "->"
 * in front of its kind. Readers only mind writers.
 */
static bool is_holder(const char *line, const struct stat *st, bool write,
		      long *pid)
{
	char kind[16], mode[16], access[16];
	unsigned int maj, min;
	uint64_t ino;

	if (sscanf(line, "%*d: %15s %15s %15s %ld %x:%x:%" SCNu64, kind, mode,
		   access, pid, &maj, &min, &ino) != 7)
		return false;
	return !strcmp(kind, "FLOCK") && (write || !strcmp(access, "WRITE")) &&
	       maj == major(st->st_dev) && min == minor(st->st_dev) &&
	       ino == st->st_ino;
}

bool use_find_lock(const struct use_roots *roots, const struct stat *st,
		   bool write, struct use *use)
{
	size_t room = 0;
	char *line = NULL;
	char path[512];
	long pid = 0;
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/locks", roots->proc);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (!found && getline(&line, &room, f) > 0)
		found = is_holder(line, st, write, &pid);
	if (found)
		note_process(roots, pid, use);
	free(line);
	fclose(f);
	return found;
}

static bool foreign_lock(const struct use_roots *roots, int fd, short type,
			 off_t start, off_t len, struct use *use)
{
	struct flock lock = {
		.l_type = type,
		.l_whence = SEEK_SET,
		.l_start = start,
		.l_len = len,
	};

	/* Where such locks are unknown there are none. */
	if (fcntl(fd, F_OFD_GETLK, &lock) || lock.l_type == F_UNLCK)
		return false;
	note_process(roots, lock.l_pid, use);
	return true;
}

static int wait_for_flock(int fd, int how, int tries)
{
	const struct timespec pause = { .tv_nsec = TRY_MS * 1000000L };

	for (;;) {
		if (!flock(fd, how | LOCK_NB))
			return 0;
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK || --tries <= 0)
			return -errno;
		nanosleep(&pause, NULL);
	}
}

/*
 * The device manager locks block devices for a moment while it looks at them,
 * so a few tries are made there. A file system that cannot lock at all does
 * not keep anyone out.
 */
int use_lock(const struct use_roots *roots, int fd, const struct stat *st,
	     bool write, struct use *use)
{
	int err = wait_for_flock(fd, write ? LOCK_EX : LOCK_SH,
				 S_ISBLK(st->st_mode) ? TRIES : 1);

	if (err == -EWOULDBLOCK) {
		if (!use_find_lock(roots, st, write, use))
			note_process(roots, 0, use);
		return -EBUSY;
	}
	if (S_ISBLK(st->st_mode))
		return 0;
	if (foreign_lock(roots, fd, write ? F_WRLCK : F_RDLCK, 0, 0, use) ||
	    foreign_lock(roots, fd, F_WRLCK, QEMU_WRITES_BYTE, 1, use))
		return -EBUSY;
	return 0;
}
