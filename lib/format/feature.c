/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of feature names. */
#include "config.h"

#include "format/feature.h"

#include <string.h>

static const struct {
	uint64_t feature;
	const char *name;
} names[] = {
	{ OD_FEATURE_ENCRYPT, "encrypt" },
	{ OD_FEATURE_BLKZONED, "blkzoned" },
	{ OD_FEATURE_ATOMIC_WRITE, "atomic_write" },
	{ OD_FEATURE_EXTRA_ATTR, "extra_attr" },
	{ OD_FEATURE_PRJQUOTA, "project_quota" },
	{ OD_FEATURE_INODE_CHKSUM, "inode_checksum" },
	{ OD_FEATURE_FLEXIBLE_INLINE_XATTR, "flexible_inline_xattr" },
	{ OD_FEATURE_QUOTA_INO, "quota" },
	{ OD_FEATURE_INODE_CRTIME, "inode_crtime" },
	{ OD_FEATURE_LOST_FOUND, "lost_found" },
	{ OD_FEATURE_VERITY, "verity" },
	{ OD_FEATURE_SB_CHKSUM, "sb_checksum" },
	{ OD_FEATURE_CASEFOLD, "casefold" },
	{ OD_FEATURE_COMPRESSION, "compression" },
	{ OD_FEATURE_RO, "ro" },
	{ OD_FEATURE_DEVICE_ALIAS, "device_alias" },
	{ OD_FEATURE_PACKED_SSA, "packed_ssa" },
};

#define NR_NAMES (sizeof(names) / sizeof(names[0]))

const char *feature_name(uint64_t feature)
{
	for (size_t i = 0; i < NR_NAMES; i++)
		if (names[i].feature == feature)
			return names[i].name;
	return NULL;
}

uint64_t feature_from_name(const char *name, size_t len)
{
	for (size_t i = 0; i < NR_NAMES; i++)
		if (strlen(names[i].name) == len &&
		    !memcmp(names[i].name, name, len))
			return names[i].feature;
	return 0;
}

uint64_t feature_without_extra_attr(uint64_t features)
{
	static const uint64_t dependent[] = {
		OD_FEATURE_PRJQUOTA, OD_FEATURE_INODE_CHKSUM,
		OD_FEATURE_FLEXIBLE_INLINE_XATTR, OD_FEATURE_INODE_CRTIME,
		OD_FEATURE_COMPRESSION,
	};

	if (features & OD_FEATURE_EXTRA_ATTR)
		return 0;
	for (size_t i = 0; i < sizeof(dependent) / sizeof(dependent[0]); i++)
		if (features & dependent[i])
			return dependent[i];
	return 0;
}
