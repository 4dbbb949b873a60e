/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dentry hash and the place of a bucket (kernel fs/f2fs/hash.c, dir.c). */
#ifndef F2CORE_FORMAT_HASH_H
#define F2CORE_FORMAT_HASH_H

#include <stddef.h>
#include <stdint.h>

/* 0 for "." and "..", else the TEA-based hash of the stored name. */
uint32_t dentry_hash(const uint8_t *name, size_t len);

/* Buckets in @level, and blocks of each; @level and @dir_level up to 63. */
uint32_t dir_nr_buckets(unsigned int level, unsigned int dir_level);
uint32_t dir_bucket_blks(unsigned int level);

/* First file block of bucket @bucket in @level: at most 2^38, never overflows. */
uint64_t dir_bucket_lblk(unsigned int level, unsigned int dir_level,
			 uint32_t bucket);

#endif
