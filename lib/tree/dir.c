/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Directories: entries of a block or inline area, iteration and lookup. */
#include "config.h"

#include "tree/dir.h"
#include "tree/filemap.h"
#include "base/bits.h"
#include "dev/prefetch.h"
#include "format/hash.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DENTRY_BYTES	((uint32_t)sizeof(struct od_dentry))
#define SLOT_BYTES	(DENTRY_BYTES + OD_SLOT_LEN)
#define MAX_LEVELS	63U		/* kernel MAX_DIR_HASH_DEPTH */
#define MOST_HINTS	8192U		/* blocks of a directory hinted at once */

void dentry_area_of_block(const struct layout *lo, const void *block,
			  struct dentry_area *out)
{
	const uint8_t *at = block;

	out->nr_slots = lo->dentries_per_block;
	out->bitmap = at;
	at += lo->dentry_bitmap_bytes + lo->dentry_reserved;
	out->entries = (const struct od_dentry *)at;
	out->names = at + out->nr_slots * DENTRY_BYTES;
}

/* Entries and names end with the area; the bitmap is at its beginning. */
void dentry_area_of_inode(const struct inode *inode, const void *block,
			  struct dentry_area *out)
{
	const uint8_t *at = (const uint8_t *)block + inode->inline_off;
	uint32_t bytes = inode->inline_bytes;

	out->nr_slots = 8 * bytes / (8 * SLOT_BYTES + 1);
	out->bitmap = at;
	out->entries = (const struct od_dentry *)
		(at + bytes - out->nr_slots * SLOT_BYTES);
	out->names = at + bytes - out->nr_slots * OD_SLOT_LEN;
}

int dentry_next(const struct dentry_area *area, uint32_t *slot,
		struct dir_entry *out)
{
	const struct od_dentry *od;
	uint32_t i = *slot;
	uint16_t len;
	uint32_t nr;

	while (i < area->nr_slots && !bit_test_lsb(area->bitmap, i))
		i++;
	*slot = i;
	if (i >= area->nr_slots)
		return 0;
	od = &area->entries[i];
	len = le16_get(od->name_len);
	nr = (len + OD_SLOT_LEN - 1U) / OD_SLOT_LEN;
	if (!len || len > OD_NAME_LEN || nr > area->nr_slots - i) {
		*slot = i + 1;
		return -EUCLEAN;
	}
	*out = (struct dir_entry){
		.ino = le32_get(od->ino),
		.hash = le32_get(od->hash),
		.file_type = od->file_type,
		.name = area->names + (size_t)i * OD_SLOT_LEN,
		.name_len = len,
		.slot = i,
	};
	*slot = i + nr;
	return 1;
}

uint64_t dir_nr_blocks(const struct layout *lo, const struct inode *inode)
{
	if (inode->inl & OD_INLINE_DENTRY)
		return 0;
	return inode->size / lo->block_size +
	       (inode->size % lo->block_size != 0);
}

struct dir_walk {
	struct volume *vol;
	const struct inode *inode;
	dir_fn *fn;
	void *priv;
	uint8_t *buf;
	bool had_bad;			/* an entry that was passed over */
};

static int bad_entry(struct dir_walk *w, uint64_t lblk, uint32_t slot)
{
	w->had_bad = true;
	return ctx_fail(w->vol->ctx, -EUCLEAN, "directory %" PRIu32
			": block %" PRIu64 ", slot %" PRIu32
			": the length of the name cannot be",
			w->inode->ino, lblk, slot);
}

static int visit_area(struct dir_walk *w, const struct dentry_area *area,
		      uint64_t lblk)
{
	struct dir_entry e;
	uint32_t slot = 0;
	int ret;

	while ((ret = dentry_next(area, &slot, &e))) {
		if (ret < 0) {
			bad_entry(w, lblk, slot - 1);
			continue;
		}
		e.lblk = lblk;
		ret = w->fn(w->priv, &e);
		if (ret)
			return ret;
	}
	return 0;
}

/* What lies at or past i_size is not looked at (kernel f2fs_readdir()). */
static int visit_block(void *priv, const struct mapping *m)
{
	struct dir_walk *w = priv;
	struct dentry_area area;
	int err;

	if (m->lblk >= dir_nr_blocks(&w->vol->lo, w->inode) ||
	    m->blk == OD_BLK_NEW)
		return 0;
	if (!blk_is_main(&w->vol->lo, m->blk))
		return ctx_fail(w->vol->ctx, -EUCLEAN, "directory %" PRIu32
				": block %" PRIu64 " is at block %" PRIu32
				", outside the main area", w->inode->ino,
				m->lblk, m->blk);
	err = dev_read(w->vol->dev, m->blk, 1, w->buf);
	if (err)
		return err;
	dentry_area_of_block(&w->vol->lo, w->buf, &area);
	return visit_area(w, &area, m->lblk);
}

struct hints {
	const struct layout *lo;
	uint32_t *blks;			/* MOST_HINTS of them */
	size_t nr;
};

/* 1 when there are enough, which ends the walk. */
static int add_hint(void *priv, const struct mapping *m)
{
	struct hints *h = priv;

	if (blk_is_main(h->lo, m->blk))
		h->blks[h->nr++] = m->blk;
	return h->nr == MOST_HINTS;
}

/* Blocks of a directory that grew over time lie anywhere. */
static void hint_blocks(struct volume *vol, const struct inode *inode,
			const void *block)
{
	struct hints h = { .lo = &vol->lo };

	if (vol->dev->no_prefetch || dir_nr_blocks(&vol->lo, inode) < 2)
		return;
	h.blks = malloc(MOST_HINTS * sizeof(*h.blks));
	if (h.blks && filemap_walk(vol, inode, block, add_hint, &h) >= 0)
		prefetch_batch(vol->dev, h.blks, h.nr, PREFETCH_GAP);
	free(h.blks);
}

int dir_iterate(struct volume *vol, const struct inode *inode,
		const void *block, dir_fn *fn, void *priv)
{
	struct dir_walk w = {
		.vol = vol, .inode = inode, .fn = fn, .priv = priv,
	};
	struct dentry_area area;
	int err;

	if (!inode_is_dir(inode))
		return ctx_fail(vol->ctx, -ENOTDIR, "inode %" PRIu32
				" is not a directory", inode->ino);
	if (inode->inl & OD_INLINE_DENTRY) {
		dentry_area_of_inode(inode, block, &area);
		err = visit_area(&w, &area, 0);
	} else {
		w.buf = malloc(vol->lo.block_size);
		if (!w.buf)
			return ctx_nomem(vol->ctx, "a directory block");
		hint_blocks(vol, inode, block);
		err = filemap_walk(vol, inode, block, visit_block, &w);
		free(w.buf);
	}
	return err ? err : w.had_bad ? -EUCLEAN : 0;
}

struct lookup {
	const uint8_t *name;
	size_t len;
	uint32_t ino;
};

/* 1 when found, which ends the walk. */
static int is_entry(void *priv, const struct dir_entry *e)
{
	struct lookup *l = priv;

	if (e->name_len != l->len || memcmp(e->name, l->name, l->len))
		return 0;
	l->ino = e->ino;
	return 1;
}

static int find_in_block(struct volume *vol, const struct inode *inode,
			 const void *block, uint64_t lblk, uint8_t *buf,
			 struct lookup *l)
{
	struct dentry_area area;
	struct dir_entry e;
	uint32_t slot = 0;
	int ret;

	ret = filemap_read(vol, inode, block, lblk, buf);
	if (ret)
		return ret;
	dentry_area_of_block(&vol->lo, buf, &area);
	while ((ret = dentry_next(&area, &slot, &e)))
		if (ret > 0 && is_entry(l, &e))
			return 1;
	return 0;
}

/* The name's bucket in each level: kernel fs/f2fs/dir.c, find_in_level(). */
static int find_by_hash(struct volume *vol, const struct inode *inode,
			const void *block, struct lookup *l)
{
	uint32_t hash = dentry_hash(l->name, l->len);
	uint64_t nr_blks = dir_nr_blocks(&vol->lo, inode);
	uint8_t *buf = malloc(vol->lo.block_size);
	int ret = 0;

	if (!buf)
		return ctx_nomem(vol->ctx, "a directory block");
	for (unsigned int level = 0; !ret && level < inode->current_depth &&
	     level < MAX_LEVELS; level++) {
		uint32_t bucket = hash % dir_nr_buckets(level,
							inode->dir_level);
		uint64_t lblk = dir_bucket_lblk(level, inode->dir_level,
						bucket);

		for (uint32_t i = 0; !ret && i < dir_bucket_blks(level); i++)
			if (lblk < nr_blks && i < nr_blks - lblk)
				ret = find_in_block(vol, inode, block,
						    lblk + i, buf, l);
	}
	free(buf);
	return ret;
}

static bool has_own_hashes(const struct inode *inode)
{
	return !(inode->flags & OD_FLAG_CASEFOLD) &&
	       !(inode->advise & OD_ADVISE_ENCRYPT) &&
	       inode->dir_level <= MAX_LEVELS;
}

int dir_lookup(struct volume *vol, const struct inode *inode,
	       const void *block, const uint8_t *name, size_t len,
	       uint32_t *ino)
{
	struct lookup l = { .name = name, .len = len };
	int ret;

	if (inode_is_dir(inode) && !(inode->inl & OD_INLINE_DENTRY) &&
	    has_own_hashes(inode))
		ret = find_by_hash(vol, inode, block, &l);
	else
		ret = dir_iterate(vol, inode, block, is_entry, &l);
	if (ret < 0)
		return ret;
	if (!ret)
		return -ENOENT;
	*ino = l.ino;
	return 0;
}

uint8_t dir_file_type(uint16_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return OD_FT_REG;
	case S_IFDIR:
		return OD_FT_DIR;
	case S_IFCHR:
		return OD_FT_CHR;
	case S_IFBLK:
		return OD_FT_BLK;
	case S_IFIFO:
		return OD_FT_FIFO;
	case S_IFSOCK:
		return OD_FT_SOCK;
	case S_IFLNK:
		return OD_FT_LNK;
	default:
		return OD_FT_UNKNOWN;
	}
}
