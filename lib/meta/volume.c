/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening a volume, and what can be said of it as a whole. */
#include "config.h"

#include "meta/volume.h"
#include "base/bits.h"
#include "format/validate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static int check_shape(struct volume *vol)
{
	const struct od_super *sb = &vol->super.sb;
	int nr = 0;

	while (nr < OD_MAX_DEVICES && sb->devs[nr].path[0])
		nr++;
	if (nr > 1)
		return ctx_fail(vol->ctx, -EOPNOTSUPP,
				"%s: the volume spans %d devices, which is not supported yet",
				vol->dev->name, nr);
	if (nr)
		return ctx_fail(vol->ctx, -EOPNOTSUPP,
				"%s: the superblock names a device list, which is not supported yet",
				vol->dev->name);
	return 0;
}

static void log_finding(struct volume *vol, unsigned int type,
			uint64_t found, uint64_t expected, const char *what)
{
	const struct curseg *log = &vol->cp.log[type];

	findings_add(&vol->findings, &(struct finding){
		     .id = P_CP_CURSEG, .structure = "log", .number = type,
		     .blk = seg_to_blk(&vol->lo, log->segno) + log->next,
		     .has_values = true, .found = found,
		     .expected = expected }, "%s", what);
}

/*
 * A log must not write over a valid block, and in LFS form none may lie
 * before it (kernel segment.c, sanity_check_curseg()).
 */
static void check_log(struct volume *vol, unsigned int type)
{
	const struct curseg *log = &vol->cp.log[type];
	const struct sit_seg *seg;

	if (log->segno == OD_SEG_NULL)
		return;
	seg = sit_get(&vol->sit, log->segno);
	if (bit_test_msb(seg->map, log->next)) {
		log_finding(vol, type, 1, 0, "the next block is valid already");
		return;
	}
	/* Node and data blocks never share a segment (format 3.1). */
	if (seg->valid && log_is_node(seg->type) != log_is_node(type))
		log_finding(vol, type, seg->type, type,
			    "the segment is of the other class");
	if (log->alloc_type != ALLOC_LFS)
		return;
	for (uint32_t n = log->next; n < vol->lo.blks_per_seg; n++) {
		if (!bit_test_msb(seg->map, n))
			continue;
		log_finding(vol, type, n, log->next,
			    "a valid block after the next one of an LFS log");
		return;
	}
}

static void note_flags(struct volume *vol)
{
	struct finding f = { .structure = "checkpoint pack",
			     .number = (uint64_t)vol->cp.pack,
			     .blk = cp_pack_blk(&vol->lo, vol->cp.pack) };

	if (vol->cp.flags & OD_CP_ERROR) {
		f.id = P_CP_FLAG_ERROR;
		findings_add(&vol->findings, &f, NULL);
	}
	if (vol->cp.flags & OD_CP_FSCK) {
		f.id = P_CP_FLAG_FSCK;
		findings_add(&vol->findings, &f, NULL);
	}
	if (vol->cp.flags & OD_CP_QUOTA_NEED_FSCK) {
		f.id = P_CP_FLAG_QUOTA;
		findings_add(&vol->findings, &f, NULL);
	}
	if (vol->cp.flags & (OD_CP_DISABLED | OD_CP_DISABLED_QUICK |
			     OD_CP_RESIZEFS)) {
		f.id = P_CP_FLAG_STATE;
		findings_add(&vol->findings, &f, "flags 0x%" PRIx32,
			     vol->cp.flags);
	}
	if (vol->cp.next_free_nid >= vol->lo.nr_nids) {
		f.id = P_CP_HINT;
		f.has_values = true;
		f.found = vol->cp.next_free_nid;
		f.expected = vol->lo.nr_nids - 1;
		findings_add(&vol->findings, &f, "next_free_nid");
	}
}

static int load(struct volume *vol)
{
	int err = super_load(vol->dev, &vol->findings, &vol->super);

	if (!err)
		err = check_shape(vol);
	if (err)
		return err;
	layout_from_super(&vol->lo, &vol->super.sb);
	err = cp_load(vol->dev, &vol->lo, &vol->findings, &vol->cp);
	if (!err)
		err = sit_load(vol->dev, &vol->lo, &vol->cp, &vol->findings,
			       &vol->sit);
	if (!err)
		err = nat_load(vol->dev, &vol->lo, &vol->cp, &vol->findings,
			       &vol->nat);
	if (err)
		return err;
	for (unsigned int type = 0; type < OD_NR_LOGS; type++)
		check_log(vol, type);
	note_flags(vol);
	return volume_judge_nat_bits(vol);
}

void volume_judge_logs(struct volume *vol)
{
	findings_drop(&vol->findings, P_CP_CURSEG);
	for (unsigned int type = 0; type < OD_NR_LOGS; type++)
		if (log_is_used(&vol->lo, type))
			check_log(vol, type);
}

int volume_open(struct f2c_ctx *ctx, struct dev *dev, struct volume **out,
		struct findings *findings)
{
	struct volume *vol = calloc(1, sizeof(*vol));
	int err;

	if (findings)
		findings_init(findings);
	if (!vol)
		return ctx_nomem(ctx, "a volume");
	findings_init(&vol->findings);
	vol->ctx = ctx;
	vol->dev = dev;
	err = load(vol);
	if (err) {
		if (findings)
			findings_move(&vol->findings, findings);
		vol->dev = NULL;
		volume_close(vol);
		return err;
	}
	*out = vol;
	return 0;
}

void volume_close(struct volume *vol)
{
	if (!vol)
		return;
	nat_free(&vol->nat);
	sit_free(&vol->sit);
	cp_free(&vol->cp);
	findings_free(&vol->findings);
	dev_close(vol->dev);
	free(vol);
}

static int forbid_features(struct volume *vol)
{
	uint64_t unknown = vol->lo.features & ~(uint64_t)OD_FEATURES_KNOWN;

	if (unknown)
		return ctx_fail(vol->ctx, -EOPNOTSUPP,
				"%s: not written: feature bits 0x%" PRIx64
				" are not known to this version",
				vol->dev->name, unknown);
	if (layout_has(&vol->lo, OD_FEATURE_RO))
		return ctx_fail(vol->ctx, -EROFS,
				"%s: not written: the volume has the feature ro",
				vol->dev->name);
	if (layout_has(&vol->lo, OD_FEATURE_BLKZONED))
		return ctx_fail(vol->ctx, -EOPNOTSUPP,
				"%s: not written: the feature blkzoned is not supported yet",
				vol->dev->name);
	return 0;
}

static int forbid_flags(struct volume *vol)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} table[] = {
		{ OD_CP_ERROR, "ERROR" },
		{ OD_CP_DISABLED, "DISABLED" },
		{ OD_CP_DISABLED_QUICK, "DISABLED_QUICK" },
		{ OD_CP_RESIZEFS, "RESIZEFS" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (vol->cp.flags & table[i].flag)
			return ctx_fail(vol->ctx, -EUCLEAN,
					"%s: not written: the checkpoint has the flag %s (0x%"
					PRIx32 "); run fsck.f2fs",
					vol->dev->name, table[i].name,
					table[i].flag);
	return 0;
}

static int forbid_findings(struct volume *vol)
{
	const struct findings *f = &vol->findings;
	uint64_t nr = findings_count(f, SEV_ERROR);
	char line[512] = "more than can be kept";

	if (!nr)
		return 0;
	for (size_t i = 0; i < f->nr; i++) {
		if (problem_get(f->v[i].id)->severity < SEV_ERROR)
			continue;
		finding_format(&f->v[i], line, sizeof(line));
		break;
	}
	return ctx_fail(vol->ctx, -EUCLEAN,
			"%s: not written: %s%s; run fsck.f2fs", vol->dev->name,
			line, nr > 1 ? ", and more" : "");
}

static int fail_spoilt(struct volume *vol)
{
	return ctx_fail(vol->ctx, -EIO,
			"%s: not written: a commit failed, the volume must be opened again",
			vol->dev->name);
}

int volume_can_write(struct volume *vol)
{
	int err = forbid_features(vol);

	if (vol->is_spoilt)
		return fail_spoilt(vol);
	if (!err)
		err = forbid_flags(vol);
	if (!err)
		err = forbid_findings(vol);
	return err;
}

int volume_can_repair(struct volume *vol)
{
	if (vol->is_spoilt)
		return fail_spoilt(vol);
	return forbid_features(vol);
}

bool volume_seg_is_current(const struct volume *vol, uint32_t segno)
{
	return cp_log_of_seg(&vol->cp, segno) >= 0;
}

bool volume_sec_is_current(const struct volume *vol, uint32_t secno)
{
	for (int i = 0; i < OD_NR_LOGS; i++)
		if (vol->cp.log[i].segno != OD_SEG_NULL &&
		    seg_to_sec(&vol->lo, vol->cp.log[i].segno) == secno)
			return true;
	return false;
}

uint32_t volume_free_segs(const struct volume *vol)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < vol->lo.nr_main_segs; s++)
		n += !sit_get(&vol->sit, s)->valid &&
		     !volume_seg_is_current(vol, s);
	return n;
}

uint32_t volume_free_secs(const struct volume *vol)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < vol->lo.nr_main_secs; s++)
		n += !sit_sec_valid(&vol->sit, s) &&
		     !volume_sec_is_current(vol, s);
	return n;
}
