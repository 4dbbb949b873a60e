/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded into a program, it signals it at a certain flush or write of its
 * volume: SIGNAL_AT="SIGNO FLUSHES WRITES" means so many writes after so many
 * flushes. What was asked for is done first.
 */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int nr_flushes, nr_writes;	/* the latter since the last flush */

static void look(void)
{
	const char *at = getenv("SIGNAL_AT");
	int signo, flushes, writes;

	if (at && sscanf(at, "%d %d %d", &signo, &flushes, &writes) == 3 &&
	    nr_flushes == flushes && nr_writes == writes)
		raise(signo);
}

__attribute__((visibility("default")))
int fdatasync(int fd)
{
	int err = (int)syscall(SYS_fdatasync, fd);

	nr_flushes++;
	nr_writes = 0;
	look();
	return err;
}

__attribute__((visibility("default")))
ssize_t pwrite(int fd, const void *buf, size_t len, off_t off)
{
	struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };
	ssize_t n = pwritev(fd, &iov, 1, off);

	nr_writes++;
	look();
	return n;
}
