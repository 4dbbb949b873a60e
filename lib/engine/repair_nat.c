/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Entries of the NAT that lie: their nodes are elsewhere, or gone. The SIT, the
 * footers and the two copies of each NAT block bear witness. An entry is never
 * given up for one that is contradicted by the SIT or by its footer; nids that
 * were found by a footer alone are freed again if they do not hang from a name.
 */
#include "config.h"

#include "engine/repair_int.h"
#include "engine/repair_find.h"

#include "base/bits.h"
#include "tree/node.h"

#include <errno.h>
#include <stdlib.h>

/* One NAT block of both copies at a time. */
struct copies {
	struct volume *vol;
	uint32_t at;			/* which block, plus 1; 0: none */
	uint8_t *block[2];
};

static int copies_init(struct copies *c, struct volume *vol)
{
	*c = (struct copies){ .vol = vol };
	for (int i = 0; i < 2; i++)
		c->block[i] = calloc(1, vol->lo.block_size);
	return c->block[0] && c->block[1] ? 0 :
	       ctx_nomem(vol->ctx, "NAT blocks");
}

static void copies_free(struct copies *c)
{
	free(c->block[0]);
	free(c->block[1]);
}

/* What copy @i has for @nid; nothing if it cannot be read. */
static struct nat_entry copies_get(struct copies *c, uint32_t nid, int i)
{
	const struct layout *lo = &c->vol->lo;
	uint32_t n = nid_to_nat_block(lo, nid);
	const struct od_nat_entry *od;

	for (int k = 0; c->at != n + 1 && k < 2; k++)
		if (dev_read(c->vol->dev, nat_block_blk(lo, n, k), 1,
			     c->block[k]))
			memset(c->block[k], 0, lo->block_size);
	c->at = n + 1;
	od = (const struct od_nat_entry *)c->block[i] +
	     nid % lo->nats_per_block;
	return (struct nat_entry){
		.ino = le32_get(od->ino),
		.blk = le32_get(od->blk),
		.version = od->version,
	};
}

static bool sit_has_node(const struct volume *vol, uint32_t blk)
{
	return blk_is_main(&vol->lo, blk) && sit_is_valid(&vol->sit, blk) &&
	       log_is_node(sit_get(&vol->sit,
				   blk_to_seg(&vol->lo, blk))->type);
}

static bool is_twice(const struct volume *vol, const struct facts *f,
		     uint32_t blk)
{
	uint32_t segno = blk_to_seg(&vol->lo, blk);

	return bit_test_msb(f->twice + (size_t)segno * OD_SIT_MAP_BYTES,
			    blk_in_seg(&vol->lo, blk));
}

/* Whether the block at @blk says itself that it is @nid; -1: nobody knows. */
static int foot_says(struct volume *vol, uint32_t blk, uint32_t nid)
{
	uint8_t *block = malloc(vol->lo.block_size);
	int says = -1;

	if (block && !dev_read(vol->dev, blk, 1, block))
		says = le32_get(node_foot(&vol->lo, block)->nid) == nid;
	free(block);
	return says;
}

static bool foot_names(struct volume *vol, uint32_t blk, uint32_t nid)
{
	return foot_says(vol, blk, nid) > 0;
}

/* An entry that the SIT, or another entry, or the node contradicts. */
static bool is_suspect(struct volume *vol, const struct facts *f, uint32_t nid,
		       const struct nat_entry *e)
{
	if (!sit_has_node(vol, e->blk))
		return true;
	if (!bit_test_msb(facts_map(f, blk_to_seg(&vol->lo, e->blk)),
			  blk_in_seg(&vol->lo, e->blk)))
		return true;
	return is_twice(vol, f, e->blk) && !foot_names(vol, e->blk, nid);
}

/* The version that the nid had while it was at this block, or in this inode. */
static uint8_t version_of(struct copies *c, const struct found_node *n,
			  const struct nat_entry *had)
{
	for (int i = 0; i < 2; i++) {
		struct nat_entry e = copies_get(c, n->nid, i);

		if (e.blk == n->blk)
			return e.version;
	}
	if (had->ino == n->ino || !had->blk)
		return had->version;
	for (int i = 0; i < 2; i++) {
		struct nat_entry e = copies_get(c, n->nid, i);

		if (e.ino == n->ino)
			return e.version;
	}
	return had->version;
}

/* Known already, to be no node of any file. */
static bool was_rejected(const struct repair *r, uint32_t nid)
{
	uint64_t state;

	return map_get(&r->doubtful, nid, &state) && state == REPAIR_REJECTED;
}

static int take_node(struct repair *r, struct copies *c,
		     const struct found_node *n, bool *changed)
{
	struct nat_entry had = nat_get(&r->vol->nat, n->nid);
	struct nat_entry e = { .ino = n->ino, .blk = n->blk,
			       .version = version_of(c, n, &had) };

	*changed = true;
	if (!had.blk && map_put(&r->doubtful, n->nid, REPAIR_TAKEN))
		return -ENOMEM;
	return nat_set(&r->vol->nat, n->nid, &e);
}

/* Nodes that were found, for nids that are free or whose entry is suspect. */
static int take_found(struct repair *r, const struct facts *f,
		      const struct found *found, bool *changed)
{
	struct copies c;
	int err = copies_init(&c, r->vol);

	for (size_t i = 0; !err && i < found->v.nr; i++) {
		const struct found_node *n = &found->v.v[i];
		struct nat_entry e = nat_get(&r->vol->nat, n->nid);

		if (was_rejected(r, n->nid))
			continue;
		if (!e.blk || is_suspect(r->vol, f, n->nid, &e) ||
		    !foot_names(r->vol, e.blk, n->nid))
			err = take_node(r, &c, n, changed);
	}
	copies_free(&c);
	return err == -ENOMEM ? ctx_nomem(r->vol->ctx, "the NAT") : err;
}

static int take_leaked(struct repair *r, const struct facts *f, bool *changed)
{
	struct found found = { 0 };
	int err = find_leaked(r->vol, f, &found);

	if (!err)
		err = take_found(r, f, &found, changed);
	found_free(&found);
	return err;
}

/* Names lead to nids that are free: their nodes may be where the SIT is lost. */
static int take_wanted(struct repair *r, const struct facts *f, bool *changed)
{
	struct found found = { 0 };
	struct map wanted = { 0 };
	int err = 0;

	for (size_t i = 0; !err && i < f->wanted.nr; i++)
		if (!was_rejected(r, f->wanted.v[i]))
			err = map_put(&wanted, f->wanted.v[i], 1);
	for (size_t i = 0; !err && i < f->bad.nr; i++)
		err = map_put(&wanted, f->bad.v[i], 1);
	if (err)
		err = ctx_nomem(r->vol->ctx, "a list of nids");
	else if (wanted.nr)
		err = find_stale(r->vol, f, &wanted, &found);
	if (!err)
		err = take_found(r, f, &found, changed);
	found_free(&found);
	map_free(&wanted);
	return err;
}

/*
 * Entries that nothing leads to and that are contradicted: by the SIT, which
 * has them free, or by their being found by chance. While something is in doubt
 * the way to a node may be what is damaged: then the footer must not name it,
 * either.
 */
static int drop_unreached(struct repair *r, const struct facts *f,
			  const struct nid_vec *unreached, bool *changed)
{
	int err = 0;

	for (size_t i = 0; !err && i < unreached->nr; i++) {
		uint32_t nid = unreached->v[i];
		struct nat_entry e = nat_get(&r->vol->nat, nid);
		bool was_taken = map_get(&r->doubtful, nid, NULL);
		struct nat_entry none = { .version = e.version };

		if (!e.blk || (!was_taken && sit_has_node(r->vol, e.blk)))
			continue;
		if (f->doubt && !was_taken && foot_says(r->vol, e.blk, nid))
			continue;
		/* As the kernel counts: the nid was used and freed again. */
		if (!was_taken)
			none.version++;
		*changed = true;
		err = nat_set(&r->vol->nat, nid, &none);
		if (!err)
			err = map_put(&r->doubtful, nid, REPAIR_REJECTED);
	}
	return err ? ctx_nomem(r->vol->ctx, "the NAT") : 0;
}

static int mend_inos(struct repair *r, const struct facts *f, bool *changed)
{
	for (size_t i = 0; i < f->inos.nr; i++) {
		uint32_t nid = f->inos.v[i].nid;
		struct nat_entry e = nat_get(&r->vol->nat, nid);

		if (!e.blk || e.ino == f->inos.v[i].ino)
			continue;
		e.ino = f->inos.v[i].ino;
		*changed = true;
		if (nat_set(&r->vol->nat, nid, &e))
			return ctx_nomem(r->vol->ctx, "the NAT");
	}
	return 0;
}

/*
 * nid 0 has no node. All entries of its block are touched, so that the block
 * itself is written: a journal must not name a reserved nid.
 */
static int mend_nid_0(struct repair *r, bool *changed)
{
	struct nat_entry none = { 0 };
	int err;

	if (!nat_get_any(&r->vol->nat, 0).blk)
		return 0;
	*changed = true;
	err = nat_set(&r->vol->nat, 0, &none);
	for (uint32_t nid = 1; !err && nid < r->vol->lo.nats_per_block; nid++) {
		struct nat_entry e = nat_get_any(&r->vol->nat, nid);

		err = nat_set(&r->vol->nat, nid, &e);
	}
	return err ? ctx_nomem(r->vol->ctx, "the NAT") : 0;
}

int repair_nat(struct repair *r, const struct facts *f, bool *changed)
{
	int err = mend_nid_0(r, changed);

	if (!err)
		err = mend_inos(r, f, changed);
	if (!err && !*changed)
		err = take_leaked(r, f, changed);
	if (!err && !*changed)
		err = take_wanted(r, f, changed);
	/* What leads to them may be what could not be read. */
	if (err || *changed || f->unread)
		goto out;
	err = drop_unreached(r, f, &f->unreached, changed);
	/* A stale inode may look like an orphan, and share its blocks. */
	if (!err)
		err = drop_unreached(r, f, &f->unlinked, changed);
out:
	r->need_commit |= *changed;
	return err;
}
