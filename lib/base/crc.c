/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CRC-32 by zlib, whose form inverts the register before and after. */
#include "config.h"

#include "base/crc.h"

#include <zlib.h>

uint32_t crc_update(uint32_t seed, const void *data, size_t len)
{
	if (!len)			/* data may be NULL, which zlib takes apart */
		return seed;
	return ~(uint32_t)crc32_z(seed ^ 0xffffffffU, data, len);
}
