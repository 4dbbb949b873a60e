/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Slots of a dentry area (kernel fs/f2fs/dir.c). */
#include "config.h"

#include "engine/dentry_edit.h"

#include "base/bits.h"

#include <string.h>

/* An area is read-only to its readers; here it lies in a buffer of ours. */
static uint8_t *bitmap_of(const struct dentry_area *area)
{
	return (uint8_t *)(uintptr_t)area->bitmap;
}

static struct od_dentry *entry_of(const struct dentry_area *area,
				  uint32_t slot)
{
	return (struct od_dentry *)(uintptr_t)&area->entries[slot];
}

uint32_t dentry_room(const struct dentry_area *area, uint32_t nr)
{
	uint32_t run = 0;

	for (uint32_t i = 0; i < area->nr_slots; i++) {
		run = bit_test_lsb(area->bitmap, i) ? 0 : run + 1;
		if (run == nr)
			return i + 1 - nr;
	}
	return area->nr_slots;
}

bool dentry_find(const struct dentry_area *area, const uint8_t *name,
		 size_t len, const uint32_t *hash, struct dir_entry *out)
{
	struct dir_entry e;
	uint32_t slot = 0;
	int ret;

	while ((ret = dentry_next(area, &slot, &e))) {
		if (ret < 0 || e.name_len != len || (hash && e.hash != *hash) ||
		    memcmp(e.name, name, len))
			continue;
		*out = e;
		return true;
	}
	return false;
}

/* The lengths in the further slots are zero, for those who walk by bits. */
void dentry_put(const struct dentry_area *area, const struct dir_entry *e)
{
	struct od_dentry *od = entry_of(area, e->slot);
	uint32_t nr = dentry_slots(e->name_len);

	le32_set(&od->hash, e->hash);
	le32_set(&od->ino, e->ino);
	le16_set(&od->name_len, e->name_len);
	od->file_type = e->file_type;
	memcpy((uint8_t *)(uintptr_t)area->names +
	       (size_t)e->slot * OD_SLOT_LEN, e->name, e->name_len);
	for (uint32_t i = 0; i < nr; i++) {
		bit_set_lsb(bitmap_of(area), e->slot + i);
		if (i)
			le16_set(&od[i].name_len, 0);
	}
}

void dentry_set_ino(const struct dentry_area *area, const struct dir_entry *e)
{
	struct od_dentry *od = entry_of(area, e->slot);

	le32_set(&od->ino, e->ino);
	od->file_type = e->file_type;
}

void dentry_clear(const struct dentry_area *area, const struct dir_entry *e)
{
	for (uint32_t i = 0; i < dentry_slots(e->name_len); i++)
		bit_clear_lsb(bitmap_of(area), e->slot + i);
}

bool dentry_area_is_empty(const struct dentry_area *area)
{
	return dentry_room(area, area->nr_slots) == 0;
}
