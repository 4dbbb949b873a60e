/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The map of the main area: claims of runs of blocks, from many threads. */
#include "config.h"

#include "check/space.h"

#include <endian.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

static void make_keys(struct space *s)
{
	if (getrandom(s->key, sizeof(s->key), GRND_NONBLOCK) !=
	    (ssize_t)sizeof(s->key)) {
		struct timespec ts;

		clock_gettime(CLOCK_MONOTONIC, &ts);
		s->key[0] = (uint64_t)ts.tv_nsec * 0x9E3779B97F4A7C15U;
		s->key[1] = s->key[0] ^ (uint64_t)(uintptr_t)s;
	}
	s->key[1] |= 1;
}

int space_init(struct f2c_ctx *ctx, const struct layout *lo,
	       struct space *out)
{
	struct space s = { .lo = lo };
	size_t nr = lo->nr_main_segs;

	s.seen = calloc(nr * SPACE_WORDS, sizeof(*s.seen));
	s.twice = calloc(nr * SPACE_WORDS, sizeof(*s.twice));
	s.sum = calloc(nr, sizeof(*s.sum));
	s.seg = calloc(nr, sizeof(*s.seg));
	if (!s.seen || !s.twice || !s.sum || !s.seg) {
		space_free(&s);
		return ctx_nomem(ctx, "the map of the main area");
	}
	make_keys(&s);
	*out = s;
	return 0;
}

void space_free(struct space *s)
{
	free(s->seen);
	free(s->twice);
	free(s->sum);
	free(s->seg);
	s->seen = s->twice = s->sum = NULL;
	s->seg = NULL;
}

/* Bits @from to @from + @len - 1 of a word, the first being the highest. */
static uint64_t word_mask(uint32_t from, uint32_t len)
{
	return htobe64((~0ULL << (64 - len)) >> from);
}

uint32_t space_claim(struct space *s, uint32_t blk, uint32_t len,
		     uint8_t what)
{
	uint32_t segno = blk_to_seg(s->lo, blk);
	uint32_t bit = blk_in_seg(s->lo, blk);
	uint64_t *seen = s->seen + (size_t)segno * SPACE_WORDS;
	uint64_t *twice = s->twice + (size_t)segno * SPACE_WORDS;
	uint32_t again = 0, n;

	for (uint32_t done = 0; done < len; done += n, bit += n) {
		uint64_t mask, had;

		n = 64 - bit % 64;
		if (n > len - done)
			n = len - done;
		mask = word_mask(bit % 64, n);
		had = mask & __atomic_fetch_or(&seen[bit / 64], mask,
					       __ATOMIC_RELAXED);
		if (!had)
			continue;
		__atomic_fetch_or(&twice[bit / 64], had, __ATOMIC_RELAXED);
		again += (uint32_t)__builtin_popcountll(had);
	}
	if (again < len && !(space_flags(s, segno) & what))
		space_flag(s, segno, what);
	if (again)
		space_flag(s, segno, SEG_HAS_TWICE);
	return again;
}

bool space_is_twice(const struct space *s, uint32_t blk)
{
	const uint8_t *map = space_twice_map(s, blk_to_seg(s->lo, blk));
	uint32_t n = blk_in_seg(s->lo, blk);

	return map[n / 8] & 0x80 >> n % 8;
}
