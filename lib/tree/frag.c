/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counting extents in disk order. Each inode and direct node becomes a part:
 * the counts inside it and what lies at its two ends. A file that has only its
 * inode is counted at once; the parts of the others are sorted by inode and
 * node offset at the end, which is file order, and joined at their ends.
 */
#include "config.h"

#include "tree/frag_files.h"
#include "tree/frag_islands.h"

#include <errno.h>
#include <string.h>

struct counts {
	uint64_t blocks;
	uint64_t extents;
	uint64_t ideal;
	uint64_t neighbours;
	uint64_t breaks;
};

struct part {
	uint32_t ino;
	uint32_t ofs;			/* node offset; 0 is the inode */
	uint32_t nid;
	uint32_t first_blk;		/* in slot 0; 0 if none or a cluster */
	uint32_t last_blk;		/* in the last slot used; likewise */
	uint16_t last_slot;
	uint16_t blocks;
	uint16_t extents;
	uint16_t ideal;
	uint16_t neighbours;
	uint16_t breaks;
	uint16_t nr_addrs;		/* inodes: the geometry of the file */
	uint16_t node_addrs;
	uint16_t cluster_blks;
	bool is_open;			/* not counted for want of geometry */
};

struct part_vec VEC_BODY(struct part);

struct frag_collector {
	const struct layout *lo;
	struct part_vec parts;
	struct frag sum;		/* of the files that are complete */
	bool keeps_files;
	struct frag_file_vec files;	/* those */
	struct pinned_vec pinned;
};

struct frag_collector *frag_collector_new(const struct layout *lo)
{
	struct frag_collector *c = calloc(1, sizeof(*c));

	if (c)
		c->lo = lo;
	return c;
}

void frag_collector_free(struct frag_collector *c)
{
	if (!c)
		return;
	vec_free(&c->parts);
	vec_free(&c->files);
	vec_free(&c->pinned);
	free(c);
}

void frag_collector_keep_files(struct frag_collector *c)
{
	c->keeps_files = true;
}

/*
 * A compressed cluster: its runs of adjacent blocks, up to the first slot
 * that holds none (kernel fs/f2fs/data.c, f2fs_fiemap()).
 */
static void count_cluster(const le32 *addrs, uint32_t nr, struct part *p)
{
	uint32_t prev = 0;

	for (uint32_t i = 1; i < nr; i++) {
		uint32_t blk = le32_get(addrs[i]);

		if (!blk_is_real(blk))
			break;
		p->blocks++;
		if (prev)
			p->neighbours++;
		if (prev && blk != prev + 1)
			p->breaks++;
		if (!prev || blk != prev + 1)
			p->extents++;
		if (!prev)
			p->ideal++;
		prev = blk;
	}
}

/* One written block; @prev is in the slot before it, 0 if none is. */
static void count_block(struct part *p, uint32_t slot, uint32_t prev,
			uint32_t blk)
{
	p->blocks++;
	if (!prev) {
		p->extents++;
		p->ideal++;
	} else {
		p->neighbours++;
		if (blk != prev + 1) {
			p->extents++;
			p->breaks++;
		}
	}
	if (!slot)
		p->first_blk = blk;
	p->last_blk = blk;
	p->last_slot = (uint16_t)slot;
}

static bool is_two_holes(const le32 *addrs)
{
	uint64_t both;

	memcpy(&both, addrs, sizeof(both));
	return !both;
}

/*
 * Count @nr slots of a file with clusters of @cluster blocks (0: none). False
 * if a compressed cluster is met and @cluster is 0.
 */
static bool count_slots(const le32 *addrs, uint32_t nr, uint32_t cluster,
			struct part *p)
{
	uint32_t prev = 0;

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t blk;

		if (!prev && i + 1 < nr && is_two_holes(addrs + i)) {
			i++;
			continue;
		}
		blk = le32_get(addrs[i]);
		if (blk_is_real(blk)) {
			count_block(p, i, prev, blk);
			prev = blk;
			continue;
		}
		prev = 0;
		if (blk != OD_BLK_COMPRESS)
			continue;
		if (!cluster)
			return false;
		if (i % cluster || nr - i < cluster)
			continue;
		count_cluster(addrs + i, cluster, p);
		i += cluster - 1;
	}
	return true;
}

static void add_part(struct counts *sum, const struct part *p)
{
	sum->blocks += p->blocks;
	sum->extents += p->extents;
	sum->ideal += p->ideal;
	sum->neighbours += p->neighbours;
	sum->breaks += p->breaks;
}

static uint32_t to_u32(uint64_t n)
{
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* @files is NULL if no list is kept. */
static int add_file(struct frag *sum, struct frag_file_vec *files,
		    uint32_t ino, const struct counts *file)
{
	struct frag_file entry = {
		.ino = ino,
		.blocks = to_u32(file->blocks),
		.extents = to_u32(file->extents),
		.ideal = to_u32(file->ideal),
	};

	if (!file->blocks)
		return 0;
	sum->files++;
	sum->file_blocks += file->blocks;
	sum->extents += file->extents;
	sum->ideal_extents += file->ideal;
	sum->neighbours += file->neighbours;
	sum->breaks += file->breaks;
	if (file->extents > file->ideal)
		sum->fragmented_files++;
	return files ? vec_push(files, &entry) : 0;
}

static bool has_children(const struct layout *lo, const void *block)
{
	const le32 *nids = inode_nids(lo, block);

	for (int i = 0; i < 5; i++)
		if (le32_get(nids[i]))
			return true;
	return false;
}

/*
 * Whether the file may have to be cut although it has only its inode: between
 * pinned files or on one of several devices is room for as much on any volume
 * that can be used.
 */
static bool is_for_zones(const struct layout *lo, const struct part *p)
{
	return lo->zone_cap_blks && p->blocks > lo->zone_cap_blks;
}

int frag_feed_inode(struct frag_collector *c, const struct inode *inode,
		    const void *block)
{
	struct part part = {
		.ino = inode->ino,
		.nid = inode->ino,
		.nr_addrs = (uint16_t)inode->nr_addrs,
		.node_addrs = (uint16_t)inode->node_addrs,
		.cluster_blks = (uint16_t)inode->cluster_blks,
	};
	struct counts file = { 0 };

	if (inode_is_pinned(inode) && vec_push(&c->pinned, &inode->ino))
		return -ENOMEM;
	if (inode->flags & OD_FLAG_DEVICE_ALIAS && inode->ext_len) {
		file.blocks = inode->ext_len;
		file.extents = file.ideal = 1;
		file.neighbours = inode->ext_len - 1;
	}
	if (inode_has_blocks(inode)) {
		count_slots(inode_file_addrs(inode, block), inode->nr_addrs,
			    inode->cluster_blks, &part);
		if (has_children(c->lo, block) || is_for_zones(c->lo, &part))
			return vec_push(&c->parts, &part);
		add_part(&file, &part);
	}
	return add_file(&c->sum, c->keeps_files ? &c->files : NULL,
			inode->ino, &file);
}

int frag_feed_direct(struct frag_collector *c, const void *block)
{
	const struct od_node_foot *foot = node_foot(c->lo, block);
	struct part part = {
		.ino = le32_get(foot->ino),
		.ofs = foot_ofs(foot),
		.nid = le32_get(foot->nid),
	};

	part.is_open = !count_slots(node_slots(block), c->lo->addrs_per_node,
				    0, &part);
	return vec_push(&c->parts, &part);
}

static int compare_parts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return (x->ofs > y->ofs) - (x->ofs < y->ofs);
}

/* Count a direct node again, now that the clusters are known. */
static int count_again(struct volume *vol, const struct part *inode,
		       struct part *p)
{
	struct part again = { .ino = p->ino, .ofs = p->ofs, .nid = p->nid };
	uint8_t *block = malloc(vol->lo.block_size);
	int err;

	if (!block)
		return ctx_nomem(vol->ctx, "a node block");
	err = node_read(vol, p->nid, block);
	if (!err) {
		count_slots(node_slots(block), inode->node_addrs,
			    inode->cluster_blks, &again);
		*p = again;
	}
	free(block);
	return err == -ENOMEM ? err : 0;
}

/* Whether @b's slot 0 is the file block after the last one of @a. */
static bool are_neighbours(const struct layout *lo, const struct part *inode,
			   const struct part *a, const struct part *b)
{
	uint64_t end;

	if (!a->last_blk || !b->first_blk)
		return false;
	end = node_first_lblk(lo, a->ofs, inode->nr_addrs, inode->node_addrs) +
	      a->last_slot + 1;
	return end == node_first_lblk(lo, b->ofs, inode->nr_addrs,
				      inode->node_addrs);
}

/* A file that no stretch of blocks that can be used holds. */
static int count_cuts(struct volume *vol, const struct islands *islands,
		      uint32_t ino, struct counts *file)
{
	uint64_t cuts = 0;
	int err;

	if (!islands_matter(islands, file->blocks))
		return 0;
	err = islands_cuts(vol, islands, ino, &cuts);
	file->ideal += cuts;
	if (file->ideal > file->extents)	/* a pinned one itself */
		file->ideal = file->extents;
	return err;
}

/* The parts of one inode, sorted; without an inode they are not joined. */
static int finish_file(struct volume *vol, const struct islands *islands,
		       struct part *parts, size_t nr,
		       struct frag_file_vec *files, struct frag *out)
{
	const struct part *inode = parts[0].ofs ? NULL : &parts[0];
	struct counts file = { 0 };
	int err;

	for (size_t i = 0; i < nr; i++) {
		struct part *p = &parts[i];

		if (p->is_open && inode) {
			err = count_again(vol, inode, p);
			if (err)
				return err;
		}
		add_part(&file, p);
		if (!i || !inode || !are_neighbours(&vol->lo, inode, p - 1, p))
			continue;
		file.ideal--;
		file.neighbours++;
		if (p->first_blk == p[-1].last_blk + 1)
			file.extents--;
		else
			file.breaks++;
	}
	if (inode) {
		err = count_cuts(vol, islands, parts[0].ino, &file);
		if (err)
			return err;
	}
	if (add_file(out, files, parts[0].ino, &file))
		return ctx_nomem(vol->ctx, "the list of files");
	return 0;
}

static void add_sum(struct frag *out, const struct frag *sum)
{
	out->files += sum->files;
	out->file_blocks += sum->file_blocks;
	out->extents += sum->extents;
	out->ideal_extents += sum->ideal_extents;
	out->fragmented_files += sum->fragmented_files;
	out->neighbours += sum->neighbours;
	out->breaks += sum->breaks;
}

static int finish_parts(struct volume *vol, const struct islands *islands,
			struct part_vec *all, struct frag_file_vec *files,
			struct frag *out)
{
	size_t nr;
	int err;

	if (all->nr)
		qsort(all->v, all->nr, sizeof(*all->v), compare_parts);
	for (size_t i = 0; i < all->nr; i += nr) {
		for (nr = 1; i + nr < all->nr; nr++)
			if (all->v[i + nr].ino != all->v[i].ino)
				break;
		err = finish_file(vol, islands, all->v + i, nr, files, out);
		if (err)
			return err;
	}
	return 0;
}

/* All parts of all collectors. */
static int merge_parts(struct volume *vol, struct frag_collector **c,
		       size_t nr, struct part_vec *all)
{
	size_t total = 0;

	for (size_t i = 0; i < nr; i++)
		total += c[i]->parts.nr;
	if (total && vec_reserve(all, total))
		return ctx_nomem(vol->ctx, "the list of direct nodes");
	for (size_t i = 0; i < nr; i++) {
		if (c[i]->parts.nr)
			memcpy(all->v + all->nr, c[i]->parts.v,
			       c[i]->parts.nr * sizeof(*all->v));
		all->nr += c[i]->parts.nr;
	}
	return 0;
}

/* Take the files over, collector by collector: they are never there twice. */
static int merge_files(struct volume *vol, struct frag_collector **c,
		       size_t nr, struct frag_file_vec *files)
{
	for (size_t i = 0; i < nr; i++) {
		struct frag_file_vec *from = &c[i]->files;

		if (vec_reserve(files, files->nr + from->nr))
			return ctx_nomem(vol->ctx, "the list of files");
		if (from->nr)
			memcpy(files->v + files->nr, from->v,
			       from->nr * sizeof(*from->v));
		files->nr += from->nr;
		vec_free(from);
	}
	return 0;
}

static int find_islands(struct volume *vol, struct frag_collector **c,
			size_t nr, struct islands *out)
{
	struct pinned_vec all = { 0 };
	int err = 0;

	for (size_t i = 0; !err && i < nr; i++)
		for (size_t k = 0; !err && k < c[i]->pinned.nr; k++)
			err = vec_push(&all, &c[i]->pinned.v[k]);
	if (err)
		ctx_nomem(vol->ctx, "the list of pinned files");
	else
		err = islands_find(vol, &all, out);
	vec_free(&all);
	return err;
}

static int compare_files(const void *a, const void *b)
{
	const struct frag_file *x = a, *y = b;

	return (x->ino > y->ino) - (x->ino < y->ino);
}

static int finish(struct volume *vol, struct frag_collector **c, size_t nr,
		  struct frag_file_vec *files, struct frag *out)
{
	struct frag sum = { 0 };
	struct part_vec all = { 0 };
	struct islands islands = { 0 };
	int err = merge_parts(vol, c, nr, &all);

	if (!err)
		err = find_islands(vol, c, nr, &islands);
	for (size_t i = 0; !err && i < nr; i++)
		add_sum(&sum, &c[i]->sum);
	if (!err && files)
		err = merge_files(vol, c, nr, files);
	if (!err)
		err = finish_parts(vol, &islands, &all, files, &sum);
	islands_free(&islands);
	vec_free(&all);
	if (err)
		return err;
	if (files)
		vec_sort(files, compare_files);
	out->files = out->file_blocks = 0;
	out->extents = out->ideal_extents = out->fragmented_files = 0;
	out->neighbours = out->breaks = 0;
	add_sum(out, &sum);
	return 0;
}

int frag_finish(struct volume *vol, struct frag_collector **c, size_t nr,
		struct frag *out)
{
	return finish(vol, c, nr, NULL, out);
}

int frag_finish_files(struct volume *vol, struct frag_collector **c, size_t nr,
		      struct frag_file_vec *files, struct frag *out)
{
	struct frag_file_vec list = { 0 };
	int err = finish(vol, c, nr, &list, out);

	if (err)
		vec_free(&list);
	else
		*files = list;
	return err;
}
