/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The addresses in an inode or a direct node, as runs. */
#ifndef F2CORE_CHECK_ADDRS_H
#define F2CORE_CHECK_ADDRS_H

#include "format/layout.h"

struct addr_walk {
	/* @len blocks from @blk, in one segment; the first is in slot @ofs. */
	void (*run)(void *priv, uint32_t ofs, uint32_t blk, uint32_t len);
	/* A slot that holds no address of the main area. May be NULL. */
	void (*bad)(void *priv, uint32_t ofs, uint32_t blk);
	void *priv;

	uint32_t nr_real;		/* all but holes, NEW and COMPRESS */
	uint32_t nr_new;
	uint32_t nr_compress;
	uint32_t nr_runs;		/* as called */
};

void addrs_walk(const struct layout *lo, const le32 *addrs, uint32_t nr,
		struct addr_walk *w);

#endif
