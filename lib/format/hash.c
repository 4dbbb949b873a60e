/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The hash of a name and where its bucket lies: TEA over 16 bytes of the name
 * at a time, the two words of state being carried on (format 6.3 and 6.4).
 */
#include "config.h"

#include "format/hash.h"

#define ROUND_BYTES	16
#define TEA_ROUNDS	16
#define TEA_DELTA	0x9E3779B9U

/* Levels from here on have no more buckets, and larger ones. */
#define LEVEL_LIMIT	31
#define MAX_BUCKETS	(1U << 30)

/*
 * Word @i of this round. @left is what remains of the name, this round
 * included: its low byte fills what the name does not.
 */
static uint32_t name_word(const uint8_t *name, size_t left, unsigned int i)
{
	uint32_t word = (uint32_t)left | (uint32_t)left << 8;

	word |= word << 16;
	for (size_t n = 4 * i; n < 4 * i + 4 && n < left; n++)
		word = (word << 8) + name[n];
	return word;
}

static void tea(uint32_t state[2], const uint32_t key[4])
{
	uint32_t x = state[0], y = state[1], sum = 0;

	for (int i = 0; i < TEA_ROUNDS; i++) {
		sum += TEA_DELTA;
		x += ((y << 4) + key[0]) ^ (y + sum) ^ ((y >> 5) + key[1]);
		y += ((x << 4) + key[2]) ^ (x + sum) ^ ((x >> 5) + key[3]);
	}
	state[0] += x;
	state[1] += y;
}

static int is_dots(const uint8_t *name, size_t len)
{
	return (len == 1 && name[0] == '.') ||
	       (len == 2 && name[0] == '.' && name[1] == '.');
}

uint32_t dentry_hash(const uint8_t *name, size_t len)
{
	uint32_t state[2] = { 0x67452301U, 0xEFCDAB89U };
	uint32_t key[4];

	if (is_dots(name, len))
		return 0;
	for (;;) {
		for (unsigned int i = 0; i < 4; i++)
			key[i] = name_word(name, len, i);
		tea(state, key);
		if (len <= ROUND_BYTES)
			return state[0];
		name += ROUND_BYTES;
		len -= ROUND_BYTES;
	}
}

uint32_t dir_nr_buckets(unsigned int level, unsigned int dir_level)
{
	if (level + dir_level >= LEVEL_LIMIT)
		return MAX_BUCKETS;
	return 1U << (level + dir_level);
}

uint32_t dir_bucket_blks(unsigned int level)
{
	return level < LEVEL_LIMIT ? 2 : 4;
}

uint64_t dir_bucket_lblk(unsigned int level, unsigned int dir_level,
			 uint32_t bucket)
{
	uint64_t lblk = 0;

	for (unsigned int l = 0; l < level; l++)
		lblk += (uint64_t)dir_nr_buckets(l, dir_level) *
			dir_bucket_blks(l);
	return lblk + (uint64_t)bucket * dir_bucket_blks(level);
}
