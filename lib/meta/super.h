/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Both superblock copies, and which of them is used. */
#ifndef F2CORE_META_SUPER_H
#define F2CORE_META_SUPER_H

#include "dev/dev.h"
#include "format/problem.h"
#include "format/validate.h"

struct super {
	struct od_super sb;		/* the copy in use, as read */
	int copy;			/* 0 or 1 */
	bool valid[2];
	bool differ;			/* both valid, but not the same bytes */
};

/*
 * Read and judge both copies: the first valid one is used (kernel super.c,
 * read_raw_super_block()). Copy 1 is looked for at every block size that the
 * format knows. Sets the device's block size.
 */
int super_load(struct dev *dev, struct findings *findings, struct super *out);

#endif
