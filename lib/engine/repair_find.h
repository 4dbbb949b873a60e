/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Nodes that no NAT entry leads to, found by their footers. */
#ifndef F2CORE_ENGINE_REPAIR_FIND_H
#define F2CORE_ENGINE_REPAIR_FIND_H

#include "base/map.h"
#include "tree/facts.h"

struct found_node {
	uint32_t nid;
	uint32_t ino;
	uint32_t blk;
	uint32_t version;		/* low half of its cp_ver */
};

struct found_vec VEC_BODY(struct found_node);

/* The newest block of each nid. */
struct found {
	struct found_vec v;
	struct map by_nid;		/* index in v */
};

/*
 * Of blocks that the SIT has as valid nodes and that nothing uses: an entry of
 * the NAT was lost for them, if their bit is not a leak.
 */
int find_leaked(struct volume *vol, const struct facts *f, struct found *out);

/*
 * Of free blocks among nodes, and only of nids that are in @wanted: what the
 * SIT has lost, too. None that was written after the live checkpoint.
 */
int find_stale(struct volume *vol, const struct facts *f,
	       const struct map *wanted, struct found *out);

void found_free(struct found *f);
const struct found_node *found_get(const struct found *f, uint32_t nid);

#endif
