/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fields of the checkpoint. Counts follow the content; the sizes that were set
 * when the volume was made are the same in both packs.
 */
#include "config.h"

#include "engine/repair_int.h"

#include "format/validate.h"

#include <string.h>

/* The numbers that every checkpoint of a volume has alike. */
struct sizes {
	uint64_t user_blocks;
	uint32_t rsvd_segs;
	uint32_t overprov_segs;
};

static struct sizes sizes_of(const struct checkpoint *cp)
{
	return (struct sizes){ cp->user_blocks, cp->rsvd_segs,
			       cp->overprov_segs };
}

static uint64_t user_blocks_of(const struct layout *lo, uint32_t overprov)
{
	return (uint64_t)(lo->nr_main_segs - overprov) * lo->blks_per_seg;
}

/* What a kernel's mount demands of them, and how they hang together. */
static bool sizes_are_good(const struct volume *vol, const struct sizes *s)
{
	const struct layout *lo = &vol->lo;
	uint32_t meta = lo->nr_segs - lo->nr_main_segs;

	return s->rsvd_segs && s->overprov_segs >= s->rsvd_segs &&
	       s->overprov_segs < lo->nr_main_segs &&
	       (uint64_t)meta + s->rsvd_segs < lo->nr_segs &&
	       s->user_blocks == user_blocks_of(lo, s->overprov_segs);
}

/* Of the pack that is not live, if its first block is whole. */
static bool read_other(struct volume *vol, struct sizes *out)
{
	uint8_t *block = malloc(vol->lo.block_size);
	const struct od_checkpoint *od = (const void *)block;
	struct fault fault;
	bool good = block &&
		!dev_read(vol->dev, cp_pack_blk(&vol->lo, !vol->cp.pack), 1,
			  block) &&
		!cp_block_validate(&vol->lo, block, &fault);

	if (good)
		*out = (struct sizes){
			.user_blocks = le64_get(od->user_block_count),
			.rsvd_segs = le32_get(od->rsvd_segment_count),
			.overprov_segs = le32_get(od->overprov_segment_count),
		};
	free(block);
	return good;
}

/* Without the other pack's word two of the three give the third. */
static void guess_sizes(const struct volume *vol, struct sizes *s)
{
	const struct layout *lo = &vol->lo;
	uint64_t user_segs = s->user_blocks / lo->blks_per_seg;

	if (s->overprov_segs < s->rsvd_segs || !s->overprov_segs ||
	    s->overprov_segs >= lo->nr_main_segs) {
		if (user_segs && user_segs < lo->nr_main_segs)
			s->overprov_segs = lo->nr_main_segs -
					   (uint32_t)user_segs;
		else
			s->overprov_segs = s->rsvd_segs + 2 * lo->segs_per_sec;
	}
	if (!s->rsvd_segs || s->rsvd_segs > s->overprov_segs)
		s->rsvd_segs = s->overprov_segs > 2 * lo->segs_per_sec ?
			       s->overprov_segs - 2 * lo->segs_per_sec :
			       s->overprov_segs;
	if (s->overprov_segs < lo->nr_main_segs)
		s->user_blocks = user_blocks_of(lo, s->overprov_segs);
}

/* False: they are as they were. */
static bool mend_sizes(struct volume *vol)
{
	struct sizes had = sizes_of(&vol->cp), s;

	if (sizes_are_good(vol, &had))
		return false;
	if (!read_other(vol, &s) || !sizes_are_good(vol, &s)) {
		s = had;
		guess_sizes(vol, &s);
		if (!sizes_are_good(vol, &s))
			return false;
	}
	vol->cp.user_blocks = s.user_blocks;
	vol->cp.rsvd_segs = s.rsvd_segs;
	vol->cp.overprov_segs = s.overprov_segs;
	return true;
}

/* All other fields that can be out of range are made by the commit. */
static bool mend_fields(struct repair *r)
{
	struct volume *vol = r->vol;
	struct sizes s;
	bool any = repair_has(r, P_CP_HINT);

	if (any)
		repair_solved(r, P_CP_HINT);
	if (!repair_has(r, P_CP_FIELD))
		return any;
	mend_sizes(vol);
	s = sizes_of(&vol->cp);
	if (!sizes_are_good(vol, &s) ||
	    vol->sit.valid_data + vol->sit.valid_nodes > s.user_blocks)
		return any;		/* overfull: nothing to be done here */
	repair_solved(r, P_CP_FIELD);
	return true;
}

static bool set_u64(uint64_t *field, uint64_t value)
{
	bool differs = *field != value;

	*field = value;
	return differs;
}

static bool set_u32(uint32_t *field, uint32_t value)
{
	bool differs = *field != value;

	*field = value;
	return differs;
}

/* A mount compares them with the SIT (format 7.3). */
static bool mend_counts(struct volume *vol, const struct facts *f)
{
	struct checkpoint *cp = &vol->cp;
	const struct sit *sit = &vol->sit;
	uint64_t blocks = sit->valid_data + sit->valid_nodes + f->reserved;
	bool any = false;

	/* More may be reserved in nodes that could not be read. */
	if (!f->unread || cp->valid_blocks < blocks)
		any |= set_u64(&cp->valid_blocks, blocks);
	any |= set_u32(&cp->valid_nodes, (uint32_t)sit->valid_nodes);
	any |= set_u32(&cp->valid_inodes, f->inodes);
	any |= set_u32(&cp->free_segs, volume_free_segs(vol));
	return any;
}

static int by_ino(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/*
 * Inodes that are orphans, in order; the caller's. While something is in doubt
 * only the listed ones: what is without a name may have lost it.
 */
static uint32_t *list_orphans(const struct facts *f, uint32_t *nr)
{
	const struct nid_vec *parts[2] = { &f->orphans, &f->unlinked };
	uint32_t *list = malloc((f->orphans.nr + f->unlinked.nr + 1) *
				sizeof(*list));

	*nr = 0;
	for (int i = 0; list && i < (f->doubt ? 1 : 2); i++)
		for (size_t k = 0; k < parts[i]->nr; k++)
			list[(*nr)++] = parts[i]->v[k];
	if (*nr)
		qsort(list, *nr, sizeof(*list), by_ino);
	return list;
}

static int mend_orphans(struct repair *r, const struct facts *f, bool *changed)
{
	struct checkpoint *cp = &r->vol->cp;
	uint32_t nr, *list = list_orphans(f, &nr);

	if (!list)
		return ctx_nomem(r->vol->ctx, "the orphan list");
	if (cp->nr_orphans)
		qsort(cp->orphans, cp->nr_orphans, sizeof(*cp->orphans), by_ino);
	if (repair_has(r, P_CP_ORPHAN)) {
		repair_solved(r, P_CP_ORPHAN);
		*changed = true;
	}
	if (cp->nr_orphans == nr &&
	    (!nr || !memcmp(cp->orphans, list, nr * sizeof(*list)))) {
		free(list);
		return 0;
	}
	free(cp->orphans);
	cp->orphans = list;
	cp->nr_orphans = nr;
	*changed = true;
	return 0;
}

int repair_cp(struct repair *r, const struct facts *f, bool *changed)
{
	bool mended = mend_fields(r);
	int err = mend_orphans(r, f, &mended);

	if (err)
		return err;
	mended |= mend_counts(r->vol, f);
	r->need_commit |= mended;
	*changed |= mended;
	return 0;
}
