/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Roll-forward: not there yet, a volume that needs it is refused. */
#include "config.h"

#include "engine/recover.h"

#include "tree/pending.h"

#include <errno.h>
#include <inttypes.h>

int recover_run(struct edit *ed, struct recover_stats *st)
{
	uint64_t nr = 0;
	int err = pending_fsyncs(ed->vol, &nr);

	(void)st;
	if (err || !nr)
		return err;
	return ctx_fail(ed->vol->ctx, -EBUSY, "not cleanly unmounted: %" PRIu64
			" fsynced nodes wait to be replayed; mount and unmount "
			"the volume once, then run this again", nr);
}
