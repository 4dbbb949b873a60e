/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who uses a device: every rule against made-up /proc, /sys and /dev, then
 * the real locks, loop devices and root file system of this machine.
 */
#include "config.h"

#include "dev/dev_use.h"
#include "base/ctx.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static struct f2c_ctx *ctx;
static char dir[40], image[100], other[100];
static char proc[100], sys[100], devs[100];
static struct use_roots roots = { proc, sys, devs };
static struct stat disk;		/* a block device 8:0 of our making */
static struct stat file;		/* of image */
static char warning[1024];

static void keep_warning(void *priv, enum ctx_level level, const char *module,
			 const char *text)
{
	(void)priv;
	(void)module;
	if (level == CTX_WARNING)
		snprintf(warning, sizeof(warning), "%s", text);
}

static void make_parents(const char *path)
{
	char copy[512];

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *c = copy + 1; *c; c++)
		if (*c == '/') {
			*c = '\0';
			mkdir(copy, 0700);
			*c = '/';
		}
}

/* Make the file @root/@name with this text. */
static void __attribute__((format(printf, 3, 4)))
put(const char *root, const char *name, const char *fmt, ...)
{
	char path[512];
	va_list ap;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	make_parents(path);
	f = fopen(path, "w");
	assert_non_null(f);
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fclose(f);
}

static int setup(void **state)
{
	int fd;

	(void)state;
	strcpy(dir, "/tmp/t-dev-use.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(image, sizeof(image), "%s/my image", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	snprintf(proc, sizeof(proc), "%s/proc", dir);
	snprintf(sys, sizeof(sys), "%s/sys", dir);
	snprintf(devs, sizeof(devs), "%s/dev", dir);
	put(dir, "my image", "%s", "");
	put(dir, "other", "%s", "");
	fd = open(image, O_RDWR);
	if (ftruncate(fd, 1 << 20) || fstat(fd, &file))
		return -1;
	close(fd);
	memset(&disk, 0, sizeof(disk));
	disk.st_mode = S_IFBLK | 0600;
	disk.st_rdev = makedev(8, 0);
	warning[0] = '\0';
	roots = (struct use_roots){ proc, sys, devs };
	ctx = ctx_new();
	if (!ctx)
		return -1;
	ctx_set_log(ctx, keep_warning, NULL);
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int teardown(void **state)
{
	(void)state;
	ctx_free(ctx);
	return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in \"%s\"", part, text);
}

static void expect_use(const struct stat *st, enum use_kind kind,
		       const char *by)
{
	struct use use;

	use_find(&roots, st, &use);
	if (use.kind != kind)
		fail_msg("use %d instead of %d: \"%s\"", use.kind, kind,
			 use.by);
	if (kind == USE_NONE)
		assert_string_equal(use.by, "");
	else
		assert_has(use.by, by);
}

static int open_as(unsigned int flags)
{
	struct dev *dev;
	int err = dev_file_open_roots(&roots, ctx, image, flags, 0, &dev);

	if (!err)
		dev_close(dev);
	return err;
}

/* Mounts */

static void nothing_known_is_no_use(void **state)
{
	(void)state;
	expect_use(&disk, USE_NONE, "");
	expect_use(&file, USE_NONE, "");
	put(proc, "self/mountinfo", "%s", "");
	put(proc, "swaps", "Filename Type Size Used Priority\n");
	put(sys, "block/loop0/size", "0\n");
	expect_use(&disk, USE_NONE, "");
	expect_use(&file, USE_NONE, "");
}

static void mount_is_known_by_its_number(void **state)
{
	(void)state;
	put(proc, "self/mountinfo",
	    "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
	    "23 27 8:16 / /b rw shared:3 master:1 - f2fs /dev/sdb rw,x\n"
	    "24 27 8:0 / /mnt\\040a\\134b rw shared:4 - f2fs /dev/sda rw,x\n");
	expect_use(&disk, USE_BUSY, "is mounted read-write on /mnt a\\b");
	expect_use(&file, USE_NONE, "");
}

static void read_only_is_what_the_super_block_says(void **state)
{
	(void)state;
	put(proc, "self/mountinfo",
	    "24 27 8:0 / /mnt rw - f2fs /dev/sda ro,x=rw\n");
	expect_use(&disk, USE_MOUNTED_RO, "is mounted read-only on /mnt");
	put(proc, "self/mountinfo", "24 27 8:0 / /mnt ro - f2fs /dev/sda ro\n");
	expect_use(&disk, USE_MOUNTED_RO, "is mounted read-only on /mnt");
	/* A read-only bind mount of a volume that is written elsewhere. */
	put(proc, "self/mountinfo",
	    "24 27 8:0 / /mnt ro - f2fs /dev/sda rw\n");
	expect_use(&disk, USE_BUSY, "read-write on /mnt");
	put(proc, "self/mountinfo",
	    "24 27 8:0 / /a rw - f2fs /dev/sda ro\n"
	    "25 27 8:0 / /b rw - f2fs /dev/sda rw\n"
	    "26 27 8:0 / /c rw - f2fs /dev/sda ro\n");
	expect_use(&disk, USE_BUSY, "read-write on /b");
	put(proc, "self/mountinfo",
	    "24 27 8:0 / /mnt ro - f2fs /dev/sda root=7\n");
	expect_use(&disk, USE_BUSY, "read-write on /mnt");
}

static void broken_lines_are_passed_over(void **state)
{
	(void)state;
	put(proc, "self/mountinfo",
	    "\n \n- - - -\n24 27 8:0\n24 27 8:0 / /mnt rw\n"
	    "24 27 8:0 / /mnt rw shared:1\n24 27 8:0 / /mnt rw - f2fs\n"
	    "24 27 8:0 / /mnt rw - f2fs /dev/sda\n"
	    "24 27 x:0 / /mnt rw - f2fs sda rw\n");
	expect_use(&disk, USE_NONE, "");
	put(proc, "self/mountinfo", "24 27 8:0 / %0*d rw - f2fs sda rw", 9000,
	    1);
	expect_use(&disk, USE_BUSY, "is mounted read-write on 000");
}

/* Some file systems mount a file as it is. */
static void mount_is_known_by_its_source(void **state)
{
	(void)state;
	put(proc, "self/mountinfo",
	    "24 27 0:50 / /mnt rw - fuse %s/other rw\n", dir);
	expect_use(&file, USE_NONE, "");
	put(proc, "self/mountinfo",
	    "24 27 0:50 / /mnt rw - fuse %s/my\\040image rw\n", dir);
	expect_use(&file, USE_BUSY, "is mounted read-write on /mnt");
	/* The same number as the file system that holds the file. */
	put(proc, "self/mountinfo", "24 27 %u:%u / / rw - ext4 /dev/x rw\n",
	    major(file.st_dev), minor(file.st_dev));
	expect_use(&file, USE_NONE, "");
}

static void other_mount_namespaces_are_looked_into(void **state)
{
	struct use use = { .kind = USE_NONE };

	(void)state;
	put(proc, "self/mountinfo", "1 1 0:1 / / rw - tmpfs tmpfs rw\n");
	put(proc, "self/ns/mnt", "%s", "");
	put(proc, "77/mountinfo", "2 1 8:0 / /data rw - f2fs /dev/sda ro\n");
	put(proc, "x78/mountinfo", "2 1 8:0 / /wrong rw - f2fs /dev/sda rw\n");
	put(proc, "x78/ns/mnt", "%s", "");
	use_find_elsewhere(&roots, &disk, &use);
	assert_int_equal(use.kind, USE_NONE);	/* no namespace to be seen */
	put(proc, "77/ns/mnt", "%s", "");
	use_find_elsewhere(&roots, &disk, &use);
	assert_int_equal(use.kind, USE_MOUNTED_RO);
	assert_has(use.by, "read-only on /data");
	assert_has(use.by, "process 77");
}

/* Swap */

static void swap_file_is_in_use(void **state)
{
	(void)state;
	put(proc, "swaps", "Filename\t\t\tType\t\tSize\tUsed\tPriority\n"
	    "%s/other\tfile\t1\t0\t-2\n", dir);
	expect_use(&file, USE_NONE, "");
	put(proc, "swaps", "Filename\t\t\tType\t\tSize\tUsed\tPriority\n"
	    "%s/other file 1 0 -2\n%s/my\\040image      file\t1\t0\t-3\n",
	    dir, dir);
	expect_use(&file, USE_BUSY, "is in use as swap space");
}

/* Loop devices */

static void loop_is_known_by_the_name_of_its_file(void **state)
{
	(void)state;
	put(sys, "block/loop3/loop/backing_file", "%s\n", image);
	put(sys, "block/loop3/ro", "0\n");
	expect_use(&file, USE_BUSY, "is the backing file of /dev/loop3");
	expect_use(&disk, USE_NONE, "");
	put(sys, "block/loop3/ro", "1\n");
	expect_use(&file, USE_RELATED, "is the backing file of /dev/loop3");
}

/* C03: loop devices that nobody may look into, and files that are gone. */
static void unrelated_loops_stop_nobody(void **state)
{
	(void)state;
	put(sys, "block/loop0/loop/backing_file", "%s\n", other);
	put(sys, "block/loop1/loop/backing_file", "%s (deleted)\n", image);
	put(sys, "block/loop2/loop/backing_file", "/no/such/file\n");
	put(sys, "block/loop4/loop/backing_file", "%s", "");
	put(sys, "block/sda/loop/backing_file", "%s\n", image);
	put(devs, "loop0", "%s", "");
	expect_use(&file, USE_NONE, "");
	assert_int_equal(open_as(DEV_WRITE), 0);
}

static void loop_over_a_link_to_the_file_is_found(void **state)
{
	char link_name[200];

	(void)state;
	snprintf(link_name, sizeof(link_name), "%s/link", dir);
	assert_int_equal(link(image, link_name), 0);
	put(sys, "block/loop9/loop/backing_file", "%s\n", link_name);
	expect_use(&file, USE_BUSY, "/dev/loop9");
}

/* What lies on top and beside */

static void holder_is_named(void **state)
{
	(void)state;
	put(sys, "dev/block/8:0/holders/md0/x", "%s", "");
	expect_use(&disk, USE_BUSY, "is a part of /dev/md0");
}

static void device_mapper_holder_has_its_name(void **state)
{
	(void)state;
	put(sys, "dev/block/8:0/holders/dm-2/dm/name", "vg-root\n");
	put(sys, "dev/block/8:16/holders/dm-3/dm/name", "vg-home\n");
	expect_use(&disk, USE_BUSY, "is a part of /dev/dm-2 (vg-root)");
}

static void disk_of_a_mounted_partition_is_read_not_written(void **state)
{
	(void)state;
	put(sys, "dev/block/8:0/sda1/partition", "1\n");
	put(sys, "dev/block/8:0/sda1/dev", "8:1\n");
	put(sys, "dev/block/8:0/queue/dev", "8:2\n");	/* no partition */
	put(proc, "self/mountinfo", "1 1 8:2 / /x rw - f2fs /dev/sda2 rw\n");
	expect_use(&disk, USE_NONE, "");
	put(proc, "self/mountinfo", "1 1 8:1 / /x rw - f2fs /dev/sda1 ro\n");
	expect_use(&disk, USE_RELATED, "holds the partition sda1, "
		   "which is mounted read-only on /x");
}

static void disk_of_a_partition_with_a_holder_is_not_written(void **state)
{
	(void)state;
	put(sys, "dev/block/8:0/sda1/partition", "1\n");
	put(sys, "dev/block/8:0/sda1/dev", "8:1\n");
	put(sys, "dev/block/8:0/sda1/holders/dm-0/dm/name", "crypt\n");
	expect_use(&disk, USE_RELATED, "which is a part of /dev/dm-0 (crypt)");
}

static void partition_of_a_mounted_disk_is_read_not_written(void **state)
{
	char path[200];

	(void)state;
	put(sys, "devices/sda/dev", "8:0\n");
	put(sys, "devices/sda/sda1/partition", "1\n");
	put(sys, "devices/sda/sda1/dev", "8:1\n");
	put(sys, "dev/block/x", "%s", "");
	snprintf(path, sizeof(path), "%s/dev/block/8:1", sys);
	assert_int_equal(symlink("../../devices/sda/sda1", path), 0);
	disk.st_rdev = makedev(8, 1);
	expect_use(&disk, USE_NONE, "");
	put(proc, "self/mountinfo", "1 1 8:0 / /x rw - f2fs /dev/sda rw\n");
	expect_use(&disk, USE_RELATED, "lies on the disk sda, "
		   "which is mounted read-write on /x");
}

/* What opening makes of it */

static void mounted_read_write_is_never_written(void **state)
{
	(void)state;
	put(proc, "self/mountinfo",
	    "24 27 0:50 / /mnt rw - fuse %s/my\\040image rw\n", dir);
	assert_int_equal(open_as(DEV_WRITE), -EBUSY);
	assert_has(ctx_error(ctx), "my image is mounted read-write on /mnt");
	assert_int_equal(open_as(DEV_WRITE | DEV_IN_USE_OK), -EBUSY);
	assert_int_equal(open_as(DEV_WRITE | DEV_MOUNTED_RO_OK), -EBUSY);
	assert_int_equal(open_as(DEV_CREATE), -EBUSY);
	assert_int_equal(open_as(0), -EBUSY);
	assert_has(ctx_error(ctx), "my image is mounted read-write on /mnt");
	assert_int_equal(open_as(DEV_MOUNTED_RO_OK), -EBUSY);
	assert_string_equal(warning, "");
	assert_int_equal(open_as(DEV_IN_USE_OK), 0);
	assert_has(warning, "is mounted read-write on /mnt");
}

static void mounted_read_only_is_read_and_written_by_fsck_only(void **state)
{
	struct dev *dev;

	(void)state;
	put(proc, "self/mountinfo",
	    "24 27 0:50 / /mnt rw - fuse %s/my\\040image ro\n", dir);
	assert_int_equal(open_as(DEV_WRITE), -EBUSY);
	assert_has(ctx_error(ctx), "is mounted read-only on /mnt");
	assert_int_equal(open_as(DEV_WRITE | DEV_IN_USE_OK), -EBUSY);
	assert_int_equal(dev_file_open_roots(&roots, ctx, image, 0, 0, &dev),
			 0);
	assert_true(dev_file_is_mounted_ro(dev));
	dev_close(dev);
	assert_int_equal(dev_file_open_roots(&roots, ctx, image, DEV_WRITE |
					     DEV_MOUNTED_RO_OK, 0, &dev), 0);
	assert_true(dev_file_is_mounted_ro(dev));
	dev_close(dev);
	assert_string_equal(warning, "");
}

static void related_use_is_no_reason_not_to_read(void **state)
{
	(void)state;
	put(sys, "block/loop3/loop/backing_file", "%s\n", image);
	put(sys, "block/loop3/ro", "1\n");
	assert_int_equal(open_as(0), 0);
	assert_int_equal(open_as(DEV_WRITE), -EBUSY);
	assert_int_equal(open_as(DEV_WRITE | DEV_MOUNTED_RO_OK), -EBUSY);
	assert_has(ctx_error(ctx), "/dev/loop3");
}

/* Locks */

static void writer_keeps_out_everybody(void **state)
{
	struct dev *dev;

	(void)state;
	assert_int_equal(dev_file_open(ctx, image, DEV_WRITE, 0, &dev), 0);
	roots = use_system;
	assert_int_equal(open_as(DEV_WRITE), -EBUSY);
	assert_has(ctx_error(ctx), "is locked by ");
	assert_int_equal(open_as(DEV_WRITE | DEV_IN_USE_OK), -EBUSY);
	assert_int_equal(open_as(0), -EBUSY);
	assert_has(ctx_error(ctx), "is locked by ");
	assert_int_equal(open_as(DEV_IN_USE_OK), 0);
	assert_has(warning, "is locked by ");
	roots = (struct use_roots){ proc, sys, devs };
	dev_close(dev);
	assert_int_equal(open_as(DEV_WRITE), 0);
}

static void reader_keeps_out_writers_only(void **state)
{
	struct dev *dev;

	(void)state;
	assert_int_equal(dev_file_open(ctx, image, 0, 0, &dev), 0);
	assert_int_equal(open_as(0), 0);
	assert_int_equal(open_as(DEV_WRITE), -EBUSY);
	assert_has(ctx_error(ctx), "is locked by another process");
	dev_close(dev);
	assert_int_equal(open_as(DEV_WRITE), 0);
}

static void put_lock(const char *kind, const char *access, long pid)
{
	put(proc, "locks", "1: POSIX  ADVISORY  WRITE 5 %02x:%02x:%lu 0 EOF\n"
	    "2: FLOCK  ADVISORY  WRITE 6 %02x:%02x:%lu 0 EOF\n"
	    "3: %s  ADVISORY  %s %ld %02x:%02x:%lu 0 EOF\n",
	    major(file.st_dev), minor(file.st_dev), (long)file.st_ino,
	    major(file.st_dev), minor(file.st_dev), (long)file.st_ino + 1,
	    kind, access, pid, major(file.st_dev), minor(file.st_dev),
	    (long)file.st_ino);
}

static void holder_of_a_lock_is_named(void **state)
{
	struct use use = { .kind = USE_NONE };

	(void)state;
	assert_false(use_find_lock(&roots, &file, true, &use));
	put(proc, "4242/comm", "gcctl.f2fs\n");
	put_lock("FLOCK", "READ", 4242);
	assert_false(use_find_lock(&roots, &file, false, &use));
	assert_true(use_find_lock(&roots, &file, true, &use));
	assert_string_equal(use.by, "is locked by process 4242 (gcctl.f2fs)");
	put_lock("-> FLOCK", "WRITE", 4242);	/* only waits */
	assert_false(use_find_lock(&roots, &file, true, &use));
	put_lock("FLOCK", "WRITE", 99);
	use.kind = USE_NONE;
	assert_true(use_find_lock(&roots, &file, false, &use));
	assert_string_equal(use.by, "is locked by another process");
}

static void set_record_lock(int fd, short type, off_t start, off_t len)
{
	struct flock lock = {
		.l_type = type, .l_whence = SEEK_SET,
		.l_start = start, .l_len = len,
	};

	assert_int_equal(fcntl(fd, F_OFD_SETLK, &lock), 0);
}

/* User-mode Linux locks the whole file, QEMU bytes of its own. */
static void image_of_a_virtual_machine_is_in_use(void **state)
{
	int fd = open(image, O_RDWR);

	(void)state;
	set_record_lock(fd, F_WRLCK, 0, 0);
	assert_int_equal(open_as(0), -EBUSY);
	assert_int_equal(open_as(DEV_WRITE), -EBUSY);
	assert_has(ctx_error(ctx), "is locked by another process");
	set_record_lock(fd, F_UNLCK, 0, 0);
	set_record_lock(fd, F_RDLCK, 100, 1);	/* QEMU reads */
	assert_int_equal(open_as(0), 0);
	assert_int_equal(open_as(DEV_WRITE), -EBUSY);
	set_record_lock(fd, F_RDLCK, 101, 1);	/* QEMU writes */
	assert_int_equal(open_as(0), -EBUSY);
	close(fd);
	assert_int_equal(open_as(DEV_WRITE), 0);
}

/* The machine we run on */

/* Gone when it is closed, also by a test that failed or was killed. */
static int attach_loop(char *name, size_t size)
{
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int number = control < 0 ? -1 : ioctl(control, LOOP_CTL_GET_FREE);
	struct loop_config config = { .info.lo_flags = LO_FLAGS_AUTOCLEAR };
	int backing, loop;

	if (control >= 0)
		close(control);
	if (number < 0)
		return -1;
	snprintf(name, size, "/dev/loop%d", number);
	backing = open(image, O_RDWR | O_CLOEXEC);
	loop = open(name, O_RDWR | O_CLOEXEC);
	config.fd = (uint32_t)backing;
	if (loop >= 0 && ioctl(loop, LOOP_CONFIGURE, &config)) {
		close(loop);
		loop = -1;
	}
	close(backing);
	return loop;
}

static void real_loop_device_keeps_its_file(void **state)
{
	struct dev *dev, *second;
	char name[32];
	int loop = attach_loop(name, sizeof(name));

	(void)state;
	if (loop < 0) {
		print_message("no loop device can be had here\n");
		skip();
	}
	assert_int_equal(dev_file_open(ctx, image, DEV_WRITE, 0, &dev), -EBUSY);
	assert_has(ctx_error(ctx), "is the backing file of");
	assert_has(ctx_error(ctx), name);
	assert_int_equal(dev_file_open(ctx, image, 0, 0, &dev), -EBUSY);
	assert_int_equal(dev_file_open(ctx, other, DEV_WRITE, 0, &dev), 0);
	dev_close(dev);
	/* In a changed root there may be no /sys. */
	roots.dev = "/dev";
	assert_int_equal(open_as(DEV_WRITE), -EBUSY);
	assert_has(ctx_error(ctx), name);
	roots.dev = devs;
	/* The loop device itself is free, for one writer. */
	assert_int_equal(dev_file_open(ctx, name, DEV_WRITE, 0, &dev), 0);
	assert_int_equal(dev->nr_bytes, 1 << 20);
	assert_int_equal(dev_write_bytes(dev, 4096, 3, "abc"), 0);
	assert_int_equal(dev_flush(dev), 0);
	assert_false(dev_is_hole(dev, 0, 1));
	assert_int_equal(dev_file_open(ctx, name, DEV_WRITE, 0, &second),
			 -EBUSY);
	assert_has(ctx_error(ctx), "is locked by");
	assert_int_equal(dev_file_open(ctx, name, 0, 0, &second), -EBUSY);
	dev_close(dev);
	assert_int_equal(dev_file_open(ctx, name, 0, 0, &dev), 0);
	assert_int_equal(dev_file_open(ctx, name, 0, 0, &second), 0);
	dev_close(second);
	dev_close(dev);
	close(loop);
	assert_int_equal(dev_file_open(ctx, image, DEV_WRITE, 0, &dev), 0);
	dev_close(dev);
}

/* A block device that somebody has claimed without a trace in /proc or /sys. */
static void claimed_device_is_not_written(void **state)
{
	struct dev *dev;
	struct stat st;
	char name[32];
	int claim, loop = attach_loop(name, sizeof(name));

	(void)state;
	if (loop < 0) {
		print_message("no loop device can be had here\n");
		skip();
	}
	claim = open(name, O_RDONLY | O_EXCL | O_CLOEXEC);
	assert_true(claim >= 0);
	assert_int_equal(dev_file_open(ctx, name, DEV_WRITE, 0, &dev), -EBUSY);
	assert_has(ctx_error(ctx), "is claimed by");
	assert_int_equal(dev_file_open(ctx, name, 0, 0, &dev), -EBUSY);
	assert_int_equal(dev_file_open(ctx, name, DEV_IN_USE_OK, 0, &dev), 0);
	assert_has(warning, "is claimed by");
	dev_close(dev);
	/* Found in another mount namespace: that says what may be done. */
	assert_int_equal(stat(name, &st), 0);
	put(proc, "self/ns/mnt", "%s", "");
	put(proc, "77/ns/mnt", "%s", "");
	put(proc, "77/mountinfo", "2 1 %u:%u / /data rw - f2fs %s ro\n",
	    major(st.st_rdev), minor(st.st_rdev), name);
	assert_int_equal(dev_file_open_roots(&roots, ctx, name, 0, 0, &dev), 0);
	assert_true(dev_file_is_mounted_ro(dev));
	dev_close(dev);
	assert_int_equal(dev_file_open_roots(&roots, ctx, name, DEV_WRITE, 0,
					     &dev), -EBUSY);
	assert_has(ctx_error(ctx), "is mounted read-only on /data");
	close(claim);
	assert_int_equal(dev_file_open(ctx, name, DEV_WRITE, 0, &dev), 0);
	dev_close(dev);
	close(loop);
}

/* The device under / as /proc/mounts names it; "" if that is no device. */
/* What no lock keeps out is seen when it is looked for. */
static void a_use_that_comes_later_is_seen(void **state)
{
	struct dev *dev;

	(void)state;
	assert_int_equal(dev_file_open_roots(&roots, ctx, image, DEV_WRITE, 0,
					     &dev), 0);
	assert_int_equal(dev_look_again(dev), 0);
	put(sys, "block/loop5/loop/backing_file", "%s\n", image);
	assert_int_equal(dev_look_again(dev), -EBUSY);
	assert_has(ctx_error(ctx), "is the backing file of /dev/loop5");
	put(sys, "block/loop5/loop/backing_file", "%s\n", other);
	assert_int_equal(dev_look_again(dev), 0);
	assert_int_equal(truncate(image, 4096), 0);
	assert_int_equal(dev_look_again(dev), -EIO);
	assert_has(ctx_error(ctx), "was cut off");
	dev_close(dev);
	assert_int_equal(dev_file_open_roots(&roots, ctx, image, 0, 0, &dev),
			 0);
	put(sys, "block/loop5/loop/backing_file", "%s\n", image);
	assert_int_equal(dev_look_again(dev), 0);
	dev_close(dev);
}

static void find_root_device(char *name, size_t size)
{
	FILE *f = fopen("/proc/mounts", "r");
	char line[1024], source[256], point[256];
	struct stat st;

	name[0] = '\0';
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%255s %255s", source, point) == 2 &&
		    !strcmp(point, "/") && !stat(source, &st) &&
		    S_ISBLK(st.st_mode))
			snprintf(name, size, "%s", source);
	if (f)
		fclose(f);
}

static void real_root_device_is_refused(void **state)
{
	struct dev *dev;
	char name[256];

	(void)state;
	find_root_device(name, sizeof(name));
	if (!name[0]) {
		print_message("the root file system is on no block device\n");
		skip();
	}
	assert_int_equal(dev_file_open(ctx, name, DEV_WRITE, 0, &dev), -EBUSY);
	assert_has(ctx_error(ctx), name);
	assert_has(ctx_error(ctx), "is mounted read-");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(nothing_known_is_no_use),
		T(mount_is_known_by_its_number),
		T(read_only_is_what_the_super_block_says),
		T(broken_lines_are_passed_over),
		T(mount_is_known_by_its_source),
		T(other_mount_namespaces_are_looked_into),
		T(swap_file_is_in_use),
		T(loop_is_known_by_the_name_of_its_file),
		T(unrelated_loops_stop_nobody),
		T(loop_over_a_link_to_the_file_is_found),
		T(holder_is_named),
		T(device_mapper_holder_has_its_name),
		T(disk_of_a_mounted_partition_is_read_not_written),
		T(disk_of_a_partition_with_a_holder_is_not_written),
		T(partition_of_a_mounted_disk_is_read_not_written),
		T(mounted_read_write_is_never_written),
		T(mounted_read_only_is_read_and_written_by_fsck_only),
		T(related_use_is_no_reason_not_to_read),
		T(writer_keeps_out_everybody),
		T(reader_keeps_out_writers_only),
		T(holder_of_a_lock_is_named),
		T(image_of_a_virtual_machine_is_in_use),
		T(real_loop_device_keeps_its_file),
		T(claimed_device_is_not_written),
		T(a_use_that_comes_later_is_seen),
		T(real_root_device_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
