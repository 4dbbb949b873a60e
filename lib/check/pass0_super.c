/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pass 0: what superblock and checkpoint say of other structures: quota files,
 * orphans, logs. What is wrong with them in themselves was found when the
 * volume was opened (meta/).
 */
#include "config.h"

#include "check/check_int.h"
#include "format/validate.h"
#include "tree/pending.h"

#include <inttypes.h>

static void check_quota_inos(struct check *c)
{
	const struct od_super *sb = &c->vol->super.sb;

	for (unsigned int i = 0; i < 3; i++) {
		uint32_t ino = le32_get(sb->qf_ino[i]);
		struct nid_rec *rec = nids_get(&c->nids, ino);

		if (!ino)
			continue;
		if (rec && rec->flags & REC_INODE)
			rec->flags |= REC_QUOTA;
		else if (layout_has(c->lo, OD_FEATURE_QUOTA_INO))
			check_found(c, .id = P_SB_QUOTA_INO,
				    .structure = "superblock qf_ino",
				    .number = i, .has_values = true,
				    .found = ino);
	}
}

static void found_orphan(struct check *c, uint32_t ino, const char *text)
{
	check_found_as(c, (&(struct finding){
			.id = P_CP_ORPHAN, .structure = "orphan",
			.number = ino, .blk = check_nid_blk(c, ino),
			.ino = ino }), "%s", text);
}

static void check_orphans(struct check *c)
{
	const struct checkpoint *cp = &c->vol->cp;

	for (uint32_t i = 0; i < cp->nr_orphans; i++) {
		uint32_t ino = cp->orphans[i];
		struct nid_rec *rec = nids_get(&c->nids, ino);

		if (!rec || ino <= OD_ROOT_INO) {
			found_orphan(c, ino, "no such node");
		} else if (!(rec->flags & REC_INODE)) {
			found_orphan(c, ino, "not an inode");
		} else if (rec->flags & REC_ORPHAN) {
			found_orphan(c, ino, "listed twice");
		} else {
			rec->flags |= REC_ORPHAN;
			c->res->orphans++;
		}
	}
}

/* A log's segment has its type, unless nothing was ever written to it. */
static void check_log_type(struct check *c, unsigned int type)
{
	const struct curseg *log = &c->vol->cp.log[type];
	const struct sit_seg *seg;

	if (log->segno >= c->lo->nr_main_segs)
		return;
	seg = sit_get(&c->vol->sit, log->segno);
	if (seg->valid && seg->type != type)
		check_found(c, .id = P_SIT_TYPE, .structure = "SIT entry",
			    .number = log->segno,
			    .blk = seg_to_blk(c->lo, log->segno),
			    .has_values = true, .found = seg->type,
			    .expected = type);
}

static int note_pending(struct check *c)
{
	uint64_t nr = 0;
	int err = pending_fsyncs(c->vol, &nr);

	if (err)
		return err;
	c->res->pending_fsyncs = nr;
	if (nr)
		check_found_as(c, (&(struct finding){
				.id = P_CP_PENDING_FSYNC,
				.structure = "checkpoint pack",
				.number = (uint64_t)c->vol->cp.pack,
				.blk = cp_pack_blk(c->lo, c->vol->cp.pack) }),
			       "%" PRIu64 " of them", nr);
	return 0;
}

int pass0_super(struct check *c)
{
	check_quota_inos(c);
	check_orphans(c);
	for (unsigned int i = 0; i < OD_NR_LOGS; i++)
		if (log_is_used(c->lo, i))
			check_log_type(c, i);
	return note_pending(c);
}
