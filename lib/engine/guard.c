/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Refusals that all engines share. */
#include "config.h"

#include "engine/guard.h"

#include "tree/pending.h"

#include <errno.h>
#include <inttypes.h>

int guard_volume(struct volume *vol)
{
	uint64_t nr = 0;
	int err = volume_can_write(vol);

	if (!err)
		err = pending_fsyncs(vol, &nr);
	if (err || !nr)
		return err;
	return ctx_fail(vol->ctx, -EBUSY, "not cleanly unmounted: %" PRIu64
			" fsynced nodes wait to be replayed; mount and unmount "
			"the volume once, then run this again", nr);
}

int guard_counts(struct volume *vol, const struct frag *frag)
{
	struct nat_entry e;
	uint64_t nodes = 0;
	uint32_t nid = 0;

	while (nat_next(&vol->nat, &nid, &e)) {
		nodes++;
		nid++;
	}
	if (nodes == vol->sit.valid_nodes &&
	    frag->file_blocks == vol->sit.valid_data)
		return 0;
	return ctx_fail(vol->ctx, -EUCLEAN, "files have %" PRIu64 " blocks and %"
			PRIu64 " nodes, the SIT %" PRIu64 " and %" PRIu64
			": check the volume with fsck.f2fs", frag->file_blocks,
			nodes, vol->sit.valid_data, vol->sit.valid_nodes);
}
