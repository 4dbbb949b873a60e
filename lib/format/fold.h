/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The folded form of a name, which casefolded directories hash (format 6.4). */
#ifndef F2CORE_FORMAT_FOLD_H
#define F2CORE_FORMAT_FOLD_H

#include <stddef.h>

#include "format/ondisk.h"

/*
 * The name of @len bytes (1 to 255) as it is to be hashed, of *@out_len bytes
 * in @out: in lower case if it is all ASCII; as it is if it is not UTF-8, for
 * then the kernel takes it as bytes. -EOPNOTSUPP without a message: other
 * characters, whose fold is in tables that are not here.
 */
int name_fold(const uint8_t *name, size_t len, uint8_t out[OD_NAME_LEN],
	      size_t *out_len);

#endif
