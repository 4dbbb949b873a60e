/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between the files that load a checkpoint; nobody else includes this. */
#ifndef F2CORE_META_CP_INT_H
#define F2CORE_META_CP_INT_H

#include "meta/checkpoint.h"

/* A pack as read, all its blocks. */
struct pack {
	int nr;				/* 0 or 1 */
	uint32_t blk;			/* its first block */
	uint32_t total;			/* blocks in @buf, 3 to 512 */
	uint8_t *buf;
	enum pack_state state;
	bool cut;			/* bad, but as a power cut leaves it */
	bool was_whole;			/* likewise, if it is the older one */
	uint64_t version;
	char why[256];			/* not usable: the reason */
};

static inline const struct od_checkpoint *pack_head(const struct pack *p)
{
	return (const struct od_checkpoint *)p->buf;
}

/* Set p->why; returns -EUCLEAN: the pack's content cannot be loaded. */
int pack_unusable(struct pack *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Segment, position and allocation of the six logs, made safe to use. */
void cp_load_logs(const struct layout *lo, const struct pack *p,
		  struct findings *findings, struct checkpoint *cp);

/* Their summaries and journals; the logs are loaded already. */
int cp_load_sums(struct dev *dev, const struct layout *lo, struct pack *p,
		 struct findings *findings, struct checkpoint *cp);

#endif
