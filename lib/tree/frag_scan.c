/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The yardstick of a whole volume: one scan of its nodes. */
#include "config.h"

#include "tree/frag_files.h"
#include "base/setsum.h"
#include "base/work.h"

#include <errno.h>
#include <stdlib.h>

struct feed {
	struct volume *vol;
	struct frag_collector **c;	/* one a worker */
	uint64_t key;
	uint64_t *sums;			/* of addresses; one a worker */
};

/*
 * Every address in every slot that the engines would follow, so that they can
 * be held against the SIT.
 */
static void sum_slots(struct feed *feed, unsigned int worker,
		      const le32 *addrs, uint32_t nr)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t blk = le32_get(addrs[i]);

		if (blk_is_real(blk))
			sum += setsum_of(feed->key, blk);
	}
	feed->sums[worker] += sum;
}

static int feed_node(void *priv, unsigned int worker,
		     const struct node_visit *v)
{
	struct feed *feed = priv;
	const struct layout *lo = &feed->vol->lo;
	const struct od_node_foot *foot;
	struct inode inode;
	struct fault fault;

	/* What lies nowhere is left to checks; what cannot be read is not
	 * left out of a report in silence. */
	if (!v->block)
		return blk_is_main(lo, v->nat.blk) ? -EIO : 0;
	foot = node_foot(lo, v->block);
	if (le32_get(foot->nid) != v->nid)
		return 0;
	if (v->nat.ino == v->nid) {
		if (inode_decode(lo, v->block, &inode, &fault))
			return 0;
		if (inode_has_blocks(&inode))
			sum_slots(feed, worker,
				  inode_file_addrs(&inode, v->block),
				  inode.nr_addrs);
		return frag_feed_inode(feed->c[worker], &inode, v->block);
	}
	if (node_kind(lo, foot_ofs(foot)) != NODE_DIRECT)
		return 0;
	sum_slots(feed, worker, node_slots(v->block), lo->addrs_per_node);
	return frag_feed_direct(feed->c[worker], v->block);
}

/* @files: NULL for the totals alone. */
static int scan(struct volume *vol, unsigned int nr_threads,
		struct frag_file_vec *files, struct frag *out)
{
	struct feed feed = { .vol = vol, .key = setsum_key() };
	int err = 0;

	nr_threads = work_nr_threads(nr_threads, vol->lo.nr_main_segs);
	feed.c = calloc(nr_threads, sizeof(*feed.c));
	feed.sums = calloc(nr_threads, sizeof(*feed.sums));
	if (!feed.c || !feed.sums) {
		err = ctx_nomem(vol->ctx, "a list of collectors");
		nr_threads = 0;
	}
	for (unsigned int i = 0; !err && i < nr_threads; i++) {
		feed.c[i] = frag_collector_new(&vol->lo);
		if (!feed.c[i])
			err = ctx_nomem(vol->ctx, "a collector");
		else if (files)
			frag_collector_keep_files(feed.c[i]);
	}
	if (!err)
		err = node_scan(vol, nr_threads, feed_node, &feed);
	if (!err && files)
		err = frag_finish_files(vol, feed.c, nr_threads, files, out);
	else if (!err)
		err = frag_finish(vol, feed.c, nr_threads, out);
	if (!err)
		frag_free_space(vol, out);
	out->file_blocks_sum = 0;
	for (unsigned int i = 0; i < nr_threads; i++) {
		out->file_blocks_sum += feed.sums[i];
		frag_collector_free(feed.c[i]);
	}
	free(feed.sums);
	free(feed.c);
	return err;
}

int frag_scan(struct volume *vol, unsigned int nr_threads, struct frag *out)
{
	return scan(vol, nr_threads, NULL, out);
}

int frag_list(struct volume *vol, unsigned int nr_threads,
	      struct frag_file_vec *files, struct frag *total)
{
	return scan(vol, nr_threads, files, total);
}
