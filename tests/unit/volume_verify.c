/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is every file of the builder still there, and nothing else. */
#include "config.h"

#include "volume_builder.h"
#include "base/bits.h"
#include "base/crc.h"
#include "check/check.h"
#include "meta/ssa.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A device over memory that it does not own. */
struct view {
	struct dev dev;
	uint8_t *img;
	atomic_ullong reads;
};

static int view_read(struct dev *dev, uint64_t off, size_t len, void *buf)
{
	struct view *v = (struct view *)dev;

	atomic_fetch_add(&v->reads, 1);
	memcpy(buf, v->img + off, len);
	return 0;
}

static int view_write(struct dev *dev, uint64_t off, size_t len,
		      const void *buf)
{
	memcpy(((struct view *)dev)->img + off, buf, len);
	return 0;
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
	.read = view_read, .write = view_write, .flush = view_flush,
	.close = view_close,
};

struct dev *vb_view(struct f2c_ctx *ctx, uint8_t *img, uint64_t nr_bytes)
{
	struct view *v = calloc(1, sizeof(*v));

	assert_non_null(v);
	v->img = img;
	assert_int_equal(dev_init(&v->dev, &view_ops, ctx, "view", nr_bytes,
				  true), 0);
	return &v->dev;
}

uint64_t vb_nr_reads(const struct dev *view)
{
	return atomic_load(&((struct view *)(uintptr_t)view)->reads);
}

struct dev *vb_dev(struct vb *b)
{
	return vb_view(b->ctx, b->img, vb_nr_bytes(b));
}

struct volume *vb_open_dev(struct vb *b, struct dev *dev)
{
	struct volume *vol;
	int err = volume_open(b->ctx, dev, &vol, NULL);

	if (err)
		print_error("open: %s\n", ctx_error(b->ctx));
	assert_int_equal(err, 0);
	return vol;
}

struct volume *vb_open(struct vb *b)
{
	return vb_open_dev(b, vb_dev(b));
}

struct verify {
	struct vb *b;
	struct volume *vol;
	uint8_t *seen;			/* a bit a block, msb in segments */
	uint8_t block[VB_BYTES];	/* of the node at hand */
	uint8_t data[VB_BYTES];
	uint8_t want[VB_BYTES];
	uint64_t blocks;		/* with NEW ones */
	uint32_t nodes, inodes;
};

static void see(struct verify *v, uint32_t blk)
{
	uint32_t n;

	assert_true(blk_is_main(&v->vol->lo, blk));
	n = blk - v->vol->lo.main_blk;
	assert_false(bit_test_msb(v->seen, n));	/* two owners */
	bit_set_msb(v->seen, n);
	v->blocks++;
}

static void expect_sum(struct verify *v, uint32_t blk, uint32_t nid,
		       uint8_t version, uint16_t ofs, bool is_node)
{
	uint32_t segno = blk_to_seg(&v->vol->lo, blk);
	const struct sit_seg *seg = sit_get(&v->vol->sit, segno);
	struct sum_entry e;

	assert_int_equal(ssa_read(v->vol, segno, v->data), 0);
	e = sum_decode(&sum_entries(v->data)[blk_in_seg(&v->vol->lo, blk)]);
	assert_int_equal(e.nid, nid);
	assert_int_equal(sum_foot(&v->vol->lo, v->data)->entry_type, is_node);
	assert_int_equal(log_is_node(seg->type), is_node);
	if (is_node)
		return;
	assert_int_equal(e.version, version);
	assert_int_equal(e.ofs, ofs);
}

static uint32_t inode_crc(const uint8_t *block)
{
	uint8_t copy[VB_BYTES], uuid[16];
	uint32_t crc;

	memcpy(copy, block, VB_BYTES);
	memset(copy + 368, 0, 4);
	memset(uuid, 0xa5, 16);
	crc = crc_update(0xffffffffU, uuid, 16);
	crc = crc_update(crc, block + VB_BYTES - 24 + 4, 4);
	crc = crc_update(crc, block + 68, 4);
	return crc_update(crc, copy, VB_BYTES);
}

/* All fields but addresses, extent hint and checksum are as they were. */
static void expect_inode(struct verify *v, const struct vb_file *f,
			 const struct vb_node *n)
{
	const uint8_t *now = v->block;
	const struct od_inode *od = (const void *)now;
	const uint8_t *old = v->want;	/* what vb_write() put there */
	uint32_t lblk = le32_get(od->i_ext.lblk);
	uint32_t blk = le32_get(od->i_ext.blk), len = le32_get(od->i_ext.len);

	(void)n;
	assert_memory_equal(now, old, 348);
	assert_memory_equal(now + 360, old + 360, 8);
	assert_memory_equal(now + 372, old + 372, 360 + 36 - 372);
	assert_memory_equal(now + VB_BYTES - 44, old + VB_BYTES - 44, 20);
	assert_int_equal(le32_get(inode_extra(now)->i_inode_checksum),
			 inode_crc(now));
	assert_true(len <= f->map.nr);
	for (uint32_t i = 0; i < len && lblk + i < VB_A; i++)
		assert_int_equal(le32_get(inode_addrs(now)[9 + lblk + i]),
				 blk + i);
}

/* The block that holds it: content may have moved, so it is asked again. */
static void expect_data(struct verify *v, const struct vb_file *f,
			uint32_t lblk, uint32_t blk)
{
	assert_int_equal(dev_read(v->vol->dev, blk, 1, v->data), 0);
	if (f->kind == VB_DIR)
		return;			/* its own blocks: by lib/check */
	vb_pattern(f->ino, lblk, v->want);
	assert_memory_equal(v->data, v->want, VB_BYTES);
}

static uint32_t first_lblk(uint32_t ofs)
{
	if (!ofs)
		return 0;
	if (ofs <= 2)
		return VB_A + (ofs - 1) * VB_N;
	return VB_A + (ofs - (ofs > 4 + VB_N ? 3 : 2)) * VB_N;
}

static void expect_slots(struct verify *v, const struct vb_file *f,
			 const struct vb_node *n)
{
	const le32 *slots = n->ofs ? (const le32 *)v->block :
			    inode_addrs(v->block) + 9;
	uint32_t first = first_lblk(n->ofs), nr = n->ofs ? VB_N : VB_A;
	uint8_t version = v->b->nat[n->nid].version;

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t was = first + i < f->map.nr ? f->map.v[first + i] : 0;
		uint32_t is = le32_get(slots[i]);

		assert_int_equal(blk_is_real(was), blk_is_real(is));
		if (!blk_is_real(is)) {
			assert_int_equal(was, is);
			v->blocks += is != 0;
			continue;
		}
		see(v, is);
		expect_data(v, f, first + i, is);
		expect_sum(v, is, n->nid, version, (uint16_t)i, false);
	}
}

static void expect_node(struct verify *v, const struct vb_file *f,
			const struct vb_node *n)
{
	struct nat_entry nat = nat_get(&v->vol->nat, n->nid);
	const struct od_node_foot *foot;
	uint32_t flag = n->ofs << OD_FOOT_OFS_SHIFT;

	assert_int_equal(nat.ino, f->ino);
	assert_int_equal(nat.version, v->b->nat[n->nid].version);
	see(v, nat.blk);
	expect_sum(v, nat.blk, n->nid, 0, 0, true);
	assert_int_equal(dev_read(v->vol->dev, nat.blk, 1, v->block), 0);
	foot = node_foot(&v->vol->lo, v->block);
	assert_int_equal(le32_get(foot->nid), n->nid);
	assert_int_equal(le32_get(foot->ino), f->ino);
	if (f->kind != VB_DIR)
		flag |= OD_FOOT_COLD;
	if (nat.blk != n->blk) {
		assert_int_equal(le32_get(foot->flag), flag);
		assert_int_equal(le32_get(foot->next_blk), nat.blk + 1);
	}
	assert_int_equal(le32_get(foot->flag) & ~(OD_FOOT_FSYNC |
						  OD_FOOT_DENT), flag);
	/* The old place still holds what it was: nothing was overwritten. */
	v->nodes++;
	if (!n->ofs) {
		v->inodes++;
		memcpy(v->want, vb_block(v->b, n->blk), VB_BYTES);
		if (le32_get(node_foot(&v->vol->lo, v->want)->nid) == n->nid)
			expect_inode(v, f, n);
	}
	if (n->ofs == 3 || n->ofs == 4 + VB_N) {
		for (size_t i = 0; i < f->nodes.nr; i++) {
			uint32_t child = f->nodes.v[i].ofs;

			if (child > n->ofs && child <= n->ofs + VB_N)
				assert_int_equal(le32_get(((le32 *)v->block)
						 [child - n->ofs - 1]),
						 f->nodes.v[i].nid);
		}
		return;
	}
	expect_slots(v, f, n);
}

static void expect_tables(struct verify *v)
{
	struct volume *vol = v->vol;
	const struct checkpoint *cp = &vol->cp;
	struct nat_entry e;
	uint32_t nid = 0, nr = 0;

	for (uint32_t s = 0; s < vol->lo.nr_main_segs; s++)
		assert_memory_equal(sit_get(&vol->sit, s)->map,
				    v->seen + s * OD_SIT_MAP_BYTES,
				    OD_SIT_MAP_BYTES);
	for (; nat_next(&vol->nat, &nid, &e); nid++)
		nr++;
	assert_int_equal(nr, v->nodes);
	assert_int_equal(cp->valid_nodes, v->nodes);
	assert_int_equal(cp->valid_inodes, v->inodes);
	assert_int_equal(cp->valid_blocks, v->blocks);
	assert_int_equal(cp->free_segs, volume_free_segs(vol));
}

static void expect_logs(struct verify *v)
{
	const struct volume *vol = v->vol;
	const struct curseg *log = vol->cp.log;

	for (int t = 0; t < OD_NR_LOGS; t++) {
		const struct sit_seg *seg = sit_get(&vol->sit, log[t].segno);

		assert_true(log[t].segno < vol->lo.nr_main_segs);
		assert_true(log[t].next < VB_SEG_BLKS);
		assert_false(bit_test_msb(seg->map, log[t].next));
		for (uint32_t i = log[t].next; i < VB_SEG_BLKS; i++)
			assert_true(log[t].alloc_type == ALLOC_SSR ||
				    !bit_test_msb(seg->map, i));
		if (seg->valid)
			assert_int_equal(seg->type, t);
		for (int u = 0; u < t; u++)
			assert_true(log[t].segno != log[u].segno);
	}
	assert_int_equal(le64_get(*(le64 *)(sum_journal(&vol->lo,
			 log[LOG_HOT_NODE].sum) + 2)), v->b->kbytes);
}

static void expect_check_clean(struct verify *v)
{
	struct check_options opt = { .nr_threads = 1 };
	struct check_result res;
	char line[512];

	if (v->b->opt.extra_orphans)
		return;			/* they are no files */
	assert_int_equal(check_run(v->vol, &opt, &res), 0);
	for (size_t i = 0; i < res.findings.nr; i++) {
		if (problem_get(res.findings.v[i].id)->severity < SEV_ERROR)
			continue;
		finding_format(&res.findings.v[i], line, sizeof(line));
		print_error("check: %s\n", line);
	}
	assert_int_equal(findings_count(&res.findings, SEV_ERROR), 0);
	check_result_free(&res);
}

void vb_verify_volume(struct vb *b, struct volume *vol)
{
	struct verify *v = calloc(1, sizeof(*v));

	assert_non_null(v);
	v->b = b;
	v->vol = vol;
	v->seen = calloc(vol->lo.nr_main_segs, OD_SIT_MAP_BYTES);
	assert_non_null(v->seen);
	for (size_t i = 0; i < b->files.nr; i++)
		for (size_t k = 0; k < b->files.v[i]->nodes.nr; k++)
			if (!b->files.v[i]->gone)
				expect_node(v, b->files.v[i],
					    &b->files.v[i]->nodes.v[k]);
	expect_tables(v);
	expect_logs(v);
	expect_check_clean(v);
	free(v->seen);
	free(v);
}

void vb_verify_img(struct vb *b, uint8_t *img)
{
	struct volume *vol = vb_open_dev(b, vb_view(b->ctx, img,
						    vb_nr_bytes(b)));

	vb_verify_volume(b, vol);
	volume_close(vol);
}

void vb_verify(struct vb *b)
{
	vb_verify_img(b, b->img);
}
