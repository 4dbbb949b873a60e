/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The SIT by what nodes and files use. Blocks that nothing is known to use
 * become free only when every node could be read and believed.
 */
#include "config.h"

#include "engine/repair_int.h"

#include <string.h>

/* The type of a segment that holds nodes, or data, as @has says. */
static uint8_t right_type(const struct volume *vol, uint32_t segno,
			  const struct sit_seg *seg, uint8_t has)
{
	const uint8_t both = FACT_HAS_DATA | FACT_HAS_NODES;
	int log = cp_log_of_seg(&vol->cp, segno);
	bool is_node = has & FACT_HAS_NODES;

	if (!(has & both) || (has & both) == both)
		return seg->type;
	if (log >= 0 && !!log_is_node((unsigned int)log) == is_node)
		return (uint8_t)log;
	if (!!log_is_node(seg->type) == is_node)
		return seg->type;
	return is_node ? LOG_WARM_NODE : LOG_WARM_DATA;
}

static void merge_maps(const struct facts *f, uint32_t segno,
		       const struct sit_seg *seg, uint8_t *map)
{
	memcpy(map, facts_map(f, segno), OD_SIT_MAP_BYTES);
	for (unsigned int i = 0; f->doubt && i < OD_SIT_MAP_BYTES; i++)
		map[i] |= seg->map[i];
}

static int mend_segment(struct volume *vol, const struct facts *f,
			uint32_t segno, bool *changed)
{
	const struct sit_seg *seg = sit_get(&vol->sit, segno);
	uint8_t type = right_type(vol, segno, seg, f->seg[segno]);
	uint64_t mtime = seg->mtime;
	uint8_t map[OD_SIT_MAP_BYTES];
	int err;

	merge_maps(f, segno, seg, map);
	if (type == seg->type && !memcmp(map, seg->map, sizeof(map)))
		return 0;
	/* The entry was lost; nothing is known of its age. */
	if (!seg->valid && !mtime)
		mtime = vol->cp.elapsed_time;
	*changed = true;
	err = sit_set_map(&vol->sit, segno, map);
	if (!err)
		err = sit_set_type(&vol->sit, segno, type);
	return err ? err : sit_set_mtime(&vol->sit, segno, mtime);
}

/*
 * All entries of the SIT block that has the one of @segno: more than a journal
 * takes, so the block itself is written. A mount judges what is in the block
 * even where the journal says otherwise (kernel fs/f2fs/segment.c,
 * build_sit_entries()).
 */
static int touch_block(struct volume *vol, uint32_t segno)
{
	uint32_t per_block = vol->lo.sits_per_block;
	uint32_t first = segno - segno % per_block;
	int err = 0;

	for (uint32_t s = first; !err && s < first + per_block &&
	     s < vol->lo.nr_main_segs; s++)
		err = sit_set_type(&vol->sit, s, sit_get(&vol->sit, s)->type);
	return err;
}

/* Entries that were mended when they were read are to be written, too. */
static int touch_mended(struct volume *vol)
{
	const struct findings *f = &vol->findings;
	int err = 0;

	for (size_t i = 0; !err && i < f->nr; i++)
		if (f->v[i].id == P_SIT_COUNT || f->v[i].id == P_SIT_TYPE)
			err = touch_block(vol, (uint32_t)f->v[i].number);
	return err;
}

int repair_sit(struct repair *r, const struct facts *f, bool *changed)
{
	struct volume *vol = r->vol;
	int err = 0;

	if (repair_has(r, P_SIT_COUNT) || repair_has(r, P_SIT_TYPE)) {
		err = touch_mended(vol);
		repair_solved(r, P_SIT_COUNT);
		repair_solved(r, P_SIT_TYPE);
		*changed = true;
	}
	for (uint32_t s = 0; !err && s < vol->lo.nr_main_segs; s++)
		err = mend_segment(vol, f, s, changed);
	if (err)
		return ctx_nomem(vol->ctx, "the SIT");
	r->need_commit |= *changed;
	return 0;
}
