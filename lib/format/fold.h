/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The folded form of a name, which casefolded directories hash (format 6.4). */
#ifndef F2CORE_FORMAT_FOLD_H
#define F2CORE_FORMAT_FOLD_H

#include <stddef.h>

#include "format/ondisk.h"

/*
 * The name of @len bytes (1 to 255) as it is to be hashed, of *@out_len bytes
 * in @out: its NFD form in the folded case; or as it is if it is not UTF-8, or
 * its fold does not fit, for then the kernel takes it as bytes. -EOPNOTSUPP
 * without a message: what the kernel makes of it is not known here. Without
 * utf8proc that is all but ASCII; with it characters that are younger than the
 * kernel's tables may be (Unicode 12.1), and stray bytes between characters.
 */
int name_fold(const uint8_t *name, size_t len, uint8_t out[OD_NAME_LEN],
	      size_t *out_len);

#endif
