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
 * A block in use that the SIT calls free would be written over, one that two
 * files share would move for one of them only. That each valid block has
 * exactly one owner, and nothing else has one, shows without a full check: the
 * SIT and the nodes name the same set of blocks. @frag is of frag_scan() or
 * frag_list(). -EUCLEAN when the sets are not the same.
 */
int guard_owners(struct volume *vol, const struct frag *frag);

#endif
