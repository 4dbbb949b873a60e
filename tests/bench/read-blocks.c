/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the blocks of 4096 bytes whose addresses are on standard input, in that
 * order, and prints the milliseconds; the file is dropped from the page cache
 * before. HOW is
 *   a number	so many at a time, a bare reader for comparison
 *   hints:GAP	one after another behind hints of dev/prefetch, which read
 *		through gaps of so many blocks
 *   span	all from the first to the last, a MiB at a time
 *
 * usage: read-blocks HOW FILE
 */
#include "config.h"

#include "base/ctx.h"
#include "dev/dev_file.h"
#include "dev/prefetch.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 4096, MOST_BLOCKS = 1 << 20, MOST_THREADS = 256, RUN = 256 };

static uint32_t *blks;
static size_t nr_blks;
static atomic_size_t next;
static int fd;

static void must_read(uint32_t blk, size_t nr, void *buf)
{
	ssize_t n = pread(fd, buf, nr * BLOCK, (off_t)blk * BLOCK);

	if (n <= 0) {
		perror("read");
		exit(1);
	}
}

static void *reader(void *arg)
{
	char buf[BLOCK];
	size_t i;

	(void)arg;
	while ((i = next++) < nr_blks)
		must_read(blks[i], 1, buf);
	return NULL;
}

static void read_deep(int depth)
{
	pthread_t threads[MOST_THREADS];

	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	for (int i = 0; i < depth; i++)
		if (pthread_create(&threads[i], NULL, reader, NULL))
			exit(1);
	for (int i = 0; i < depth; i++)
		pthread_join(threads[i], NULL);
}

static void read_hinted(struct dev *dev, uint32_t gap)
{
	struct prefetch pf;
	char buf[BLOCK];

	prefetch_start(&pf, dev, blks, nr_blks, gap, PREFETCH_WINDOW);
	for (size_t i = 0; i < nr_blks; i++) {
		prefetch_reach(&pf, i);
		if (dev_read(dev, blks[i], 1, buf))
			exit(1);
	}
}

static void read_span(void)
{
	static char buf[RUN * BLOCK];

	for (uint32_t blk = blks[0]; blk <= blks[nr_blks - 1]; blk += RUN) {
		uint32_t left = blks[nr_blks - 1] - blk + 1;

		must_read(blk, left < RUN ? left : RUN, buf);
	}
}

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void read_all(const char *how, struct dev *dev)
{
	double start;

	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	start = now_ms();
	if (!strncmp(how, "hints:", 6))
		read_hinted(dev, (uint32_t)atoi(how + 6));
	else if (!strcmp(how, "span"))
		read_span();
	else
		read_deep(atoi(how));
	printf("%.2f\n", now_ms() - start);
}

int main(int argc, char **argv)
{
	struct f2c_ctx *ctx = ctx_new();
	struct dev *dev;

	if (argc != 3 || atoi(argv[1]) > MOST_THREADS)
		return 2;
	blks = malloc(MOST_BLOCKS * sizeof(*blks));
	fd = open(argv[2], O_RDONLY | O_CLOEXEC);
	if (!blks || fd < 0 || !ctx || dev_file_open(ctx, argv[2], 0, 0, &dev)) {
		perror(argv[2]);
		return 1;
	}
	while (nr_blks < MOST_BLOCKS && scanf("%" SCNu32, &blks[nr_blks]) == 1)
		nr_blks++;
	if (nr_blks)
		read_all(argv[1], dev);
	dev_close(dev);
	ctx_free(ctx);
	return 0;
}
