/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The yardstick file by file. */
#ifndef F2CORE_TREE_FRAG_FILES_H
#define F2CORE_TREE_FRAG_FILES_H

#include "base/vec.h"
#include "tree/frag.h"

/* A file or directory with blocks. */
struct frag_file {
	uint32_t ino;
	uint32_t blocks;		/* real ones */
	uint32_t extents;
	uint32_t ideal;
};

struct frag_file_vec VEC_BODY(struct frag_file);

/*
 * One scan of all nodes: every file with blocks, by inode number, and the
 * totals. The list is the caller's, to vec_free().
 */
int frag_list(struct volume *vol, unsigned int nr_threads,
	      struct frag_file_vec *files, struct frag *total);

/*
 * How badly a file lies, 0 to 100, on the scale known from e4defrag: 0 to 30
 * is no problem, up to 55 a little fragmented, above it needs defragmenting.
 */
double frag_score(const struct frag_file *f);

#endif
