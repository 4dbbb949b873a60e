/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One number for all that files are: paths, attributes, contents. */
#ifndef F2CORE_CRASH_DIGEST_H
#define F2CORE_CRASH_DIGEST_H

#include "meta/volume.h"

struct digest {
	uint64_t hash;
	uint64_t paths;
	uint64_t blocks;		/* of content read */
};

/*
 * Walk the whole tree and the orphans. Where a block lies does not count, only
 * which block of which file it is. 0, or the reader's error.
 */
int digest_volume(struct volume *vol, struct digest *out);

#endif
