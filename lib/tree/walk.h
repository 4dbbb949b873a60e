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
 * Each path below the root, directories before their content, the content in
 * order of its bytes. A directory that is met twice is not entered again.
 */
typedef int walk_fn(void *priv, const struct walk_visit *v);
int walk_tree(struct volume *vol, walk_fn *fn, void *priv);

/* ino of an absolute path (no symlinks are followed), or -ENOENT. */
int walk_lookup(struct volume *vol, const char *path, uint32_t *ino);

#endif
