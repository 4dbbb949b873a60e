/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A new volume: the plan as a whole, and the order of its writes. */
#include "config.h"

#include "engine/create_int.h"
#include "base/ctx.h"
#include "dev/dev.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint32_t plan_log_blk(const struct format_plan *plan, unsigned int type)
{
	return plan->geo.main_blk + plan->geo.curseg[type] * OD_BLKS_PER_SEG;
}

/*
 * The kernel refuses a checkpoint whose NAT bits would not fit by its own
 * count, which takes both copies of the NAT (fs/f2fs/checkpoint.c,
 * f2fs_sanity_check_ckpt()).
 */
static bool nat_bits_fit(const struct format_plan *plan)
{
	uint64_t bytes = 8 + (uint64_t)plan->geo.nr_nat_segs * 128;
	uint64_t blks = (bytes + plan->opt.block_size - 1) /
			plan->opt.block_size;

	return plan->geo.cp_payload + 8 + blks < OD_BLKS_PER_SEG;
}

static uint32_t first_flags(const struct format_plan *plan)
{
	uint32_t flags = OD_CP_UMOUNT | OD_CP_COMPACT_SUM;

	if (plan->opt.large_nat)
		flags |= OD_CP_LARGE_NAT_BITMAP;
	if (nat_bits_fit(plan))
		flags |= OD_CP_NAT_BITS;
	return flags;
}

static int too_small(struct f2c_ctx *ctx, const char *name,
		     const struct format_options *opt, uint64_t dev_bytes)
{
	uint64_t min = geometry_min_bytes(opt);

	if (!min)
		return ctx_fail(ctx, -EINVAL, "%s: no size holds a volume with "
				"%" PRIu32 " segments a section, %" PRIu32
				" sections a zone and %g %% overprovision",
				name, opt->segs_per_sec, opt->secs_per_zone,
				opt->overprovision);
	return ctx_fail(ctx, -ENOSPC, "%s: %" PRIu64 " bytes are too small for "
			"a volume: with %" PRIu32 " segments a section and %"
			PRIu32 " sections a zone the minimum is %" PRIu64
			" bytes (%" PRIu64 " MiB)", name, dev_bytes,
			opt->segs_per_sec, opt->secs_per_zone, min,
			(min + (1 << 20) - 1) >> 20);
}

static int too_large(struct f2c_ctx *ctx, const char *name,
		     const struct format_options *opt, uint64_t dev_bytes)
{
	uint64_t limit = geometry_limit_bytes(opt);

	return ctx_fail(ctx, -EFBIG, "%s: %" PRIu64 " bytes are too large for "
			"a volume, whose block addresses have 32 bits: give a "
			"size below %" PRIu64 " bytes (at most %" PRIu64
			" sectors of %" PRIu32 " bytes)", name, dev_bytes,
			limit, (limit - 1) / opt->sector_size,
			opt->sector_size);
}

int format_plan(struct f2c_ctx *ctx, const char *name,
		const struct format_options *opt, uint64_t dev_bytes,
		struct format_plan *plan)
{
	int err = format_options_check(ctx, opt);

	if (err)
		return err;
	memset(plan, 0, sizeof(*plan));
	plan->opt = *opt;
	switch (geometry_compute(opt, dev_bytes, &plan->geo)) {
	case GEOMETRY_TOO_SMALL:
		return too_small(ctx, name, opt, dev_bytes);
	case GEOMETRY_TOO_LARGE:
		return too_large(ctx, name, opt, dev_bytes);
	case GEOMETRY_OK:
		break;
	}
	plan_inodes(plan);
	plan_super(plan);
	plan->cp_flags = first_flags(plan);
	return 0;
}

/*
 * First of all the old superblocks and what else tells a file system, so that
 * a cut from here on leaves nothing that could be mounted.
 */
static int wipe_ends(struct dev *dev)
{
	uint64_t nr = dev_nr_blocks(dev);
	uint32_t start = FORMAT_START_BYTES / dev->block_size;
	uint32_t end = FORMAT_END_BYTES / dev->block_size;
	uint64_t rest = dev->nr_bytes % dev->block_size;
	uint8_t zeros[4096] = { 0 };
	int err = dev_zero(dev, 0, start);

	if (!err)
		err = dev_zero(dev, (uint32_t)(nr - end), end);
	/* What is left of a block belongs to nobody, but others look there. */
	if (!err && rest)
		err = dev_write_bytes(dev, dev->nr_bytes - rest, rest, zeros);
	return err ? err : dev_flush(dev);
}

/* A device that cannot, or will not, is no reason to fail. */
static void discard_all(struct dev *dev, struct format_plan *plan)
{
	if (!plan->opt.discard)
		return;
	if (!dev_discard_bytes(dev, 0, dev->nr_bytes))
		plan->cp_flags |= OD_CP_TRIMMED;
	else
		ctx_log(dev->ctx, CTX_INFO, "create",
			"%s: the device does not discard", dev->name);
}

/* Copy 0 of SIT and NAT; the checkpoint's bitmaps select it everywhere. */
static int zero_tables(struct dev *dev, const struct format_plan *plan)
{
	const struct layout *lo = &plan->lo;
	int err = dev_zero(dev, lo->sit_blk, lo->sit_copy_blks);

	for (uint32_t i = 0; i < lo->nr_nat_blks && !err;
	     i += lo->blks_per_seg)
		err = dev_zero(dev, nat_block_blk(lo, i, 0), lo->blks_per_seg);
	return err;
}

static int write_super(struct dev *dev, const struct format_plan *plan)
{
	uint8_t *block = calloc(1, plan->lo.block_size);
	int err;

	if (!block)
		return ctx_nomem(dev->ctx, "a superblock");
	memcpy(block + OD_SUPER_OFFSET, &plan->sb, sizeof(plan->sb));
	err = dev_write(dev, 1, 1, block);
	if (!err)
		err = dev_write(dev, 0, 1, block);
	if (!err)
		err = dev_flush(dev);
	free(block);
	return err;
}

/*
 * The block where the warm node log begins is where a mount looks for nodes
 * that were fsynced after the checkpoint (fs/f2fs/recovery.c): what an older
 * volume left there must not be taken for one.
 */
static int zero_chain(struct dev *dev, const struct format_plan *plan)
{
	return dev_zero(dev, plan_log_blk(plan, LOG_WARM_NODE), 1);
}

int format_write(struct dev *dev, struct format_plan *plan)
{
	int err = wipe_ends(dev);

	if (err)
		return err;
	discard_all(dev, plan);
	err = zero_tables(dev, plan);
	if (!err)
		err = zero_chain(dev, plan);
	if (!err)
		err = create_write_inodes(dev, plan);
	if (!err)
		err = create_write_nat(dev, plan);
	if (!err)
		err = create_write_packs(dev, plan);
	if (!err)
		err = dev_flush(dev);
	return err ? err : write_super(dev, plan);
}
