/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The yardstick in public words. */
#ifndef F2CORE_API_FRAG_INT_H
#define F2CORE_API_FRAG_INT_H

#include "api/f2core.h"
#include "tree/frag.h"

/* Fill *@out, as far as its size says. */
void frag_to_public(const struct frag *frag, struct f2c_frag *out);

#endif
