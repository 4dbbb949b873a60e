/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Summaries in the SSA. For the segment of a log the live summary is the one
 * of the checkpoint; what the SSA has for it may be stale (format 4.4).
 */
#include "config.h"

#include "meta/ssa.h"
#include "format/validate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A read-only volume has none. */
static int check_segno(struct volume *vol, uint32_t segno)
{
	if (segno >= vol->lo.nr_main_segs)
		return ctx_fail(vol->ctx, -ERANGE,
				"summary of segment %" PRIu32
				": the main area has %" PRIu32 " segments",
				segno, vol->lo.nr_main_segs);
	if (ssa_block_blk(&vol->lo, segno) >= vol->lo.main_blk)
		return ctx_fail(vol->ctx, -EUCLEAN,
				"summary of segment %" PRIu32
				": the volume has a summary area of %" PRIu32
				" segments only", segno, vol->lo.nr_ssa_segs);
	return 0;
}

/* Read the block that holds the summary; *@block is the caller's. */
static int read_block(struct volume *vol, uint32_t segno, uint8_t **block)
{
	uint8_t *buf = malloc(vol->lo.block_size);
	int err;

	if (!buf)
		return ctx_nomem(vol->ctx, "a summary block");
	err = dev_read(vol->dev, ssa_block_blk(&vol->lo, segno), 1, buf);
	if (err) {
		free(buf);
		return err;
	}
	*block = buf;
	return 0;
}

int ssa_read(struct volume *vol, uint32_t segno, void *sum)
{
	const struct layout *lo = &vol->lo;
	int err, log = cp_log_of_seg(&vol->cp, segno);
	uint8_t *block = NULL;

	if (log >= 0 && segno < lo->nr_main_segs) {
		memcpy(sum, vol->cp.log[log].sum, lo->sum_bytes);
		return 0;
	}
	err = check_segno(vol, segno);
	if (err)
		return err;
	if (lo->sum_bytes == lo->block_size)
		return dev_read(vol->dev, ssa_block_blk(lo, segno), 1, sum);
	err = read_block(vol, segno, &block);
	if (!err)
		memcpy(sum, block + ssa_block_off(lo, segno), lo->sum_bytes);
	free(block);
	return err;
}

void ssa_prefetch(struct volume *vol, uint32_t segno, uint32_t nr_segs)
{
	uint32_t first, last;

	if (!nr_segs || segno >= vol->lo.nr_main_segs ||
	    nr_segs > vol->lo.nr_main_segs - segno)
		return;
	first = ssa_block_blk(&vol->lo, segno);
	last = ssa_block_blk(&vol->lo, segno + nr_segs - 1);
	if (last < vol->lo.main_blk)
		dev_prefetch(vol->dev, first, last - first + 1);
}

int ssa_write(struct volume *vol, uint32_t segno, const void *sum)
{
	const struct layout *lo = &vol->lo;
	uint8_t *block = NULL;
	int err = check_segno(vol, segno);

	if (err)
		return err;
	if (lo->sum_bytes == lo->block_size)
		return dev_write(vol->dev, ssa_block_blk(lo, segno), 1, sum);
	err = read_block(vol, segno, &block);
	if (!err) {
		memcpy(block + ssa_block_off(lo, segno), sum, lo->sum_bytes);
		err = dev_write(vol->dev, ssa_block_blk(lo, segno), 1, block);
	}
	free(block);
	return err;
}
