/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A last look at segments whose owners and summaries disagree, or in which a
 * block has two owners: the nodes are gone through once more, and each claim
 * on such a segment is compared with its summary entry. Not needed, and not
 * done, on a consistent volume.
 */
#include "config.h"

#include "check/addrs.h"
#include "check/check_int.h"

#include <inttypes.h>

#define CACHE_SLOTS 256U		/* summaries a thread keeps */

struct sum_cache {
	uint8_t *sums;			/* CACHE_SLOTS of lo->sum_bytes */
	uint32_t segno[CACHE_SLOTS];	/* plus 1; 0: empty */
};

struct owners {
	struct check *c;
	bool no_sums;			/* they cannot be trusted */
	struct sum_cache *caches;	/* one a thread */
};

/* One node at work. */
struct claim {
	struct owners *o;
	struct sum_cache *cache;
	const struct node_visit *v;
	uint32_t ino;
};

static const void *cached_summary(struct owners *o, struct sum_cache *cache,
				  uint32_t segno)
{
	uint32_t slot = segno % CACHE_SLOTS;
	uint8_t *sum = cache->sums + (size_t)slot * o->c->lo->sum_bytes;

	if (cache->segno[slot] == segno + 1)
		return sum;
	cache->segno[slot] = 0;
	if (ssa_read(o->c->vol, segno, sum))
		return NULL;
	cache->segno[slot] = segno + 1;
	return sum;
}

static bool is_inspected(const struct check *c, uint32_t blk)
{
	return c->space.seg[blk_to_seg(c->lo, blk)] & SEG_INSPECT;
}

static void found_entry(const struct claim *cl, uint32_t blk,
			const char *field, uint32_t found, uint32_t expected)
{
	struct check *c = cl->o->c;

	check_found_as(c, (&(struct finding){
			.id = P_SSA_ENTRY, .structure = "block",
			.number = blk,
			.blk = ssa_block_blk(c->lo, blk_to_seg(c->lo, blk)),
			.ino = cl->ino, .has_values = true, .found = found,
			.expected = expected }),
		       "%s, for node %" PRIu32, field, cl->v->nid);
}

static void compare(const struct claim *cl, uint32_t blk,
		    struct sum_entry claimed, bool is_node)
{
	const struct layout *lo = cl->o->c->lo;
	const void *sum = cl->o->no_sums ? NULL :
			  cached_summary(cl->o, cl->cache,
					 blk_to_seg(lo, blk));
	struct sum_entry e;

	if (!sum)
		return;
	e = sum_decode(&sum_entries(sum)[blk_in_seg(lo, blk)]);
	if (e.nid != claimed.nid)
		found_entry(cl, blk, "nid", e.nid, claimed.nid);
	else if (!is_node && e.ofs != claimed.ofs)
		found_entry(cl, blk, "slot", e.ofs, claimed.ofs);
	else if (!is_node && e.version != claimed.version)
		found_entry(cl, blk, "version", e.version, claimed.version);
}

static void compare_run(void *priv, uint32_t ofs, uint32_t blk, uint32_t len)
{
	const struct claim *cl = priv;
	struct check *c = cl->o->c;

	if (!is_inspected(c, blk))
		return;
	for (uint32_t i = 0; i < len; i++) {
		struct sum_entry e = {
			.nid = cl->v->nid,
			.ofs = (uint16_t)(ofs + i),
			.version = cl->v->nat.version,
		};

		if (!space_is_twice(&c->space, blk + i))
			compare(cl, blk + i, e, false);
		else
			check_found_as(c, (&(struct finding){
					.id = P_BLK_SHARED,
					.structure = "block",
					.number = blk + i, .blk = blk + i,
					.ino = cl->ino }),
				       "slot %" PRIu32 " of node %" PRIu32,
				       ofs + i, cl->v->nid);
	}
}

static void compare_node(const struct claim *cl)
{
	struct check *c = cl->o->c;
	uint32_t blk = cl->v->nat.blk;
	struct sum_entry e = { .nid = cl->v->nid };

	if (blk_is_main(c->lo, blk) && is_inspected(c, blk) &&
	    !space_is_twice(&c->space, blk))
		compare(cl, blk, e, true);
}

static int visit(void *priv, unsigned int worker, const struct node_visit *v)
{
	struct owners *o = priv;
	struct check *c = o->c;
	struct check_worker *w = &c->workers[worker];
	struct claim cl = { .o = o, .cache = &o->caches[worker], .v = v,
			    .ino = v->nat.ino };
	struct addr_walk walk = { .run = compare_run, .priv = &cl };
	struct node_id id;
	struct inode inode;
	struct fault fault;
	int err = check_progress(c, worker, "owners", c->nids.nr);

	if (err)
		return err;
	compare_node(&cl);
	if (!v->block || !node_identify(c, w, v, false, &id))
		return 0;
	cl.ino = id.ino;
	if (id.kind == NODE_DIRECT)
		addrs_walk(c->lo, node_slots(id.block), c->lo->addrs_per_node,
			   &walk);
	else if (id.kind == NODE_INODE &&
		 !inode_decode(c->lo, id.block, &inode, &fault) &&
		 inode_has_blocks(&inode))
		addrs_walk(c->lo, inode_file_addrs(&inode, id.block),
			   inode.nr_addrs, &walk);
	return 0;
}

static bool any_inspected(const struct check *c)
{
	for (uint32_t i = 0; i < c->lo->nr_main_segs; i++)
		if (c->space.seg[i] & SEG_INSPECT)
			return true;
	return false;
}

/*
 * Where the summaries of the logs lie in a pack, and which segments they are
 * of, follows from the logs: with one of them wrong there is no telling.
 */
static bool logs_are_bad(struct check *c)
{
	if (!c->findings->counted[P_CP_CURSEG])
		return false;
	check_found(c, .id = P_SSA_UNCHECKED, .structure = "checkpoint pack",
		    .number = (uint64_t)c->vol->cp.pack,
		    .blk = cp_pack_blk(c->lo, c->vol->cp.pack));
	return true;
}

int pass5_owners(struct check *c)
{
	struct owners o = { .c = c };
	size_t bytes = (size_t)CACHE_SLOTS * c->lo->sum_bytes;
	int err = 0;

	if (!any_inspected(c))
		return 0;
	o.no_sums = logs_are_bad(c);
	o.caches = calloc(c->nr_threads, sizeof(*o.caches));
	if (!o.caches)
		return ctx_nomem(c->vol->ctx, "summaries");
	for (unsigned int i = 0; !err && i < c->nr_threads; i++) {
		o.caches[i].sums = malloc(bytes);
		if (!o.caches[i].sums)
			err = ctx_nomem(c->vol->ctx, "summaries");
	}
	if (!err)
		err = node_scan(c->vol, c->nr_threads, visit, &o);
	for (unsigned int i = 0; i < c->nr_threads; i++)
		free(o.caches[i].sums);
	free(o.caches);
	return err;
}
