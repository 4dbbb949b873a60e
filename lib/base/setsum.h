/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A number for a set of numbers that are met in any order: two lists have the
 * same sum if they are the same set, none twice, and else but for a chance of
 * one in 2^64, whoever made them, as long as nobody knows the key.
 */
#ifndef F2CORE_BASE_SETSUM_H
#define F2CORE_BASE_SETSUM_H

#include <stdint.h>

/* Random, the same for the whole life of the process. */
uint64_t setsum_key(void);

/* What @n adds to a sum, which wraps around: every bit depends on all. */
static inline uint64_t setsum_of(uint64_t key, uint32_t n)
{
	uint64_t x = key + n * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
	x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return x ^ x >> 32;
}

#endif
