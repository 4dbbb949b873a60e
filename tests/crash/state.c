/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One image in memory, and what two checkpoints expect of it. */
#include "config.h"

#include "state.h"

#include "hash.h"

#include "format/validate.h"
#include "meta/checkpoint.h"
#include "tree/inode.h"
#include "tree/pending.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Never 0, which stands for "not reached". */
static uint64_t hash_block(const void *data)
{
	return hash_bytes(1, data, BLOCK) | 1;
}

/* ---- A device on borrowed memory -------------------------------------- */

struct view {
	struct dev dev;
	const struct image *img;
};

static int view_read(struct dev *dev, uint64_t off, size_t len, void *buf)
{
	memcpy(buf, ((struct view *)dev)->img->data + off, len);
	return 0;
}

static int view_write(struct dev *dev, uint64_t off, size_t len,
		      const void *buf)
{
	(void)dev, (void)off, (void)len, (void)buf;
	return -EROFS;
}

static int view_flush(struct dev *dev)
{
	(void)dev;
	return 0;
}

static void view_close(struct dev *dev)
{
	free(dev);
}

static const struct dev_ops view_ops = {
	.read = view_read,
	.write = view_write,
	.flush = view_flush,
	.close = view_close,
};

int image_dev(const struct image *img, struct dev **out)
{
	struct view *view = calloc(1, sizeof(*view));
	int err;

	if (!view)
		return -ENOMEM;
	err = dev_init(&view->dev, &view_ops, img->ctx, "state",
		       (uint64_t)img->nr_blks * BLOCK, false);
	if (err) {
		free(view);
		return err;
	}
	view->img = img;
	*out = &view->dev;
	return 0;
}

int image_open(const struct image *img, struct volume **out)
{
	struct dev *dev;
	int err = image_dev(img, &dev);

	if (err)
		return err;
	err = volume_open(img->ctx, dev, out, NULL);
	if (err)
		dev_close(dev);
	return err;
}

int image_copy(const struct image *from, struct image *to)
{
	size_t bytes = (size_t)from->nr_blks * BLOCK;

	*to = *from;
	to->data = malloc(bytes);
	if (!to->data)
		return -ENOMEM;
	memcpy(to->data, from->data, bytes);
	return 0;
}

int image_store(const struct image *img, const char *path)
{
	static const uint8_t zeros[BLOCK];
	FILE *f = fopen(path, "wb");
	bool ok = f;

	for (uint32_t i = 0; ok && i < img->nr_blks; i++) {
		const uint8_t *data = img->data + (size_t)i * BLOCK;
		bool last = i + 1 == img->nr_blks;

		if (memcmp(data, zeros, BLOCK) || last)
			ok = fwrite(data, BLOCK, 1, f) == 1;
		else
			ok = !fseeko(f, BLOCK, SEEK_CUR);
	}
	if (f && fclose(f))
		ok = false;
	return ok ? 0 : -EIO;
}

/* ---- What a checkpoint reaches ---------------------------------------- */

static bool is_ssa(const struct layout *lo, uint32_t blk)
{
	return blk >= lo->ssa_blk && blk < lo->main_blk;
}

/*
 * Of a summary block only the entries of valid blocks matter (format 7.4,
 * rule 4), and what kind it is.
 */
static uint64_t hash_summary(const struct image *img, const struct ref *ref,
			     uint32_t blk, const uint8_t *data)
{
	const uint8_t *map = ref->sit_maps +
			     (size_t)(blk - img->lo.ssa_blk) * OD_SIT_MAP_BYTES;
	const struct od_sum_entry *e = sum_entries(data);
	uint64_t h = sum_foot(&img->lo, data)->entry_type;

	for (uint32_t i = 0; i < img->lo.blks_per_seg; i++)
		if (map[i / 8] & 0x80 >> i % 8)
			h = hash_bytes(h + i, &e[i], sizeof(e[i]));
	return h | 1;
}

static uint64_t hash_for(const struct image *img, const struct ref *ref,
			 uint32_t blk, const uint8_t *data)
{
	return is_ssa(&img->lo, blk) ? hash_summary(img, ref, blk, data) :
				       hash_block(data);
}

bool ref_reaches(const struct ref *ref, uint32_t blk)
{
	return ref->hash[blk];
}

bool ref_accepts(const struct image *img, const struct ref *ref, uint32_t blk,
		 const void *data)
{
	return !ref->hash[blk] ||
	       ref->hash[blk] == hash_for(img, ref, blk, data);
}

static void reach(const struct image *img, struct ref *ref, uint32_t blk)
{
	if (!ref->hash[blk])
		ref->nr_reached++;
	ref->hash[blk] = hash_for(img, ref, blk,
				  img->data + (size_t)blk * BLOCK);
}

static void reach_pack(const struct image *img, const struct volume *vol,
		       struct ref *ref)
{
	const struct od_checkpoint *head = (const void *)vol->cp.head;
	uint32_t first = cp_pack_blk(&vol->lo, vol->cp.pack);
	uint32_t nr = le32_get(head->cp_pack_total_block_count);

	for (uint32_t i = 0; i < nr; i++)
		reach(img, ref, first + i);
}

static void reach_tables(const struct image *img, const struct volume *vol,
			 struct ref *ref)
{
	const struct layout *lo = &vol->lo;
	const struct checkpoint *cp = &vol->cp;

	for (uint32_t i = 0; i < lo->nr_sit_blks; i++)
		reach(img, ref, sit_block_blk(lo, i, cp->sit_bitmap[i / 8] &
					      0x80 >> i % 8 ? 1 : 0));
	for (uint32_t i = 0; i < lo->nr_nat_blks; i++)
		reach(img, ref, nat_block_blk(lo, i, cp->nat_bitmap[i / 8] &
					      0x80 >> i % 8 ? 1 : 0));
}

static void reach_segment(const struct image *img, const struct volume *vol,
			  struct ref *ref, uint32_t segno)
{
	const struct sit_seg *seg = sit_get(&vol->sit, segno);

	if (!seg->valid)
		return;
	/* The summary of a current segment is in the pack. */
	if (!volume_seg_is_current(vol, segno))
		reach(img, ref, ssa_block_blk(&vol->lo, segno));
	for (uint32_t i = 0; i < vol->lo.blks_per_seg; i++)
		if (seg->map[i / 8] & 0x80 >> i % 8)
			reach(img, ref, seg_to_blk(&vol->lo, segno) + i);
}

/* The addresses in a node that was written after the checkpoint. */
static void reach_addrs(const struct image *img, const struct volume *vol,
			struct ref *ref, const le32 *addrs, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		if (blk_is_main(&vol->lo, le32_get(addrs[i])))
			reach(img, ref, le32_get(addrs[i]));
}

static void reach_chain_node(const struct image *img,
			     const struct volume *vol, struct ref *ref,
			     const void *block)
{
	uint32_t ofs = foot_ofs(node_foot(&vol->lo, block));
	struct inode inode;
	struct fault fault;

	if (node_kind(&vol->lo, ofs) == NODE_DIRECT)
		reach_addrs(img, vol, ref, node_slots(block),
			    vol->lo.addrs_per_node);
	else if (!ofs && !inode_decode(&vol->lo, block, &inode, &fault) &&
		 inode_has_blocks(&inode))
		reach_addrs(img, vol, ref, inode_file_addrs(&inode, block),
			    inode.nr_addrs);
}

/* Until it is replayed, what was fsynced is part of the old state. */
static void reach_chain(const struct image *img, const struct volume *vol,
			struct ref *ref)
{
	uint32_t blk = ref->chain_blk;

	for (uint32_t n = 0; n < img->nr_blks && blk_is_main(&vol->lo, blk);
	     n++) {
		const uint8_t *block = img->data + (size_t)blk * BLOCK;
		const struct od_node_foot *foot = node_foot(&vol->lo, block);

		if (le64_get(foot->cp_ver) != ref->chain_version)
			break;
		reach(img, ref, blk);
		reach_chain_node(img, vol, ref, block);
		blk = le32_get(foot->next_blk);
	}
}

static void reach_all(const struct image *img, const struct volume *vol,
		      struct ref *ref)
{
	const struct layout *lo = &vol->lo;

	reach(img, ref, 0);		/* both superblocks */
	reach(img, ref, 1);
	reach_pack(img, vol, ref);
	reach_tables(img, vol, ref);
	for (uint32_t s = 0; s < lo->nr_main_segs; s++)
		memcpy(ref->sit_maps + (size_t)s * OD_SIT_MAP_BYTES,
		       sit_get(&vol->sit, s)->map, OD_SIT_MAP_BYTES);
	for (uint32_t s = 0; s < lo->nr_main_segs; s++)
		reach_segment(img, vol, ref, s);
}

int ref_make(const struct image *img, struct ref *out)
{
	const struct curseg *warm;
	struct volume *vol;
	int err = image_open(img, &vol);

	if (err)
		return err;
	*out = (struct ref){
		.version = vol->cp.version,
		.hash = calloc(img->nr_blks, sizeof(uint64_t)),
		.sit_maps = calloc(vol->lo.nr_main_segs, OD_SIT_MAP_BYTES),
		.chain_version = cp_recovery_version(&vol->lo, &vol->cp),
	};
	warm = &vol->cp.log[LOG_WARM_NODE];
	out->chain_blk = seg_to_blk(&vol->lo, warm->segno) + warm->next;
	if (out->hash && out->sit_maps) {
		reach_all(img, vol, out);
		reach_chain(img, vol, out);
		err = pending_fsyncs(vol, &out->nr_fsynced);
	} else {
		err = -ENOMEM;
	}
	volume_close(vol);
	return err;
}

void ref_free(struct ref *ref)
{
	free(ref->hash);
	free(ref->sit_maps);
}

/* ---- The state --------------------------------------------------------- */

int state_init(struct state *st, const struct image *img)
{
	*st = (struct state){ .img = *img };
	st->hash = calloc(img->nr_blks, sizeof(uint64_t));
	if (!st->hash)
		return -ENOMEM;
	for (uint32_t i = 0; i < img->nr_blks; i++)
		st->hash[i] = hash_block(img->data + (size_t)i * BLOCK);
	return 0;
}

void state_free(struct state *st)
{
	free(st->hash);
	free(st->img.data);
}

static bool accepts(const struct state *st, int which, uint32_t blk)
{
	const struct ref *ref = st->ref[which];

	if (!ref || !ref->hash[blk])
		return true;
	if (is_ssa(&st->img.lo, blk))
		return ref_accepts(&st->img, ref, blk,
				   st->img.data + (size_t)blk * BLOCK);
	return ref->hash[blk] == st->hash[blk];
}

void state_set_refs(struct state *st, const struct ref *old,
		    const struct ref *new)
{
	st->ref[OLD] = old;
	st->ref[NEW] = new;
	for (int i = OLD; i <= NEW; i++) {
		st->bad[i] = 0;
		for (uint32_t blk = 0; blk < st->img.nr_blks; blk++)
			st->bad[i] += !accepts(st, i, blk);
	}
}

void state_set_block(struct state *st, uint32_t blk, const uint8_t *data)
{
	const struct layout *lo = &st->img.lo;

	for (int i = OLD; i <= NEW; i++)
		st->bad[i] -= !accepts(st, i, blk);
	memcpy(st->img.data + (size_t)blk * BLOCK, data, BLOCK);
	st->hash[blk] = hash_block(data);
	for (int i = OLD; i <= NEW; i++)
		st->bad[i] += !accepts(st, i, blk);
	if (blk >= lo->cp_blk && blk < lo->sit_blk)
		st->live_known = false;
}

/* Version of pack 0 or 1, or 0 if it is not valid (format 3.4). */
static uint64_t pack_version(const struct image *img, int pack)
{
	uint32_t first = cp_pack_blk(&img->lo, pack);
	const uint8_t *head = img->data + (size_t)first * BLOCK, *foot;
	const struct od_checkpoint *cp = (const void *)head;
	uint32_t total = le32_get(cp->cp_pack_total_block_count);
	struct fault fault;

	if (cp_block_validate(&img->lo, head, &fault) || total <= 2 ||
	    total > img->lo.blks_per_seg)
		return 0;
	foot = head + (size_t)(total - 1) * BLOCK;
	if (cp_block_validate(&img->lo, foot, &fault) ||
	    memcmp(head, foot, sizeof(cp->checkpoint_ver)))
		return 0;
	return le64_get(cp->checkpoint_ver);
}

uint64_t state_live(struct state *st)
{
	uint64_t v[2];

	if (!st->live_known) {
		v[0] = pack_version(&st->img, 0);
		v[1] = pack_version(&st->img, 1);
		st->live = (int64_t)(v[1] - v[0]) > 0 ? v[1] : v[0];
		st->live_known = true;
	}
	return st->live;
}

/* Would a mount replay other nodes than those that were fsynced? */
static bool chain_is_forged(const struct state *st, const struct ref *ref)
{
	const struct od_node_foot *foot;
	struct volume *vol;
	uint64_t nr = 0;

	if (ref->chain_blk >= st->img.nr_blks)
		return false;
	foot = node_foot(&st->img.lo,
			 st->img.data + (size_t)ref->chain_blk * BLOCK);
	if (le64_get(foot->cp_ver) != ref->chain_version)
		return ref->nr_fsynced;
	if (image_open(&st->img, &vol))
		return true;
	if (pending_fsyncs(vol, &nr))
		nr = UINT64_MAX;
	volume_close(vol);
	return nr != ref->nr_fsynced;
}

static uint32_t first_bad(const struct state *st, int which)
{
	uint32_t blk = 0;

	while (blk < st->img.nr_blks && accepts(st, which, blk))
		blk++;
	return blk;
}

const char *state_check(struct state *st, unsigned int allowed)
{
	static char text[160];
	uint64_t live = state_live(st);
	int which;

	if (live == st->ref[OLD]->version && allowed & 1U << OLD) {
		which = OLD;
	} else if (live == st->ref[NEW]->version && allowed & 1U << NEW) {
		which = NEW;
	} else {
		snprintf(text, sizeof(text), "live checkpoint is %" PRIu64
			 ", should be %" PRIu64, live,
			 st->ref[allowed & 1U << OLD ? OLD : NEW]->version);
		return text;
	}
	if (st->bad[which]) {
		snprintf(text, sizeof(text), "%" PRIu64 " blocks that live checkpoint %"
			 PRIu64 " reaches have changed, the first is block %"
			 PRIu32, st->bad[which], live, first_bad(st, which));
		return text;
	}
	if (chain_is_forged(st, st->ref[which]))
		return "a mount would replay nodes that were never fsynced after the live checkpoint";
	return NULL;
}
