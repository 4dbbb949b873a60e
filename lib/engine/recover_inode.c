/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inodes: what of one in the chain is taken over (kernel fs/f2fs/recovery.c,
 * recover_inode(); node.c, f2fs_recover_inode_page() and the two for xattrs;
 * inline.c, f2fs_recover_inline_data()). Link count, generation and birth stay
 * those of the checkpoint's inode.
 */
#include "config.h"

#include "engine/recover_int.h"
#include "tree/filemap.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Whether the extra area of the inode reaches over the field. */
#define EXTRA_HOLDS(block, field) \
	(od_of(block)->i_inline & OD_INLINE_EXTRA_ATTR && \
	 le16_get(inode_extra(block)->i_extra_isize) >= \
	 offsetof(struct od_inode_extra, field) + \
	 sizeof(((struct od_inode_extra *)0)->field))

static int decode(struct recover *r)
{
	struct fault fault;
	int err = inode_decode(&r->vol->lo, r->iblock, &r->inode, &fault);

	if (!err)
		return 0;
	return ctx_fail(r->vol->ctx, err, "inode %" PRIu32 ": %s is %" PRIu64
			", expected %" PRIu64, r->inode.ino, fault.field,
			fault.found, fault.expected);
}

static void make_extra(const struct layout *lo, uint8_t *to,
		       const uint8_t *from)
{
	const struct od_inode_extra *s = inode_extra(from);
	struct od_inode_extra *d = inode_extra(to);

	d->i_extra_isize = s->i_extra_isize;
	if (layout_has(lo, OD_FEATURE_FLEXIBLE_INLINE_XATTR) &&
	    EXTRA_HOLDS(from, i_inline_xattr_size))
		d->i_inline_xattr_size = s->i_inline_xattr_size;
	if (layout_has(lo, OD_FEATURE_PRJQUOTA) && EXTRA_HOLDS(from, i_projid))
		d->i_projid = s->i_projid;
	if (layout_has(lo, OD_FEATURE_INODE_CRTIME) &&
	    EXTRA_HOLDS(from, i_crtime_nsec)) {
		d->i_crtime = s->i_crtime;
		d->i_crtime_nsec = s->i_crtime_nsec;
	}
}

/* An empty file with one link: the nodes of the chain fill it. */
static void fill_new_inode(const struct layout *lo, uint32_t ino, uint8_t *to,
			   const uint8_t *from)
{
	struct od_node_foot *foot = node_foot(lo, to);
	struct od_inode *od = od_of(to);

	memset(to, 0, lo->block_size);
	memcpy(to, from, offsetof(struct od_inode, i_ext));
	le64_set(&od->i_size, 0);
	le64_set(&od->i_blocks, 1);
	le32_set(&od->i_links, 1);
	le32_set(&od->i_xattr_nid, 0);
	od->i_inline &= OD_INLINE_XATTR | OD_INLINE_EXTRA_ATTR;
	if (od->i_inline & OD_INLINE_EXTRA_ATTR)
		make_extra(lo, to, from);
	le32_set(&foot->nid, ino);
	le32_set(&foot->ino, ino);
	le32_set(&foot->flag, OD_FOOT_COLD);
}

int recover_load_inode(struct recover *r, const struct pending_inode *i)
{
	struct volume *vol = r->vol;
	int err;

	if (nat_get(&vol->nat, i->ino).blk != OD_BLK_NULL)
		return inode_read(vol, i->ino, r->iblock, &r->inode);
	err = dev_read(vol->dev, r->chain.nodes.v[i->made_by].blk, 1, r->node);
	if (err)
		return err;
	fill_new_inode(&vol->lo, i->ino, r->iblock, r->node);
	r->st->inodes_made++;
	return decode(r);
}

int recover_store_inode(struct recover *r)
{
	return edit_write_node(r->ed, r->inode.ino, r->iblock);
}

int recover_inode_fields(struct recover *r, const uint8_t *from)
{
	const struct layout *lo = &r->vol->lo;
	const uint8_t copied = OD_INLINE_PIN_FILE | OD_INLINE_DATA_EXIST;
	struct od_inode *d = od_of(r->iblock);
	const struct od_inode *s = od_of(from);

	d->i_mode = s->i_mode;
	d->i_advise = s->i_advise;
	d->i_uid = s->i_uid;
	d->i_gid = s->i_gid;
	d->i_size = s->i_size;
	d->i_atime = s->i_atime;
	d->i_ctime = s->i_ctime;
	d->i_mtime = s->i_mtime;
	d->i_atime_nsec = s->i_atime_nsec;
	d->i_ctime_nsec = s->i_ctime_nsec;
	d->i_mtime_nsec = s->i_mtime_nsec;
	d->i_flags = s->i_flags;
	/* Of regular files this is i_gc_failures, 16 bits. */
	memcpy(&d->i_current_depth, &s->i_current_depth, sizeof(le16));
	d->i_inline = (uint8_t)((d->i_inline & ~copied) |
				(s->i_inline & copied));
	if (layout_has(lo, OD_FEATURE_PRJQUOTA) && EXTRA_HOLDS(from, i_projid))
		inode_extra(r->iblock)->i_projid = inode_extra(from)->i_projid;
	if (r->inode.xattr_bytes)
		memcpy(r->iblock + r->inode.xattr_off,
		       from + r->inode.xattr_off, r->inode.xattr_bytes);
	return decode(r);
}

static int free_tree_node(void *priv, uint32_t nid, uint32_t ofs,
			  const void *block)
{
	const struct layout *lo;
	struct recover *r = priv;
	int err = 0;

	lo = &r->vol->lo;
	if (ofs == OD_XATTR_NODE_OFS)
		return 0;
	memcpy(r->node, block, lo->block_size);
	if (node_kind(lo, ofs) == NODE_DIRECT)
		err = recover_drop_slots(r, node_slots(r->node),
					 r->inode.node_addrs);
	if (!err)
		err = edit_free_node(r->ed, nid);
	recover_count_blocks(r, -1);
	return err;
}

/* All blocks of the file, and all nodes but those of the inode and xattrs. */
static int truncate_all(struct recover *r)
{
	le32 *addrs = inode_file_addrs(&r->inode, r->iblock);
	le32 *nids = inode_nids(&r->vol->lo, r->iblock);
	int err;

	err = recover_drop_slots(r, addrs, r->inode.nr_addrs);
	if (!err)
		err = filemap_walk_nodes(r->vol, &r->inode, r->iblock,
					 free_tree_node, r);
	for (int i = 0; !err && i < 5; i++)
		le32_set(&nids[i], 0);
	return err;
}

static void set_inline(struct recover *r, uint8_t set, uint8_t clear)
{
	struct od_inode *od = od_of(r->iblock);

	od->i_inline = (uint8_t)((od->i_inline & ~clear) | set);
	r->inode.inl = od->i_inline;
}

/*
 * 1: the content is inline now, 0: it is to have blocks. @from is NULL for a
 * node below the inode, which says that the file has blocks.
 */
int recover_inline_data(struct recover *r, const uint8_t *from)
{
	const uint8_t bits = OD_INLINE_DATA | OD_INLINE_DATA_EXIST;
	uint8_t *area = r->iblock + r->inode.inline_off;
	bool was = r->inode.inl & OD_INLINE_DATA;
	int err;

	if (from && od_of(from)->i_inline & OD_INLINE_DATA) {
		err = was ? 0 : truncate_all(r);
		if (err)
			return err;
		memcpy(area, from + r->inode.inline_off,
		       r->inode.inline_bytes);
		set_inline(r, bits, 0);
		return 1;
	}
	if (was) {
		memset(area, 0, r->inode.inline_bytes);
		set_inline(r, 0, bits);
	}
	return 0;
}

/* An empty xattr node in r->node, with an id of its own. */
static int make_xattr_node(struct recover *r, uint32_t *nid)
{
	const struct layout *lo = &r->vol->lo;
	struct od_node_foot *foot = node_foot(lo, r->node);
	int err = edit_new_nid(r->ed, nid);

	if (err)
		return err;
	memset(r->node, 0, lo->block_size);
	le32_set(&foot->nid, *nid);
	le32_set(&foot->ino, r->inode.ino);
	le32_set(&foot->flag, OD_XATTR_NODE_OFS << OD_FOOT_OFS_SHIFT |
			      OD_FOOT_COLD);
	le32_set(&od_of(r->iblock)->i_xattr_nid, *nid);
	r->inode.xattr_nid = *nid;
	recover_count_blocks(r, 1);
	return 0;
}

int recover_xattr_node(struct recover *r, const uint8_t *from)
{
	struct volume *vol = r->vol;
	uint32_t nid = r->inode.xattr_nid;
	int err;

	err = nid ? node_read_child(vol, nid, r->inode.ino, OD_XATTR_NODE_OFS,
				    r->node) : make_xattr_node(r, &nid);
	if (err)
		return err;
	memcpy(r->node, from, vol->lo.block_size - sizeof(struct od_node_foot));
	return edit_write_node(r->ed, nid, r->node);
}
