/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which files a caller means: paths inside the volume, folders with all that
 * is below them, and globs, as f2c_frag_options in f2core.h says.
 */
#ifndef F2CORE_API_SELECT_H
#define F2CORE_API_SELECT_H

#include "base/vec.h"
#include "tree/walk.h"

struct ino_vec VEC_BODY(uint32_t);

enum { SELECT_MAY_MISS = 1 };		/* a glob may match nothing */

/*
 * Visit each path that is chosen by one of @paths, once, in the order of
 * walk_tree(). -ENOENT for a path that is not there. Otherwise as
 * walk_tree(): with -EUCLEAN some part of the volume could not be looked at.
 */
int select_walk(struct volume *vol, const char *const *paths, size_t nr,
		unsigned int flags, walk_fn *fn, void *priv);

/*
 * Their inode numbers, sorted, each once; to vec_free(), also on failure. With
 * -EUCLEAN they are there as far as they could be read.
 */
int select_inodes(struct volume *vol, const char *const *paths, size_t nr,
		  unsigned int flags, struct ino_vec *out);

/* Whether @ino is in a sorted list. */
bool select_has(const struct ino_vec *inos, uint32_t ino);

#endif
