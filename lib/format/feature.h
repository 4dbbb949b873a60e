/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of the superblock's feature bits, and which need which. */
#ifndef F2CORE_FORMAT_FEATURE_H
#define F2CORE_FORMAT_FEATURE_H

#include <stddef.h>
#include <stdint.h>

#include "format/ondisk.h"

/* Name of the single bit @feature, as users give it; NULL if unknown. */
const char *feature_name(uint64_t feature);

/* The bit that the first @len bytes of @name stand for; 0 if none. */
uint64_t feature_from_name(const char *name, size_t len);

/*
 * A bit of @features that the kernel takes only with extra_attr where that is
 * missing (fs/f2fs/inode.c, sanity_check_inode()); 0 if all is well.
 */
uint64_t feature_without_extra_attr(uint64_t features);

#endif
