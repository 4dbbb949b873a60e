/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Blocks that are kept beside a device: the first 8 MiB in memory, the others
 * in a file without a name in $TMPDIR, else /var/tmp. Where no file can be had
 * they stay in memory too.
 */
#ifndef F2CORE_DEV_SHADOW_H
#define F2CORE_DEV_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHADOW_BYTES 4096U

struct shadows {
	uint8_t **copy;			/* NULL: it is in the file */
	size_t nr, room;
	int fd;				/* -1: none */
	bool tried;			/* to make the file */
};

void shadows_init(struct shadows *s);
void shadows_free(struct shadows *s);

/* Keep a copy of a block as number *@i. 0 or -ENOMEM. */
int shadow_add(struct shadows *s, const void *block, size_t *i);

/* A part of number @i. 0 or the errno of the file. */
int shadow_read(const struct shadows *s, size_t i, size_t off, size_t len,
		void *to);
int shadow_write(struct shadows *s, size_t i, size_t off, size_t len,
		 const void *from);

#endif
