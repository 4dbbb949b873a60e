/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pass 2: every node block, in order of address, on all cores. Each is taken
 * by itself: who it is, which children and blocks it claims. Nothing is read
 * twice and no tree is walked: what parents claim and what children say is
 * compared when all have been seen.
 */
#include "config.h"

#include "check/addrs.h"
#include "check/check_int.h"

#include <errno.h>
#include <inttypes.h>

/* One node at work. */
struct visit {
	struct check *c;
	struct check_worker *w;
	const struct node_visit *v;
	const struct node_id *id;
	struct nid_rec *rec;
	bool is_dir;			/* collect the blocks */
	int err;
};

static void claim_child(const struct visit *vi, uint32_t child, uint32_t ofs)
{
	struct nid_rec *rec = nids_get(&vi->c->nids, child);
	uint32_t none = 0;

	if (!rec && vi->c->opt->facts)
		facts_add_wanted(vi->c->opt->facts, child);
	if (!rec || child <= OD_ROOT_INO || rec_has(rec, REC_INODE)) {
		check_found_as(vi->c, (&(struct finding){
				.id = P_NODE_CHILD, .structure = "node",
				.number = vi->id->nid, .blk = vi->v->nat.blk,
				.ino = vi->id->ino }),
			       rec ? "node %" PRIu32 " is an inode" :
				     "node %" PRIu32 " does not exist", child);
		return;
	}
	if (__atomic_compare_exchange_n(&rec->claim, &none, ofs + 1, false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		__atomic_store_n(&rec->aux, vi->id->ino, __ATOMIC_RELAXED);
		return;
	}
	rec_set_flags(rec, REC_SHARED);
	check_found(vi->c, .id = P_NODE_SHARED, .structure = "node",
		    .number = child, .blk = check_nid_blk(vi->c, child));
}

static void claim_run(void *priv, uint32_t ofs, uint32_t blk, uint32_t len)
{
	const struct visit *vi = priv;
	struct space *s = &vi->c->space;
	struct sum_entry e = { .version = vi->v->nat.version };
	uint64_t sum = 0;

	space_claim(s, blk, len, SEG_HAS_DATA);
	for (uint32_t i = 0; i < len; i++) {
		e.ofs = (uint16_t)(ofs + i);
		sum += space_hash(s, blk + i, vi->id->nid, space_place(e));
	}
	space_add_sum(s, blk_to_seg(s->lo, blk), sum);
}

static void add_dir_block(struct visit *vi, uint32_t blk, uint64_t lblk)
{
	struct dir_block b = { blk, vi->id->ino, lblk };

	if (vi->err)
		return;
	if (vi->w->dir_blocks.nr >= check_max_dir_blocks(vi->c))
		vi->err = check_too_many_dir_blocks(vi->c);
	else if (vec_push(&vi->w->dir_blocks, &b))
		vi->err = ctx_nomem(vi->c->vol->ctx,
				    "the list of directory blocks");
}

static void claim_dir_run(void *priv, uint32_t ofs, uint32_t blk,
			  uint32_t len)
{
	struct visit *vi = priv;

	claim_run(priv, ofs, blk, len);
	for (uint32_t i = 0; i < len; i++)
		add_dir_block(vi, blk + i, ofs + i);
}

static void bad_addr(void *priv, uint32_t ofs, uint32_t blk)
{
	const struct visit *vi = priv;

	check_found_as(vi->c, (&(struct finding){
			.id = P_BLK_RANGE, .structure = "node",
			.number = vi->id->nid, .blk = vi->v->nat.blk,
			.ino = vi->id->ino }),
		       "slot %" PRIu32 " holds %" PRIu32, ofs, blk);
}

static void walk_addrs(struct visit *vi, const le32 *addrs, uint32_t nr,
		       struct addr_walk *walk)
{
	*walk = (struct addr_walk){
		.run = vi->is_dir ? claim_dir_run : claim_run,
		.bad = bad_addr,
		.priv = vi,
	};
	addrs_walk(vi->c->lo, addrs, nr, walk);
	vi->w->new_blocks += walk->nr_new;
}

/* A device alias has all its blocks in i_ext, and no owner by summary. */
static uint32_t claim_alias(const struct visit *vi, const struct inode *inode)
{
	struct space *s = &vi->c->space;
	const struct layout *lo = vi->c->lo;
	uint32_t blk = inode->ext_blk, left = inode->ext_len, n;

	if (!left || !blk_is_main(lo, blk) || left > lo->end_blk - blk)
		return 0;
	for (; left; left -= n, blk += n) {
		n = lo->blks_per_seg - blk_in_seg(lo, blk);
		if (n > left)
			n = left;
		space_claim(s, blk, n, SEG_HAS_DATA);
		space_flag(s, blk_to_seg(lo, blk), SEG_IS_ALIAS);
	}
	return inode->ext_len;
}

static bool has_children(const struct check *c, const void *block)
{
	const le32 *nids = inode_nids(c->lo, block);

	for (int i = 0; i < 5; i++)
		if (le32_get(nids[i]))
			return true;
	return false;
}

static int add_dir(struct visit *vi, const struct inode *inode)
{
	struct dir_info d = {
		.ino = inode->ino, .depth = inode->current_depth,
		.size = inode->size,
		.nr_addrs = (uint16_t)inode->nr_addrs,
		.node_addrs = (uint16_t)inode->node_addrs,
		.dir_level = inode->dir_level > 63 ? 63 : inode->dir_level,
	};

	if (inode->inl & OD_INLINE_DENTRY) {
		d.flags |= DIR_IS_INLINE;
		add_dir_block(vi, vi->v->nat.blk, LBLK_INLINE);
	}
	if (inode->flags & OD_FLAG_CASEFOLD)
		d.flags |= DIR_IS_CASEFOLD;
	if (inode->advise & OD_ADVISE_ENCRYPT)
		d.flags |= DIR_IS_ENCRYPTED;
	if (has_children(vi->c, vi->id->block)) {
		d.flags |= DIR_HAS_NODES;
		rec_set_flags(vi->rec, REC_WANTED);
	}
	vi->w->dirs_seen++;
	return vec_push(&vi->w->dirs, &d) ?
	       ctx_nomem(vi->c->vol->ctx, "the list of directories") : 0;
}

static void claim_inode_children(const struct visit *vi,
				 const struct inode *inode)
{
	const le32 *nids = inode_nids(vi->c->lo, vi->id->block);
	struct nid_rec *xattr;
	uint32_t next;

	for (uint32_t i = 0; i < 5; i++)
		if (le32_get(nids[i]))
			claim_child(vi, le32_get(nids[i]),
				    node_child_ofs(vi->c->lo, 0, i));
	xattr_check_inline(vi->c, inode, vi->v->nat.blk, vi->id->block,
			   &next);
	if (!inode->xattr_nid)
		return;
	claim_child(vi, inode->xattr_nid, OD_XATTR_NODE_OFS);
	xattr = nids_get(&vi->c->nids, inode->xattr_nid);
	if (xattr && next && !rec_has(xattr, REC_INODE))
		__atomic_store_n(&xattr->blocks, next, __ATOMIC_RELAXED);
}

/* What the inode itself counts into i_blocks. */
static uint32_t count_inode_blocks(struct visit *vi, const struct inode *inode)
{
	struct addr_walk walk;

	if (inode->flags & OD_FLAG_DEVICE_ALIAS)
		return 1 + claim_alias(vi, inode);
	if (!inode_has_blocks(inode))
		return 1;
	walk_addrs(vi, inode_file_addrs(inode, vi->id->block),
		   inode->nr_addrs, &walk);
	if (inode->inl & OD_INLINE_COMPR_RELEASED)
		return 1 + walk.nr_real + walk.nr_new;
	vi->w->compress_blocks += walk.nr_compress;
	return 1 + walk.nr_real + walk.nr_new + walk.nr_compress;
}

static void check_stored_checksum(const struct visit *vi)
{
	const struct check *c = vi->c;
	uint32_t stored, expected;

	if (!inode_has_checksum(c->lo, vi->v->block))
		return;
	stored = le32_get(inode_extra(vi->v->block)->i_inode_checksum);
	expected = inode_checksum(c->lo, c->vol->super.sb.uuid, vi->v->block);
	if (stored != expected)
		check_found(c, .id = P_INODE_CHECKSUM, .structure = "inode",
			    .number = vi->id->nid, .blk = vi->v->nat.blk,
			    .ino = vi->id->nid, .has_values = true,
			    .found = stored, .expected = expected);
}

static int visit_inode(struct visit *vi)
{
	struct inode inode;
	struct fault fault;
	int err = 0;

	check_stored_checksum(vi);
	if (inode_decode(vi->c->lo, vi->id->block, &inode, &fault)) {
		check_found_as(vi->c, (&(struct finding){
				.id = P_INODE_FIELD, .structure = "inode",
				.number = vi->id->nid, .blk = vi->v->nat.blk,
				.ino = vi->id->nid, .has_values = true,
				.found = fault.found,
				.expected = fault.expected }),
			       "%s", fault.field);
		rec_set_flags(vi->rec, REC_BAD | REC_INODE);
		return 0;
	}
	vi->is_dir = inode_is_dir(&inode);
	vi->rec->type = dir_file_type(inode.mode);
	rec_set_flags(vi->rec, REC_READ | REC_INODE);
	if (inode.inl & OD_INLINE_COMPR_RELEASED)
		rec_set_flags(vi->rec, REC_RELEASED);
	rec_add(&vi->rec->ofs, inode.links);
	inode_check_fields(vi->c, &inode, vi->v->nat.blk, vi->id->block);
	claim_inode_children(vi, &inode);
	rec_add(&vi->rec->blocks, (uint32_t)inode.blocks -
				  count_inode_blocks(vi, &inode));
	if (inode.ext_len && !(inode.flags & OD_FLAG_DEVICE_ALIAS))
		err = ext_check_inode(vi->c, vi->w, &inode, vi->v->nat.blk,
				      vi->id->block);
	if (!err && vi->is_dir)
		err = add_dir(vi, &inode);
	else if (!err)
		vi->w->files++;
	if (!err)
		err = quota_count_inode(vi->c, vi->w, &inode);
	if (!err && frag_feed_inode(vi->w->frag, &inode, vi->id->block))
		err = ctx_nomem(vi->c->vol->ctx, "the count of extents");
	return err ? err : vi->err;
}

/* Blocks of a node count into the i_blocks of its inode. */
static void count_for_inode(const struct visit *vi, uint32_t blocks,
			    uint32_t compress)
{
	struct nid_rec *owner = nids_get(&vi->c->nids, vi->id->ino);

	if (!owner)
		return;
	rec_add(&owner->blocks, -blocks);
	if (compress)
		rec_add(&owner->aux, compress);
}

/* All slots in one run, over ends of segments too. */
static bool is_one_run(const le32 *addrs, uint32_t nr)
{
	uint32_t first = le32_get(addrs[0]);

	for (uint32_t i = nr; i-- > 1; )
		if (le32_get(addrs[i]) != first + i)
			return false;
	return true;
}

static int visit_direct(struct visit *vi)
{
	uint32_t nr = vi->c->lo->addrs_per_node;
	const le32 *addrs = node_slots(vi->id->block);
	struct addr_walk walk;

	walk_addrs(vi, addrs, nr, &walk);
	count_for_inode(vi, 1 + walk.nr_real + walk.nr_new, walk.nr_compress);
	if (walk.nr_real == nr && walk.nr_runs <= 4 && is_one_run(addrs, nr))
		vi->rec->blocks = le32_get(addrs[0]);
	if (frag_feed_direct(vi->w->frag, vi->id->block))
		return ctx_nomem(vi->c->vol->ctx, "the count of extents");
	return 0;
}

static int visit_indirect(struct visit *vi)
{
	const le32 *nids = node_slots(vi->id->block);

	count_for_inode(vi, 1, 0);
	for (uint32_t i = 0; i < vi->c->lo->addrs_per_node; i++)
		if (le32_get(nids[i]))
			claim_child(vi, le32_get(nids[i]),
				    node_child_ofs(vi->c->lo, vi->id->ofs, i));
	return 0;
}

static int visit_node(struct visit *vi)
{
	vi->rec->ofs = vi->id->ofs;
	vi->rec->ino = vi->id->ino;
	rec_set_flags(vi->rec, REC_READ);
	switch (vi->id->kind) {
	case NODE_DIRECT:
		return visit_direct(vi);
	case NODE_INDIRECT:
	case NODE_DOUBLE:
		return visit_indirect(vi);
	default:
		count_for_inode(vi, 1, 0);
		return 0;
	}
}

static int visit(void *priv, unsigned int worker, const struct node_visit *v)
{
	struct check *c = priv;
	struct node_id id;
	struct visit vi = { .c = c, .w = &c->workers[worker], .v = v,
			    .id = &id, .rec = nids_get(&c->nids, v->nid) };
	int err;

	err = check_progress(c, worker, "nodes", c->nids.nr);
	if (err || !vi.rec)
		return err;
	if (!v->block || !node_identify(c, vi.w, v, true, &id)) {
		rec_set_flags(vi.rec, REC_BAD);
		if (!v->block && blk_is_main(c->lo, v->nat.blk))
			check_found(c, .id = P_NODE_UNREADABLE,
				    .structure = "node", .number = v->nid,
				    .blk = v->nat.blk, .ino = v->nat.ino);
		return 0;
	}
	return id.kind == NODE_INODE ? visit_inode(&vi) : visit_node(&vi);
}

/* What the parents said of a node against what it says itself. */
static void compare_claim(struct check *c, uint32_t nid,
			  const struct nat_entry *e, struct nid_rec *rec)
{
	struct finding f = { .structure = "node", .number = nid,
			     .blk = e->blk, .ino = rec->ino,
			     .has_values = true };

	if (rec->flags & (REC_BAD | REC_SHARED))
		return;
	if (!rec->claim) {
		f.has_values = false;
		f.id = P_NAT_UNREACHABLE;
		check_found_as(c, &f, NULL);
	} else if (rec->aux != rec->ino) {
		f.id = P_NODE_CHILD;
		f.found = rec->aux;
		f.expected = rec->ino;
		check_found_as(c, &f, "claimed by another inode's node");
	} else if (rec->claim != rec->ofs + 1) {
		f.id = P_NODE_FOOTER;
		f.found = rec->ofs;
		f.expected = rec->claim - 1;
		check_found_as(c, &f, "node offset");
	}
}

/* i_blocks as it is stored now; only for a message. */
static uint64_t stored_i_blocks(struct check *c, uint32_t blk)
{
	uint8_t *block = c->workers[0].block;

	if (dev_read(c->vol->dev, blk, 1, block))
		return 0;
	return le64_get(((const struct od_inode *)block)->i_blocks);
}

static void compare_blocks(struct check *c, uint32_t ino,
			   const struct nat_entry *e, const struct nid_rec *rec)
{
	uint32_t diff = rec->blocks;
	uint64_t stored;

	if (rec->type != OD_FT_DIR && !(rec->flags & REC_RELEASED))
		diff -= rec->aux;
	if (!(rec->flags & REC_READ) || !diff)
		return;
	stored = stored_i_blocks(c, e->blk);
	check_found(c, .id = P_INODE_BLOCKS, .structure = "inode",
		    .number = ino, .blk = e->blk, .ino = ino,
		    .has_values = true, .found = stored,
		    .expected = stored - (uint64_t)(int64_t)(int32_t)diff);
}

static void compare_all(struct check *c)
{
	struct nid_rec *rec;
	struct nat_entry e;
	uint32_t nid = 0;
	size_t i = 0;

	while ((rec = nids_next(&c->nids, &i, &nid, &e))) {
		if (!(rec->flags & REC_INODE)) {
			compare_claim(c, nid, &e, rec);
			continue;
		}
		c->inodes_judged++;
		compare_blocks(c, nid, &e, rec);
		if (rec->type != OD_FT_DIR && !(rec->flags & REC_RELEASED))
			c->workers[0].compress_blocks += rec->aux;
	}
}

int pass2_nodes(struct check *c)
{
	int err;

	err = node_scan(c->vol, c->nr_threads, visit, c);
	if (!err)
		compare_all(c);
	return err;
}
