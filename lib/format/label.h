/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The volume label: UTF-8 outside, UTF-16 units on disk. */
#ifndef F2CORE_FORMAT_LABEL_H
#define F2CORE_FORMAT_LABEL_H

#include <stddef.h>

#include "format/ondisk.h"

/* Longest label in UTF-8 with its final zero: 3 bytes a unit at most. */
#define LABEL_UTF8_MAX	(3 * OD_LABEL_UNITS + 1)

/*
 * Store @text, zero padded; all units may be used. -EILSEQ if it is not valid
 * UTF-8, -ENAMETOOLONG if it needs more units than there are. @units is
 * unchanged then.
 */
int label_from_utf8(const char *text, le16 units[OD_LABEL_UNITS]);

/*
 * Up to the first zero unit. An unpaired surrogate, which no valid label has,
 * becomes U+FFFD. Returns the length in bytes.
 */
size_t label_to_utf8(const le16 units[OD_LABEL_UNITS],
		     char text[LABEL_UTF8_MAX]);

#endif
