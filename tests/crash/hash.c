/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A fast hash of bytes; whoever could forge it is not among the judged. */
#include "config.h"

#include "hash.h"

#include <string.h>

uint64_t hash_bytes(uint64_t h, const void *data, size_t len)
{
	const uint8_t *p = data;
	uint64_t word;

	h ^= len * UINT64_C(0x9E3779B97F4A7C15);
	while (len) {
		size_t n = len < sizeof(word) ? len : sizeof(word);

		word = 0;
		memcpy(&word, p, n);
		h = (h ^ word) * UINT64_C(0xD6E8FEB86659FD93);
		h ^= h >> 32;
		p += n;
		len -= n;
	}
	return h;
}
