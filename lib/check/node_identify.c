/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who a node is: its NAT entry and its footer say it twice. Where they differ
 * in one number the other evidence decides, so that one wrong field is one
 * finding and not the loss of the node.
 */
#include "config.h"

#include "check/check_int.h"

#include <string.h>

struct claims {
	uint32_t nid;			/* as the footer has them */
	uint32_t ino;
	uint32_t ofs;
};

static void report_footer(struct check *c, const struct node_visit *v,
			  const char *field, uint32_t found,
			  uint32_t expected)
{
	check_found_as(c, (&(struct finding){
			.id = P_NODE_FOOTER, .structure = "node",
			.number = v->nid, .blk = v->nat.blk, .ino = v->nat.ino,
			.has_values = true, .found = found,
			.expected = expected }), "%s", field);
}

static void report_nat_ino(struct check *c, const struct node_visit *v,
			   uint32_t expected)
{
	if (c->opt->facts)
		facts_add_ino(c->opt->facts, v->nid, expected);
	check_found_as(c, (&(struct finding){
			.id = P_NAT_ENTRY, .structure = "NAT entry",
			.number = v->nid, .blk = v->nat.blk,
			.has_values = true, .found = v->nat.ino,
			.expected = expected }), "ino");
}

static bool is_inode_nid(const struct check *c, uint32_t nid)
{
	struct nat_entry e = nat_get(&c->vol->nat, nid);

	return e.blk != OD_BLK_NULL && e.ino == nid;
}

/* The NAT entry and the footer name different inodes: which is right? */
static bool footer_is_right(struct check *c, const struct node_visit *v,
			    const struct claims *foot)
{
	if (v->nat.ino == v->nid)
		return foot->ofs != 0 && is_inode_nid(c, foot->ino);
	if (foot->ino == v->nid)
		return foot->ofs == 0;
	if (inode_names_node(c, v->nat.ino, v->nid, foot->ofs))
		return false;
	if (inode_names_node(c, foot->ino, v->nid, foot->ofs))
		return true;
	return !is_inode_nid(c, v->nat.ino) && is_inode_nid(c, foot->ino);
}

/* A copy whose footer says what was decided. */
static const void *mend(const struct check *c, struct check_worker *w,
			const void *block, const struct node_id *id)
{
	struct od_node_foot *foot = node_foot(c->lo, w->block);

	if (block != w->block)
		memcpy(w->block, block, c->lo->block_size);
	le32_set(&foot->nid, id->nid);
	le32_set(&foot->ino, id->ino);
	return w->block;
}

/* The inode that the node belongs to; false if there is no telling. */
static bool decide_ino(struct check *c, const struct node_visit *v,
		       const struct claims *foot, bool report,
		       struct node_id *id)
{
	/* With a block of two nids one of them must be wrong: said before. */
	const struct nid_rec *rec = nids_get(&c->nids, v->nid);
	bool known = foot->ino != v->nat.ino && rec && rec_has(rec, REC_TWIN);

	id->ino = v->nat.ino;
	if (foot->nid != v->nid) {
		if (report && !known)
			report_footer(c, v, "nid", foot->nid, v->nid);
		return foot->ino == v->nat.ino;
	}
	if (foot->ino == v->nat.ino)
		return true;
	if (footer_is_right(c, v, foot)) {
		id->ino = foot->ino;
		if (report)
			report_nat_ino(c, v, foot->ino);
	} else if (report) {
		report_footer(c, v, "ino", foot->ino, v->nat.ino);
	}
	return true;
}

bool node_identify(struct check *c, struct check_worker *w,
		   const struct node_visit *v, bool report,
		   struct node_id *out)
{
	const struct od_node_foot *od = node_foot(c->lo, v->block);
	struct claims foot = {
		.nid = le32_get(od->nid),
		.ino = le32_get(od->ino),
		.ofs = foot_ofs(od),
	};
	struct node_id id = { .nid = v->nid, .ofs = foot.ofs,
			      .block = v->block };

	if (!decide_ino(c, v, &foot, report, &id))
		return false;
	if (id.ino == id.nid) {
		if (foot.ofs && report)
			report_footer(c, v, "node offset", foot.ofs, 0);
		id.ofs = 0;
	}
	id.kind = node_kind(c->lo, id.ofs);
	if (id.kind == NODE_BAD ||
	    (id.kind == NODE_INODE && id.ino != id.nid)) {
		/* A child of the inode itself can still be placed. */
		id.ofs = inode_child_ofs(c, id.ino, id.nid);
		id.kind = node_kind(c->lo, id.ofs);
		if (report)
			report_footer(c, v, "node offset", foot.ofs, id.ofs);
		if (!id.ofs)
			return false;
	}
	if (foot.nid != id.nid || foot.ino != id.ino)
		id.block = mend(c, w, v->block, &id);
	*out = id;
	return true;
}
