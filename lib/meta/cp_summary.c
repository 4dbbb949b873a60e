/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The six logs of a checkpoint: where they write, and their summaries, which
 * lie in the pack in compact or normal form or, those of node logs after a
 * crash, are rebuilt from the nodes (format 4.5 and 4.6; kernel
 * fs/f2fs/segment.c, restore_curseg_summaries()).
 */
#include "config.h"

#include "meta/cp_int.h"
#include "base/ctx.h"
#include "format/validate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NR_DATA_LOGS	3U
#define NODE_RUN_BLKS	128U

static void log_finding(struct findings *findings, const struct pack *p,
			unsigned int type, uint64_t found, uint64_t expected,
			const char *what)
{
	findings_add(findings, &(struct finding){
		     .id = P_CP_CURSEG, .structure = "log", .number = type,
		     .blk = p->blk, .has_values = true, .found = found,
		     .expected = expected }, "%s", what);
}

static void load_log(const struct layout *lo, const struct pack *p,
		     unsigned int type, struct findings *findings,
		     struct checkpoint *cp)
{
	const struct od_checkpoint *od = pack_head(p);
	struct curseg *log = &cp->log[type];
	uint8_t alloc = od->alloc_type[type];

	log->segno = cp_log_segno(od, type);
	log->next = cp_log_next(od, type);
	log->alloc_type = alloc == ALLOC_SSR ? ALLOC_SSR : ALLOC_LFS;
	if (log->segno >= lo->nr_main_segs) {
		log_finding(findings, p, type, log->segno, lo->nr_main_segs - 1,
			    "segment number");
		log->segno = OD_SEG_NULL;
	}
	if (log->next >= lo->blks_per_seg) {
		log_finding(findings, p, type, log->next, lo->blks_per_seg - 1,
			    "next block");
		log->next = (uint16_t)(lo->blks_per_seg - 1);
	}
	if (alloc > ALLOC_SSR)
		log_finding(findings, p, type, alloc, ALLOC_LFS, "alloc_type");
	if (log->segno == OD_SEG_NULL)
		return;
	for (unsigned int i = 0; i < type; i++)
		if (cp->log[i].segno == log->segno)
			log_finding(findings, p, type, log->segno, OD_SEG_NULL,
				    "segment of another log too");
}

void cp_load_logs(const struct layout *lo, const struct pack *p,
		  struct findings *findings, struct checkpoint *cp)
{
	for (unsigned int type = 0; type < OD_NR_LOGS; type++) {
		if (log_is_used(lo, type))
			load_log(lo, p, type, findings, cp);
		else
			cp->log[type].segno = OD_SEG_NULL;
	}
}

/* Entries of its summary that mean something. */
static uint32_t log_nr_entries(const struct layout *lo,
			       const struct curseg *log)
{
	return log->alloc_type == ALLOC_SSR ? lo->blks_per_seg : log->next;
}

/* Reads the entries of compact summaries one after the other. */
struct stream {
	const struct layout *lo;
	const struct pack *p;
	uint32_t end;			/* first block behind it */
	uint32_t at;			/* block in the pack */
	uint32_t off;			/* byte in the block */
};

/* False at the end of the blocks. */
static bool stream_next(struct stream *s, struct od_sum_entry *out)
{
	const uint32_t size = sizeof(*out);

	if (s->off + size > s->lo->block_size - sizeof(struct od_sum_foot)) {
		s->at++;
		s->off = 0;
	}
	if (s->at >= s->end)
		return false;
	memcpy(out, s->p->buf + (size_t)s->at * s->lo->block_size + s->off,
	       size);
	s->off += size;
	return true;
}

/*
 * How many entries there are follows from the logs. Where those are wrong the
 * entries are, too, or end early: the journals are good all the same.
 */
static void load_compact(const struct layout *lo, const struct pack *p,
			 struct findings *findings, struct checkpoint *cp,
			 uint32_t end)
{
	const uint32_t journal = lo->sum_journal_bytes;
	struct stream s = { lo, p, end, p->start_sum, 2 * journal };
	const uint8_t *first = p->buf + (size_t)s.at * lo->block_size;

	memcpy(sum_journal(lo, cp->log[LOG_HOT_DATA].sum), first, journal);
	memcpy(sum_journal(lo, cp->log[LOG_COLD_DATA].sum), first + journal,
	       journal);
	for (unsigned int type = 0; type < NR_DATA_LOGS; type++) {
		const struct curseg *log = &cp->log[type];
		uint32_t nr = log_nr_entries(lo, log);

		for (uint32_t i = 0; i < nr; i++) {
			if (stream_next(&s, &sum_entries(log->sum)[i]))
				continue;
			findings_add(findings, &(struct finding){
				     .id = P_SSA_UNREADABLE,
				     .structure = "summary of log",
				     .number = type, .blk = p->blk + end - 1 },
				     "compact summaries run past their end");
			return;
		}
	}
}

/* Three whole summary blocks from block @at of the pack on. */
static void load_normal(const struct layout *lo, const struct pack *p,
			struct checkpoint *cp, uint32_t at, unsigned int type)
{
	for (unsigned int i = 0; i < NR_DATA_LOGS; i++)
		memcpy(cp->log[type + i].sum,
		       p->buf + (size_t)(at + i) * lo->block_size,
		       lo->sum_bytes);
}

static void take_nids(const struct layout *lo, const uint8_t *blocks,
		      uint32_t nr, struct od_sum_entry *to)
{
	for (uint32_t i = 0; i < nr; i++)
		to[i].nid = node_foot(lo, blocks +
				      (size_t)i * lo->block_size)->nid;
}

/*
 * Without a summary in the pack each block of the segment names its node
 * itself. Blocks that were never written name nonsense, which does no harm:
 * the SIT says which are valid.
 */
static int rebuild_node_sum(struct dev *dev, const struct layout *lo,
			    struct findings *findings, struct curseg *log)
{
	uint32_t nr = log_nr_entries(lo, log);
	uint32_t first;
	uint8_t *buf;

	sum_foot(lo, log->sum)->entry_type = OD_SUM_NODE;
	if (log->segno == OD_SEG_NULL || !nr)
		return 0;
	first = seg_to_blk(lo, log->segno);
	buf = malloc((size_t)NODE_RUN_BLKS * lo->block_size);
	if (!buf)
		return ctx_nomem(dev->ctx, "rebuilding a summary");
	dev_prefetch(dev, first, nr);
	for (uint32_t i = 0; i < nr; i += NODE_RUN_BLKS) {
		uint32_t n = nr - i < NODE_RUN_BLKS ? nr - i : NODE_RUN_BLKS;

		if (dev_is_hole(dev, first + i, n))
			continue;
		/* A new checkpoint must not be made of half a summary. */
		if (dev_read(dev, first + i, n, buf))
			findings_add(findings, &(struct finding){
				     .id = P_NODE_UNREADABLE,
				     .structure = "current segment",
				     .number = log->segno, .blk = first + i },
				     "%s", ctx_error(dev->ctx));
		else
			take_nids(lo, buf, n, sum_entries(log->sum) + i);
	}
	free(buf);
	return 0;
}

static int rebuild_node_sums(struct dev *dev, const struct layout *lo,
			     struct findings *findings, struct checkpoint *cp)
{
	int err = 0;

	for (unsigned int i = LOG_HOT_NODE; i < OD_NR_LOGS && !err; i++)
		err = rebuild_node_sum(dev, lo, findings, &cp->log[i]);
	return err;
}

int cp_load_sums(struct dev *dev, const struct layout *lo, struct pack *p,
		 struct findings *findings, struct checkpoint *cp)
{
	/* First block behind the data summaries; the foot comes last. */
	uint32_t end = p->total - 1;

	for (int i = 0; i < OD_NR_LOGS; i++) {
		cp->log[i].sum = calloc(1, lo->sum_bytes);
		if (!cp->log[i].sum)
			return ctx_nomem(dev->ctx, "a summary");
	}
	if (p->has_node) {
		end -= NR_DATA_LOGS;
		load_normal(lo, p, cp, end, LOG_HOT_NODE);
	}
	if (p->compact)
		load_compact(lo, p, findings, cp, end);
	else
		load_normal(lo, p, cp, end - NR_DATA_LOGS, LOG_HOT_DATA);
	return p->has_node ? 0 : rebuild_node_sums(dev, lo, findings, cp);
}
