/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copying between structs of different versions. */
#include "config.h"

#include "api/size_int.h"
#include "base/ctx.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

/* The size is the first member of each such struct. */
static size_t size_of(const void *theirs)
{
	size_t size;

	memcpy(&size, theirs, sizeof(size));
	return size;
}

int size_check(struct f2c_ctx *ctx, const char *name, const void *theirs)
{
	if (size_of(theirs) <= sizeof(size_t))
		return ctx_fail(ctx, -EINVAL, "%s: the size is not set", name);
	return 0;
}

int size_copy_in(struct f2c_ctx *ctx, const char *name, void *ours,
		 size_t our_size, const void *theirs)
{
	const uint8_t *bytes = theirs;
	size_t size = size_of(theirs);
	int err = size_check(ctx, name, theirs);

	if (err)
		return err;
	for (size_t i = our_size; i < size; i++)
		if (bytes[i])
			return ctx_fail(ctx, -EINVAL, "%s: an option that this version of the "
				"library does not know",
					name);
	memset(ours, 0, our_size);
	memcpy(ours, theirs, size < our_size ? size : our_size);
	return 0;
}

void size_copy_out(const void *ours, size_t our_size, void *theirs)
{
	size_t size = size_of(theirs);
	size_t both = size < our_size ? size : our_size;
	uint8_t *to = theirs;

	memcpy(to + sizeof(size), (const uint8_t *)ours + sizeof(size),
	       both - sizeof(size));
	memset(to + both, 0, size - both);
}
