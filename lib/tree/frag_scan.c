/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The yardstick of a whole volume: one scan of its nodes, one of its SIT. */
#include "config.h"

#include "tree/frag.h"
#include "base/work.h"

#include <errno.h>
#include <stdlib.h>

struct feed {
	struct volume *vol;
	struct frag_collector **c;	/* one a worker */
};

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
		return frag_feed_inode(feed->c[worker], &inode, v->block);
	}
	if (node_kind(lo, foot_ofs(foot)) != NODE_DIRECT)
		return 0;
	return frag_feed_direct(feed->c[worker], v->block);
}

int frag_scan(struct volume *vol, unsigned int nr_threads, struct frag *out)
{
	struct feed feed = { .vol = vol };
	int err = 0;

	nr_threads = work_nr_threads(nr_threads, vol->lo.nr_main_segs);
	feed.c = calloc(nr_threads, sizeof(*feed.c));
	if (!feed.c)
		return ctx_nomem(vol->ctx, "a list of collectors");
	for (unsigned int i = 0; !err && i < nr_threads; i++) {
		feed.c[i] = frag_collector_new(&vol->lo);
		if (!feed.c[i])
			err = ctx_nomem(vol->ctx, "a collector");
	}
	if (!err)
		err = node_scan(vol, nr_threads, feed_node, &feed);
	if (!err)
		err = frag_finish(vol, feed.c, nr_threads, out);
	if (!err)
		frag_free_space(vol, out);
	for (unsigned int i = 0; i < nr_threads; i++)
		frag_collector_free(feed.c[i]);
	free(feed.c);
	return err;
}

struct free_runs {
	uint64_t blocks;
	uint64_t nr;
	uint64_t longest;
	uint64_t open;			/* blocks of the run that goes on */
};

static void end_run(struct free_runs *r)
{
	if (r->open > r->longest)
		r->longest = r->open;
	r->open = 0;
}

static void add_free(struct free_runs *r, uint32_t nr)
{
	if (!r->open)
		r->nr++;
	r->open += nr;
	r->blocks += nr;
}

static void add_segment(struct free_runs *r, const struct layout *lo,
			const struct sit_seg *seg)
{
	if (!seg->valid) {
		add_free(r, lo->blks_per_seg);
		return;
	}
	for (uint32_t i = 0; i < lo->blks_per_seg; i++) {
		if (seg->map[i / 8] & 0x80 >> i % 8)
			end_run(r);
		else
			add_free(r, 1);
	}
}

/* Dirty: some blocks valid, not all, and no log is at work there. */
static void count_dirty_secs(const struct volume *vol, struct frag *out)
{
	const struct layout *lo = &vol->lo;

	out->dirty_secs = 0;
	for (uint32_t i = 0; i < lo->nr_main_secs; i++) {
		uint32_t valid = sit_sec_valid(&vol->sit, i);

		if (valid && valid < blks_per_sec(lo) &&
		    !volume_sec_is_current(vol, i))
			out->dirty_secs++;
	}
}

void frag_free_space(const struct volume *vol, struct frag *out)
{
	const struct layout *lo = &vol->lo;
	struct free_runs runs = { 0 };

	out->dirty_segs = 0;
	for (uint32_t i = 0; i < lo->nr_main_segs; i++) {
		const struct sit_seg *seg = sit_get(&vol->sit, i);

		add_segment(&runs, lo, seg);
		if (seg->valid && seg->valid < lo->blks_per_seg &&
		    !volume_seg_is_current(vol, i))
			out->dirty_segs++;
	}
	end_run(&runs);
	out->free_blocks = runs.blocks;
	out->free_runs = runs.nr;
	out->longest_free_run = runs.longest;
	out->free_segs = volume_free_segs(vol);
	out->free_secs = volume_free_secs(vol);
	count_dirty_secs(vol, out);
}
