/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The choice of victims, from public words into the engine's. */
#ifndef F2CORE_API_VICTIMS_INT_H
#define F2CORE_API_VICTIMS_INT_H

#include "api/fs.h"
#include "engine/victim.h"

/*
 * @theirs may be NULL. To be dropped in any case, if @ours began as zero.
 * -EINVAL with a message, or -ENOMEM.
 */
int victim_options_take(struct f2c_fs *fs,
			const struct f2c_victim_options *theirs,
			struct victim_options *ours);
void victim_options_drop(struct victim_options *ours);

#endif
