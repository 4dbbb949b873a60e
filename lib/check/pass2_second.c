/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The second look of pass 2, at the few nodes that could not be judged before
 * their inode was known: direct nodes of large directories (their blocks are
 * the list of pass 3) and of files whose i_ext reaches beyond the inode, and
 * xattr nodes. Direct nodes that are one run were noted in their records and
 * are not read again.
 */
#include "config.h"

#include "check/addrs.h"
#include "check/check_int.h"
#include "check/scan.h"

#include <errno.h>
#include <string.h>

struct node_todo {
	uint32_t blk;
	uint32_t nid;
};

struct todo_vec VEC_BODY(struct node_todo);

struct second {
	struct check *c;
	struct todo_vec todo;
};

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* All elements begin with an ino or an address to be sorted by. */
#define sort_by_first(vec) \
	((vec)->nr ? qsort((vec)->v, (vec)->nr, sizeof(*(vec)->v), \
			   compare_u32) : (void)0)

const struct dir_info *check_dir(const struct check *c, uint32_t ino)
{
	return c->dirs.nr ? bsearch(&ino, c->dirs.v, c->dirs.nr,
				    sizeof(*c->dirs.v), compare_u32) : NULL;
}

static struct ext_info *find_ext(const struct check *c, uint32_t ino)
{
	return c->exts.nr ? bsearch(&ino, c->exts.v, c->exts.nr,
				    sizeof(*c->exts.v), compare_u32) : NULL;
}

/* File blocks [*from, *to) of the node's slots that lie in the extent. */
static bool overlap(const struct check *c, const struct ext_info *ext,
		    uint32_t ofs, uint64_t *first, uint64_t *from,
		    uint64_t *to)
{
	*first = node_first_lblk(c->lo, ofs, ext->nr_addrs, ext->node_addrs);
	*from = *first > ext->lblk ? *first : ext->lblk;
	*to = *first + ext->node_addrs;
	if (*to > (uint64_t)ext->lblk + ext->len)
		*to = (uint64_t)ext->lblk + ext->len;
	return *from < *to;
}

/*
 * Where the node sits in its file: as its parent says, unless none does or
 * there are two, of which the first to come is chance.
 */
static uint32_t place_of(const struct nid_rec *rec)
{
	return rec->claim && !(rec->flags & REC_SHARED) ? rec->claim - 1 :
							  rec->ofs;
}

/* A direct node of a file with an i_ext. 1: it must be read. */
static int weigh_ext_node(struct check *c, const struct nid_rec *rec,
			  uint32_t ofs)
{
	struct ext_info *ext = find_ext(c, rec->ino);
	uint64_t first, from, to;

	if (!ext || !overlap(c, ext, ofs, &first, &from, &to))
		return 0;
	if (!rec->blocks)
		return 1;
	if (rec->blocks + (from - first) == ext->blk + (from - ext->lblk))
		ext->matched += (uint32_t)(to - from);
	return 0;
}

static int list_nodes(struct second *s)
{
	struct check *c = s->c;
	struct nid_rec *rec;
	struct nat_entry e;
	uint32_t nid = 0;
	size_t i = 0;

	while ((rec = nids_next(&c->nids, &i, &nid, &e))) {
		struct node_todo todo = { e.blk, nid };
		const struct nid_rec *owner;

		if (rec->flags & (REC_INODE | REC_BAD))
			continue;
		if (rec->ofs == OD_XATTR_NODE_OFS) {
			if (!rec->blocks)
				continue;
		} else {
			owner = nids_get(&c->nids, rec->ino);
			if (!owner || !(owner->flags & REC_WANTED) ||
			    node_kind(c->lo, place_of(rec)) != NODE_DIRECT)
				continue;
			if (owner->type != OD_FT_DIR &&
			    !weigh_ext_node(c, rec, place_of(rec)))
				continue;
		}
		if (vec_push(&s->todo, &todo))
			return ctx_nomem(c->vol->ctx, "a list of nodes");
	}
	return 0;
}

struct dir_node {
	struct check *c;
	struct check_worker *w;
	uint32_t ino;
	uint64_t first;
	int err;
};

static void add_run(void *priv, uint32_t ofs, uint32_t blk, uint32_t len)
{
	struct dir_node *n = priv;

	for (uint32_t i = 0; i < len; i++) {
		struct dir_block b = { blk + i, n->ino, n->first + ofs + i };

		if (n->w->dir_blocks.nr >= check_max_dir_blocks(n->c))
			n->err = check_too_many_dir_blocks(n->c);
		else if (vec_push(&n->w->dir_blocks, &b))
			n->err = ctx_nomem(n->c->vol->ctx,
					   "the list of directory blocks");
		if (n->err)
			return;
	}
}

static int add_dir_node(struct check *c, struct check_worker *w, uint32_t ino,
			uint32_t ofs, const void *block)
{
	const struct dir_info *d = check_dir(c, ino);
	struct dir_node n = { .c = c, .w = w, .ino = ino };
	struct addr_walk walk = { .run = add_run, .priv = &n };

	if (!d)
		return 0;
	n.first = node_first_lblk(c->lo, ofs, d->nr_addrs, d->node_addrs);
	addrs_walk(c->lo, node_slots(block), d->node_addrs, &walk);
	return n.err;
}

static void match_ext_node(struct check *c, uint32_t ino, uint32_t ofs,
			   const void *block)
{
	struct ext_info *ext = find_ext(c, ino);
	const le32 *addrs = node_slots(block);
	uint64_t first, from, to;
	uint32_t n = 0;

	if (!ext || !overlap(c, ext, ofs, &first, &from, &to))
		return;
	for (uint64_t lblk = from; lblk < to; lblk++)
		n += le32_get(addrs[lblk - first]) ==
		     ext->blk + (uint32_t)(lblk - ext->lblk);
	rec_add(&ext->matched, n);
}

static int look_again(void *priv, unsigned int worker, size_t i,
		      const void *block)
{
	struct second *s = priv;
	const struct node_todo *todo = &s->todo.v[i];
	const struct nid_rec *rec = nids_get(&s->c->nids, todo->nid);
	const struct nid_rec *owner;

	if (!block || !rec)
		return 0;
	if (rec->ofs == OD_XATTR_NODE_OFS) {
		xattr_check_node(s->c, rec->ino, todo->blk, block,
				 rec->blocks);
		return 0;
	}
	owner = nids_get(&s->c->nids, rec->ino);
	if (owner && owner->type == OD_FT_DIR)
		return add_dir_node(s->c, &s->c->workers[worker], rec->ino,
				    place_of(rec), block);
	match_ext_node(s->c, rec->ino, place_of(rec), block);
	return 0;
}

static void compare_exts(struct check *c)
{
	for (size_t i = 0; i < c->exts.nr; i++) {
		const struct ext_info *ext = &c->exts.v[i];

		if (ext->matched != ext->len)
			check_found(c, .id = P_INODE_EXTENT,
				    .structure = "inode", .number = ext->ino,
				    .blk = check_nid_blk(c, ext->ino),
				    .ino = ext->ino);
	}
}

#define append(to, from) \
	((from)->nr && vec_reserve(to, (to)->nr + (from)->nr) ? -ENOMEM : \
	 ((from)->nr ? (void)memcpy((to)->v + (to)->nr, (from)->v, \
		(from)->nr * sizeof(*(from)->v)) : (void)0, \
	  (to)->nr += (from)->nr, vec_free(from), 0))

static int merge_lists(struct check *c)
{
	for (unsigned int i = 0; i < c->nr_threads; i++) {
		struct check_worker *w = &c->workers[i];

		if (append(&c->dirs, &w->dirs) || append(&c->exts, &w->exts))
			return ctx_nomem(c->vol->ctx, "lists of inodes");
	}
	sort_by_first(&c->dirs);
	sort_by_first(&c->exts);
	return 0;
}

static int merge_dir_blocks(struct check *c)
{
	for (unsigned int i = 0; i < c->nr_threads; i++)
		if (append(&c->dir_blocks, &c->workers[i].dir_blocks))
			return ctx_nomem(c->vol->ctx,
					 "the list of directory blocks");
	sort_by_first(&c->dir_blocks);
	return 0;
}

int pass2_second_look(struct check *c)
{
	struct second s = { .c = c };
	int err = merge_lists(c);

	if (!err)
		err = list_nodes(&s);
	if (!err) {
		sort_by_first(&s.todo);
		err = block_scan(c->vol, c->nr_threads, s.todo.v,
				 sizeof(*s.todo.v), s.todo.nr, look_again, &s);
	}
	vec_free(&s.todo);
	if (err)
		return err;
	compare_exts(c);
	return merge_dir_blocks(c);
}
