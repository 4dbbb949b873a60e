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
	bool unread;			/* bad for a read error */
	bool cut;			/* bad, but as a power cut leaves it */
	bool was_whole;			/* likewise, if it is the older one */
	uint64_t version;
	char why[256];			/* not usable: the reason */

	/* Of a pack that is loaded, from cp_judge_places(). */
	uint32_t start_sum;		/* block with the first data summary */
	bool compact;			/* form of the data summaries */
	bool has_node;			/* node summaries are there */
};

static inline const struct od_checkpoint *pack_head(const struct pack *p)
{
	return (const struct od_checkpoint *)p->buf;
}

/* Set p->why; returns -EUCLEAN: the pack's content cannot be loaded. */
int pack_unusable(struct pack *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Where the parts of the pack lie; the flags in @cp are mended if they
 * contradict the rest. -EUCLEAN: there is no telling.
 */
int cp_judge_places(const struct layout *lo, struct pack *p,
		    const struct pack *other, struct findings *findings,
		    struct checkpoint *cp);

/* Segment, position and allocation of the six logs, made safe to use. */
void cp_load_logs(const struct layout *lo, const struct pack *p,
		  struct findings *findings, struct checkpoint *cp);

/* Their summaries and journals; the logs are loaded already. */
int cp_load_sums(struct dev *dev, const struct layout *lo, struct pack *p,
		 struct findings *findings, struct checkpoint *cp);

#endif
