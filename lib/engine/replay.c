/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Orphans first, then the chain, quotas of what they leave, then the commit:
 * the order of a mount.
 */
#include "config.h"

#include "engine/replay.h"

#include "engine/flush.h"

#include <string.h>

static int replay(struct edit *ed, const struct inode_time *now,
		  struct replay_report *r)
{
	double start = flush_clock_ms();
	int err = orphans_free(ed, &r->orphans);

	if (!err)
		err = recover_run(ed, now, &r->recovered);
	if (err || !(ed->has_changed || quota_needs_refresh(ed->vol)))
		return err;
	err = quota_refresh(ed, (uint64_t)now->sec, &r->quota);
	if (err || !ed->has_changed)
		return err;
	r->merge_ms = flush_clock_ms() - start;
	return edit_commit(ed, &r->commits);
}

int replay_run(struct volume *vol, const struct inode_time *now,
	       struct replay_report *report)
{
	double start = flush_clock_ms();
	struct edit ed;
	int err = volume_can_write(vol);

	memset(report, 0, sizeof(*report));
	if (!err)
		err = edit_init(&ed, vol);
	if (err)
		return err;
	err = replay(&ed, now, report);
	edit_free(&ed);
	report->seconds = (flush_clock_ms() - start) / 1e3;
	return err;
}
