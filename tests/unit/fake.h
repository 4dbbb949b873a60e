/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A volume in memory that was never formatted: a main area, a NAT, and node
 * blocks that a test fills as it likes, wrong ones too.
 */
#ifndef F2CORE_TESTS_FAKE_H
#define F2CORE_TESTS_FAKE_H

#include "tree/inode.h"

#include "unit.h"

struct fake {
	struct volume vol;
	uint32_t next_blk;		/* where the next node lies */
};

/* All cmocka assertions: a fake that cannot be made fails the test. */
void fake_init(struct fake *f, uint32_t block_size, uint64_t features);
void fake_free(struct fake *f);

/* The memory of a block of the main area. */
uint8_t *fake_block(struct fake *f, uint32_t blk);

/* A zeroed node in the next block, with its footer and NAT entry. */
uint8_t *fake_node(struct fake *f, uint32_t nid, uint32_t ino, uint32_t ofs);

/* The same for an inode of @mode. */
uint8_t *fake_inode(struct fake *f, uint32_t ino, uint16_t mode,
		    uint64_t size);

static inline struct od_inode *od_inode_of(uint8_t *block)
{
	return (struct od_inode *)block;
}

/* Decoded; fails the test if that cannot be done. */
struct inode fake_decode(struct fake *f, const uint8_t *block);

#endif
