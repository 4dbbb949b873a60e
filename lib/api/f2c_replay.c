/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Orphans and fsynced nodes: what a mount would do, in public words. */
#include "config.h"

#include "api/fs.h"
#include "api/run_int.h"
#include "api/size_int.h"
#include "engine/guard.h"
#include "engine/replay.h"

#include <time.h>

/* Unless a check of this volume has found no fault. */
static int prove_sound(struct f2c_fs *fs)
{
	struct frag frag;
	int err;

	if (fs->is_checked)
		return 0;
	err = frag_scan(fs->vol, 0, &frag);
	return err ? err : guard_owners(fs->vol, &frag);
}

static void put_report(const struct replay_report *r,
		       struct f2c_replay_report *out)
{
	const struct commit_stats *c = &r->commits;

	out->orphans_freed = r->orphans.inodes;
	out->orphans_missing = r->orphans.missing;
	out->nodes_freed = r->orphans.nodes;
	out->blocks_freed = r->orphans.blocks;
	out->chain_nodes = r->recovered.chain_nodes;
	out->inodes_recovered = r->recovered.inodes;
	out->inodes_made = r->recovered.inodes_made;
	out->inodes_freed = r->recovered.inodes_freed;
	out->inodes_kept = r->recovered.inodes_kept;
	out->names_added = r->recovered.names_added;
	out->names_removed = r->recovered.names_removed;
	out->blocks_recovered = r->recovered.blocks;
	out->blocks_refused = r->recovered.conflicts;
	out->chain_cut_at = r->recovered.cut_at;
	out->chain_cut_why = r->recovered.cut_why;
	out->commits = c->commits;
	out->blocks_written = c->blocks_written;
	out->nat_blocks_touched = c->nat_blocks_touched;
	out->nat_blocks_read = c->nat_blocks_read;
	out->nat_blocks_written = c->nat_blocks_written;
	out->nat_journal_hits = c->nat_journal_hits;
	out->quota_files = r->quota.files;
	out->quota_ids_changed = r->quota.ids_changed + r->quota.ids_added;
	out->quota_marked = r->quota.is_marked;
	out->seconds = r->seconds;
	out->phases = run_phases(c, 0, r->merge_ms);
}

static int replay_now(struct volume *vol, struct replay_report *r)
{
	struct inode_time now;
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	now.sec = ts.tv_sec;
	now.nsec = (uint32_t)ts.tv_nsec;
	return replay_run(vol, &now, r);
}

int f2c_replay(struct f2c_fs *fs, struct f2c_replay_report *report)
{
	struct f2c_replay_report out = { 0 };
	struct replay_report r = { 0 };
	int err = size_check(fs->ctx, "f2c_replay_report", report);

	if (err)
		return err;
	err = run_can_write(fs);
	if (!err)
		err = prove_sound(fs);
	if (!err && fs->quotas_wrong)
		fs->vol->cp.flags |= OD_CP_QUOTA_NEED_FSCK;
	if (!err)
		err = replay_now(fs->vol, &r);
	fs->quotas_wrong &= err != 0;
	out.dry_run = fs->flags & F2C_DRY_RUN;
	out.mounted_read_only = fs->mounted_ro;
	put_report(&r, &out);
	size_copy_out(&out, sizeof(out), report);
	return err;
}
