/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What libblkid knows of a device before a volume is made on it: signatures of
 * what is there, and its sector size.
 */
#ifndef F2CORE_DEV_PROBE_H
#define F2CORE_DEV_PROBE_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct dev;
struct f2c_ctx;

#define PROBE_NAME_MAX 32

/* A magic string of a file system, RAID, or partition table. */
struct signature {
	char name[PROBE_NAME_MAX];	/* "btrfs", "gpt", ... */
	uint64_t off;			/* bytes */
	uint32_t len;
};

struct signatures VEC_BODY(struct signature);

/*
 * Add every signature on @path, those that hide behind others too. The device
 * is only read. Free with vec_free().
 */
int probe_signatures(struct f2c_ctx *ctx, const char *path,
		     struct signatures *found);

/*
 * Add bare magic strings in the first and last bytes of the device, of
 * superblocks that are damaged too, unless they are known already.
 */
int probe_magics(struct dev *dev, uint32_t start_bytes, uint32_t end_bytes,
		 struct signatures *found);

/* Their names, each once, with commas between; cut if @size is too small. */
void probe_names(const struct signatures *found, char *text, size_t size);

/* Overwrite the magic strings with zeros. */
int probe_wipe(struct dev *dev, const struct signatures *found);

/* Of the device's logical sectors; 512 for a file. */
int probe_sector_size(struct f2c_ctx *ctx, const char *path, uint32_t *bytes);

#endif
