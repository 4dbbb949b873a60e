/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Progress and figures that the reports of all runs have. */
#include "config.h"

#include "api/run_int.h"
#include "base/ctx.h"

#include <errno.h>
#include <inttypes.h>

int run_tell(void *priv, const char *phase, uint64_t done, uint64_t total)
{
	const struct told *told = priv;
	struct f2c_progress p = {
		.phase = phase, .done = done, .total = total,
	};

	return told->fn ? told->fn(told->priv, &p) : 0;
}

int run_can_write(const struct f2c_fs *fs)
{
	if (fs->flags & (F2C_RDWR | F2C_DRY_RUN))
		return 0;
	return ctx_fail(fs->ctx, -EROFS, "%s was opened for reading",
			fs->vol->dev->name);
}

int run_limit_fail(const struct f2c_fs *fs, uint64_t bytes)
{
	return ctx_fail(fs->ctx, -EINVAL, "at most %" PRIu64 " bytes may be "
			"moved, but a block has %" PRIu32, bytes,
			fs->vol->lo.block_size);
}

struct f2c_phases run_phases(const struct commit_stats *c, double plan_ms,
			     double merge_ms)
{
	return (struct f2c_phases){
		.plan_ms = plan_ms,
		.merge_ms = merge_ms,
		.nat_flush_ms = c->nat_flush_ms,
		.sit_flush_ms = c->sit_flush_ms,
		.sync_ms = c->sync_ms,
		.checkpoint_ms = c->checkpoint_ms,
		.barriers_ms = c->barriers_ms,
	};
}

double run_write_cost(const struct commit_stats *c, uint64_t had_to_change)
{
	return had_to_change ? (double)c->blocks_written /
			       (double)had_to_change : 0;
}
