/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Segments and space of a volume, counted as a mounted kernel does (fs/f2fs/
 * debug.c, update_general_status()): a current segment is neither free nor
 * dirty, and the segments by type have the current ones in them.
 */
#include "config.h"

#include "api/fs.h"
#include "api/size_int.h"
#include "format/label.h"
#include "tree/pending.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static_assert(sizeof(((struct f2c_status *)0)->label) >= LABEL_UTF8_MAX,
	      "f2c_status.label");

static void set_uuid(const uint8_t uuid[16], char text[37])
{
	char *to = text;

	for (unsigned int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*to++ = '-';
		to += sprintf(to, "%02x", uuid[i]);
	}
}

static void set_super(const struct volume *vol, struct f2c_status *st)
{
	const struct layout *lo = &vol->lo;

	st->block_size = lo->block_size;
	st->segments = lo->nr_main_segs;
	st->segs_per_sec = lo->segs_per_sec;
	st->secs_per_zone = lo->secs_per_zone;
	st->sections = lo->nr_main_secs;
	st->features = lo->features;
	set_uuid(vol->super.sb.uuid, st->uuid);
	label_to_utf8(vol->super.sb.volume_name, st->label);
}

static void set_checkpoint(const struct volume *vol, struct f2c_status *st)
{
	const struct checkpoint *cp = &vol->cp;

	st->reserved_segments = cp->rsvd_segs;
	st->overprovision_segments = cp->overprov_segs;
	st->user_blocks = cp->user_blocks;
	st->valid_blocks = cp->valid_blocks;
	st->valid_inodes = cp->valid_inodes;
	st->utilization = cp->user_blocks ? 100.0 * (double)cp->valid_blocks /
					    (double)cp->user_blocks : 0;
	st->checkpoint_version = cp->version;
	st->checkpoint_flags = cp->flags;
	st->orphans = cp->nr_orphans;
	st->elapsed_seconds = cp->elapsed_time;
	for (unsigned int i = 0; i < F2C_NR_LOGS; i++) {
		st->logs[i].segno = cp->log[i].segno;
		st->logs[i].next = cp->log[i].next;
		st->logs[i].ssr = cp->log[i].alloc_type == ALLOC_SSR;
	}
}

static void count_segment(const struct volume *vol, uint32_t segno,
			  struct f2c_status *st)
{
	const struct sit_seg *seg = sit_get(&vol->sit, segno);
	bool full = seg->valid >= vol->lo.blks_per_seg;

	if (!seg->valid || seg->type >= F2C_NR_LOGS)
		return;
	st->full_segments += full;
	if (!full && !volume_seg_is_current(vol, segno))
		st->dirty_segments++;
	st->logs[seg->type].segments++;
	st->logs[seg->type].full_segments += full;
	st->logs[seg->type].dirty_segments += !full;
	st->logs[seg->type].valid_blocks += seg->valid;
}

static void count_segments(const struct volume *vol, struct f2c_status *st)
{
	const struct layout *lo = &vol->lo;

	for (uint32_t segno = 0; segno < lo->nr_main_segs; segno++)
		count_segment(vol, segno, st);
	for (uint32_t secno = 0; secno < lo->nr_main_secs; secno++) {
		uint32_t valid = sit_sec_valid(&vol->sit, secno);

		if (valid && valid < blks_per_sec(lo) &&
		    !volume_sec_is_current(vol, secno))
			st->dirty_sections++;
	}
	st->free_segments = volume_free_segs(vol);
	st->free_sections = volume_free_secs(vol);
	st->valid_data_blocks = vol->sit.valid_data;
	st->valid_node_blocks = vol->sit.valid_nodes;
}

/* The nids that are for nodes: without 0 and the two of the kernel's own. */
static void count_nids(const struct volume *vol, struct f2c_status *st)
{
	struct nat_entry e;

	st->nids_max = vol->lo.nr_nids > OD_ROOT_INO ?
		       vol->lo.nr_nids - OD_ROOT_INO : 0;
	for (uint32_t nid = OD_ROOT_INO; nat_next(&vol->nat, &nid, &e); nid++)
		st->nids_used++;
}

int f2c_get_status(struct f2c_fs *fs, struct f2c_status *status)
{
	struct f2c_status st = { 0 };
	int err = size_check(fs->ctx, "f2c_status", status);

	if (err)
		return err;
	set_super(fs->vol, &st);
	set_checkpoint(fs->vol, &st);
	count_segments(fs->vol, &st);
	count_nids(fs->vol, &st);
	err = pending_fsyncs(fs->vol, &st.fsyncs_pending);
	if (err)
		return err;
	size_copy_out(&st, sizeof(st), status);
	return 0;
}
