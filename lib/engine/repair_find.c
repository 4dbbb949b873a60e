/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A look at footers in segments of nodes. A stale block looks like one in use:
 * of several the newest counts, and who uses what is found says whether it
 * hangs from a name.
 */
#include "config.h"

#include "engine/repair_find.h"

#include "base/bits.h"
#include "tree/dir.h"
#include "tree/inode.h"

#include <errno.h>
#include <stdlib.h>

struct search {
	struct volume *vol;
	const struct facts *facts;
	const struct map *wanted;	/* NULL: valid blocks, of any nid */
	struct found *out;
	uint8_t *block;
};

void found_free(struct found *f)
{
	vec_free(&f->v);
	map_free(&f->by_nid);
}

const struct found_node *found_get(const struct found *f, uint32_t nid)
{
	uint64_t i;

	return map_get(&f->by_nid, nid, &i) ? &f->v.v[i] : NULL;
}

/* Whether the block can be what its footer says. */
static bool is_plausible(const struct layout *lo, const void *block,
			 const struct found_node *n)
{
	uint32_t ofs = foot_ofs(node_foot(lo, block));
	struct inode inode;
	struct fault fault;

	if (n->nid < OD_ROOT_INO || n->nid >= lo->nr_nids ||
	    n->ino < OD_ROOT_INO || n->ino >= lo->nr_nids ||
	    node_kind(lo, ofs) == NODE_BAD || (n->nid == n->ino) != (ofs == 0))
		return false;
	return ofs || (!inode_decode(lo, block, &inode, &fault) &&
		       dir_file_type(inode.mode) && inode.blocks);
}

/* Footers of after the live checkpoint bear its version, mkfs gives them 1. */
static bool is_of_checkpoint(const struct volume *vol,
			     const struct found_node *n)
{
	return (int32_t)((uint32_t)vol->cp.version - n->version) > 0 ||
	       n->version == 1;
}

static int keep_newest(struct search *s, const struct found_node *n)
{
	struct found_node *had;
	uint64_t i;

	if (!map_get(&s->out->by_nid, n->nid, &i)) {
		if (map_put(&s->out->by_nid, n->nid, s->out->v.nr))
			return -ENOMEM;
		return vec_push(&s->out->v, n);
	}
	had = &s->out->v.v[i];
	if ((int32_t)(n->version - had->version) >= 0)
		*had = *n;
	return 0;
}

static int look_at(struct search *s, uint32_t blk)
{
	const struct layout *lo = &s->vol->lo;
	const struct od_node_foot *foot = node_foot(lo, s->block);
	struct found_node n = { .blk = blk };

	if (dev_read(s->vol->dev, blk, 1, s->block))
		return 0;		/* what cannot be read is no node */
	n.nid = le32_get(foot->nid);
	n.ino = le32_get(foot->ino);
	n.version = (uint32_t)le64_get(foot->cp_ver);
	if (s->wanted && (!map_get(s->wanted, n.nid, NULL) ||
			  !is_of_checkpoint(s->vol, &n)))
		return 0;
	return is_plausible(lo, s->block, &n) ? keep_newest(s, &n) : 0;
}

static bool is_candidate(const struct search *s, const struct sit_seg *seg,
			 uint32_t segno, uint32_t n)
{
	return !bit_test_msb(facts_map(s->facts, segno), n) &&
	       bit_test_msb(seg->map, n) == !s->wanted;
}

static bool may_hold_nodes(const struct search *s, const struct sit_seg *seg,
			   uint32_t segno)
{
	int log = cp_log_of_seg(&s->vol->cp, segno);

	if (log >= 0)
		return log_is_node((unsigned int)log);
	return log_is_node(seg->type);
}

static int look_in(struct search *s, uint32_t segno)
{
	const struct layout *lo = &s->vol->lo;
	const struct sit_seg *seg = sit_get(&s->vol->sit, segno);
	uint32_t first = seg_to_blk(lo, segno);
	bool hinted = false;
	int err = 0;

	for (uint32_t n = 0; !err && n < lo->blks_per_seg; n++) {
		if (!is_candidate(s, seg, segno, n))
			continue;
		if (!hinted)
			dev_prefetch(s->vol->dev, first + n,
				     lo->blks_per_seg - n);
		hinted = true;
		err = look_at(s, first + n);
	}
	return err;
}

static int look(struct search *s)
{
	int err = 0;

	s->block = malloc(s->vol->lo.block_size);
	if (!s->block)
		return ctx_nomem(s->vol->ctx, "a node block");
	for (uint32_t i = 0; !err && i < s->vol->lo.nr_main_segs; i++)
		if (may_hold_nodes(s, sit_get(&s->vol->sit, i), i))
			err = look_in(s, i);
	free(s->block);
	return err ? ctx_nomem(s->vol->ctx, "a list of nodes") : 0;
}

int find_leaked(struct volume *vol, const struct facts *f, struct found *out)
{
	struct search s = { .vol = vol, .facts = f, .out = out };

	return look(&s);
}

int find_stale(struct volume *vol, const struct facts *f,
	       const struct map *wanted, struct found *out)
{
	struct search s = { .vol = vol, .facts = f, .wanted = wanted,
			    .out = out };

	return look(&s);
}
