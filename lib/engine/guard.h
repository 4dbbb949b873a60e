/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What forbids an engine to touch a volume, before it plans anything. */
#ifndef F2CORE_ENGINE_GUARD_H
#define F2CORE_ENGINE_GUARD_H

#include "tree/frag.h"

/*
 * -EOPNOTSUPP or -EUCLEAN by volume_can_write(), -EBUSY while fsynced nodes
 * wait to be replayed: a new checkpoint would make the kernel forget them.
 */
int guard_volume(struct volume *vol);

/*
 * A block that two files share would move for one of them only. Counting
 * finds it without a full check: each valid block has exactly one owner.
 * -EUCLEAN when what the files have is not what the SIT has.
 */
int guard_counts(struct volume *vol, const struct frag *frag);

#endif
