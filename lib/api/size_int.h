/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Structs of callers that begin with their size: those made for an older
 * library are shorter than ours, those for a newer one longer.
 */
#ifndef F2CORE_API_SIZE_INT_H
#define F2CORE_API_SIZE_INT_H

#include <stddef.h>

struct f2c_ctx;

/*
 * Take over what the caller filled: the rest of *@ours is zero. -EINVAL when
 * @theirs has no size or asks for something that only a newer version knows.
 */
int size_copy_in(struct f2c_ctx *ctx, const char *name, void *ours,
		 size_t our_size, const void *theirs);

/*
 * Hand over *@ours as far as the caller's struct goes; what is longer there
 * becomes zero. Its size stays as it is.
 */
void size_copy_out(const void *ours, size_t our_size, void *theirs);

/* Whether the caller set a size at all: 0 or -EINVAL. */
int size_check(struct f2c_ctx *ctx, const char *name, const void *theirs);

#endif
