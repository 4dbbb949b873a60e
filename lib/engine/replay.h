/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a mount does to a volume that was not cleanly unmounted, offline and as
 * one commit: orphans are freed, then what was fsynced is rolled forward.
 */
#ifndef F2CORE_ENGINE_REPLAY_H
#define F2CORE_ENGINE_REPLAY_H

#include "engine/orphans.h"
#include "engine/quota_edit.h"
#include "engine/recover.h"

struct replay_report {
	struct orphans_stats orphans;
	struct recover_stats recovered;
	struct quota_stats quota;
	struct commit_stats commits;
	double merge_ms;		/* before the commit */
	double seconds;
};

/*
 * Replay @vol at the time @now. With neither orphans nor a chain, nor the
 * checkpoint's mark that quota files may be wrong, nothing is written. The
 * caller knows by a check that the volume is sound, or calls guard_owners()
 * first. On failure nothing was changed on the device; @vol is spoilt if
 * anything was in memory.
 */
int replay_run(struct volume *vol, const struct inode_time *now,
	       struct replay_report *report);

#endif
