/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stretches of the main area between blocks of pinned files, ends of devices,
 * and what lies beyond the capacity of zones.
 */
#include "config.h"

#include "tree/frag_islands.h"
#include "base/bits.h"
#include "tree/filemap.h"

#include <errno.h>
#include <stdlib.h>

struct marker {
	const struct layout *lo;
	uint8_t *map;			/* a bit a block: it cannot move */
	uint64_t borders[OD_MAX_DEVICES]; /* first blocks of devices */
	int nr_borders;
};

/* The first device also has what lies before segment 0 (kernel super.c,
 * f2fs_scan_devices()). */
static void find_borders(const struct od_super *sb, struct marker *m)
{
	uint64_t blk = le32_get(sb->segment0_blkaddr);

	for (int i = 0; i < OD_MAX_DEVICES && sb->devs[i].path[0]; i++) {
		blk += (uint64_t)le32_get(sb->devs[i].total_segments) *
		       m->lo->blks_per_seg;
		m->borders[m->nr_borders++] = blk;
	}
}

static bool is_border(const struct marker *m, uint32_t blk)
{
	for (int i = 0; i < m->nr_borders; i++)
		if (m->borders[i] == blk)
			return true;
	return false;
}

static bool is_barred(const struct marker *m, uint32_t blk)
{
	uint32_t i = blk - m->lo->main_blk, cap = m->lo->zone_cap_blks;

	return bit_test_lsb(m->map, i) ||
	       (cap && i % blks_per_sec(m->lo) >= cap);
}

static int mark_run(void *priv, const struct extent *e)
{
	const struct marker *m = priv;

	for (uint64_t i = 0; i < e->len; i++) {
		uint64_t blk = e->blk + i;

		if (blk > UINT32_MAX || !blk_is_main(m->lo, (uint32_t)blk))
			break;
		bit_set_lsb(m->map, (size_t)blk - m->lo->main_blk);
	}
	return 0;
}

/* What does not make sense is for checks to find, and no error here. */
static int mark_file(struct volume *vol, uint32_t ino, void *block,
		     struct marker *m)
{
	struct inode inode;
	int err = inode_read(vol, ino, block, &inode);

	if (!err)
		err = filemap_extents(vol, &inode, block, mark_run, m);
	return err == -ENOMEM || err == -EIO ? err : 0;
}

static int longest_first(const void *pa, const void *pb)
{
	const uint32_t *a = pa, *b = pb;

	return (*a < *b) - (*a > *b);
}

static int add_stretches(const struct marker *m, struct pinned_vec *out)
{
	uint32_t run = 0;

	for (uint32_t blk = m->lo->main_blk; blk <= m->lo->end_blk; blk++) {
		bool barred = blk == m->lo->end_blk || is_barred(m, blk);

		if (run && (barred || is_border(m, blk))) {
			if (vec_push(out, &run))
				return -ENOMEM;
			run = 0;
		}
		run += !barred;
	}
	vec_sort(out, longest_first);
	return 0;
}

int islands_find(struct volume *vol, const struct pinned_vec *pinned,
		 struct islands *out)
{
	struct marker m = { .lo = &vol->lo };
	void *block = NULL;
	int err = 0;

	*out = (struct islands){ 0 };
	find_borders(&vol->super.sb, &m);
	if (!pinned->nr && m.nr_borders < 2 && !vol->lo.zone_cap_blks)
		return 0;
	m.map = calloc((vol->lo.end_blk - vol->lo.main_blk) / 8 + 1, 1);
	block = malloc(vol->lo.block_size);
	if (!m.map || !block)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < pinned->nr; i++)
		err = mark_file(vol, pinned->v[i], block, &m);
	if (!err)
		err = add_stretches(&m, &out->stretches);
	free(block);
	free(m.map);
	if (err)
		islands_free(out);
	return err == -ENOMEM ? ctx_nomem(vol->ctx, "the map of what cannot move") :
				err;
}

void islands_free(struct islands *islands)
{
	vec_free(&islands->stretches);
}

bool islands_matter(const struct islands *islands, uint64_t blocks)
{
	return islands->stretches.nr && blocks > islands->stretches.v[0];
}

uint64_t islands_pieces(const struct islands *islands, uint64_t blocks)
{
	uint64_t held = 0, n = 0;

	while (n < islands->stretches.nr && held < blocks)
		held += islands->stretches.v[n++];
	return n ? n : 1;
}

struct row {
	const struct islands *islands;
	uint64_t next;			/* file block that would go on */
	uint64_t len;
	uint64_t cuts;
};

static void end_row(struct row *row)
{
	if (row->len)
		row->cuts += islands_pieces(row->islands, row->len) - 1;
	row->len = 0;
}

/* Clusters are extents of their own, and short. */
static int add_extent(void *priv, const struct extent *e)
{
	struct row *row = priv;

	if (e->flags || e->lblk != row->next)
		end_row(row);
	row->next = e->lblk + e->len;
	if (!e->flags)
		row->len += e->len;
	return 0;
}

int islands_cuts(struct volume *vol, const struct islands *islands,
		 uint32_t ino, uint64_t *cuts)
{
	struct row row = { .islands = islands };
	void *block = malloc(vol->lo.block_size);
	struct inode inode;
	int err;

	if (!block)
		return ctx_nomem(vol->ctx, "a node block");
	err = inode_read(vol, ino, block, &inode);
	if (!err)
		err = filemap_extents(vol, &inode, block, add_extent, &row);
	end_row(&row);
	*cuts = err ? 0 : row.cuts;
	free(block);
	return err == -ENOMEM ? err : 0;
}
