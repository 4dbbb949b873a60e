/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bare reader, for comparison: reads the blocks of 4096 bytes whose addresses
 * are on standard input, in that order, so many at a time, and prints the
 * milliseconds. The file is dropped from the page cache before.
 *
 * usage: read-blocks DEPTH FILE
 */
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 4096, MOST_BLOCKS = 1 << 20, MOST_THREADS = 256 };

static long *blks;
static size_t nr_blks;
static atomic_size_t next;
static int fd;

static void *reader(void *arg)
{
	char buf[BLOCK];
	size_t i;

	(void)arg;
	while ((i = next++) < nr_blks)
		if (pread(fd, buf, BLOCK, (off_t)blks[i] * BLOCK) != BLOCK) {
			perror("read");
			exit(1);
		}
	return NULL;
}

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	int depth = argc == 3 ? atoi(argv[1]) : 0;
	pthread_t threads[MOST_THREADS];
	double start;

	if (depth < 1 || depth > MOST_THREADS)
		return 2;
	blks = malloc(MOST_BLOCKS * sizeof(*blks));
	fd = open(argv[2], O_RDONLY | O_CLOEXEC);
	if (!blks || fd < 0) {
		perror(argv[2]);
		return 1;
	}
	while (nr_blks < MOST_BLOCKS && scanf("%ld", &blks[nr_blks]) == 1)
		nr_blks++;
	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	start = now_ms();
	for (int i = 0; i < depth; i++)
		if (pthread_create(&threads[i], NULL, reader, NULL))
			return 1;
	for (int i = 0; i < depth; i++)
		pthread_join(threads[i], NULL);
	printf("%.2f\n", now_ms() - start);
	return 0;
}
