/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Entries in leaves and pointers to them. The tree was proved when it was
 * loaded; only memory can be short, and it is asked for before any change.
 */
#include "config.h"

#include "engine/quota_tree.h"

#include "base/bits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t map_bytes(uint32_t room)
{
	return room / 8 + 1;
}

int quota_tree_init(struct quota_tree *t, struct quota_file *q,
		    uint32_t block_size)
{
	uint8_t *dirty = calloc(1, map_bytes(q->room));

	if (!dirty)
		return -ENOMEM;
	*t = (struct quota_tree){
		.q = *q, .dirty = dirty,
		.per_blk = block_size / OD_QUOTA_BLOCK,
	};
	t->nr_blks_had = q->room / t->per_blk;
	q->data = NULL;
	return 0;
}

void quota_tree_free(struct quota_tree *t)
{
	quota_free(&t->q);
	free(t->dirty);
	t->dirty = NULL;
}

static void touch(struct quota_tree *t, uint32_t n)
{
	bit_set_lsb(t->dirty, n);
}

static uint32_t block_of(const struct quota_tree *t, const void *p)
{
	return (uint32_t)((size_t)((const uint8_t *)p - t->q.data) /
			  OD_QUOTA_BLOCK);
}

void quota_tree_touch(struct quota_tree *t, const struct od_quota_entry *e)
{
	touch(t, block_of(t, e));
}

/* Room for @more blocks, so that none of them moves the memory. */
static int need_room(struct quota_tree *t, uint32_t more)
{
	struct quota_file *q = &t->q;
	uint32_t room = q->room;
	uint8_t *p;

	if (q->nr + more <= room)
		return 0;
	room += room + more;
	room -= room % t->per_blk;
	if (room < q->nr + more)
		room += t->per_blk;
	p = realloc(q->data, (size_t)room * OD_QUOTA_BLOCK);
	if (!p)
		return -ENOMEM;
	q->data = p;
	memset(quota_block(q, q->room), 0,
	       (size_t)(room - q->room) * OD_QUOTA_BLOCK);
	p = realloc(t->dirty, map_bytes(room));
	if (!p)
		return -ENOMEM;
	memset(p + map_bytes(q->room), 0,
	       map_bytes(room) - map_bytes(q->room));
	t->dirty = p;
	q->room = room;
	return 0;
}

/* A block of zeros, of the free ones or behind the last. */
static uint32_t new_block(struct quota_tree *t)
{
	struct od_quota_head *head = quota_head(&t->q);
	uint32_t n = le32_get(head->free_blk);

	if (n) {
		struct od_quota_leaf *was = quota_block(&t->q, n);

		head->free_blk = was->next_free;
	} else {
		n = t->q.nr++;
		le32_set(&head->blocks, t->q.nr);
	}
	memset(quota_block(&t->q, n), 0, OD_QUOTA_BLOCK);
	touch(t, 0);
	touch(t, n);
	return n;
}

static void free_block(struct quota_tree *t, uint32_t n)
{
	struct od_quota_head *head = quota_head(&t->q);
	struct od_quota_leaf *now = quota_block(&t->q, n);

	memset(now, 0, OD_QUOTA_BLOCK);
	now->next_free = head->free_blk;
	le32_set(&head->free_blk, n);
	touch(t, 0);
	touch(t, n);
}

/* Into the list of leaves with room, in front. */
static void list_leaf(struct quota_tree *t, uint32_t n)
{
	struct od_quota_head *head = quota_head(&t->q);
	struct od_quota_leaf *leaf = quota_block(&t->q, n), *next;
	uint32_t first = le32_get(head->free_leaf);

	leaf->next_free = head->free_leaf;
	le32_set(&leaf->prev_free, 0);
	if (first) {
		next = quota_block(&t->q, first);
		le32_set(&next->prev_free, n);
		touch(t, first);
	}
	le32_set(&head->free_leaf, n);
	touch(t, 0);
	touch(t, n);
}

/* Nothing happens if it is not in the list. */
static void unlist_leaf(struct quota_tree *t, uint32_t n)
{
	struct od_quota_head *head = quota_head(&t->q);
	struct od_quota_leaf *leaf = quota_block(&t->q, n), *other;
	uint32_t next = le32_get(leaf->next_free);
	uint32_t prev = le32_get(leaf->prev_free);

	if (!prev && le32_get(head->free_leaf) != n)
		return;
	if (next) {
		other = quota_block(&t->q, next);
		other->prev_free = leaf->prev_free;
		touch(t, next);
	}
	if (prev) {
		other = quota_block(&t->q, prev);
		other->next_free = leaf->next_free;
		touch(t, prev);
	} else {
		head->free_leaf = leaf->next_free;
		touch(t, 0);
	}
	le32_set(&leaf->next_free, 0);
	le32_set(&leaf->prev_free, 0);
	touch(t, n);
}

/* A leaf with the entry in it. */
static uint32_t place_entry(struct quota_tree *t,
			    const struct od_quota_entry *e)
{
	uint32_t n = le32_get(quota_head(&t->q)->free_leaf);
	struct od_quota_entry *at;
	struct od_quota_leaf *leaf;
	uint16_t nr;

	if (!n) {
		n = new_block(t);
		list_leaf(t, n);
	}
	leaf = quota_block(&t->q, n);
	at = quota_entries(leaf);
	while (quota_entry_is_used(at))
		at++;		/* the list has no full leaf */
	*at = *e;
	nr = (uint16_t)(le16_get(leaf->nr_entries) + 1);
	le16_set(&leaf->nr_entries, nr);
	if (nr == OD_QUOTA_LEAF_ENTRIES)
		unlist_leaf(t, n);
	touch(t, n);
	return n;
}

int quota_tree_insert(struct quota_tree *t, const struct od_quota_entry *e)
{
	uint32_t id = le32_get(e->id), n = OD_QUOTA_ROOT;
	le32 *slot;

	if (need_room(t, OD_QUOTA_DEPTH))
		return -ENOMEM;
	for (unsigned int d = 0; ; d++) {
		slot = (le32 *)quota_block(&t->q, n) + quota_slot(id, d);
		if (d == OD_QUOTA_DEPTH - 1)
			break;
		if (!le32_get(*slot)) {
			touch(t, n);
			le32_set(slot, new_block(t));
		}
		n = le32_get(*slot);
	}
	touch(t, n);
	le32_set(slot, place_entry(t, e));
	return 0;
}

static void drop_entry(struct quota_tree *t, uint32_t n, uint32_t id)
{
	struct od_quota_leaf *leaf = quota_block(&t->q, n);
	struct od_quota_entry *e = quota_find_in_leaf(leaf, id);
	uint16_t nr = (uint16_t)(le16_get(leaf->nr_entries) - 1);

	memset(e, 0, sizeof(*e));
	le16_set(&leaf->nr_entries, nr);
	touch(t, n);
	if (!nr) {
		unlist_leaf(t, n);
		free_block(t, n);
	} else if (nr == OD_QUOTA_LEAF_ENTRIES - 1) {
		list_leaf(t, n);
	}
}

static bool is_empty_node(const le32 *slots)
{
	for (unsigned int i = 0; i < QUOTA_SLOTS; i++)
		if (le32_get(slots[i]))
			return false;
	return true;
}

void quota_tree_remove(struct quota_tree *t, uint32_t id)
{
	uint32_t path[OD_QUOTA_DEPTH + 1] = { OD_QUOTA_ROOT };
	le32 *slots;

	for (unsigned int d = 0; d < OD_QUOTA_DEPTH; d++) {
		slots = quota_block(&t->q, path[d]);
		path[d + 1] = le32_get(slots[quota_slot(id, d)]);
	}
	drop_entry(t, path[OD_QUOTA_DEPTH], id);
	for (unsigned int d = OD_QUOTA_DEPTH; d--;) {
		slots = quota_block(&t->q, path[d]);
		le32_set(&slots[quota_slot(id, d)], 0);
		touch(t, path[d]);
		if (!d || !is_empty_node(slots))
			break;
		free_block(t, path[d]);
	}
}

uint32_t quota_tree_blks(const struct quota_tree *t)
{
	return (t->q.nr + t->per_blk - 1) / t->per_blk;
}

bool quota_tree_blk_is_dirty(const struct quota_tree *t, uint32_t lblk)
{
	for (uint32_t i = 0; i < t->per_blk; i++)
		if (bit_test_lsb(t->dirty, (size_t)lblk * t->per_blk + i))
			return true;
	return false;
}
