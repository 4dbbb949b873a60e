/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extents as the kernel's FIEMAP gives them once its entries are merged
 * (format 8.5; kernel fs/f2fs/data.c, f2fs_fiemap()).
 */
#include "config.h"

#include "tree/filemap.h"

#include <errno.h>
#include <inttypes.h>

struct builder {
	struct volume *vol;
	const struct inode *inode;
	extent_fn *fn;
	void *priv;
	struct extent run;		/* len 0: none is open */
	uint64_t cluster_end;		/* of the cluster that is open; or 0 */
	uint64_t cluster_next;		/* slot that may go on in it */
};

static int end_run(struct builder *b)
{
	struct extent e = b->run;

	b->run.len = 0;
	return e.len ? b->fn(b->priv, &e) : 0;
}

static int start_run(struct builder *b, uint64_t lblk, uint32_t blk,
		     unsigned int flags)
{
	int err = end_run(b);

	b->run = (struct extent){
		.lblk = lblk, .blk = blk, .len = 1, .flags = flags,
	};
	return err;
}

/*
 * The last run of a cluster covers the slots behind it: those are empty, or
 * reserved for the blocks that compression saved.
 */
static int end_cluster(struct builder *b)
{
	if (b->run.len)
		b->run.len = b->cluster_end - b->run.lblk;
	b->cluster_end = 0;
	return end_run(b);
}

/* A run in a cluster begins in the file where the one before it ended. */
static int add_to_cluster(struct builder *b, const struct mapping *m)
{
	uint64_t lblk = b->cluster_end - b->inode->cluster_blks;

	if (m->lblk != b->cluster_next || !blk_is_real(m->blk))
		return 0;
	b->cluster_next++;
	if (b->run.len && m->blk == b->run.blk + b->run.len) {
		b->run.len++;
		return 0;
	}
	if (b->run.len)
		lblk = b->run.lblk + b->run.len;
	return start_run(b, lblk, m->blk, EXT_ENCODED);
}

static int start_cluster(struct builder *b, const struct mapping *m)
{
	uint32_t size = b->inode->cluster_blks;

	if (!size || m->lblk % size)
		return ctx_fail(b->vol->ctx, -EUCLEAN, "inode %" PRIu32
				": file block %" PRIu64
				" is marked as the first of a compressed"
				" cluster, which it cannot be",
				b->inode->ino, m->lblk);
	b->cluster_end = m->lblk + size;
	b->cluster_next = m->lblk + 1;
	return end_run(b);
}

static int add_slot(void *priv, const struct mapping *m)
{
	struct builder *b = priv;
	bool is_new = m->blk == OD_BLK_NEW;
	struct extent *run = &b->run;
	int err;

	if (b->cluster_end && m->lblk < b->cluster_end)
		return add_to_cluster(b, m);
	if (b->cluster_end) {
		err = end_cluster(b);
		if (err)
			return err;
	}
	if (m->blk == OD_BLK_COMPRESS)
		return start_cluster(b, m);
	if (run->len && m->lblk == run->lblk + run->len &&
	    (is_new ? run->flags == EXT_UNWRITTEN :
		      !run->flags && m->blk == run->blk + run->len)) {
		run->len++;
		return 0;
	}
	return start_run(b, m->lblk, is_new ? 0 : m->blk,
			 is_new ? EXT_UNWRITTEN : 0);
}

int filemap_extents(struct volume *vol, const struct inode *inode,
		    const void *block, extent_fn *fn, void *priv)
{
	struct builder b = {
		.vol = vol, .inode = inode, .fn = fn, .priv = priv,
	};
	int err;

	if (inode->inl & (OD_INLINE_DATA | OD_INLINE_DENTRY)) {
		b.run.len = inode->size ? 1 : 0;
		b.run.flags = EXT_INLINE;
		return end_run(&b);
	}
	if (inode->flags & OD_FLAG_DEVICE_ALIAS) {
		b.run.blk = inode->ext_blk;
		b.run.len = inode->ext_len;
		return end_run(&b);
	}
	err = filemap_walk(vol, inode, block, add_slot, &b);
	if (err)
		return err;
	return b.cluster_end ? end_cluster(&b) : end_run(&b);
}
