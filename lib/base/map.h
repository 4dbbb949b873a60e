/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A hash map of 64-bit keys to 64-bit values: open addressing, grows by
 * itself, every key allowed. The hash is seeded at random, so that no image
 * can be made to hit one chain; the order of map_next() is therefore not the
 * same twice: sort before anything that is seen depends on it.
 *
 *	struct map m = { 0 };
 *	if (map_put(&m, nid, blk) < 0) ...
 *	if (map_get(&m, nid, &value)) ...
 *	map_free(&m);
 *
 * Several threads may look up at once while none changes the map.
 */
#ifndef F2CORE_BASE_MAP_H
#define F2CORE_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t key;
	uint64_t value;
};

struct map {
	struct map_slot *slot;		/* key UINT64_MAX: empty */
	size_t nr;			/* keys in the map */
	size_t room;			/* slots, a power of 2 or 0 */
	uint64_t seed;
	uint64_t max_value;		/* of the key UINT64_MAX, kept apart */
	bool has_max;
};

/* Room for @nr keys in all without growing again; 0 or -ENOMEM. */
int map_reserve(struct map *m, size_t nr);

/* Set @key to @value, new or not. 0, or -ENOMEM with the map unchanged. */
int map_put(struct map *m, uint64_t key, uint64_t value);

/* Whether @key is there; @value may be NULL and is set only if it is. */
bool map_get(const struct map *m, uint64_t key, uint64_t *value);

/* Whether @key was there. */
bool map_remove(struct map *m, uint64_t key);

/*
 * Visit all keys: start with *pos = 0, until it returns false. The map must
 * not change meanwhile.
 */
bool map_next(const struct map *m, size_t *pos, uint64_t *key,
	      uint64_t *value);

/* Forget all keys; the memory is kept. */
void map_clear(struct map *m);

/* Free the memory; the map is empty and usable again. */
void map_free(struct map *m);

#endif
