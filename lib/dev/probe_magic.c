/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Magic strings at both ends of a device, whether or not what they belong to
 * is whole. libblkid wants the rest of a superblock to be sane; but a damaged
 * one is the very case in which its owner still hopes for it.
 */
#include "config.h"

#include "dev/probe.h"
#include "base/ctx.h"
#include "dev/dev.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTOR		512U

struct magic {
	const char *name;
	uint32_t off;			/* bytes, from the start or the sector */
	uint32_t len;
	const char *bytes;
};

/* At one place each. Swap ends a page, whose size depends on the machine. */
static const struct magic fixed[] = {
	{ "xfs", 0, 4, "XFSB" },
	{ "f2fs", 1024, 4, "\x10\x20\xf5\xf2" },
	{ "f2fs", 5120, 4, "\x10\x20\xf5\xf2" },
	{ "ext", 0x438, 2, "\x53\xef" },
	{ "btrfs", 65536 + 64, 8, "_BHRfS_M" },
	{ "swap", 4096 - 10, 10, "SWAPSPACE2" },
	{ "swap", 8192 - 10, 10, "SWAPSPACE2" },
	{ "swap", 16384 - 10, 10, "SWAPSPACE2" },
	{ "swap", 65536 - 10, 10, "SWAPSPACE2" },
};

/* In any sector at either end: long enough not to be there by chance. */
static const struct magic anywhere[] = {
	{ "gpt", 0, 8, "EFI PART" },
	{ "zfs_member", 0, 8, "\x0c\xb1\xba\0\0\0\0\0" },
	{ "zfs_member", 0, 8, "\0\0\0\0\0\xba\xb1\x0c" },
	{ "bcachefs", 24, 16, "\xc6\x85\x73\xf6\x4e\x1a\x45\xca"
			      "\x82\x65\xf5\x7f\x48\xba\x6d\x81" },
	{ "bcachefs", 24, 16, "\xc6\x85\x73\xf6\x66\xce\x90\xa9"
			      "\xd9\x6a\x60\xcf\x80\x3d\xf7\xef" },
};

#define NR_OF(array) (sizeof(array) / sizeof((array)[0]))

static bool is_known(const struct signatures *found, uint64_t off)
{
	for (size_t i = 0; i < found->nr; i++)
		if (found->v[i].off == off)
			return true;
	return false;
}

static int add(struct dev *dev, const struct magic *magic, uint64_t off,
	       struct signatures *found)
{
	struct signature sig = { .off = off, .len = magic->len };

	if (is_known(found, off))
		return 0;
	snprintf(sig.name, sizeof(sig.name), "%s", magic->name);
	return vec_push(found, &sig) ?
	       ctx_nomem(dev->ctx, "the list of signatures") : 0;
}

static bool matches(const struct magic *magic, const uint8_t *buf, size_t len,
		    size_t at)
{
	return at + magic->len <= len &&
	       !memcmp(buf + at, magic->bytes, magic->len);
}

static int scan_sectors(struct dev *dev, const uint8_t *buf, uint64_t start,
			size_t len, struct signatures *found)
{
	int err = 0;

	for (size_t at = 0; at < len && !err; at += SECTOR)
		for (size_t i = 0; i < NR_OF(anywhere) && !err; i++) {
			const struct magic *m = &anywhere[i];

			if (matches(m, buf, len, at + m->off))
				err = add(dev, m, start + at + m->off, found);
		}
	return err;
}

static int scan_fixed(struct dev *dev, const uint8_t *buf, size_t len,
		      struct signatures *found)
{
	int err = 0;

	for (size_t i = 0; i < NR_OF(fixed) && !err; i++)
		if (matches(&fixed[i], buf, len, fixed[i].off))
			err = add(dev, &fixed[i], fixed[i].off, found);
	return err;
}

int probe_magics(struct dev *dev, uint32_t start_bytes, uint32_t end_bytes,
		 struct signatures *found)
{
	uint64_t size = dev->nr_bytes, end;
	size_t room = start_bytes > end_bytes ? start_bytes : end_bytes;
	uint8_t *buf = malloc(room);
	size_t len = size < start_bytes ? (size_t)size : start_bytes;
	int err;

	if (!buf)
		return ctx_nomem(dev->ctx, "the ends of a device");
	err = dev_read_bytes(dev, 0, len, buf);
	if (!err)
		err = scan_fixed(dev, buf, len, found);
	if (!err)
		err = scan_sectors(dev, buf, 0, len, found);
	if (err)
		goto out;
	/* From a sector border on, though the end may not be one. */
	end = size < end_bytes ? 0 : (size - end_bytes) / SECTOR * SECTOR;
	len = (size_t)(size - end);
	if (len > room)
		len = room;
	err = dev_read_bytes(dev, end, len, buf);
	if (!err)
		err = scan_sectors(dev, buf, end, len, found);
out:
	free(buf);
	return err;
}
