/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * No name twice in a directory. Blocks come in order of address, not by
 * directory, so each name becomes a keyed number of 63 bits; equal numbers are
 * equal names. When a volume has more names than memory is meant for, each
 * round keeps the numbers below a bound that is lowered as needed, and the
 * directories are read again for the rest.
 */
#include "config.h"

#include "base/map.h"
#include "check/check_int.h"
#include "check/scan.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define KEY_BITS	63
#define KEY_END		(1ULL << KEY_BITS)
#define KEYS_PER_BUCKET	4U
#define MAX_FIRSTS	100000U		/* names compared byte by byte */

/* A bijection that spreads each bit over all others. */
static uint64_t mix(uint64_t h)
{
	h ^= h >> 32;
	h *= 0x9E3779B97F4A7C15U;
	h ^= h >> 32;
	h *= 0xD6E8FEB86659FD93U;
	return h ^ h >> 32;
}

/*
 * Directory and name go in one after the other, each over a mixed state: with
 * both in one word, a name in one directory would have the key of another name
 * in another.
 */
uint64_t name_key(const struct check *c, uint32_t dir, const uint8_t *name,
		  size_t len)
{
	uint64_t h = mix(c->space.key[0] ^ ((uint64_t)len << 32 | dir));

	for (size_t i = 0; i < len; i += 8) {
		uint64_t part = 0;

		memcpy(&part, name + i, len - i < 8 ? len - i : 8);
		h = mix(h ^ part);
	}
	return mix(h ^ c->space.key[1]) >> 1;
}

/* Halve the range, unless another thread did already, and drop what is out. */
static void shrink(struct check *c, struct check_worker *w)
{
	uint64_t to = __atomic_load_n(&c->key_to, __ATOMIC_RELAXED);
	size_t kept = 0;

	if (to - c->key_from > 1) {
		uint64_t half = c->key_from + (to - c->key_from) / 2;

		__atomic_compare_exchange_n(&c->key_to, &to, half, false,
					    __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
		to = __atomic_load_n(&c->key_to, __ATOMIC_RELAXED);
	}
	for (size_t i = 0; i < w->keys.nr; i++)
		if (w->keys.v[i] < to)
			w->keys.v[kept++] = w->keys.v[i];
	w->keys.nr = kept;
}

int name_add_key(struct check *c, struct check_worker *w, uint64_t key)
{
	if (key < c->key_from ||
	    key >= __atomic_load_n(&c->key_to, __ATOMIC_RELAXED))
		return 0;
	if (w->keys.nr >= c->keys_max) {
		shrink(c, w);
		if (w->keys.nr >= c->keys_max ||
		    key >= __atomic_load_n(&c->key_to, __ATOMIC_RELAXED))
			return 0;
	}
	return vec_push(&w->keys, &key) ?
	       ctx_nomem(c->vol->ctx, "the list of names") : 0;
}

typedef int name_fn(void *priv, unsigned int worker, const struct dir_block *b,
		    const struct dir_entry *e, uint64_t key);

struct name_scan {
	struct check *c;
	name_fn *fn;
	void *priv;
};

/* The entries that pass 3 took into account, again. */
static int visit(void *priv, unsigned int worker, size_t i, const void *block)
{
	struct name_scan *s = priv;
	struct check *c = s->c;
	const struct dir_block *b = &c->dir_blocks.v[i];
	struct check_worker *w = &c->workers[worker];
	struct dentry_area area;
	struct dir_entry e;
	uint32_t slot = 0;
	int got, err = 0;

	if (!block || !dir_area(c, w, b, block, &area))
		return 0;
	while (!err && (got = dentry_next(&area, &slot, &e)))
		if (got > 0 && dir_name_counts(c, b, &area, &e))
			err = s->fn(s->priv, worker, b, &e,
				    name_key(c, b->ino, e.name, e.name_len));
	return err;
}

static int scan_names(struct check *c, unsigned int nr_threads, name_fn *fn,
		      void *priv)
{
	struct name_scan s = { c, fn, priv };

	return block_scan(c->vol, nr_threads, c->dir_blocks.v,
			  sizeof(*c->dir_blocks.v), c->dir_blocks.nr, visit,
			  &s);
}

static int collect(void *priv, unsigned int worker, const struct dir_block *b,
		   const struct dir_entry *e, uint64_t key)
{
	struct check *c = priv;

	(void)b;
	(void)e;
	return name_add_key(c, &c->workers[worker], key);
}

/* A name as it was met first. */
struct first_name {
	uint32_t dir;
	uint8_t len;
	uint8_t name[OD_NAME_LEN];
};

struct first_name_vec VEC_BODY(struct first_name);

struct duplicates {
	struct check *c;
	struct map keys;		/* of names that are there twice, to their */
	struct first_name_vec firsts;	/* first place here plus 1 */
};

static int remember(struct duplicates *d, const struct dir_block *b,
		    const struct dir_entry *e, uint64_t key)
{
	struct first_name first = { .dir = b->ino, .len = (uint8_t)e->name_len };

	if (d->firsts.nr >= MAX_FIRSTS)	/* then the key must do */
		return map_put(&d->keys, key, UINT64_MAX);
	memcpy(first.name, e->name, first.len);
	if (vec_push(&d->firsts, &first))
		return -ENOMEM;
	return map_put(&d->keys, key, d->firsts.nr);
}

static bool is_same(const struct first_name *first, const struct dir_block *b,
		    const struct dir_entry *e)
{
	return first->dir == b->ino && first->len == e->name_len &&
	       !memcmp(first->name, e->name, first->len);
}

/* The first place of a name, by address, is left alone. */
static int report(void *priv, unsigned int worker, const struct dir_block *b,
		  const struct dir_entry *e, uint64_t key)
{
	struct duplicates *d = priv;
	uint64_t seen;

	(void)worker;
	if (!map_get(&d->keys, key, &seen))
		return 0;
	if (!seen)
		return remember(d, b, e, key);
	if (seen == UINT64_MAX || is_same(&d->firsts.v[seen - 1], b, e))
		dir_found_entry(d->c, b, e, P_DIR_DUPLICATE, e->ino, 0);
	return 0;
}

/*
 * All keys of this round, dealt into buckets of one width. Keys are random
 * numbers, so that a bucket has a handful of them.
 */
struct buckets {
	uint64_t *keys;
	size_t *bound;			/* bucket i: bound[i] to bound[i + 1] */
	size_t nr;			/* a power of 2 */
	size_t nr_keys;
	uint64_t from, to;
	unsigned int shift;		/* of the distance from @from */
};

static void buckets_free(struct buckets *b)
{
	free(b->keys);
	free(b->bound);
}

static int buckets_init(struct check *c, struct buckets *b)
{
	size_t nr = 0;

	for (unsigned int t = 0; t < c->nr_threads; t++)
		nr += c->workers[t].keys.nr;
	b->from = c->key_from;
	b->to = c->key_to;
	for (b->nr = 1; b->nr < nr / KEYS_PER_BUCKET;)
		b->nr *= 2;
	while ((b->to - b->from - 1) >> b->shift >= b->nr)
		b->shift++;
	b->keys = malloc((nr + 1) * sizeof(*b->keys));
	b->bound = calloc(b->nr + 2, sizeof(*b->bound));
	return b->keys && b->bound ? 0 : ctx_nomem(c->vol->ctx, "names");
}

/* A key that is out of the range by now comes in a later round. */
static void deal_keys(struct check *c, struct buckets *b)
{
	size_t *at = b->bound + 1;	/* one ahead: ends as it should be */

	for (unsigned int t = 0; t < c->nr_threads; t++) {
		const struct key_vec *keys = &c->workers[t].keys;

		for (size_t i = 0; i < keys->nr; i++)
			if (keys->v[i] < b->to)
				at[(keys->v[i] - b->from) >> b->shift]++;
	}
	for (size_t i = 0; i < b->nr; i++) {
		size_t nr = at[i];

		at[i] = b->nr_keys;
		b->nr_keys += nr;
	}
	for (unsigned int t = 0; t < c->nr_threads; t++) {
		struct key_vec *keys = &c->workers[t].keys;

		for (size_t i = 0; i < keys->nr; i++)
			if (keys->v[i] < b->to)
				b->keys[at[(keys->v[i] - b->from) >>
					   b->shift]++] = keys->v[i];
		vec_free(keys);
	}
}

static int compare_keys(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* By insertion, unless one name is there so often that it fills a bucket. */
static void sort_bucket(uint64_t *v, size_t nr)
{
	if (nr > 16 * KEYS_PER_BUCKET) {
		qsort(v, nr, sizeof(*v), compare_keys);
		return;
	}
	for (size_t i = 1; i < nr; i++) {
		uint64_t key = v[i];
		size_t at = i;

		for (; at && v[at - 1] > key; at--)
			v[at] = v[at - 1];
		v[at] = key;
	}
}

static int note_duplicates(struct buckets *b, struct map *found)
{
	int err = 0;

	for (size_t i = 0; i < b->nr; i++)
		sort_bucket(b->keys + b->bound[i],
			    b->bound[i + 1] - b->bound[i]);
	for (size_t i = 1; !err && i < b->nr_keys; i++)
		if (b->keys[i] == b->keys[i - 1])
			err = map_put(found, b->keys[i], 0);
	return err;
}

static int find_duplicates(struct check *c)
{
	struct duplicates d = { .c = c };
	struct buckets b = { 0 };
	int err = buckets_init(c, &b);

	if (!err) {
		deal_keys(c, &b);
		err = note_duplicates(&b, &d.keys);
	}
	buckets_free(&b);
	if (!err && d.keys.nr)
		err = scan_names(c, 1, report, &d);
	map_free(&d.keys);
	vec_free(&d.firsts);
	return err == -ENOMEM ? ctx_nomem(c->vol->ctx, "names") : err;
}

int names_check(struct check *c)
{
	int err;

	for (;;) {
		err = find_duplicates(c);
		if (err || c->key_to >= KEY_END)
			return err;
		c->key_from = c->key_to;
		c->key_to = KEY_END;
		err = scan_names(c, c->nr_threads, collect, c);
		if (err)
			return err;
	}
}

void names_init(struct check *c)
{
	uint64_t max = c->opt->max_names;

	if (!max)
		max = 2 * c->nids.nr > 1U << 22 ? 2 * c->nids.nr : 1U << 22;
	c->key_from = 0;
	c->key_to = KEY_END;
	c->keys_max = (size_t)(max / c->nr_threads) + 16;
}
