/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Devices that are a regular file or a block device, and who else uses them. */
#ifndef F2CORE_DEV_DEV_FILE_H
#define F2CORE_DEV_DEV_FILE_H

#include "dev/dev.h"

enum dev_open_flags {
	DEV_WRITE	= 1 << 0,	/* for writing; takes our exclusive lock */
	DEV_CREATE	= 1 << 1,	/* make the file if it is not there */
	DEV_IN_USE_OK	= 1 << 2,	/* --force of a read-only report: warn only */
	DEV_MOUNTED_RO_OK = 1 << 3,	/* fsck may write where mounted read-only */
};

/*
 * Open @path. Refused with -EBUSY and a message that says by whom, unless a
 * flag allows it: mounted read-write here or in another mount namespace that
 * can be seen (O_EXCL on block devices), swap, the backing file of a loop
 * device in use, locked by another of our tools (flock). Mounted read-only:
 * reading is allowed, writing only with DEV_MOUNTED_RO_OK. Directories, pipes
 * and sockets are refused with -EINVAL.
 * @create_bytes: size of a file made with DEV_CREATE; 0 otherwise.
 */
int dev_file_open(struct f2c_ctx *ctx, const char *path, unsigned int flags,
		  uint64_t create_bytes, struct dev **out);

/* Whether the opened device is mounted read-only somewhere. */
bool dev_file_is_mounted_ro(const struct dev *dev);

#endif
