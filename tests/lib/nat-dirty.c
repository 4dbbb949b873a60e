/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A commit of nothing but NAT entries that became dirty, so that what it costs
 * is seen, and each case of it can be made. The entries are those that were
 * there, so the volume stays as it is.
 *
 * usage: nat-dirty [OPTION]... IMAGE BLOCK:ENTRIES...
 *	  nat-dirty [OPTION]... IMAGE orphans | used [N]
 *
 * BLOCK:ENTRIES makes the first so many entries of a NAT block dirty (from nid
 * 3 on in block 0). "orphans" takes the entry of each orphan; "used" one entry
 * of each of the first N NAT blocks that have one in use.
 *
 *   --cold		drop the image from the page cache before the commit
 *   --reset=FILE	and write a line to this file: counts begin there
 *   --no-prefetch	read one block at a time
 *   --list		print the addresses of the blocks to be read, and end
 *
 * Prints the figures of the commit as a JSON object.
 */
#include "config.h"

#include "base/bits.h"
#include "base/ctx.h"
#include "dev/dev_file.h"
#include "engine/commit.h"
#include "meta/volume.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct job {
	bool cold, no_prefetch, list;
	const char *path;
	const char *reset;		/* or NULL */
	struct volume *vol;
};

static int dirty(struct job *job, uint32_t nid)
{
	struct nat_entry e = nat_get(&job->vol->nat, nid);

	return nat_set(&job->vol->nat, nid, &e);
}

static int dirty_block(struct job *job, const char *arg)
{
	uint32_t i, nr, first;

	if (sscanf(arg, "%" SCNu32 ":%" SCNu32, &i, &nr) != 2 ||
	    i >= job->vol->lo.nr_nat_blks || nr > job->vol->lo.nats_per_block)
		return -EINVAL;
	first = i ? i * job->vol->lo.nats_per_block : OD_ROOT_INO;
	for (uint32_t n = 0; n < nr; n++)
		if (dirty(job, first + n))
			return -ENOMEM;
	return 0;
}

static int dirty_orphans(struct job *job)
{
	int err = 0;

	for (uint32_t k = 0; !err && k < job->vol->cp.nr_orphans; k++)
		err = dirty(job, job->vol->cp.orphans[k]);
	return err;
}

static int dirty_used(struct job *job, uint64_t most)
{
	uint32_t nid = 0, per_block = job->vol->lo.nats_per_block;
	struct nat_entry e;
	int err = 0;

	for (; !err && most-- && nat_next(&job->vol->nat, &nid, &e);
	     nid = (nid / per_block + 1) * per_block)
		err = dirty(job, nid);
	return err;
}

static void list_blocks(const struct volume *vol)
{
	struct nat_entry e;

	for (uint32_t nid = 0; nat_next_dirty(&vol->nat, &nid, &e); ) {
		uint32_t i = nid_to_nat_block(&vol->lo, nid);

		printf("%" PRIu32 "\n",
		       nat_block_blk(&vol->lo, i,
				     bit_test_msb(vol->cp.nat_bitmap, i)));
		nid = (i + 1) * vol->lo.nats_per_block;
	}
}

static int drop_cache(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = fsync(fd) ? -errno : posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	close(fd);
	return err;
}

static int write_line(const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return -errno;
	fputs("0\n", f);
	return fclose(f) ? -errno : 0;
}

static int choose(struct job *job, int argc, char **argv)
{
	int err = argc ? 0 : -EINVAL;

	if (argc && !strcmp(argv[0], "orphans"))
		return dirty_orphans(job);
	if (argc && !strcmp(argv[0], "used"))
		return dirty_used(job, argc > 1 ? strtoull(argv[1], NULL, 10) :
						  UINT64_MAX);
	for (int i = 0; !err && i < argc; i++)
		err = dirty_block(job, argv[i]);
	return err;
}

static void print_stats(const struct commit_stats *s)
{
	printf("{ \"blocks_touched\": %" PRIu64 ", \"blocks_read\": %" PRIu64
	       ", \"blocks_written\": %" PRIu64 ", \"journal_hits\": %" PRIu64
	       ", \"nat_flush_ms\": %.3f, \"sit_flush_ms\": %.3f, "
	       "\"sync_ms\": %.3f, \"checkpoint_ms\": %.3f, \"barriers_ms\": %.3f }\n",
	       s->nat_blocks_touched, s->nat_blocks_read, s->nat_blocks_written,
	       s->nat_journal_hits, s->nat_flush_ms, s->sit_flush_ms,
	       s->sync_ms, s->checkpoint_ms, s->barriers_ms);
}

static int work(struct job *job, int argc, char **argv)
{
	struct commit_stats stats = { 0 };
	int err = choose(job, argc, argv);

	if (err)
		return err;
	if (job->list) {
		list_blocks(job->vol);
		return 0;
	}
	if (job->cold)
		err = drop_cache(job->path);
	if (!err && job->reset)
		err = write_line(job->reset);
	if (!err)
		err = commit(job->vol, &stats);
	if (!err)
		print_stats(&stats);
	return err;
}

static int run(struct job *job, int argc, char **argv)
{
	struct f2c_ctx *ctx = ctx_new();
	struct dev *dev = NULL;
	int err;

	if (!ctx)
		return 1;
	err = dev_file_open(ctx, job->path, DEV_WRITE |
			    (job->no_prefetch ? DEV_NO_PREFETCH : 0), 0, &dev);
	if (!err)
		err = volume_open(ctx, dev, &job->vol, NULL);
	if (err)
		dev_close(dev);
	else
		err = work(job, argc, argv);
	if (err)
		fprintf(stderr, "nat-dirty: %s: %s\n", strerror(-err),
			ctx_error(ctx));
	volume_close(job->vol);
	ctx_free(ctx);
	return err ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct job job = { .cold = false };
	int i;

	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		job.cold |= !strcmp(argv[i], "--cold");
		job.no_prefetch |= !strcmp(argv[i], "--no-prefetch");
		job.list |= !strcmp(argv[i], "--list");
		if (!strncmp(argv[i], "--reset=", 8))
			job.reset = argv[i] + 8;
	}
	if (argc - i < 2)
		return 2;
	job.path = argv[i];
	return run(&job, argc - i - 1, argv + i + 1);
}
