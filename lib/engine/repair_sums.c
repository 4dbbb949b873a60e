/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Summaries by the nodes. Those that do not fit are collected, some thousand at
 * a time; one pass over the nodes names the owner of each of their blocks.
 * Entries of blocks that nobody is known to own stay as they were.
 */
#include "config.h"

#include "engine/repair_int.h"

#include "base/bits.h"
#include "meta/ssa.h"
#include "tree/inode.h"

#include <string.h>

#define MAX_SUMS 4096U			/* at a time: 16 MiB */

struct sums {
	struct volume *vol;
	const struct facts *facts;
	uint32_t *segnos;		/* ascending */
	uint32_t nr;
	uint8_t *sums;			/* nr of lo.sum_bytes, and one more */
	bool incomplete;		/* a node could not be read */
};

static bool is_wanted(const struct facts *f, uint32_t segno)
{
	const uint8_t both = FACT_HAS_DATA | FACT_HAS_NODES;
	uint8_t has = f->seg[segno];

	return has & FACT_BAD_SUM && !(has & FACT_IS_ALIAS) &&
	       (has & both) != both;
}

static uint8_t *sum_of(const struct sums *s, uint32_t segno)
{
	uint32_t lo = 0, hi = s->nr;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (s->segnos[mid] == segno)
			return s->sums + (size_t)mid * s->vol->lo.sum_bytes;
		if (s->segnos[mid] < segno)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* A block that two claim keeps the entry it has. */
static void name_owner(const struct sums *s, uint32_t blk, struct sum_entry e)
{
	const struct layout *lo = &s->vol->lo;
	uint32_t segno, n;
	uint8_t *sum;

	if (!blk_is_main(lo, blk))
		return;
	segno = blk_to_seg(lo, blk);
	n = blk_in_seg(lo, blk);
	sum = is_wanted(s->facts, segno) ? sum_of(s, segno) : NULL;
	if (sum && !bit_test_msb(s->facts->twice +
				 (size_t)segno * OD_SIT_MAP_BYTES, n))
		sum_encode(&sum_entries(sum)[n], e);
}

static void name_owners(const struct sums *s, const struct node_visit *v,
			const le32 *addrs, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		struct sum_entry e = { .nid = v->nid, .ofs = (uint16_t)i,
				       .version = v->nat.version };

		if (blk_is_real(le32_get(addrs[i])))
			name_owner(s, le32_get(addrs[i]), e);
	}
}

static int visit(void *priv, unsigned int worker, const struct node_visit *v)
{
	struct sums *s = priv;
	const struct layout *lo = &s->vol->lo;
	const struct od_node_foot *foot;
	struct sum_entry own = { .nid = v->nid };
	struct inode inode;
	struct fault fault;

	(void)worker;
	if (!v->block) {
		s->incomplete = true;
		return 0;
	}
	name_owner(s, v->nat.blk, own);
	foot = node_foot(lo, v->block);
	if (v->nat.ino == v->nid) {
		if (!inode_decode(lo, v->block, &inode, &fault) &&
		    inode_has_blocks(&inode))
			name_owners(s, v, inode_file_addrs(&inode, v->block),
				    inode.nr_addrs);
	} else if (node_kind(lo, foot_ofs(foot)) == NODE_DIRECT) {
		name_owners(s, v, node_slots(v->block), lo->addrs_per_node);
	}
	return 0;
}

/* What is there now, as far as it can be read. */
static void load(const struct sums *s)
{
	const struct layout *lo = &s->vol->lo;

	for (uint32_t i = 0; i < s->nr; i++) {
		uint8_t *sum = s->sums + (size_t)i * lo->sum_bytes;
		bool is_node = s->facts->seg[s->segnos[i]] & FACT_HAS_NODES;

		if (ssa_read(s->vol, s->segnos[i], sum))
			memset(sum, 0, lo->sum_bytes);
		sum_foot(lo, sum)->entry_type = is_node ? OD_SUM_NODE :
							  OD_SUM_DATA;
	}
}

/* Whether the summary on the device is right after all. */
static bool is_there(struct volume *vol, uint32_t segno, const uint8_t *sum,
		     uint8_t *buf)
{
	return !ssa_read(vol, segno, buf) &&
	       !memcmp(buf, sum, vol->lo.sum_bytes);
}

static int store(const struct sums *s, uint8_t *buf)
{
	struct volume *vol = s->vol;
	int err = 0;

	for (uint32_t i = 0; !err && i < s->nr; i++) {
		const uint8_t *sum = s->sums + (size_t)i * vol->lo.sum_bytes;
		int log = cp_log_of_seg(&vol->cp, s->segnos[i]);

		if (log < 0) {
			if (!is_there(vol, s->segnos[i], sum, buf))
				err = ssa_write(vol, s->segnos[i], sum);
			continue;
		}
		memcpy(vol->cp.log[log].sum, sum, vol->lo.sum_journal_off);
		sum_foot(&vol->lo, vol->cp.log[log].sum)->entry_type =
			sum_foot(&vol->lo, sum)->entry_type;
	}
	return err;
}

int repair_sums(struct repair *r, const struct facts *f, bool *changed)
{
	struct sums s = { .vol = r->vol, .facts = f };
	int err = 0;

	if (repair_has(r, P_SSA_UNREADABLE) ||
	    repair_has(r, P_NODE_UNREADABLE)) {
		/* Of logs, and made again below where it matters. */
		repair_solved(r, P_SSA_UNREADABLE);
		repair_solved(r, P_NODE_UNREADABLE);
		*changed = true;
	}
	s.segnos = malloc(MAX_SUMS * sizeof(*s.segnos));
	if (!s.segnos)
		return ctx_nomem(r->vol->ctx, "a list of summaries");
	for (uint32_t i = 0; i < r->vol->lo.nr_main_segs && s.nr < MAX_SUMS;
	     i++)
		if (is_wanted(f, i) && !bit_test_lsb(r->sums_done, i)) {
			bit_set_lsb(r->sums_done, i);
			s.segnos[s.nr++] = i;
		}
	if (!s.nr)
		goto out;
	s.sums = malloc((size_t)(s.nr + 1) * r->vol->lo.sum_bytes);
	if (!s.sums) {
		err = ctx_nomem(r->vol->ctx, "summaries");
		goto out;
	}
	load(&s);
	err = node_scan(r->vol, 1, visit, &s);
	if (err || s.incomplete)
		goto out;		/* half of a summary is worse than none */
	err = store(&s, s.sums + (size_t)s.nr * r->vol->lo.sum_bytes);
	r->sums_written += s.nr;
	r->need_commit = true;
	*changed = true;
out:
	free(s.sums);
	free(s.segnos);
	return err;
}
