/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NAT and SIT journals: a le16 count and entries in the journal area of a
 * summary. @area is lo->sum_journal_bytes long.
 */
#ifndef F2CORE_META_JOURNAL_H
#define F2CORE_META_JOURNAL_H

#include "format/layout.h"

static inline uint16_t journal_count(const uint8_t *area)
{
	return le16_get(*(const le16 *)area);
}

static inline void journal_set_count(uint8_t *area, uint16_t n)
{
	le16_set((le16 *)area, n);
}

/* The caller proves n < the maximum of the layout. */
static inline struct od_nat_journal_entry *nat_journal_entry(const uint8_t *area,
							     unsigned int n)
{
	return (struct od_nat_journal_entry *)(uintptr_t)(area + 2) + n;
}

static inline struct od_sit_journal_entry *sit_journal_entry(const uint8_t *area,
							     unsigned int n)
{
	return (struct od_sit_journal_entry *)(uintptr_t)(area + 2) + n;
}

#endif
