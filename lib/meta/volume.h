/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An opened volume: device, geometry, the live checkpoint and the tables in
 * memory. Opening reads each table in one sequential pass and puts the
 * journals on top; whatever was wrong is kept as findings, and opening goes on
 * as long as the volume can be read at all.
 */
#ifndef F2CORE_META_VOLUME_H
#define F2CORE_META_VOLUME_H

#include "base/ctx.h"
#include "dev/dev.h"
#include "format/layout.h"
#include "format/problem.h"
#include "meta/checkpoint.h"
#include "meta/nat.h"
#include "meta/sit.h"
#include "meta/super.h"

struct volume {
	struct f2c_ctx *ctx;		/* borrowed */
	struct dev *dev;		/* owned */
	struct super super;
	struct layout lo;
	struct checkpoint cp;
	struct nat nat;
	struct sit sit;
	struct findings findings;	/* what opening found */
	bool is_spoilt;			/* a commit failed: not as on the device */
};

/*
 * Open the volume on @dev. On success the volume owns @dev; on failure it
 * stays the caller's, and *@findings, if not NULL, receives what was found on
 * the way (to findings_free()). Errors: -EUCLEAN no valid superblock or
 * checkpoint, -EOPNOTSUPP a shape of volume that is not read yet (several
 * devices, block sizes above 64 KiB), -EIO, -ENOMEM.
 */
int volume_open(struct f2c_ctx *ctx, struct dev *dev, struct volume **out,
		struct findings *findings);
void volume_close(struct volume *vol);

/*
 * Whether an engine may write a checkpoint: 0, or a negative errno with a
 * message that names the feature bit, flag or finding which forbids it.
 * (Pending fsyncs are asked of tree/pending.h.)
 */
int volume_can_write(struct volume *vol);
/* The same for a repair, which flags and findings do not forbid. */
int volume_can_repair(struct volume *vol);

/*
 * The logs were changed, or the SIT was: the findings on them are made again.
 * The caller gave each log a segment of the main area.
 */
void volume_judge_logs(struct volume *vol);

/* NAT bits of the live pack that a kernel would believe; 0 or -ENOMEM. */
int volume_judge_nat_bits(struct volume *vol);

/* All of these are counted from the SIT in memory. */
uint32_t volume_free_segs(const struct volume *vol);
uint32_t volume_free_secs(const struct volume *vol);
bool volume_seg_is_current(const struct volume *vol, uint32_t segno);
bool volume_sec_is_current(const struct volume *vol, uint32_t secno);

#endif
