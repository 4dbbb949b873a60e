/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a repair of tables must know, taken from the records when all passes
 * are done (tree/facts.h).
 */
#include "config.h"

#include "check/check_int.h"

#include <errno.h>

/* Findings after which more may be in use than was seen. */
static const enum problem_id doubts[] = {
	P_NODE_UNREADABLE, P_NODE_FOOTER, P_NODE_CHILD, P_BLK_RANGE,
	P_INODE_FIELD, P_INODE_INLINE, P_INODE_BLOCKS, P_DIR_UNREADABLE,
	P_DIR_ENTRY, P_DIR_TARGET, P_ROOT_BAD, P_NAT_ENTRY, P_NAT_DUPLICATE,
	P_SB_QUOTA_INO,
};

static bool is_in_doubt(const struct check *c)
{
	for (size_t i = 0; i < sizeof(doubts) / sizeof(*doubts); i++)
		if (c->findings->counted[doubts[i]])
			return true;
	return false;
}

static bool was_unread(const struct check *c)
{
	return c->findings->counted[P_NODE_UNREADABLE] ||
	       c->findings->counted[P_DIR_UNREADABLE];
}

static bool is_rooted(const struct check *c, uint32_t dir)
{
	const struct nid_rec *rec = nids_get(&c->nids, dir);

	return dir == OD_ROOT_INO || (rec && rec->flags & REC_ROOTED);
}

static bool inode_is_reached(const struct check *c, uint32_t ino,
			     const struct nid_rec *rec)
{
	if (ino == OD_ROOT_INO || rec->flags & (REC_ORPHAN | REC_QUOTA))
		return true;
	if (rec->type == OD_FT_DIR)
		return rec->flags & REC_ROOTED;
	return rec->claim && is_rooted(c, rec->ino);
}

static bool node_is_reached(const struct check *c, const struct nid_rec *rec)
{
	const struct nid_rec *owner = nids_get(&c->nids, rec->aux);

	return rec->claim && owner && owner->flags & REC_INODE &&
	       inode_is_reached(c, rec->aux, owner);
}

/*
 * Deleted while it was open: no name and no link. One that is listed stays
 * listed unless a directory entry says that it lives.
 */
static struct nid_vec *orphans_for(struct facts *f, uint32_t ino,
				   const struct nid_rec *rec)
{
	if (!(rec->flags & REC_INODE) || ino == OD_ROOT_INO ||
	    rec->flags & REC_QUOTA || rec->claim)
		return NULL;
	if (rec->flags & REC_ORPHAN)
		return &f->orphans;
	return rec->flags & REC_READ && !rec->ofs ? &f->unlinked : NULL;
}

static int gather_nids(struct check *c, struct facts *f)
{
	struct nid_rec *rec;
	struct nat_entry e;
	uint32_t nid = 0;
	size_t i = 0;

	while ((rec = nids_next(&c->nids, &i, &nid, &e))) {
		bool is_inode = rec->flags & REC_INODE, reached;
		struct nid_vec *orphans = orphans_for(f, nid, rec);

		if (rec->flags & REC_BAD && vec_push(&f->bad, &nid))
			return -ENOMEM;
		if (orphans) {
			if (vec_push(orphans, &nid))
				return -ENOMEM;
			continue;
		}
		reached = is_inode ? inode_is_reached(c, nid, rec) :
				     node_is_reached(c, rec);
		if (!reached && vec_push(&f->unreached, &nid))
			return -ENOMEM;
	}
	return 0;
}

static uint8_t seg_facts(uint8_t flags)
{
	uint8_t out = 0;

	if (flags & SEG_HAS_DATA)
		out |= FACT_HAS_DATA;
	if (flags & SEG_HAS_NODES)
		out |= FACT_HAS_NODES;
	if (flags & SEG_IS_ALIAS)
		out |= FACT_IS_ALIAS;
	if (flags & SEG_BAD_SUM)
		out |= FACT_BAD_SUM;
	return out;
}

int check_gather(struct check *c, struct facts *f)
{
	struct space *s = &c->space;

	for (unsigned int i = 0; i < c->nr_threads; i++)
		f->reserved += c->workers[i].new_blocks +
			       c->workers[i].compress_blocks;
	f->inodes = (uint32_t)c->inodes_judged;
	f->doubt = is_in_doubt(c);
	f->unread = was_unread(c);
	if (f->is_short || gather_nids(c, f))
		return ctx_nomem(c->vol->ctx, "what a repair must know");
	for (uint32_t i = 0; i < c->lo->nr_main_segs; i++)
		s->seg[i] = seg_facts(s->seg[i]);
	f->used = (uint8_t *)s->seen;
	f->twice = (uint8_t *)s->twice;
	f->seg = s->seg;
	s->seen = s->twice = NULL;	/* theirs now */
	s->seg = NULL;
	return 0;
}
