/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A disk on which each request takes a given time, for seeing what waiting
 * costs: a FUSE file system with two files. "disk" has the bytes of BACKING;
 * requests to it overlap up to a depth, and the system's page cache is in front
 * of it as with any disk. "stats" says how many requests and bytes there were,
 * and forgets them when it is written to.
 *
 * usage: slow-disk [-r READ_US] [-w WRITE_US] [-f FLUSH_US] [-q DEPTH]
 *		    BACKING MOUNTPOINT
 *
 * Defaults: 150, 30, 500, 32. Runs until it is unmounted or interrupted.
 */
#define FUSE_USE_VERSION 312
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ROOT = FUSE_ROOT_ID, DISK, STATS };

static const char *const names[] = { [DISK] = "disk", [STATS] = "stats" };

enum kind { READ, WRITE, FLUSH, KINDS };

static const char *const kinds[] = { "reads", "writes", "flushes" };
static long cost_us[KINDS] = { 150, 30, 500 };
static atomic_long requests[KINDS], bytes[KINDS];
static sem_t slots;
static int backing;
static off_t disk_size;

/* One request in one of the slots; begin() to end() takes its time. */
static struct timespec begin(void)
{
	struct timespec start;

	sem_wait(&slots);
	clock_gettime(CLOCK_MONOTONIC, &start);
	return start;
}

static void end(struct timespec at, enum kind kind, size_t size)
{
	static _Thread_local int is_exact;

	if (!is_exact)
		is_exact = !prctl(PR_SET_TIMERSLACK, 1UL);
	requests[kind]++;
	bytes[kind] += (long)size;
	at.tv_nsec += cost_us[kind] * 1000;
	at.tv_sec += at.tv_nsec / 1000000000;
	at.tv_nsec %= 1000000000;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
	sem_post(&slots);
}

static size_t print_stats(char *text, size_t size)
{
	size_t at = 0;

	for (int k = 0; k < KINDS; k++)
		at += (size_t)snprintf(text + at, size - at, "%s %ld\n%s_bytes %ld\n",
				       kinds[k], requests[k], kinds[k], bytes[k]);
	return at;
}

static void fill_stat(fuse_ino_t ino, struct stat *st)
{
	memset(st, 0, sizeof(*st));
	st->st_ino = ino;
	st->st_mode = ino == ROOT ? S_IFDIR | 0755 : S_IFREG | 0644;
	st->st_nlink = 1;
	st->st_size = ino == DISK ? disk_size : 0;
}

static void do_getattr(fuse_req_t req, fuse_ino_t ino,
		       struct fuse_file_info *fi)
{
	struct stat st;

	(void)fi;
	fill_stat(ino, &st);
	fuse_reply_attr(req, &st, 3600);
}

/* The size of neither can be changed. */
static void do_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr,
		       int to_set, struct fuse_file_info *fi)
{
	(void)attr;
	(void)to_set;
	do_getattr(req, ino, fi);
}

static void do_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param e = { .attr_timeout = 3600, .entry_timeout = 3600 };

	(void)parent;
	for (fuse_ino_t i = DISK; i <= STATS; i++)
		if (!strcmp(name, names[i]))
			e.ino = i;
	if (!e.ino) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	fill_stat(e.ino, &e.attr);
	fuse_reply_entry(req, &e);
}

static void do_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	fi->keep_cache = ino == DISK;
	fi->direct_io = ino == STATS;
	fuse_reply_open(req, fi);
}

static void do_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi)
{
	char text[256];
	struct timespec at;
	char *buf;
	ssize_t n;

	(void)fi;
	if (ino == STATS) {
		n = (ssize_t)print_stats(text, sizeof(text));
		fuse_reply_buf(req, text, off < n ? (size_t)n : 0);
		return;
	}
	buf = malloc(size);
	at = begin();
	n = buf ? pread(backing, buf, size, off) : -1;
	end(at, READ, size);
	if (n < 0)
		fuse_reply_err(req, EIO);
	else
		fuse_reply_buf(req, buf, (size_t)n);
	free(buf);
}

static void do_write(fuse_req_t req, fuse_ino_t ino, const char *buf,
		     size_t size, off_t off, struct fuse_file_info *fi)
{
	struct timespec at;
	ssize_t n;

	(void)fi;
	if (ino == STATS) {
		for (int k = 0; k < KINDS; k++)
			requests[k] = bytes[k] = 0;
		fuse_reply_write(req, size);
		return;
	}
	at = begin();
	n = pwrite(backing, buf, size, off);
	end(at, WRITE, size);
	if (n < 0)
		fuse_reply_err(req, EIO);
	else
		fuse_reply_write(req, (size_t)n);
}

static void do_fsync(fuse_req_t req, fuse_ino_t ino, int datasync,
		     struct fuse_file_info *fi)
{
	(void)ino;
	(void)datasync;
	(void)fi;
	end(begin(), FLUSH, 0);
	fuse_reply_err(req, 0);
}

/* Else the system asks for no more than two dozen at a time. */
static void do_init(void *priv, struct fuse_conn_info *conn)
{
	(void)priv;
	conn->max_background = 256;
	conn->congestion_threshold = 256;
}

static const struct fuse_lowlevel_ops ops = {
	.init = do_init,
	.lookup = do_lookup,
	.getattr = do_getattr,
	.setattr = do_setattr,
	.open = do_open,
	.read = do_read,
	.write = do_write,
	.fsync = do_fsync,
};

static int serve(const char *mountpoint, unsigned int depth)
{
	char *argv[] = { (char *)"slow-disk", (char *)"-ofsname=slow-disk", NULL };
	struct fuse_args args = FUSE_ARGS_INIT(2, argv);
	struct fuse_loop_config *config = fuse_loop_cfg_create();
	struct fuse_session *se = fuse_session_new(&args, &ops, sizeof(ops),
						   NULL);
	int err;

	if (!se || !config || fuse_set_signal_handlers(se) ||
	    fuse_session_mount(se, mountpoint))
		return 1;
	fuse_loop_cfg_set_clone_fd(config, 1);
	fuse_loop_cfg_set_max_threads(config, depth + 8);
	fuse_loop_cfg_set_idle_threads(config, depth + 8);
	err = fuse_session_loop_mt(se, config);
	fuse_session_unmount(se);
	fuse_session_destroy(se);
	fuse_loop_cfg_destroy(config);
	return err != 0;
}

int main(int argc, char **argv)
{
	unsigned int depth = 32;
	int opt;

	while ((opt = getopt(argc, argv, "r:w:f:q:")) > 0) {
		if (opt == '?')
			return 2;
		if (opt == 'q')
			depth = (unsigned int)atoi(optarg);
		else
			cost_us[opt == 'r' ? READ : opt == 'w' ? WRITE : FLUSH] =
				atol(optarg);
	}
	if (argc - optind != 2)
		return 2;
	backing = open(argv[optind], O_RDWR | O_CLOEXEC);
	disk_size = backing < 0 ? -1 : lseek(backing, 0, SEEK_END);
	if (disk_size < 0 || sem_init(&slots, 0, depth)) {
		perror(argv[optind]);
		return 1;
	}
	return serve(argv[optind + 1], depth);
}
