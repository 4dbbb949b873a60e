/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bitmaps in the two bit orders of the format. "msb": bit n is in byte n / 8
 * under mask 0x80 >> n % 8 (SIT maps, version bitmaps). "lsb": mask
 * 1 << n % 8 (dentry bitmaps, NAT bits, and all bitmaps in memory).
 * The caller proves that n lies in the map.
 */
#ifndef F2CORE_BASE_BITS_H
#define F2CORE_BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <string.h>

static inline bool bit_test_msb(const uint8_t *map, size_t n)
{
	return map[n / 8] & 0x80 >> n % 8;
}

static inline void bit_set_msb(uint8_t *map, size_t n)
{
	map[n / 8] |= (uint8_t)(0x80 >> n % 8);
}

static inline void bit_clear_msb(uint8_t *map, size_t n)
{
	map[n / 8] &= (uint8_t)~(0x80 >> n % 8);
}

static inline void bit_flip_msb(uint8_t *map, size_t n)
{
	map[n / 8] ^= (uint8_t)(0x80 >> n % 8);
}

static inline bool bit_test_lsb(const uint8_t *map, size_t n)
{
	return map[n / 8] & 1 << n % 8;
}

static inline void bit_set_lsb(uint8_t *map, size_t n)
{
	map[n / 8] |= (uint8_t)(1 << n % 8);
}

static inline void bit_clear_lsb(uint8_t *map, size_t n)
{
	map[n / 8] &= (uint8_t)~(1 << n % 8);
}

/* Number of set bits in the first @bytes bytes; the order does not matter. */
static inline size_t bits_count(const uint8_t *map, size_t bytes)
{
	size_t n = 0, i = 0;
	uint64_t word;

	for (; bytes - i >= sizeof(word); i += sizeof(word)) {
		memcpy(&word, map + i, sizeof(word));
		n += (size_t)__builtin_popcountll(word);
	}
	for (; i < bytes; i++)
		n += (size_t)__builtin_popcount(map[i]);
	return n;
}

#endif
