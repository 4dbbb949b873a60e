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
#include "base/work.h"
#include "check/check_int.h"
#include "check/scan.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define KEY_END		(1ULL << 63)
#define NR_BUCKETS	256U
#define BUCKET_SHIFT	55		/* of a 63-bit key */
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

/* All keys of this round, in buckets of their highest bits. */
struct buckets {
	uint64_t *keys;
	size_t bound[NR_BUCKETS + 1];
};

static int compare_keys(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int sort_bucket(void *priv, size_t i, unsigned int worker)
{
	struct buckets *b = priv;
	size_t nr = b->bound[i + 1] - b->bound[i];

	(void)worker;
	if (nr > 1)
		qsort(b->keys + b->bound[i], nr, sizeof(*b->keys),
		      compare_keys);
	return 0;
}

/* Deal the keys of all workers into buckets; those lists become empty. */
static int deal_keys(struct check *c, struct buckets *b)
{
	size_t at[NR_BUCKETS] = { 0 };
	size_t sum = 0;

	for (unsigned int t = 0; t < c->nr_threads; t++)
		for (size_t i = 0; i < c->workers[t].keys.nr; i++)
			at[c->workers[t].keys.v[i] >> BUCKET_SHIFT]++;
	for (unsigned int i = 0; i < NR_BUCKETS; i++) {
		size_t nr = at[i];

		b->bound[i] = at[i] = sum;
		sum += nr;
	}
	b->bound[NR_BUCKETS] = sum;
	b->keys = malloc((sum + 1) * sizeof(*b->keys));
	if (!b->keys)
		return ctx_nomem(c->vol->ctx, "the list of names");
	for (unsigned int t = 0; t < c->nr_threads; t++) {
		struct key_vec *keys = &c->workers[t].keys;

		for (size_t i = 0; i < keys->nr; i++)
			b->keys[at[keys->v[i] >> BUCKET_SHIFT]++] =
				keys->v[i];
		vec_free(keys);
	}
	return 0;
}

static int find_duplicates(struct check *c)
{
	struct duplicates d = { .c = c };
	struct buckets b = { 0 };
	int err = deal_keys(c, &b);

	if (!err)
		err = work_run(c->nr_threads, NR_BUCKETS, sort_bucket, &b);
	for (size_t i = 1; !err && i < b.bound[NR_BUCKETS]; i++)
		if (b.keys[i] == b.keys[i - 1] && b.keys[i] < c->key_to)
			err = map_put(&d.keys, b.keys[i], 0);
	free(b.keys);
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
