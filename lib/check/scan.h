/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a list of blocks in order of address, on all cores. */
#ifndef F2CORE_CHECK_SCAN_H
#define F2CORE_CHECK_SCAN_H

#include "meta/volume.h"

/* @block: NULL if it cannot be read or does not lie in the main area. */
typedef int block_scan_fn(void *priv, unsigned int worker, size_t i,
			  const void *block);

/*
 * Visit each element of a list that is sorted by its first member, a uint32_t
 * block address; @stride is the size of an element. A value other than 0 from
 * @fn stops the scan and is returned.
 */
int block_scan(struct volume *vol, unsigned int nr_threads, const void *list,
	       size_t stride, size_t nr, block_scan_fn *fn, void *priv);

#endif
