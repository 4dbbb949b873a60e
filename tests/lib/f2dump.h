/* SPDX-License-Identifier: GPL-2.0-or-later */
/* f2dump: what its files share. */
#ifndef TESTS_F2DUMP_H
#define TESTS_F2DUMP_H

#include "tree/walk.h"

#include <stdio.h>

/* One path of the volume, as voltree.py gives it. */
struct path {
	char *name;			/* "." or relative; bytes as stored */
	size_t leader;			/* first path of the same inode */
	uint32_t ino;
};

struct paths {
	struct path *v;			/* in order */
	size_t nr;
};

/* @bytes as voltree.py escapes them. */
void print_escaped(const uint8_t *bytes, size_t len);
void print_path(const struct path *p);

int dump_manifest(struct volume *vol, const struct paths *paths);
int dump_fiemap(struct volume *vol, const struct paths *paths);

/* " sha256=...", " data256=..." or " error=..." of a regular file. */
int print_content(struct volume *vol, const struct inode *inode,
		  const void *block);
/* The first @inode->size bytes, at most @max, of a symlink. */
int read_target(struct volume *vol, const struct inode *inode,
		const void *block, uint8_t *buf, size_t max, size_t *len);

#endif
