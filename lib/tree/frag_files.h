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
 * The same in a scan of the caller's own: have each collector keep the files
 * from its first node on, and finish with this, which takes them out of the
 * collectors. frag_finish() passes them over.
 */
void frag_collector_keep_files(struct frag_collector *c);
int frag_finish_files(struct volume *vol, struct frag_collector **c, size_t nr,
		      struct frag_file_vec *files, struct frag *out);

/* The file @ino of a list that is sorted by inode number, or NULL. */
const struct frag_file *frag_find(const struct frag_file_vec *files,
				  uint32_t ino);

/*
 * How badly a file lies, 0 to 100, on the scale known from e4defrag: 0 to 30
 * is no problem, up to 55 a little fragmented, above it needs defragmenting.
 *
 * With P percent of the file's neighbouring blocks not adjacent on the volume,
 * it is 8 P up to P = 10, and grows evenly from there to 100 at P = 100.
 */
double frag_score(const struct frag_file *f);

#endif
