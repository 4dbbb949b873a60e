/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * To be preloaded: each time the program has read a block at the byte DROP_AT
 * of a file, the file is made durable and dropped from the page cache. Before
 * a commit the heads of both checkpoint packs are read, so what it reads after
 * them can be made to come from the disk.
 */
#include "config.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

typedef ssize_t pread_fn(int fd, void *buf, size_t size, off64_t off);

__attribute__((visibility("default")))
ssize_t pread64(int fd, void *buf, size_t size, off64_t off)
{
	static pread_fn *next;
	const char *at = getenv("DROP_AT");
	ssize_t n;

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "pread64");
	n = next(fd, buf, size, off);
	if (at && off == atoll(at)) {
		fdatasync(fd);
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	}
	return n;
}

ssize_t pread(int fd, void *buf, size_t size, off64_t off)
	__attribute__((alias("pread64"), visibility("default")));
