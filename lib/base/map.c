/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The hash map: linear probing, at most three quarters full, and removal by
 * moving later keys of the chain back, so that no tombstones pile up.
 */
#include "config.h"

#include "base/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define EMPTY UINT64_MAX

/* The finalizer of splitmix64, over the seeded key. */
static size_t home_of(const struct map *m, uint64_t key)
{
	uint64_t h = key + m->seed;

	h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9U;
	h = (h ^ h >> 27) * 0x94d049bb133111ebU;
	h ^= h >> 31;
	return (size_t)h & (m->room - 1);
}

static uint64_t new_seed(const struct map *m)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == sizeof(seed))
		return seed;
	return (uint64_t)time(NULL) * 0x9e3779b97f4a7c15U ^ (uintptr_t)m;
}

/* The slot of @key, or the empty one where it would go. */
static size_t find(const struct map *m, uint64_t key)
{
	size_t i = home_of(m, key);

	while (m->slot[i].key != key && m->slot[i].key != EMPTY)
		i = (i + 1) & (m->room - 1);
	return i;
}

static int resize(struct map *m, size_t room)
{
	struct map old = *m;

	if (room > (size_t)-1 / 2 / sizeof(*m->slot))
		return -ENOMEM;
	m->slot = malloc(room * sizeof(*m->slot));
	if (!m->slot) {
		m->slot = old.slot;
		return -ENOMEM;
	}
	memset(m->slot, 0xff, room * sizeof(*m->slot));
	m->room = room;
	if (!old.room)
		m->seed = new_seed(m);
	for (size_t i = 0; i < old.room; i++)
		if (old.slot[i].key != EMPTY)
			m->slot[find(m, old.slot[i].key)] = old.slot[i];
	free(old.slot);
	return 0;
}

int map_reserve(struct map *m, size_t nr)
{
	size_t room = m->room ? m->room : 16;

	while (nr > room / 4 * 3) {
		if (room > (size_t)-1 / 2)
			return -ENOMEM;
		room *= 2;
	}
	return room == m->room ? 0 : resize(m, room);
}

int map_put(struct map *m, uint64_t key, uint64_t value)
{
	size_t i;
	int err;

	if (key == EMPTY) {
		m->nr += !m->has_max;
		m->has_max = true;
		m->max_value = value;
		return 0;
	}
	if (m->room) {
		i = find(m, key);
		if (m->slot[i].key == key) {
			m->slot[i].value = value;
			return 0;
		}
	}
	err = map_reserve(m, m->nr + 1);
	if (err)
		return err;
	i = find(m, key);
	m->slot[i].key = key;
	m->slot[i].value = value;
	m->nr++;
	return 0;
}

bool map_get(const struct map *m, uint64_t key, uint64_t *value)
{
	uint64_t found;

	if (key == EMPTY) {
		if (!m->has_max)
			return false;
		found = m->max_value;
	} else {
		size_t i = m->room ? find(m, key) : 0;

		if (!m->room || m->slot[i].key != key)
			return false;
		found = m->slot[i].value;
	}
	if (value)
		*value = found;
	return true;
}

/* Close the gap at @hole with keys behind it that may live there. */
static void close_gap(struct map *m, size_t hole)
{
	size_t mask = m->room - 1;

	for (size_t i = (hole + 1) & mask; m->slot[i].key != EMPTY;
	     i = (i + 1) & mask) {
		size_t home = home_of(m, m->slot[i].key);

		/* The probe from its home to i passes over the hole. */
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			m->slot[hole] = m->slot[i];
			hole = i;
		}
	}
	m->slot[hole].key = EMPTY;
}

bool map_remove(struct map *m, uint64_t key)
{
	size_t i;

	if (key == EMPTY) {
		if (!m->has_max)
			return false;
		m->has_max = false;
	} else {
		if (!m->room)
			return false;
		i = find(m, key);
		if (m->slot[i].key != key)
			return false;
		close_gap(m, i);
	}
	m->nr--;
	return true;
}

bool map_next(const struct map *m, size_t *pos, uint64_t *key,
	      uint64_t *value)
{
	for (; *pos < m->room; (*pos)++) {
		const struct map_slot *s = &m->slot[*pos];

		if (s->key == EMPTY)
			continue;
		*key = s->key;
		*value = s->value;
		(*pos)++;
		return true;
	}
	if (*pos > m->room || !m->has_max)
		return false;
	*key = EMPTY;
	*value = m->max_value;
	(*pos)++;
	return true;
}

void map_clear(struct map *m)
{
	if (m->room)
		memset(m->slot, 0xff, m->room * sizeof(*m->slot));
	m->nr = 0;
	m->has_max = false;
}

void map_free(struct map *m)
{
	free(m->slot);
	memset(m, 0, sizeof(*m));
}
