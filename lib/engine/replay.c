/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Orphans first, then the chain, then the commit: the order of a mount. */
#include "config.h"

#include "engine/replay.h"

#include "engine/flush.h"

#include <string.h>

/*
 * Usage in quota files is not brought up to date: the kernel does not use them
 * until it is, by this mark.
 */
static void note_quota(struct volume *vol)
{
	if (layout_has(&vol->lo, OD_FEATURE_QUOTA_INO))
		vol->cp.flags |= OD_CP_QUOTA_NEED_FSCK;
}

static int replay(struct edit *ed, struct replay_report *r)
{
	double start = flush_clock_ms();
	int err = orphans_free(ed, &r->orphans);

	if (!err)
		err = recover_run(ed, &r->recovered);
	if (err || !ed->has_changed)
		return err;
	note_quota(ed->vol);
	r->merge_ms = flush_clock_ms() - start;
	return edit_commit(ed, &r->commits);
}

int replay_run(struct volume *vol, struct replay_report *report)
{
	double start = flush_clock_ms();
	struct edit ed;
	int err = volume_can_write(vol);

	memset(report, 0, sizeof(*report));
	if (!err)
		err = edit_init(&ed, vol);
	if (err)
		return err;
	err = replay(&ed, report);
	edit_free(&ed);
	report->seconds = (flush_clock_ms() - start) / 1e3;
	return err;
}
