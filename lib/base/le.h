/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Little-endian integers as they lie on disk: byte arrays that the compiler
 * neither adds nor compares, with alignment 1, right on every host.
 */
#ifndef F2CORE_BASE_LE_H
#define F2CORE_BASE_LE_H

#include <stdint.h>

typedef struct { uint8_t b[2]; } le16;
typedef struct { uint8_t b[4]; } le32;
typedef struct { uint8_t b[8]; } le64;

static inline uint16_t le16_get(le16 v)
{
	return (uint16_t)(v.b[0] | v.b[1] << 8);
}

static inline uint32_t le32_get(le32 v)
{
	return (uint32_t)v.b[0] | (uint32_t)v.b[1] << 8 |
	       (uint32_t)v.b[2] << 16 | (uint32_t)v.b[3] << 24;
}

static inline uint64_t le64_get(le64 v)
{
	return (uint64_t)v.b[0] | (uint64_t)v.b[1] << 8 |
	       (uint64_t)v.b[2] << 16 | (uint64_t)v.b[3] << 24 |
	       (uint64_t)v.b[4] << 32 | (uint64_t)v.b[5] << 40 |
	       (uint64_t)v.b[6] << 48 | (uint64_t)v.b[7] << 56;
}

static inline void le16_set(le16 *p, uint16_t v)
{
	p->b[0] = (uint8_t)v;
	p->b[1] = (uint8_t)(v >> 8);
}

static inline void le32_set(le32 *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p->b[i] = (uint8_t)(v >> (8 * i));
}

static inline void le64_set(le64 *p, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		p->b[i] = (uint8_t)(v >> (8 * i));
}

#endif
