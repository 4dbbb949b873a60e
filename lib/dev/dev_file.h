/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Devices that are a regular file or a block device, and who else uses them. */
#ifndef F2CORE_DEV_DEV_FILE_H
#define F2CORE_DEV_DEV_FILE_H

#include "dev/dev.h"

enum dev_open_flags {
	DEV_WRITE	= 1 << 0,	/* for writing; takes our exclusive lock */
	DEV_CREATE	= 1 << 1,	/* make the file if not there; implies writing */
	DEV_IN_USE_OK	= 1 << 2,	/* --force of a read-only report: warn only */
	DEV_MOUNTED_RO_OK = 1 << 3,	/* fsck may write where mounted read-only */
	DEV_NO_PREFETCH	= 1 << 4,	/* dev->no_prefetch, and the system reads
					 * no block that it was not asked for */
};

/*
 * Open @path. Refused with -EBUSY and a message that says by whom, unless a
 * flag allows it, when the volume
 *  - is mounted read-write, here or in another mount namespace that can be
 *    seen, is swap, backs a loop device, is part of a device on top of it
 *    (LVM, RAID, encryption), or is locked by another of our tools or a
 *    virtual machine: never written, read only with DEV_IN_USE_OK;
 *  - is mounted read-only: read, and written only with DEV_MOUNTED_RO_OK;
 *  - backs a read-only loop device, or is the disk of a partition that is in
 *    use, or the other way round: read, never written.
 * While open it is locked by flock: writers keep out everybody, readers keep
 * out writers. Directories, pipes, sockets and character devices are refused
 * with -EINVAL. A size of 0 is no error here.
 * @create_bytes: size of a file made with DEV_CREATE; one that is there keeps
 * its size.
 */
int dev_file_open(struct f2c_ctx *ctx, const char *path, unsigned int flags,
		  uint64_t create_bytes, struct dev **out);

/* Whether the opened device is mounted read-only somewhere. */
bool dev_file_is_mounted_ro(const struct dev *dev);

#endif
