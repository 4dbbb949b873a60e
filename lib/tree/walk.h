/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every path of a volume, and a path to its inode. No recursion. */
#ifndef F2CORE_TREE_WALK_H
#define F2CORE_TREE_WALK_H

#include "tree/dir.h"

struct walk_visit {
	const char *path;		/* "/" or "/a/b"; bytes as stored */
	const struct inode *inode;
	const void *block;
};

/*
 * Each path from the root on, directories before their content, the content
 * in order of its bytes. A directory that is met twice is not entered again.
 * Entries, inodes and directories that cannot be read are passed over, and
 * make the result -EUCLEAN when all else was visited. A value other than 0
 * from @fn ends the walk and is returned.
 */
typedef int walk_fn(void *priv, const struct walk_visit *v);
int walk_tree(struct volume *vol, walk_fn *fn, void *priv);

/* The same for the directory or file @ino, of the absolute path @path. */
int walk_below(struct volume *vol, const char *path, uint32_t ino, walk_fn *fn,
	       void *priv);

/* ino of an absolute path (no symlinks are followed), or -ENOENT. */
int walk_lookup(struct volume *vol, const char *path, uint32_t *ino);

#endif
