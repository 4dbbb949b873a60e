/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The image of the builder's volume, every table written from scratch. */
#include "config.h"

#include "volume_builder.h"
#include "base/bits.h"
#include "base/crc.h"
#include "format/hash.h"
#include "meta/journal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define EXTRA		36U
#define SLOTS		214U		/* of a dentry block */

static void put_super(struct vb *b)
{
	const struct layout *lo = &b->lo;
	struct od_super *sb = (void *)(b->img + OD_SUPER_OFFSET);

	memset(sb, 0, sizeof(*sb));
	le32_set(&sb->magic, OD_SUPER_MAGIC);
	le16_set(&sb->major_ver, 1);
	le16_set(&sb->minor_ver, 16);
	le32_set(&sb->log_sectorsize, 9);
	le32_set(&sb->log_sectors_per_block, 3);
	le32_set(&sb->log_blocksize, 12);
	le32_set(&sb->log_blocks_per_seg, 9);
	le32_set(&sb->segs_per_sec, lo->segs_per_sec);
	le32_set(&sb->secs_per_zone, 1);
	le64_set(&sb->block_count, lo->nr_blks);
	le32_set(&sb->section_count, lo->nr_main_secs);
	le32_set(&sb->segment_count, lo->nr_segs);
	le32_set(&sb->segment_count_ckpt, 2);
	le32_set(&sb->segment_count_sit, 2);
	le32_set(&sb->segment_count_nat, 2);
	le32_set(&sb->segment_count_ssa, 1);
	le32_set(&sb->segment_count_main, lo->nr_main_segs);
	le32_set(&sb->segment0_blkaddr, lo->seg0_blk);
	le32_set(&sb->cp_blkaddr, lo->cp_blk);
	le32_set(&sb->sit_blkaddr, lo->sit_blk);
	le32_set(&sb->nat_blkaddr, lo->nat_blk);
	le32_set(&sb->ssa_blkaddr, lo->ssa_blk);
	le32_set(&sb->main_blkaddr, lo->main_blk);
	le32_set(&sb->root_ino, 3);
	le32_set(&sb->node_ino, 1);
	le32_set(&sb->meta_ino, 2);
	memset(sb->uuid, 0xa5, sizeof(sb->uuid));
	le32_set(&sb->cp_payload, b->opt.payload);
	le32_set(&sb->feature, (uint32_t)lo->features);
	memcpy(b->img + VB_BYTES + OD_SUPER_OFFSET, sb, sizeof(*sb));
}

static uint32_t nr_blocks(const struct vb_file *f)
{
	uint32_t n = (uint32_t)f->nodes.nr;

	for (size_t i = 0; i < f->map.nr; i++)
		n += f->map.v[i] != 0;
	return n;
}

static void put_extent(const struct vb_file *f, struct od_extent *ext)
{
	uint32_t best = 0;

	for (size_t i = 0, n; f->kind != VB_DIR && i < f->map.nr; i += n) {
		for (n = 1; i + n < f->map.nr && blk_is_real(f->map.v[i]) &&
			    f->map.v[i + n] == f->map.v[i] + n; n++)
			;
		if (!blk_is_real(f->map.v[i]) || n <= best)
			continue;
		best = (uint32_t)n;
		le32_set(&ext->lblk, (uint32_t)i);
		le32_set(&ext->blk, f->map.v[i]);
		le32_set(&ext->len, best);
	}
}

void vb_sign_inode(uint8_t *block)
{
	const struct od_inode *od = (const void *)block;
	uint8_t copy[VB_BYTES], uuid[16];
	uint32_t crc;

	memcpy(copy, block, VB_BYTES);
	memset(copy + 368, 0, 4);
	memset(uuid, 0xa5, 16);
	crc = crc_update(0xffffffffU, uuid, 16);
	crc = crc_update(crc, block + VB_BYTES - 24 + 4, 4);
	crc = crc_update(crc, &od->i_generation, 4);
	le32_set(&inode_extra(block)->i_inode_checksum,
		 crc_update(crc, copy, VB_BYTES));
}

static void put_inode_fields(const struct vb_file *f, struct od_inode *od)
{
	bool dir = f->kind == VB_DIR;

	le16_set(&od->i_mode, dir ? S_IFDIR | 0755 : S_IFREG | 0640);
	od->i_inline = OD_INLINE_EXTRA_ATTR;
	if (f->kind == VB_PINNED)
		od->i_inline |= OD_INLINE_PIN_FILE;
	le32_set(&od->i_links, dir ? 2 : f->kind == VB_ORPHAN ? 0 : 1);
	le32_set(&od->i_uid, 1000 + f->ino);
	le64_set(&od->i_size, (uint64_t)f->map.nr * VB_BYTES);
	le64_set(&od->i_blocks, nr_blocks(f));
	le64_set(&od->i_mtime, 1700000000 + f->ino);
	le32_set(&od->i_generation, f->ino * 17);
	le32_set(&od->i_pino, OD_ROOT_INO);
	if (dir)
		le32_set(&od->i_current_depth, 1);
	le32_set(&od->i_namelen, (uint32_t)strlen(f->name));
	memcpy(od->i_name, f->name, strlen(f->name));
	put_extent(f, &od->i_ext);
	le16_set(&inode_extra(od)->i_extra_isize, EXTRA);
}

static void put_foot(const struct vb *b, const struct vb_file *f,
		     const struct vb_node *n, uint8_t *block)
{
	struct od_node_foot *foot = node_foot(&b->lo, block);
	uint32_t flag = n->ofs << OD_FOOT_OFS_SHIFT;

	if (f->kind != VB_DIR)
		flag |= OD_FOOT_COLD;
	/* Marks that a mover has to clear. */
	if (n->nid % 3 == 0 && f->kind != VB_DIR)
		flag |= OD_FOOT_FSYNC | OD_FOOT_DENT;
	le32_set(&foot->nid, n->nid);
	le32_set(&foot->ino, f->ino);
	le32_set(&foot->flag, flag);
	le64_set(&foot->cp_ver, 1);
	le32_set(&foot->next_blk, n->blk + 1);
}

/* Slots of the node: addresses or nids, by the offsets of format 5.1. */
static void put_slots(const struct vb *b, const struct vb_file *f,
		      const struct vb_node *n, uint8_t *block)
{
	le32 *slots = n->ofs ? (le32 *)block : inode_addrs(block) + EXTRA / 4;
	uint32_t nr = n->ofs ? VB_N : VB_A, first = 0, child;

	if (n->ofs == 3 || n->ofs == 4 + VB_N) {
		for (size_t i = 0; i < f->nodes.nr; i++) {
			child = f->nodes.v[i].ofs;
			if (child > n->ofs && child <= n->ofs + VB_N)
				le32_set(&slots[child - n->ofs - 1],
					 f->nodes.v[i].nid);
		}
		return;
	}
	if (n->ofs == 1 || n->ofs == 2)
		first = VB_A + (n->ofs - 1) * VB_N;
	else if (n->ofs > 4 + VB_N)
		first = VB_A + (n->ofs - 5 - VB_N + 2 + VB_N) * VB_N;
	else if (n->ofs)
		first = VB_A + (n->ofs - 4 + 2) * VB_N;
	for (uint32_t i = 0; i < nr && first + i < f->map.nr; i++)
		le32_set(&slots[i], f->map.v[first + i]);
	for (size_t i = 0; !n->ofs && i < f->nodes.nr; i++) {
		le32 *nids = inode_nids(&b->lo, block);

		child = f->nodes.v[i].ofs;
		if (child >= 1 && child <= 3)
			le32_set(&nids[child - 1], f->nodes.v[i].nid);
		if (child == 4 + VB_N)
			le32_set(&nids[3], f->nodes.v[i].nid);
	}
}

static void put_node(struct vb *b, const struct vb_file *f,
		     const struct vb_node *n)
{
	uint8_t *block = vb_block(b, n->blk);

	memset(block, 0, VB_BYTES);
	put_foot(b, f, n, block);
	if (!n->ofs)
		put_inode_fields(f, (void *)block);
	put_slots(b, f, n, block);
	if (!n->ofs)
		vb_sign_inode(block);
}

static void put_dentry(uint8_t *block, uint32_t slot, uint32_t ino,
		       const char *name, uint8_t type)
{
	struct od_dentry *d = (struct od_dentry *)(block + 30) + slot;
	size_t len = strlen(name);

	assert_true(slot < SLOTS && len <= OD_SLOT_LEN);
	bit_set_lsb(block, slot);
	le32_set(&d->hash, dentry_hash((const uint8_t *)name, len));
	le32_set(&d->ino, ino);
	le16_set(&d->name_len, (uint16_t)len);
	d->file_type = type;
	memcpy(block + 30 + SLOTS * 11 + slot * OD_SLOT_LEN, name, len);
}

/* The root: two blocks of bucket 0 in level 0. */
static void put_dentries(struct vb *b)
{
	struct vb_file *root = b->files.v[0];
	uint32_t n = 2;

	for (int i = 0; i < 2; i++)
		memset(vb_block(b, root->map.v[i]), 0, VB_BYTES);
	put_dentry(vb_block(b, root->map.v[0]), 0, OD_ROOT_INO, ".",
		   OD_FT_DIR);
	put_dentry(vb_block(b, root->map.v[0]), 1, OD_ROOT_INO, "..",
		   OD_FT_DIR);
	for (size_t i = 1; i < b->files.nr; i++) {
		const struct vb_file *f = b->files.v[i];

		if (f->gone || f->kind == VB_ORPHAN)
			continue;
		assert_true(n < 2 * SLOTS);
		put_dentry(vb_block(b, root->map.v[n / SLOTS]), n % SLOTS,
			   f->ino, f->name, OD_FT_REG);
		n++;
	}
}

static void set_sit(struct od_sit_entry *e, const struct vb_seg *seg)
{
	memset(e, 0, sizeof(*e));
	od_sit_set_vblocks(e, seg->valid, seg->type);
	memcpy(e->valid_map, seg->map, sizeof(seg->map));
	le64_set(&e->mtime, seg->mtime);
}

/* Entries that the journal has are nonsense in the block. */
static void put_sit(struct vb *b, uint8_t *bitmap, uint8_t *journal)
{
	uint16_t nr = 0;

	for (uint32_t i = 0; i < b->lo.nr_sit_blks; i++) {
		int copy = (int)vb_random(b, 2);
		uint32_t at = b->lo.sit_blk + i;

		memset(vb_block(b, at + (copy ? 0 : VB_SEG_BLKS)), 0xee,
		       VB_BYTES);
		memset(vb_block(b, at + (copy ? VB_SEG_BLKS : 0)), 0,
		       VB_BYTES);
		if (copy)
			bit_set_msb(bitmap, i);
	}
	for (uint32_t s = 0; s < b->lo.nr_main_segs; s++) {
		int copy = bit_test_msb(bitmap, s / 55);
		struct od_sit_entry *e = (void *)vb_block(b, b->lo.sit_blk +
				s / 55 + (copy ? VB_SEG_BLKS : 0));

		if (nr < b->opt.sit_journal && b->seg_used[s]) {
			struct od_sit_journal_entry *je =
				sit_journal_entry(journal, nr++);

			le32_set(&je->segno, s);
			set_sit(&je->sit, &b->seg[s]);
			continue;
		}
		set_sit(&e[s % 55], &b->seg[s]);
	}
	assert_int_equal(nr, b->opt.sit_journal);
	journal_set_count(journal, nr);
}

static void set_nat(struct od_nat_entry *e, const struct vb_nat *nat)
{
	e->version = nat->version;
	le32_set(&e->ino, nat->ino);
	le32_set(&e->blk, nat->blk);
}

static void put_nat(struct vb *b, uint8_t *bitmap, uint8_t *journal)
{
	uint16_t nr = 0;

	b->nat[1] = (struct vb_nat){ .ino = 1, .blk = 1 };
	b->nat[2] = (struct vb_nat){ .ino = 2, .blk = 1 };
	for (uint32_t i = 0; i < 16; i++) {
		int copy = (int)vb_random(b, 2);
		uint32_t at = b->lo.nat_blk + i;

		memset(vb_block(b, at + (copy ? 0 : VB_SEG_BLKS)), 0xee,
		       VB_BYTES);
		memset(vb_block(b, at + (copy ? VB_SEG_BLKS : 0)), 0,
		       VB_BYTES);
		if (copy)
			bit_set_msb(bitmap, i);
	}
	for (uint32_t nid = 0; nid < b->next_nid; nid++) {
		uint32_t i = nid / 455;
		struct od_nat_entry *e = (void *)vb_block(b, b->lo.nat_blk + i +
				(bit_test_msb(bitmap, i) ? VB_SEG_BLKS : 0));

		if (nid >= OD_ROOT_INO && nr < b->opt.nat_journal) {
			struct od_nat_journal_entry *je =
				nat_journal_entry(journal, nr++);

			le32_set(&je->nid, nid);
			set_nat(&je->nat, &b->nat[nid]);
			continue;
		}
		set_nat(&e[nid % 455], &b->nat[nid]);
	}
	assert_int_equal(nr, b->opt.nat_journal);
	journal_set_count(journal, nr);
}

/* SSA blocks of logs are stale on purpose: the pack has what counts. */
static void put_ssa(struct vb *b)
{
	for (uint32_t s = 0; s < b->lo.nr_main_segs; s++) {
		bool current = false;

		for (int t = 0; t < OD_NR_LOGS; t++)
			current = current || b->log[t].segno == s;
		if (current)
			memset(vb_block(b, b->lo.ssa_blk + s), 0xdd, VB_BYTES);
		else
			memcpy(vb_block(b, b->lo.ssa_blk + s), b->seg[s].sum,
			       VB_BYTES);
	}
}

static uint32_t nr_entries(const struct vb *b, int t)
{
	return b->log[t].ssr ? VB_SEG_BLKS : b->log[t].next;
}

static bool fits_compact(const struct vb *b)
{
	uint32_t n = 0;

	for (int t = 0; t < 3; t++)
		n += nr_entries(b, t);
	return n <= 1023;
}

static uint32_t put_compact(const struct vb *b, uint8_t *to,
			    const uint8_t *nat, const uint8_t *sit)
{
	uint32_t off = 2 * 507, blk = 0;

	memcpy(to, nat, 507);
	memcpy(to + 507, sit, 507);
	for (int t = 0; t < 3; t++) {
		for (uint32_t i = 0; i < nr_entries(b, t); i++) {
			if (off + 7 > VB_BYTES - 5) {
				off = 0;
				blk++;
			}
			memcpy(to + blk * VB_BYTES + off,
			       b->seg[b->log[t].segno].sum + 7 * i, 7);
			off += 7;
		}
	}
	return blk + 1;
}

static uint32_t put_sums(const struct vb *b, uint8_t *to, int first,
			 const uint8_t *nat, const uint8_t *sit)
{
	for (int i = 0; i < 3; i++) {
		uint8_t *block = to + i * VB_BYTES;
		int t = first + i;

		memcpy(block, b->seg[b->log[t].segno].sum, VB_BYTES);
		memset(block + 7 * 512, 0x77, 507);
		if (t == LOG_HOT_DATA)
			memcpy(block + 7 * 512, nat, 507);
		if (t == LOG_COLD_DATA)
			memcpy(block + 7 * 512, sit, 507);
		if (t == LOG_HOT_NODE)
			le64_set((le64 *)(block + 7 * 512 + 2), b->kbytes);
	}
	return 3;
}

static uint32_t list_orphans(const struct vb *b, uint32_t *inos)
{
	uint32_t n = 0;

	for (size_t i = 0; i < b->files.nr; i++)
		if (b->files.v[i]->kind == VB_ORPHAN && !b->files.v[i]->gone)
			inos[n++] = b->files.v[i]->ino;
	for (uint32_t i = 0; i < b->opt.extra_orphans; i++)
		inos[n++] = VB_NIDS / 2 + i;
	return n;
}

static uint32_t put_orphans(const struct vb *b, uint8_t *to, uint32_t *nr)
{
	uint32_t *inos = calloc(b->files.nr + b->opt.extra_orphans + 1,
				sizeof(*inos));
	uint32_t blks;

	assert_non_null(inos);
	*nr = list_orphans(b, inos);
	blks = (*nr + 1019) / 1020;
	for (uint32_t i = 0; i < *nr; i++)
		le32_set((le32 *)(to + i / 1020 * VB_BYTES) + i % 1020,
			 inos[i]);
	for (uint32_t i = 0; i < blks; i++) {
		struct od_orphan_foot *foot =
			(void *)(to + i * VB_BYTES + 4080);

		le16_set(&foot->blk_addr, (uint16_t)(i + 1));
		le16_set(&foot->blk_count, (uint16_t)blks);
		le32_set(&foot->entry_count,
			 i + 1 < blks ? 1020 : *nr - i * 1020);
	}
	free(inos);
	return blks;
}

struct counts {
	uint32_t nodes, inodes, free_segs;
	uint64_t blocks;
};

static struct counts count(const struct vb *b)
{
	struct counts c = { 0 };

	for (size_t i = 0; i < b->files.nr; i++) {
		const struct vb_file *f = b->files.v[i];

		if (f->gone)
			continue;
		c.inodes++;
		c.nodes += (uint32_t)f->nodes.nr;
		c.blocks += nr_blocks(f);
	}
	for (uint32_t s = 0; s < b->lo.nr_main_segs; s++) {
		bool current = false;

		for (int t = 0; t < OD_NR_LOGS; t++)
			current = current || b->log[t].segno == s;
		c.free_segs += !current && !b->seg[s].valid;
	}
	return c;
}

static void put_cp_fields(const struct vb *b, struct od_checkpoint *cp,
			  uint32_t nr_orphans)
{
	struct counts c = count(b);
	uint32_t flags = OD_CP_CRC_RECOVERY;

	flags |= b->opt.crashed ? 0 : OD_CP_UMOUNT;
	flags |= b->opt.normal || !fits_compact(b) ? 0 : OD_CP_COMPACT_SUM;
	flags |= b->opt.large ? OD_CP_LARGE_NAT_BITMAP : 0;
	flags |= nr_orphans ? OD_CP_ORPHAN_PRESENT : 0;
	flags = (flags & ~b->opt.clear_flags) | b->opt.set_flags;
	le64_set(&cp->checkpoint_ver, b->opt.version);
	le64_set(&cp->user_block_count, (b->lo.nr_main_segs - 1) *
		 VB_SEG_BLKS);
	le64_set(&cp->valid_block_count, c.blocks);
	le32_set(&cp->rsvd_segment_count, 2);
	le32_set(&cp->overprov_segment_count, 3);
	le32_set(&cp->free_segment_count, c.free_segs);
	memset(cp->cur_node_segno, 0xff, sizeof(cp->cur_node_segno));
	memset(cp->cur_data_segno, 0xff, sizeof(cp->cur_data_segno));
	for (int i = 0; i < 3; i++) {
		le32_set(&cp->cur_node_segno[i], b->log[i + 3].segno);
		le16_set(&cp->cur_node_blkoff[i], b->log[i + 3].next);
		le32_set(&cp->cur_data_segno[i], b->log[i].segno);
		le16_set(&cp->cur_data_blkoff[i], b->log[i].next);
		cp->alloc_type[i] = b->log[i].ssr;
		cp->alloc_type[i + 3] = b->log[i + 3].ssr;
	}
	le32_set(&cp->ckpt_flags, flags);
	le32_set(&cp->valid_node_count, c.nodes);
	le32_set(&cp->valid_inode_count, c.inodes);
	le32_set(&cp->next_free_nid, b->next_nid);
	le32_set(&cp->sit_ver_bitmap_bytesize, 64);
	le32_set(&cp->nat_ver_bitmap_bytesize, 64);
	le32_set(&cp->checksum_offset, b->opt.large ? 192 : VB_BYTES - 4);
	le64_set(&cp->elapsed_time, b->opt.elapsed);
}

static void sign(uint8_t *cp)
{
	uint32_t ofs = le32_get(((struct od_checkpoint *)cp)->checksum_offset);
	uint32_t crc = crc_update(OD_SUPER_MAGIC, cp, ofs);

	if (ofs < VB_BYTES - 4)
		crc = crc_update(crc, cp + ofs + 4, VB_BYTES - 4 - ofs);
	le32_set((le32 *)(cp + ofs), crc);
}

static void put_bitmaps(const struct vb *b, uint8_t *cp, const uint8_t *sit,
			const uint8_t *nat)
{
	if (b->opt.large) {
		memcpy(cp + 196, nat, 64);
		memcpy(cp + 196 + 64, sit, 64);
	} else if (b->opt.payload) {
		memcpy(cp + 192, nat, 64);
		memcpy(cp + VB_BYTES, sit, 64);
	} else {
		memcpy(cp + 192, sit, 64);
		memcpy(cp + 192 + 64, nat, 64);
	}
}

static void put_pack(struct vb *b, const uint8_t *sit_map,
		     const uint8_t *nat_map, const uint8_t *nat_j,
		     const uint8_t *sit_j)
{
	uint8_t *cp = vb_block(b, b->lo.cp_blk +
			       (b->opt.pack ? VB_SEG_BLKS : 0));
	uint8_t *other = vb_block(b, b->lo.cp_blk +
				  (b->opt.pack ? 0 : VB_SEG_BLKS));
	struct od_checkpoint *od = (void *)cp;
	uint32_t at = 1 + b->opt.payload, nr_orphans;

	memset(cp, 0, VB_SEG_BLKS * VB_BYTES);
	memset(other, 0, VB_SEG_BLKS * VB_BYTES);
	at += put_orphans(b, cp + at * VB_BYTES, &nr_orphans);
	put_cp_fields(b, od, nr_orphans);
	put_bitmaps(b, cp, sit_map, nat_map);
	le32_set(&od->cp_pack_start_sum, at);
	if (le32_get(od->ckpt_flags) & OD_CP_COMPACT_SUM)
		at += put_compact(b, cp + at * VB_BYTES, nat_j, sit_j);
	else
		at += put_sums(b, cp + at * VB_BYTES, LOG_HOT_DATA, nat_j,
			       sit_j);
	if (!b->opt.crashed)
		at += put_sums(b, cp + at * VB_BYTES, LOG_HOT_NODE, nat_j,
			       sit_j);
	le32_set(&od->cp_pack_total_block_count, at + 1);
	sign(cp);
	memcpy(cp + at * VB_BYTES, cp, VB_BYTES);
	memcpy(other, cp, (at + 1) * VB_BYTES);
	le64_set(&((struct od_checkpoint *)other)->checkpoint_ver,
		 b->opt.version - 1);
	sign(other);
	memcpy(other + at * VB_BYTES, other, VB_BYTES);
}

struct od_nat_entry *vb_nat_entry(const struct vb *b, uint32_t nid)
{
	uint32_t i = nid / 455;
	bool copy = bit_test_msb(b->nat_map, i);

	return (struct od_nat_entry *)vb_block(b, b->lo.nat_blk + i +
					       (copy ? VB_SEG_BLKS : 0)) +
	       nid % 455;
}

/* Of a segment that no log is in. */
struct od_sum_entry *vb_sum_entry(const struct vb *b, uint32_t blk)
{
	return sum_entries(vb_block(b, b->lo.ssa_blk +
				    blk_to_seg(&b->lo, blk))) +
	       blk_in_seg(&b->lo, blk);
}

void vb_write(struct vb *b)
{
	uint8_t sit_map[64] = { 0 }, nat_map[64] = { 0 };
	uint8_t nat_j[507] = { 0 }, sit_j[507] = { 0 };

	put_super(b);
	put_dentries(b);
	for (size_t i = 0; i < b->files.nr; i++)
		for (size_t k = 0; k < b->files.v[i]->nodes.nr; k++)
			if (!b->files.v[i]->gone)
				put_node(b, b->files.v[i],
					 &b->files.v[i]->nodes.v[k]);
	put_ssa(b);
	put_sit(b, sit_map, sit_j);
	put_nat(b, nat_map, nat_j);
	put_pack(b, sit_map, nat_map, nat_j, sit_j);
	memcpy(b->nat_map, nat_map, sizeof(nat_map));
}
