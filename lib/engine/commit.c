/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The commit: NAT, SIT, then the checkpoint pack, in the order that a power
 * cut cannot harm (format 7.4; kernel fs/f2fs/checkpoint.c,
 * f2fs_write_checkpoint()). Data, nodes and summaries were written before.
 */
#include "config.h"

#include "engine/commit.h"

#include "engine/flush.h"

#include <time.h>

double flush_clock_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static int flush_all(struct volume *vol, struct commit_stats *stats)
{
	double start = flush_clock_ms(), now;
	int err;

	err = nat_flush(vol, stats);
	if (err)
		return err;
	now = flush_clock_ms();
	stats->nat_flush_ms += now - start;

	start = now;
	err = sit_flush(vol, stats);
	if (err)
		return err;
	stats->sit_flush_ms += flush_clock_ms() - start;

	err = pack_store(vol, stats);
	if (err)
		return err;
	stats->commits++;
	return 0;
}

int commit(struct volume *vol, struct commit_stats *stats)
{
	struct commit_stats sum = *stats;
	int err = flush_all(vol, &sum);

	if (err)
		vol->is_spoilt = true;
	else
		*stats = sum;
	return err;
}
