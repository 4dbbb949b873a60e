/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What an edit frees and claims. A claimed block was written after the live
 * checkpoint by a kernel, whose SIT and summaries for it never came to the
 * device (kernel fs/f2fs/segment.c, f2fs_do_replace_block()).
 */
#include "config.h"

#include "engine/edit_int.h"

#include "base/bits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

int edit_invalidate_block(struct edit *ed, uint32_t blk)
{
	struct volume *vol = ed->vol;
	int err = blk_is_main(&vol->lo, blk) ?
		  sit_mark_invalid(&vol->sit, blk) : -EUCLEAN;

	ed->has_changed = true;
	if (err != -EUCLEAN)
		return err;
	return ctx_fail(vol->ctx, err, "block %" PRIu32 " was to be freed, but "
			"is none that is in use: check the volume with "
			"fsck.f2fs", blk);
}

int edit_drop_block(struct edit *ed, uint32_t blk)
{
	int err = blk_is_real(blk) ? edit_invalidate_block(ed, blk) : 0;

	ed->has_changed = true;
	if (!err && blk != OD_BLK_NULL)
		ed->vol->cp.valid_blocks--;
	return err;
}

void edit_reserve_block(struct edit *ed)
{
	ed->has_changed = true;
	ed->vol->cp.valid_blocks++;
}

/* The version tells summaries of the node that was from those of the next. */
int edit_free_node(struct edit *ed, uint32_t nid)
{
	struct volume *vol = ed->vol;
	struct nat_entry e = nat_get(&vol->nat, nid);
	int err = edit_invalidate_block(ed, e.blk);

	if (err)
		return err;
	vol->cp.valid_blocks--;
	vol->cp.valid_nodes--;
	vol->cp.valid_inodes -= e.ino == nid;
	e = (struct nat_entry){ .version = (uint8_t)(e.version + 1) };
	return nat_set(&vol->nat, nid, &e);
}

static struct edit_sum *find_sum(struct edit *ed, uint32_t segno)
{
	for (size_t i = ed->sums.nr; i; i--)
		if (ed->sums.v[i - 1].segno == segno)
			return &ed->sums.v[i - 1];
	return NULL;
}

/*
 * The summary of a segment that is not one of a log. One that was free has
 * a summary of long ago, or of the kernel that wrote there last.
 */
static int need_sum(struct edit *ed, uint32_t segno, uint8_t **sum)
{
	struct volume *vol = ed->vol;
	struct edit_sum *there = find_sum(ed, segno);
	struct edit_sum s = { .segno = segno };
	int err = 0;

	if (there) {
		*sum = there->sum;
		return 0;
	}
	s.sum = calloc(1, vol->lo.sum_bytes);
	if (s.sum && sit_get(&vol->sit, segno)->valid)
		err = ssa_read(vol, segno, s.sum);
	if (!err && (!s.sum || vec_push(&ed->sums, &s)))
		err = ctx_nomem(vol->ctx, "a summary");
	if (err)
		free(s.sum);
	*sum = s.sum;
	return err;
}

static int sum_of(struct edit *ed, uint32_t segno, uint8_t **sum)
{
	int log = cp_log_of_seg(&ed->vol->cp, segno);

	if (log < 0)
		return need_sum(ed, segno, sum);
	*sum = ed->vol->cp.log[log].sum;
	return 0;
}

static int cannot_claim(struct edit *ed, uint32_t blk, const char *why)
{
	return ctx_fail(ed->vol->ctx, -EUCLEAN, "block %" PRIu32 " was to "
			"become part of a file, but %s", blk, why);
}

/* As a kernel would: the time of the last write, which is now. */
static int set_age(struct edit *ed, uint32_t segno)
{
	struct sit *sit = &ed->vol->sit;
	const struct sit_seg *seg = sit_get(sit, segno);
	uint64_t now = ed->vol->cp.elapsed_time;
	uint64_t age = seg->mtime < now ? seg->mtime : now;

	if (seg->valid == 1)
		age = now;
	return sit_set_mtime(sit, segno, age + (now - age) / seg->valid);
}

int edit_claim_block(struct edit *ed, uint32_t blk, uint8_t type,
		     struct sum_entry owner)
{
	struct volume *vol = ed->vol;
	const struct layout *lo = &vol->lo;
	const struct sit_seg *seg;
	uint32_t segno;
	uint8_t *sum;
	int err;

	if (!blk_is_main(lo, blk))
		return cannot_claim(ed, blk, "lies outside the main area");
	segno = blk_to_seg(lo, blk);
	seg = sit_get(&vol->sit, segno);
	if (!bit_test_lsb(ed->withheld, seg_to_sec(lo, segno)))
		return cannot_claim(ed, blk, "its section is not withheld");
	if (sit_is_valid(&vol->sit, blk))
		return cannot_claim(ed, blk, "is in use");
	if (seg->valid && log_is_node(seg->type) != log_is_node(type))
		return cannot_claim(ed, blk, "lies among nodes");
	err = sum_of(ed, segno, &sum);
	if (err)
		return err;
	ed->has_changed = true;
	sum_encode(&sum_entries(sum)[blk_in_seg(lo, blk)], owner);
	sum_foot(lo, sum)->entry_type = log_is_node(type) ? OD_SUM_NODE :
							    OD_SUM_DATA;
	vol->cp.valid_blocks++;
	err = sit_mark_valid(&vol->sit, blk, type);
	return err ? err : set_age(ed, segno);
}

int edit_owner(struct edit *ed, uint32_t blk, struct sum_entry *owner)
{
	struct volume *vol = ed->vol;
	uint32_t segno = blk_to_seg(&vol->lo, blk);
	const struct edit_sum *there = find_sum(ed, segno);
	uint8_t *sum = NULL;
	int err = 0;

	if (!there) {
		sum = malloc(vol->lo.sum_bytes);
		if (!sum)
			return ctx_nomem(vol->ctx, "a summary");
		err = ssa_read(vol, segno, sum);
	}
	if (!err)
		*owner = sum_decode(&sum_entries(there ? there->sum : sum)
				    [blk_in_seg(&vol->lo, blk)]);
	free(sum);
	return err;
}

int edit_write_sums(struct edit *ed)
{
	int err = 0;

	for (size_t i = 0; !err && i < ed->sums.nr; i++) {
		err = ssa_write(ed->vol, ed->sums.v[i].segno,
				ed->sums.v[i].sum);
		ed->blocks_written++;
	}
	return err;
}
