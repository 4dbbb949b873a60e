/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files and where they lie. How it comes into the image: volume_write.c. */
#include "config.h"

#include "volume_builder.h"
#include "base/bits.h"
#include "base/ctx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define META_SEGS	7U

uint32_t vb_random(struct vb *b, uint32_t below)
{
	b->random ^= b->random << 13;
	b->random ^= b->random >> 7;
	b->random ^= b->random << 17;
	return (uint32_t)(b->random >> 11) % below;
}

uint64_t vb_nr_bytes(const struct vb *b)
{
	return (uint64_t)b->lo.end_blk * VB_BYTES;
}

uint8_t *vb_block(const struct vb *b, uint32_t blk)
{
	assert_true(blk < b->lo.end_blk);
	return b->img + (size_t)blk * VB_BYTES;
}

static void fill_layout(struct vb *b)
{
	struct layout *lo = &b->lo;
	uint32_t segs = b->opt.nr_secs * b->opt.segs_per_sec;

	layout_from_block_size(lo, VB_BYTES);
	lo->segs_per_sec = b->opt.segs_per_sec;
	lo->secs_per_zone = 1;
	lo->features = OD_FEATURE_EXTRA_ATTR | OD_FEATURE_INODE_CHKSUM;
	lo->seg0_blk = lo->cp_blk = VB_SEG0;
	lo->sit_blk = lo->cp_blk + 2 * VB_SEG_BLKS;
	lo->nat_blk = lo->sit_blk + 2 * VB_SEG_BLKS;
	lo->ssa_blk = lo->nat_blk + 2 * VB_SEG_BLKS;
	lo->main_blk = lo->ssa_blk + VB_SEG_BLKS;
	lo->end_blk = lo->main_blk + segs * VB_SEG_BLKS;
	lo->nr_blks = lo->end_blk;
	lo->nr_segs = META_SEGS + segs;
	lo->nr_main_segs = segs;
	lo->nr_main_secs = b->opt.nr_secs;
	lo->cp_payload = b->opt.payload;
	lo->sit_copy_blks = lo->nr_nat_blks = VB_SEG_BLKS;
	lo->nr_sit_blks = (segs + 54) / 55;
	lo->nr_nids = VB_NIDS;
	lo->sit_bitmap_bytes = lo->nat_bitmap_bytes = VB_SEG_BLKS / 8;
	assert_true(segs <= VB_SEG_BLKS);
}

/* Logs in the last sections, one each, so that those in front are free. */
static void place_logs(struct vb *b)
{
	for (uint8_t t = 0; t < OD_NR_LOGS; t++) {
		uint32_t secno = b->opt.nr_secs - 1 - t;

		b->log[t].segno = secno * b->opt.segs_per_sec;
		vb_new_seg(b, t, b->log[t].segno);
	}
}

void vb_init(struct vb *b, const struct vb_opt *opt)
{
	memset(b, 0, sizeof(*b));
	b->opt = *opt;
	if (!b->opt.nr_secs)
		b->opt.nr_secs = 40;
	if (!b->opt.segs_per_sec)
		b->opt.segs_per_sec = 1;
	if (!b->opt.elapsed)
		b->opt.elapsed = 5000;
	fill_layout(b);
	b->random = opt->seed * 0x9e3779b97f4a7c15ULL + 0x1234567;
	b->ctx = ctx_new();
	b->img = calloc(b->lo.end_blk, VB_BYTES);
	b->seg = calloc(b->lo.nr_main_segs, sizeof(*b->seg));
	b->nat = calloc(VB_NIDS, sizeof(*b->nat));
	b->seg_used = calloc(b->lo.nr_main_segs, 1);
	assert_true(b->ctx && b->img && b->seg && b->nat && b->seg_used);
	b->next_nid = OD_ROOT_INO;
	b->kbytes = 0x1122334455ULL;
	place_logs(b);
	vb_append(b, vb_file(b, VB_DIR), LOG_HOT_DATA, 2);
}

void vb_free(struct vb *b)
{
	for (size_t i = 0; i < b->files.nr; i++) {
		vec_free(&b->files.v[i]->map);
		vec_free(&b->files.v[i]->nodes);
		free(b->files.v[i]);
	}
	vec_free(&b->files);
	for (int t = 0; t < OD_NR_LOGS; t++)
		vec_free(&b->open[t]);
	free(b->seg_used);
	free(b->nat);
	free(b->seg);
	free(b->img);
	ctx_free(b->ctx);
	memset(b, 0, sizeof(*b));
}

uint32_t vb_unused_segs(const struct vb *b)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < b->lo.nr_main_segs; s++)
		n += !b->seg_used[s];
	return n;
}

uint32_t vb_new_seg(struct vb *b, uint8_t type, uint32_t segno)
{
	if (segno == ~0U) {
		assert_true(vb_unused_segs(b) > 0);
		do
			segno = vb_random(b, b->lo.nr_main_segs);
		while (b->seg_used[segno]);
	}
	assert_true(segno < b->lo.nr_main_segs && !b->seg_used[segno]);
	b->seg_used[segno] = 1;
	b->seg[segno].type = type;
	b->seg[segno].mtime = 1 + vb_random(b, 4000);
	sum_foot(&b->lo, b->seg[segno].sum)->entry_type =
		log_is_node(type) ? OD_SUM_NODE : OD_SUM_DATA;
	return segno;
}

void vb_set_log(struct vb *b, uint8_t type, uint32_t segno, uint16_t next)
{
	if (!b->seg_used[segno])
		vb_new_seg(b, type, segno);
	b->log[type].segno = segno;
	b->log[type].next = next;
}

static bool is_valid(const struct vb *b, uint32_t blk)
{
	return bit_test_msb(b->seg[blk_to_seg(&b->lo, blk)].map,
			    blk_in_seg(&b->lo, blk));
}

static uint32_t place_in_log(struct vb *b, uint8_t type)
{
	struct vb_log *log = &b->log[type];
	uint32_t blk = seg_to_blk(&b->lo, log->segno) + log->next++;

	if (log->next == VB_SEG_BLKS)
		vb_set_log(b, type, vb_new_seg(b, type, ~0U), 0);
	return blk;
}

static uint32_t place_scattered(struct vb *b, uint8_t type)
{
	struct vb_u32_vec *open = &b->open[type];
	uint32_t i, n, segno;

	assert_true(open->nr || vb_unused_segs(b));
	while (open->nr < b->scatter && (!open->nr || vb_unused_segs(b))) {
		segno = vb_new_seg(b, type, ~0U);
		assert_int_equal(vec_push(open, &segno), 0);
	}
	i = vb_random(b, (uint32_t)open->nr);
	segno = open->v[i];
	n = vb_random(b, VB_SEG_BLKS);
	while (bit_test_msb(b->seg[segno].map, n))
		n = (n + 1) % VB_SEG_BLKS;
	if (b->seg[segno].valid == VB_SEG_BLKS - 1)
		open->v[i] = open->v[--open->nr];
	return seg_to_blk(&b->lo, segno) + n;
}

uint32_t vb_place(struct vb *b, uint8_t type)
{
	return b->scatter ? place_scattered(b, type) : place_in_log(b, type);
}

static void mark(struct vb *b, uint32_t blk, bool valid)
{
	struct vb_seg *seg = &b->seg[blk_to_seg(&b->lo, blk)];
	uint32_t n = blk_in_seg(&b->lo, blk);

	assert_true(is_valid(b, blk) != valid);
	bit_flip_msb(seg->map, n);
	seg->valid = (uint16_t)(seg->valid + (valid ? 1 : -1));
}

static void set_sum(struct vb *b, uint32_t blk, uint32_t nid, uint8_t version,
		    uint16_t ofs)
{
	struct vb_seg *seg = &b->seg[blk_to_seg(&b->lo, blk)];
	struct od_sum_entry *e = &sum_entries(seg->sum)[blk_in_seg(&b->lo,
								   blk)];

	le32_set(&e->nid, nid);
	e->version = version;
	le16_set(&e->ofs_in_node, ofs);
}

static uint8_t node_type(const struct vb_file *f, uint32_t ofs)
{
	if (ofs == 3 || ofs == 4 + VB_N)
		return LOG_COLD_NODE;
	return f->kind == VB_DIR ? LOG_HOT_NODE : LOG_WARM_NODE;
}

static uint32_t add_node(struct vb *b, struct vb_file *f, uint32_t ofs)
{
	uint8_t type = node_type(f, ofs);
	struct vb_node n = {
		.nid = b->next_nid++, .ofs = ofs, .type = type,
		.blk = vb_place(b, type),
	};

	assert_true(n.nid < VB_NIDS);
	assert_int_equal(vec_push(&f->nodes, &n), 0);
	mark(b, n.blk, true);
	set_sum(b, n.blk, n.nid, 0, 0);
	b->nat[n.nid] = (struct vb_nat){
		.ino = f->nodes.v[0].nid, .blk = n.blk,
		.version = (uint8_t)(n.nid % 5),
	};
	return n.nid;
}

struct vb_file *vb_file(struct vb *b, enum vb_kind kind)
{
	struct vb_file *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->kind = kind;
	f->ino = add_node(b, f, 0);
	snprintf(f->name, sizeof(f->name), "f%u", f->ino);
	assert_int_equal(vec_push(&b->files, &f), 0);
	return f;
}

/* Node offset of the direct node number @k behind the inode (format 5.1). */
static uint32_t direct_ofs(uint32_t k)
{
	if (k < 2)
		return 1 + k;
	if (k < 2 + VB_N)
		return 4 + (k - 2);
	assert_true(k < 2 + 2 * VB_N);
	return 5 + VB_N + (k - 2 - VB_N);
}

static uint32_t find_node(const struct vb_file *f, uint32_t ofs)
{
	for (size_t i = 0; i < f->nodes.nr; i++)
		if (f->nodes.v[i].ofs == ofs)
			return f->nodes.v[i].nid;
	return 0;
}

/* The node that holds the slot of @lblk, made with its parent if need be. */
static uint32_t holder(struct vb *b, struct vb_file *f, uint32_t lblk,
		       uint16_t *slot)
{
	uint32_t k, ofs, parent, nid;

	*slot = (uint16_t)lblk;
	if (lblk < VB_A)
		return f->ino;
	k = (lblk - VB_A) / VB_N;
	*slot = (uint16_t)((lblk - VB_A) % VB_N);
	ofs = direct_ofs(k);
	parent = k < 2 ? 0 : k < 2 + VB_N ? 3 : 4 + VB_N;
	if (parent && !find_node(f, parent))
		add_node(b, f, parent);
	nid = find_node(f, ofs);
	return nid ? nid : add_node(b, f, ofs);
}

void vb_map(struct vb *b, struct vb_file *f, uint32_t lblk, uint32_t blk)
{
	uint16_t slot;
	uint32_t nid = holder(b, f, lblk, &slot), zero = 0;

	while (f->map.nr <= lblk)
		assert_int_equal(vec_push(&f->map, &zero), 0);
	if (blk_is_real(f->map.v[lblk]))
		mark(b, f->map.v[lblk], false);
	f->map.v[lblk] = blk;
	if (!blk_is_real(blk))
		return;
	mark(b, blk, true);
	set_sum(b, blk, nid, b->nat[nid].version, slot);
	vb_pattern(f->ino, lblk, vb_block(b, blk));
}

void vb_append(struct vb *b, struct vb_file *f, uint8_t type, uint32_t nr)
{
	while (nr--)
		vb_map(b, f, (uint32_t)f->map.nr, vb_place(b, type));
}

void vb_delete(struct vb *b, struct vb_file *f)
{
	f->gone = true;
	for (size_t i = 0; i < f->map.nr; i++)
		if (blk_is_real(f->map.v[i]))
			mark(b, f->map.v[i], false);
	for (size_t i = 0; i < f->nodes.nr; i++) {
		mark(b, f->nodes.v[i].blk, false);
		b->nat[f->nodes.v[i].nid].blk = 0;
		b->nat[f->nodes.v[i].nid].version++;
	}
}

void vb_pattern(uint32_t ino, uint32_t lblk, uint8_t *block)
{
	uint32_t v[VB_BYTES / 4];

	for (uint32_t i = 0; i < VB_BYTES / 4; i++)
		v[i] = (ino * 2654435761U) ^ (lblk * 40503U) ^ (i << 20);
	v[0] = ino;
	v[1] = lblk;
	memcpy(block, v, VB_BYTES);
}

#define SPARE_SEGS	9U		/* one file may need so many more */

/* Runs of up to 20 blocks, sometimes a hole or a reserved block after one. */
static void fill_file(struct vb *b, struct vb_file *f, uint32_t nr,
		      uint32_t leave)
{
	uint8_t type = (uint8_t)(1 + vb_random(b, 2));

	while (nr && vb_unused_segs(b) > leave) {
		uint32_t part = 1 + vb_random(b, 20);

		if (part > nr)
			part = nr;
		vb_append(b, f, type, part);
		nr -= part;
		if (!vb_random(b, 6))
			vb_map(b, f, (uint32_t)f->map.nr + 2,
			       vb_random(b, 2) ? OD_BLK_NEW : 0);
	}
}

/* Wholly valid segments until so many are left. */
static void fill_segs(struct vb *b, uint32_t leave)
{
	struct vb_file *f = vb_file(b, VB_REG);

	while (vb_unused_segs(b) > leave) {
		uint32_t segno = vb_new_seg(b, LOG_COLD_DATA, ~0U);

		for (uint32_t i = 0; i < VB_SEG_BLKS; i++)
			vb_map(b, f, (uint32_t)f->map.nr,
			       seg_to_blk(&b->lo, segno) + i);
	}
}

/* A few small files behind the logs, so that deleting leaves holes there. */
static void fill_logs(struct vb *b)
{
	uint32_t scatter = b->scatter;

	b->scatter = 0;
	for (uint32_t i = 0; i < 12; i++)
		fill_file(b, vb_file(b, VB_REG), 1 + vb_random(b, 15), 0);
	b->scatter = scatter;
}

/* Let a log fill the holes of a segment of its type. */
static void reuse_holes(struct vb *b, uint8_t type)
{
	uint32_t segno, n = 0;

	if (!b->open[type].nr)
		return;
	segno = b->open[type].v[0];
	while (bit_test_msb(b->seg[segno].map, n))
		n++;
	b->log[type] = (struct vb_log){ segno, (uint16_t)n, true };
}

void vb_make_random(struct vb *b, const struct vb_random_opt *opt)
{
	uint32_t per_sec = opt->segs_per_sec ? opt->segs_per_sec : 1;
	uint32_t nr_files = opt->nr_files ? opt->nr_files : 120;
	uint32_t max = opt->max_blocks ? opt->max_blocks : 1500;
	uint32_t every = opt->delete_every ? opt->delete_every : 3;

	vb_init(b, &(struct vb_opt){
		.nr_secs = opt->nr_secs ? opt->nr_secs : 48 / per_sec,
		.segs_per_sec = per_sec, .version = 7 + opt->seed,
		.seed = opt->seed, .pack = (int)(opt->seed & 1),
		.nat_journal = 3, .sit_journal = 4,
	});
	b->scatter = 1 + (uint32_t)(opt->seed % 3);
	for (uint32_t i = 0; i < nr_files &&
			     vb_unused_segs(b) > opt->leave + SPARE_SEGS; i++) {
		struct vb_file *f = vb_file(b, vb_random(b, 20) ? VB_REG :
					       VB_ORPHAN);

		fill_file(b, f, 1 + vb_random(b, vb_random(b, 8) ? 60 : max),
			  opt->leave + SPARE_SEGS);
	}
	fill_logs(b);
	if (opt->full)
		fill_segs(b, opt->leave);
	for (size_t i = 1; i < b->files.nr; i++)
		if (!vb_random(b, every))
			vb_delete(b, b->files.v[i]);
	if (opt->seed % 3 == 1) {
		reuse_holes(b, LOG_WARM_DATA);
		reuse_holes(b, LOG_COLD_DATA);
		reuse_holes(b, LOG_WARM_NODE);
	}
	vb_write(b);
}
