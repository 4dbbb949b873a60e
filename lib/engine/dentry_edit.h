/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The slots of one dentry area, a block or the one in an inode (format 6.1,
 * 6.2), changed in memory.
 */
#ifndef F2CORE_ENGINE_DENTRY_EDIT_H
#define F2CORE_ENGINE_DENTRY_EDIT_H

#include "tree/dir.h"

/* Slots of a name of @len bytes. */
static inline uint32_t dentry_slots(size_t len)
{
	return (uint32_t)((len + OD_SLOT_LEN - 1) / OD_SLOT_LEN);
}

/* The first of @nr free slots in a row, or area->nr_slots. */
uint32_t dentry_room(const struct dentry_area *area, uint32_t nr);

/*
 * The entry of this name; with @hash, only if it bears that. Entries whose
 * length cannot be are passed over.
 */
bool dentry_find(const struct dentry_area *area, const uint8_t *name,
		 size_t len, const uint32_t *hash, struct dir_entry *out);

/* Put an entry into slots that are free; e->slot is the first. */
void dentry_put(const struct dentry_area *area, const struct dir_entry *e);

/* Let the entry in e->slot name e->ino, of e->file_type. */
void dentry_set_ino(const struct dentry_area *area, const struct dir_entry *e);

/* Free the entry's slots. What was in them stays, as the kernel leaves it. */
void dentry_clear(const struct dentry_area *area, const struct dir_entry *e);

bool dentry_area_is_empty(const struct dentry_area *area);

#endif
