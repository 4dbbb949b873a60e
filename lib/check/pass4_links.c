/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pass 4: every inode is reached as it should be. Directories have one parent
 * each, so following them upwards from each one finds those that hang
 * together without the root; no recursion, and each is passed twice at most.
 */
#include "config.h"

#include "check/check_int.h"

/* One inode at work. */
struct link_check {
	struct check *c;
	uint32_t ino;
	uint32_t blk;
	struct nid_rec *rec;
};

static void found_inode(const struct link_check *lc, enum problem_id id,
			const char *text)
{
	check_found_as(lc->c, (&(struct finding){
			.id = id, .structure = "inode", .number = lc->ino,
			.blk = lc->blk, .ino = lc->ino }), "%s", text);
}

static void found_linked(const struct link_check *lc, uint32_t expected)
{
	check_found(lc->c, .id = P_DIR_LINKED, .structure = "directory",
		    .number = lc->ino, .blk = lc->blk, .ino = lc->ino,
		    .has_values = true, .found = lc->rec->claim,
		    .expected = expected);
}

/* @left: i_links less what was counted, beyond what it should be. */
static void check_count(const struct link_check *lc, uint32_t left)
{
	uint8_t *block = lc->c->workers[0].block;
	struct finding f = { .id = P_INODE_LINKS, .structure = "inode",
			     .number = lc->ino, .blk = lc->blk,
			     .ino = lc->ino };

	if (!left)
		return;
	if (!dev_read(lc->c->vol->dev, lc->blk, 1, block)) {
		f.has_values = true;
		f.found = le32_get(((struct od_inode *)block)->i_links);
		f.expected = (uint32_t)f.found - left;
	}
	check_found_as(lc->c, &f, NULL);
}

static void check_dotdot(const struct link_check *lc, uint32_t parent)
{
	if (lc->rec->flags & (REC_DOTS_BAD | REC_ORPHAN) ||
	    lc->rec->aux == parent)
		return;
	check_found_as(lc->c, (&(struct finding){
			.id = P_DIR_DOTS, .structure = "directory",
			.number = lc->ino, .blk = lc->blk, .ino = lc->ino,
			.has_values = true, .found = lc->rec->aux,
			.expected = parent }), "..");
}

static void check_root(const struct link_check *lc)
{
	if (lc->rec->type != OD_FT_DIR) {
		found_inode(lc, P_ROOT_BAD, "not a directory");
		return;
	}
	if (lc->rec->claim)
		found_linked(lc, 0);
	check_count(lc, lc->rec->ofs - 2);
	check_dotdot(lc, OD_ROOT_INO);
}

static void check_dir_inode(const struct link_check *lc)
{
	if (lc->rec->claim == 0) {
		found_inode(lc, P_NAT_UNREACHABLE, "a directory without a name");
	} else if (lc->rec->claim > 1) {
		found_linked(lc, 1);
		/* Its own word decides which parent counts from here on. */
		lc->rec->ino = lc->rec->aux;
	} else {
		check_dotdot(lc, lc->rec->ino);
	}
	check_count(lc, lc->rec->ofs - 2);
}

/*
 * An O_TMPFILE file's inode may reach the disk with the link that every inode
 * is born with; recover_orphan_inode() of the kernel clears it.
 */
static bool is_born_nameless(const struct nid_rec *rec)
{
	return rec->type == OD_FT_REG && rec->ofs == 1 && !rec->claim;
}

static void check_inode(const struct link_check *lc)
{
	const struct nid_rec *rec = lc->rec;

	if (lc->ino == OD_ROOT_INO) {
		check_root(lc);
	} else if (rec->flags & REC_ORPHAN) {
		if (rec->claim)
			found_inode(lc, P_CP_ORPHAN,
				    "a directory entry names an orphan");
		if (!is_born_nameless(rec))
			check_count(lc, rec->ofs);
	} else if (rec->flags & REC_QUOTA) {
		check_count(lc, rec->ofs - 1);
	} else if (rec->type == OD_FT_DIR) {
		check_dir_inode(lc);
	} else if (!rec->claim) {
		found_inode(lc, P_NAT_UNREACHABLE, "a file without a name");
	} else {
		check_count(lc, rec->ofs);
	}
}

static bool has_parent(const struct nid_rec *rec)
{
	return rec->claim && rec->ino;
}

/*
 * Go up from a directory until the way is known: to the root, to one without
 * a parent (reported as such), or back onto the trail, which is a loop.
 */
static void climb(struct check *c, uint32_t ino)
{
	const uint16_t ends = REC_ROOTED | REC_LOST;
	struct nid_rec *rec = nids_get(&c->nids, ino);
	uint32_t at = ino, loop = 0;
	uint16_t result = REC_LOST;

	while (rec && !(rec->flags & (ends | REC_TRAIL)) && has_parent(rec) &&
	       at != OD_ROOT_INO) {
		rec->flags |= REC_TRAIL;
		at = rec->ino;
		rec = nids_get(&c->nids, at);
	}
	if (at == OD_ROOT_INO || (rec && rec->flags & REC_ROOTED))
		result = REC_ROOTED;
	else if (rec && rec->flags & REC_TRAIL)
		loop = at;
	for (rec = nids_get(&c->nids, ino); rec && rec->flags & REC_TRAIL;
	     rec = nids_get(&c->nids, rec->ino)) {
		rec->flags &= (uint16_t)~REC_TRAIL;
		rec->flags |= result;
	}
	if (loop)
		check_found_as(c, (&(struct finding){
				.id = P_DIR_LOOP, .structure = "directory",
				.number = loop, .blk = check_nid_blk(c, loop),
				.ino = loop }), NULL);
}

int pass4_links(struct check *c)
{
	struct nids *n = &c->nids;
	struct nid_rec *rec;
	struct nat_entry e;
	uint32_t nid = 0;
	size_t i = 0;

	rec = nids_get(n, OD_ROOT_INO);
	if (!rec || !(rec->flags & REC_READ))
		check_found(c, .id = P_ROOT_BAD, .structure = "inode",
			    .number = OD_ROOT_INO,
			    .blk = check_nid_blk(c, OD_ROOT_INO));
	while ((rec = nids_next(n, &i, &nid, &e))) {
		struct link_check lc = { c, nid, e.blk, rec };

		if (rec->flags & REC_INODE && rec->flags & REC_READ)
			check_inode(&lc);
	}
	for (i = 0; i < c->dirs.nr; i++)
		climb(c, c->dirs.v[i].ino);
	return 0;
}
