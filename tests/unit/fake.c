/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A volume in memory that was never formatted. */
#include "config.h"

#include "fake.h"
#include "dev/dev_stack.h"

#include <stdlib.h>

#define MAIN_BLK	64U
#define NR_MAIN_SEGS	16U
#define NR_NAT_BLKS	64U

void fake_init(struct fake *f, uint32_t block_size, uint64_t features)
{
	struct volume *vol = &f->vol;
	struct layout *lo = &vol->lo;
	uint64_t nr_blks;

	*f = (struct fake){ .next_blk = MAIN_BLK };
	layout_from_block_size(lo, block_size);
	lo->features = features;
	lo->segs_per_sec = lo->secs_per_zone = 1;
	lo->main_blk = MAIN_BLK;
	lo->nr_main_segs = lo->nr_main_secs = NR_MAIN_SEGS;
	lo->end_blk = MAIN_BLK + NR_MAIN_SEGS * lo->blks_per_seg;
	lo->nr_nat_blks = NR_NAT_BLKS;
	lo->nr_nids = NR_NAT_BLKS * lo->nats_per_block;
	nr_blks = lo->end_blk;

	vol->ctx = ctx_new();
	assert_non_null(vol->ctx);
	assert_int_equal(dev_mem_open(vol->ctx, NULL, nr_blks * block_size,
				      &vol->dev), 0);
	vol->dev->block_size = block_size;
	vol->cp.head = calloc(1, block_size);
	assert_non_null(vol->cp.head);
	vol->nat.lo = lo;
	vol->nat.pages = calloc(NR_NAT_BLKS, sizeof(*vol->nat.pages));
	assert_non_null(vol->nat.pages);
}

void fake_free(struct fake *f)
{
	nat_free(&f->vol.nat);
	free(f->vol.cp.head);
	dev_close(f->vol.dev);
	ctx_free(f->vol.ctx);
}

uint8_t *fake_block(struct fake *f, uint32_t blk)
{
	assert_true(blk < f->vol.lo.end_blk);
	return dev_mem_data(f->vol.dev) + (size_t)blk * f->vol.lo.block_size;
}

uint8_t *fake_node(struct fake *f, uint32_t nid, uint32_t ino, uint32_t ofs)
{
	struct nat_entry nat = { .ino = ino, .blk = f->next_blk };
	uint8_t *block = fake_block(f, f->next_blk++);
	struct od_node_foot *foot = node_foot(&f->vol.lo, block);

	le32_set(&foot->nid, nid);
	le32_set(&foot->ino, ino);
	le32_set(&foot->flag, ofs << OD_FOOT_OFS_SHIFT);
	assert_true(nid > OD_META_INO && nid < f->vol.lo.nr_nids);
	assert_int_equal(nat_set(&f->vol.nat, nid, &nat), 0);
	return block;
}

uint8_t *fake_inode(struct fake *f, uint32_t ino, uint16_t mode,
		    uint64_t size)
{
	uint8_t *block = fake_node(f, ino, ino, 0);

	le16_set(&od_inode_of(block)->i_mode, mode);
	le64_set(&od_inode_of(block)->i_size, size);
	le64_set(&od_inode_of(block)->i_blocks, 1);
	return block;
}

struct inode fake_decode(struct fake *f, const uint8_t *block)
{
	struct inode inode;
	struct fault fault;

	assert_int_equal(inode_decode(&f->vol.lo, block, &inode, &fault), 0);
	return inode;
}
