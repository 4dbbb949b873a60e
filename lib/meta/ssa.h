/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Summaries: who owns each block of a segment. */
#ifndef F2CORE_META_SSA_H
#define F2CORE_META_SSA_H

#include "meta/volume.h"

struct sum_entry {
	uint32_t nid;			/* node that holds the address; own nid */
	uint16_t ofs;			/* index of the address in that node */
	uint8_t version;
};

static inline struct sum_entry sum_decode(const struct od_sum_entry *od)
{
	return (struct sum_entry){
		.nid = le32_get(od->nid),
		.ofs = le16_get(od->ofs_in_node),
		.version = od->version,
	};
}

static inline void sum_encode(struct od_sum_entry *od, struct sum_entry e)
{
	le32_set(&od->nid, e.nid);
	od->version = e.version;
	le16_set(&od->ofs_in_node, e.ofs);
}

/*
 * The summary of @segno, lo.sum_bytes into @sum: for a current segment the
 * live one from the checkpoint pack, else from the SSA.
 */
int ssa_read(struct volume *vol, uint32_t segno, void *sum);

/* Hint that these summaries will be read. */
void ssa_prefetch(struct volume *vol, uint32_t segno, uint32_t nr_segs);

/* Write a summary to the SSA; with packed_ssa the block's others are kept. */
int ssa_write(struct volume *vol, uint32_t segno, const void *sum);

#endif
