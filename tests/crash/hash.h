/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash that goes on from @h; begin with any number. */
#ifndef F2CORE_CRASH_HASH_H
#define F2CORE_CRASH_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(uint64_t h, const void *data, size_t len);

#endif
