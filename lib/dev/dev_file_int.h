/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What dev_open.c sets up and dev_file.c works on. */
#ifndef F2CORE_DEV_DEV_FILE_INT_H
#define F2CORE_DEV_DEV_FILE_INT_H

#include "dev/dev_use.h"

struct dev_file {
	struct dev dev;
	int fd;				/* holds the lock */
	int direct_fd;			/* for large writes; -1: not opened */
	bool no_direct;			/* not on this device */
	bool is_block;
	bool mounted_ro;
	const struct use_roots *roots;
	enum use_kind use;		/* when it was opened */
	bool unflushed;			/* written since the last flush */
	int flush_err;			/* a failed flush is failed for good */
};

extern const struct dev_ops dev_file_ops;

/*
 * open() that never returns 0, 1 or 2: where a program was started without
 * one of them, what it prints there would be written to the device.
 */
int dev_file_open_fd(const char *path, int flags, mode_t mode);

#endif
