/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one checksum of the format: reflected CRC-32 of polynomial 0x04C11DB7
 * without initial or final inversion (kernel fs/f2fs/f2fs.h, f2fs_crc32()).
 */
#ifndef F2CORE_BASE_CRC_H
#define F2CORE_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Continue @seed over @len bytes at @data. */
uint32_t crc_update(uint32_t seed, const void *data, size_t len);

#endif
