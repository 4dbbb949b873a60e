/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Proves a chain before anything is changed: each node that would be replayed
 * fits its inode, and each block that would become part of a file is free, or
 * has an owner that can lose it. So the chain can be cut where one does not,
 * as if the power had gone away right there. What is proved against the
 * checkpoint stays true during the replay, since a block is valid then only if
 * its summary names the slot that has it.
 */
#include "config.h"

#include "engine/recover_int.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The inode as the replay will find it, and its old form of a node. */
struct prover {
	struct recover *r;
	struct inode base;		/* ino 0: none is loaded */
	bool is_made;			/* by the chain: it has no blocks yet */
	uint8_t *base_block;
	uint8_t *old;
	struct inode parent;		/* a directory that was proved, or 0 */
	const char *why;		/* set where a node is no good */
};

/* A good node gives 0 with why NULL; errors are those of I/O and memory. */
static int no_good(struct prover *p, const char *why)
{
	p->why = why;
	return 0;
}

/* Whether it is a fault of what was read that the caller can live with. */
static bool is_fault(int err)
{
	return err == -EUCLEAN || err == -EBADMSG || err == -ENOENT ||
	       err == -ERANGE;
}

static bool fault_of_chain(struct prover *p, int err, const char *why)
{
	if (!is_fault(err))
		return false;
	ctx_clear_error(p->r->vol->ctx);
	p->why = why;
	return true;
}

/* Decode what makes the inode: its addresses do not count. */
static int load_made(struct prover *p, const struct pending_inode *i)
{
	struct volume *vol = p->r->vol;
	struct fault fault;
	int err = dev_read(vol->dev, p->r->chain.nodes.v[i->made_by].blk, 1,
			   p->base_block);

	return err ? err : inode_decode(&vol->lo, p->base_block, &p->base,
					&fault);
}

static int load_base(struct prover *p, const struct pending_inode *i)
{
	int err;

	if (p->base.ino == i->ino)
		return 0;
	p->is_made = i->made_by != PENDING_NONE;
	err = p->is_made ? load_made(p, i) :
			   inode_read(p->r->vol, i->ino, p->base_block,
				      &p->base);
	if (err) {
		p->base.ino = 0;
		return fault_of_chain(p, err, "its inode cannot be read") ? 0 :
		       err;
	}
	p->base.ino = i->ino;
	if (!S_ISREG(p->base.mode))
		p->why = "its inode is not a regular file";
	else if (p->base.cluster_blks || p->base.flags & OD_FLAG_DEVICE_ALIAS)
		p->why = "its inode is of a kind that is never fsynced so";
	if (p->why)
		p->base.ino = 0;
	return 0;
}

static bool same_geometry(const struct inode *a, const struct inode *b)
{
	return a->mode >> 12 == b->mode >> 12 &&
	       a->addr_first == b->addr_first && a->nr_addrs == b->nr_addrs &&
	       a->inline_off == b->inline_off &&
	       a->inline_bytes == b->inline_bytes &&
	       a->xattr_off == b->xattr_off &&
	       a->xattr_bytes == b->xattr_bytes;
}

/* Bytes that the tree of nodes can hold (format 5.1). */
static uint64_t largest_file(const struct layout *lo, const struct inode *i)
{
	uint64_t n = lo->addrs_per_node;
	uint64_t nodes = 2 + 2 * n + n * n;

	return (i->nr_addrs + nodes * i->node_addrs) * lo->block_size;
}

static int prove_inode(struct prover *p, const uint8_t *block,
		       struct inode *out)
{
	struct fault fault;

	if (inode_decode(&p->r->vol->lo, block, out, &fault))
		return no_good(p, "its fields contradict each other");
	if (!same_geometry(out, &p->base) || out->cluster_blks ||
	    out->flags & OD_FLAG_DEVICE_ALIAS)
		return no_good(p, "it is not of the form that its inode has");
	if (out->inl & OD_INLINE_DATA && out->size > out->inline_bytes)
		return no_good(p, "its inline data are longer than their area");
	if (out->size > largest_file(&p->r->vol->lo, out))
		return no_good(p, "no file can be as large as it says");
	if (out->inl & OD_INLINE_DENTRY)
		return no_good(p, "it is a file with inline names");
	return 0;
}

static int load_parent(struct prover *p, uint32_t pino)
{
	int err;

	if (pino == p->parent.ino)
		return 0;
	err = inode_read(p->r->vol, pino, p->old, &p->parent);
	if (!err && inode_is_dir(&p->parent))
		return 0;
	p->parent.ino = 0;
	if (!err)
		return no_good(p, "its parent is not a directory");
	return fault_of_chain(p, err, "its directory cannot be read") ? 0 : err;
}

/* The name must be one, and its directory be there. */
static int prove_dentry(struct prover *p, const uint8_t *block)
{
	struct dir_name name;
	int err;

	err = load_parent(p, le32_get(od_of(block)->i_pino));
	if (err || p->why)
		return err;
	if (dir_name_of_inode(block, &name))
		return no_good(p, "no file can have its name");
	if (p->parent.advise & OD_ADVISE_ENCRYPT)
		return 0;		/* any bytes may be a secret name */
	if (memchr(name.name, '/', name.len) ||
	    memchr(name.name, 0, name.len) ||
	    (name.len == 1 && name.name[0] == '.') ||
	    (name.len == 2 && !memcmp(name.name, "..", 2)))
		return no_good(p, "no file can have its name");
	return 0;
}

/* Blocks among nodes cannot become data. */
static bool lies_among_nodes(const struct volume *vol, uint32_t blk)
{
	uint32_t segno = blk_to_seg(&vol->lo, blk);
	const struct sit_seg *seg = sit_get(&vol->sit, segno);
	int log = cp_log_of_seg(&vol->cp, segno);

	return (seg->valid && log_is_node(seg->type)) ||
	       (log >= 0 && log_is_node((unsigned int)log));
}

/* A slot that gets the real address @blk. */
static int prove_claim(struct prover *p, uint32_t blk)
{
	struct volume *vol = p->r->vol;
	struct file_slot owner;
	int ret;

	if (!blk_is_main(&vol->lo, blk))
		return no_good(p, "it has an address outside the main area");
	if (pending_has_blk(&p->r->chain, &vol->lo, blk) ||
	    lies_among_nodes(vol, blk))
		return no_good(p, "it has the address of a node among its data");
	if (sit_is_valid(&vol->sit, blk)) {
		ret = recover_owner(p->r, blk, &owner);
		if (ret < 0)
			return ret;
		if (!ret)
			return no_good(p, "it has a block that is in use, whose "
				       "owner cannot be found");
	}
	edit_withhold(p->r->ed, blk);
	return 0;
}

static int prove_slots(struct prover *p, const le32 *addrs, const le32 *old,
		       uint32_t nr)
{
	const struct volume *vol = p->r->vol;
	int err = 0;

	for (uint32_t i = 0; !err && !p->why && i < nr; i++) {
		uint32_t blk = le32_get(addrs[i]);
		uint32_t was = old ? le32_get(old[i]) : OD_BLK_NULL;

		if (blk == was)
			continue;
		if (blk_is_real(was) && (!blk_is_main(&vol->lo, was) ||
					 !sit_is_valid(&vol->sit, was)))
			p->why = "it takes the place of a block that is not in use";
		else if (blk == OD_BLK_COMPRESS || was == OD_BLK_COMPRESS)
			p->why = "it has a compressed cluster";
		else if (blk_is_real(blk))
			err = prove_claim(p, blk);
	}
	return err;
}

/* Read the old form of a node below the inode, if the checkpoint has one. */
static int read_old(struct prover *p, const struct pending_node *n, bool *has)
{
	struct volume *vol = p->r->vol;
	const struct od_node_foot *foot = node_foot(&vol->lo, p->old);
	int err;

	*has = false;
	if (nat_get(&vol->nat, n->nid).blk == OD_BLK_NULL)
		return 0;
	err = node_read(vol, n->nid, p->old);
	if (is_fault(err)) {
		ctx_clear_error(vol->ctx);
		return 0;
	}
	*has = !err && le32_get(foot->ino) == n->ino &&
	       foot_ofs(foot) == n->flag >> OD_FOOT_OFS_SHIFT;
	return err;
}

static int prove_direct(struct prover *p, const struct pending_node *n,
			const uint8_t *block)
{
	bool has_old;
	int err = read_old(p, n, &has_old);

	if (err)
		return err;
	return prove_slots(p, node_slots(block),
			   has_old ? node_slots(p->old) : NULL,
			   p->base.node_addrs);
}

static int prove_inode_node(struct prover *p, uint32_t nr,
			    const struct pending_inode *i, const uint8_t *block)
{
	bool has_old = !p->is_made && inode_has_blocks(&p->base);
	struct inode inode;
	int err;

	err = prove_inode(p, block, &inode);
	if (err || p->why)
		return err;
	if (i->dentry == nr)
		err = prove_dentry(p, block);
	if (err || p->why || inode.inl & OD_INLINE_DATA)
		return err;
	return prove_slots(p, inode_file_addrs(&inode, block),
			   has_old ? inode_file_addrs(&p->base, p->base_block) :
				     NULL, inode.nr_addrs);
}

static int prove_xattr(struct prover *p)
{
	int err;

	if (p->is_made || !p->base.xattr_nid)
		return 0;
	err = node_read_child(p->r->vol, p->base.xattr_nid, p->base.ino,
			      OD_XATTR_NODE_OFS, p->old);
	return fault_of_chain(p, err, "its inode's xattr node cannot be read") ?
	       0 : err;
}

static int prove_node(struct prover *p, uint32_t nr,
		      const struct pending_inode *i)
{
	const struct pending_node *n = &p->r->chain.nodes.v[nr];
	uint8_t *block;
	int err;

	if (n->nid <= OD_ROOT_INO || n->nid >= p->r->vol->lo.nr_nids)
		return no_good(p, "its nid cannot be");
	err = load_base(p, i);
	if (err || p->why)
		return err;
	err = blk_window_read(&p->r->window, n->blk, &block);
	if (err)
		return err;
	if ((n->nid == n->ino) != !(n->flag >> OD_FOOT_OFS_SHIFT))
		return no_good(p, "its nid and its offset contradict each other");
	switch (node_kind(&p->r->vol->lo, n->flag >> OD_FOOT_OFS_SHIFT)) {
	case NODE_INODE:
		return prove_inode_node(p, nr, i, block);
	case NODE_DIRECT:
		return prove_direct(p, n, block);
	case NODE_XATTR:
		return prove_xattr(p);
	default:
		return no_good(p, "no such node is ever fsynced");
	}
}

static int prove_nodes(struct prover *p)
{
	struct pending *chain = &p->r->chain;

	for (uint32_t nr = 0; nr < chain->nodes.nr; nr++) {
		const struct pending_inode *i = pending_inode_of(chain, nr);
		int err = i ? prove_node(p, nr, i) : 0;

		if (!err && p->why)
			return pending_cut(p->r->vol, chain, nr, p->why);
		if (err)
			return err;
	}
	return 0;
}

int recover_check(struct recover *r)
{
	struct prover p = { .r = r };
	int err = -ENOMEM;

	p.base_block = malloc(r->vol->lo.block_size);
	p.old = malloc(r->vol->lo.block_size);
	if (p.base_block && p.old)
		err = prove_nodes(&p);
	else
		ctx_nomem(r->vol->ctx, "node blocks");
	free(p.base_block);
	free(p.old);
	for (uint32_t nr = 0; !err && nr < r->chain.nodes.nr; nr++)
		edit_withhold(r->ed, r->chain.nodes.v[nr].blk);
	for (size_t k = 0; !err && k < r->chain.inodes.nr; k++)
		if (r->chain.inodes.v[k].made_by != PENDING_NONE)
			err = edit_keep_nid(r->ed, r->chain.inodes.v[k].ino);
	return err;
}
