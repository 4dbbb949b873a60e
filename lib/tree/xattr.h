/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Extended attributes: inline area and xattr node as one list (format 6.7). */
#ifndef F2CORE_TREE_XATTR_H
#define F2CORE_TREE_XATTR_H

#include "tree/inode.h"

struct xattr {
	uint8_t index;			/* 1 user., 4 trusted., 6 security., ... */
	const uint8_t *name;		/* without prefix, not terminated */
	uint8_t name_len;
	const uint8_t *value;
	uint16_t value_size;
};

typedef int xattr_fn(void *priv, const struct xattr *x);
int xattr_iterate(struct volume *vol, const struct inode *inode,
		  const void *block, xattr_fn *fn, void *priv);

/* "user.", ... or NULL for an index without a prefix of its own. */
const char *xattr_prefix(uint8_t index);

#endif
