/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copies many blocks to new places through fixed buffers: a window of
 * destinations at a time, read in order of source, written in large runs while
 * the next one is read.
 */
#ifndef F2CORE_ENGINE_COPY_H
#define F2CORE_ENGINE_COPY_H

#include "meta/volume.h"

struct copy_pair {
	uint32_t src;
	uint32_t dst;
	uint32_t tag;			/* the caller's */
};

/* May change the block on its way; 0 or a negative errno. */
typedef int copy_change_fn(void *priv, const struct copy_pair *pair,
			   void *block);
/*
 * Anything but 0 stops the copying with -EINTR. From either thread, one call
 * at a time.
 */
typedef int copy_stop_fn(void *priv, uint64_t done, uint64_t total);

struct copy {
	struct volume *vol;
	copy_change_fn *change;		/* or NULL */
	void *change_priv;
	copy_stop_fn *stop;		/* or NULL */
	void *stop_priv;
	uint64_t done, total;		/* for stop; done is counted up */
};

/* @pairs is sorted by destination here. */
int copy_blocks(struct copy *c, struct copy_pair *pairs, size_t nr);

#endif
