/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Blocks in memory, and from a bound on in a file: see shadow.h. */
#include "config.h"

#include "dev/shadow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_IN_MEMORY ((8U << 20) / SHADOW_BYTES)

void shadows_init(struct shadows *s)
{
	*s = (struct shadows){ .fd = -1 };
}

void shadows_free(struct shadows *s)
{
	for (size_t i = 0; i < s->nr; i++)
		free(s->copy[i]);
	free(s->copy);
	if (s->fd >= 0)
		close(s->fd);
	shadows_init(s);
}

/* O_TMPFILE is not on every file system. */
static int open_unnamed(const char *folder)
{
	char name[4096];
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || snprintf(name, sizeof(name), "%s/f2core-XXXXXX",
				folder) >= (int)sizeof(name))
		return fd;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

static bool have_file(struct shadows *s)
{
	const char *folder = secure_getenv("TMPDIR");

	if (!s->tried)
		s->fd = open_unnamed(folder && *folder ? folder : "/var/tmp");
	s->tried = true;
	return s->fd >= 0;
}

static int file_io(const struct shadows *s, size_t i, size_t off, size_t len,
		   void *to, const void *from)
{
	while (len) {
		off_t at = (off_t)(i * SHADOW_BYTES + off);
		ssize_t n = to ? pread(s->fd, to, len, at) :
				 pwrite(s->fd, from, len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		off += (size_t)n;
		len -= (size_t)n;
		if (to)
			to = (uint8_t *)to + n;
		else
			from = (const uint8_t *)from + n;
	}
	return 0;
}

static int make_room(struct shadows *s)
{
	size_t room = s->room ? 2 * s->room : 1024;
	uint8_t **copy;

	if (s->nr < s->room)
		return 0;
	copy = reallocarray(s->copy, room, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	s->copy = copy;
	s->room = room;
	return 0;
}

int shadow_add(struct shadows *s, const void *block, size_t *i)
{
	uint8_t *copy = NULL;

	if (make_room(s))
		return -ENOMEM;
	/* A full file system is no reason to fail: there is memory. */
	if (s->nr < MOST_IN_MEMORY || !have_file(s) ||
	    file_io(s, s->nr, 0, SHADOW_BYTES, NULL, block)) {
		copy = malloc(SHADOW_BYTES);
		if (!copy)
			return -ENOMEM;
		memcpy(copy, block, SHADOW_BYTES);
	}
	*i = s->nr;
	s->copy[s->nr++] = copy;
	return 0;
}

int shadow_read(const struct shadows *s, size_t i, size_t off, size_t len,
		void *to)
{
	if (!s->copy[i])
		return file_io(s, i, off, len, to, NULL);
	memcpy(to, s->copy[i] + off, len);
	return 0;
}

int shadow_write(struct shadows *s, size_t i, size_t off, size_t len,
		 const void *from)
{
	if (!s->copy[i])
		return file_io(s, i, off, len, NULL, from);
	memcpy(s->copy[i] + off, from, len);
	return 0;
}
