/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pass 0: superblocks and checkpoint, what opening them did not say yet. Most
 * findings on them are made where they are read (meta/super.c,
 * meta/checkpoint.c).
 */
#include "config.h"

#include "check/check_int.h"
#include "tree/pending.h"

#include <string.h>

/* Marks that the kernel sets in one copy after the other at run time. */
static void blank_marks(struct od_super *sb)
{
	memset(sb->version, 0, sizeof(sb->version));
	memset(sb->s_stop_reason, 0, sizeof(sb->s_stop_reason));
	memset(sb->s_errors, 0, sizeof(sb->s_errors));
	le32_set(&sb->crc, 0);
}

static size_t first_difference(const void *a, const void *b, size_t len)
{
	const uint8_t *x = a, *y = b;
	size_t i = 0;

	while (i < len && x[i] == y[i])
		i++;
	return i;
}

static int compare_supers(struct check *c)
{
	const struct super *super = &c->vol->super;
	struct od_super sb[2] = { super->sb };
	uint64_t off = OD_SUPER_OFFSET +
		       (super->copy ? 0 : (uint64_t)c->lo->block_size);
	size_t at;
	int err;

	if (!super->differ)
		return 0;
	err = dev_read_bytes(c->vol->dev, off, sizeof(sb[1]), &sb[1]);
	if (err)
		return err;
	blank_marks(&sb[0]);
	blank_marks(&sb[1]);
	at = first_difference(&sb[0], &sb[1], sizeof(sb[0]));
	if (at < sizeof(sb[0]))
		check_found_as(c, (&(struct finding){
				.id = P_SB_COPIES_DIFFER,
				.structure = "superblock copy",
				.number = super->copy ? 1 : 2,
				.blk = super->copy ? 0 : 1 }),
			       "first at byte %zu", at);
	return 0;
}

static void note_marks(struct check *c)
{
	const struct od_super *sb = &c->vol->super.sb;

	for (unsigned int i = 0; i < sizeof(sb->s_stop_reason); i++)
		if (sb->s_stop_reason[i])
			check_found_as(c, (&(struct finding){
					.id = P_SB_ERRORS_MARKED,
					.structure = "superblock stop reason",
					.number = i, .has_values = true,
					.found = sb->s_stop_reason[i] }), NULL);
	for (unsigned int i = 0; i < 8 * sizeof(sb->s_errors); i++)
		if (sb->s_errors[i / 8] & 1 << i % 8)
			check_found_as(c, (&(struct finding){
					.id = P_SB_ERRORS_MARKED,
					.structure = "superblock error",
					.number = i }), NULL);
}

static void note_flags(struct check *c)
{
	const struct checkpoint *cp = &c->vol->cp;
	struct finding f = {
		.structure = "checkpoint pack",
		.number = (uint64_t)cp->pack + 1,
		.blk = cp_pack_blk(c->lo, cp->pack),
		.has_values = true,
		.found = cp->flags,
	};

	if (cp->flags & OD_CP_FSCK) {
		f.id = P_CP_FLAG_FSCK;
		f.expected = cp->flags & ~OD_CP_FSCK;
		check_found_as(c, &f, "flags");
	}
	if (cp->flags & OD_CP_ERROR) {
		f.id = P_CP_FLAG_ERROR;
		f.expected = cp->flags & ~OD_CP_ERROR;
		check_found_as(c, &f, "flags");
	}
}

static int note_pending(struct check *c)
{
	uint64_t nr = 0;
	int err = pending_fsyncs(c->vol, &nr);

	if (err)
		return err;
	c->res->pending_fsyncs = nr;
	if (nr)
		check_found(c, .id = P_CP_PENDING_FSYNC,
			    .structure = "checkpoint pack",
			    .number = (uint64_t)c->vol->cp.pack + 1,
			    .blk = cp_pack_blk(c->lo, c->vol->cp.pack),
			    .has_values = true, .found = nr);
	return 0;
}

int pass0_super(struct check *c)
{
	int err = compare_supers(c);

	if (err)
		return err;
	note_marks(c);
	note_flags(c);
	return note_pending(c);
}
