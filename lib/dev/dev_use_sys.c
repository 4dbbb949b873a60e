/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Uses that /sys knows: loop devices, device-mapper and RAID on top, and the
 * partitions of a disk or the disk of a partition.
 */
#include "config.h"

#include "dev/dev_use.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* What the loop device itself says, which it may not say to everybody. */
static bool ask_loop(const struct use_roots *roots, const char *loop,
		     struct loop_info64 *info)
{
	char path[PATH_MAX];
	bool known;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", roots->dev, loop);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	known = !ioctl(fd, LOOP_GET_STATUS64, info);
	close(fd);
	return known;
}

/*
 * The device knows the inode, so its word counts. Else the name that /sys
 * shows to everybody: one that leads nowhere (other mount namespace, deleted,
 * no access) is not ours, as unrelated loop devices must not stop anyone.
 * Where there is no /sys, @backing is "".
 */
static bool loop_is_on(const struct use_roots *roots, const char *loop,
		       const char *backing, const struct stat *st)
{
	struct loop_info64 info;
	bool known = ask_loop(roots, loop, &info);

	if (known && !S_ISBLK(st->st_mode))
		return info.lo_device == st->st_dev &&
		       info.lo_inode == st->st_ino;
	if (known && !*backing)
		return use_is_same(st, (const char *)info.lo_file_name);
	return use_is_same(st, backing);
}

/* Through a read-only loop device nothing changes. */
static bool loop_is_ro(const struct use_roots *roots, const char *loop)
{
	char path[PATH_MAX], ro[8];

	snprintf(path, sizeof(path), "%s/block/%s/ro", roots->sys, loop);
	return use_read_line(path, ro, sizeof(ro)) && !strcmp(ro, "1");
}

static void check_loop(const struct use_roots *roots, const char *loop,
		       bool have_sys, const struct stat *st, struct use *use)
{
	char path[PATH_MAX], backing[PATH_MAX] = "";

	snprintf(path, sizeof(path), "%s/block/%s/loop/backing_file",
		 roots->sys, loop);
	if (have_sys && !use_read_line(path, backing, sizeof(backing)))
		return;			/* not set up */
	if (loop_is_on(roots, loop, backing, st))
		use_note(use, loop_is_ro(roots, loop) ? USE_RELATED : USE_BUSY,
			 "is the backing %s of /dev/%s",
			 S_ISBLK(st->st_mode) ? "device" : "file", loop);
}

/* Without /sys (a change of root) all loop devices of /dev are asked. */
void use_find_loops(const struct use_roots *roots, const struct stat *st,
		    struct use *use)
{
	char path[PATH_MAX];
	bool have_sys = true;
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/block", roots->sys);
	dir = opendir(path);
	if (!dir) {
		have_sys = false;
		dir = opendir(roots->dev);
	}
	if (!dir)
		return;
	while ((e = readdir(dir)))
		if (!strncmp(e->d_name, "loop", 4) &&
		    isdigit((unsigned char)e->d_name[4]))
			check_loop(roots, e->d_name, have_sys, st, use);
	closedir(dir);
}

/* @dir is the folder of a block device below /sys. */
static void find_holders(const char *dir, struct use *use)
{
	char path[PATH_MAX], name[256];
	struct dirent *e;
	DIR *holders;

	snprintf(path, sizeof(path), "%s/holders", dir);
	holders = opendir(path);
	if (!holders)
		return;
	while ((e = readdir(holders))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/holders/%s/dm/name", dir,
			 e->d_name);
		if (use_read_line(path, name, sizeof(name)))
			use_note(use, USE_BUSY, "is a part of /dev/%s (%s)",
				 e->d_name, name);
		else
			use_note(use, USE_BUSY, "is a part of /dev/%s",
				 e->d_name);
	}
	closedir(holders);
}

/* Mounts, swap and holders of a related device; not loops, not relations. */
static void find_related(const struct use_roots *roots, const char *dir,
			 const char *what, const char *name, struct use *use)
{
	struct use found = { .kind = USE_NONE };
	struct stat st = { .st_mode = S_IFBLK };
	char path[PATH_MAX], number[64];
	unsigned int maj, min;

	snprintf(path, sizeof(path), "%s/dev", dir);
	if (!use_read_line(path, number, sizeof(number)) ||
	    sscanf(number, "%u:%u", &maj, &min) != 2)
		return;
	st.st_rdev = makedev(maj, min);
	use_find_mounts(roots, "self", &st, &found);
	use_find_swaps(roots, &st, &found);
	find_holders(dir, &found);
	if (found.kind != USE_NONE)
		use_note(use, USE_RELATED, "%s %s, which %s", what, name,
			 found.by);
}

static bool has_partition_file(const char *dir)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/partition", dir);
	return !access(path, F_OK);
}

static void find_partitions(const struct use_roots *roots, const char *dir,
			    struct use *use)
{
	char path[PATH_MAX];
	struct dirent *e;
	DIR *d = opendir(dir);

	if (!d)
		return;
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (has_partition_file(path))
			find_related(roots, path, "holds the partition",
				     e->d_name, use);
	}
	closedir(d);
}

/* The name of the disk is the last part of where the link leads. */
static void find_disk(const struct use_roots *roots, const char *dir,
		      struct use *use)
{
	char path[PATH_MAX];
	char *real, *name;

	snprintf(path, sizeof(path), "%s/..", dir);
	real = realpath(path, NULL);
	if (!real)
		return;
	name = strrchr(real, '/');
	find_related(roots, real, "lies on the disk", name ? name + 1 : real,
		     use);
	free(real);
}

void use_find_stacked(const struct use_roots *roots, const struct stat *st,
		      struct use *use)
{
	char dir[512];

	snprintf(dir, sizeof(dir), "%s/dev/block/%u:%u", roots->sys,
		 major(st->st_rdev), minor(st->st_rdev));
	find_holders(dir, use);
	find_partitions(roots, dir, use);
	if (has_partition_file(dir))
		find_disk(roots, dir, use);
}
