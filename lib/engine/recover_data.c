/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Addresses of blocks: those of a node of the chain are put into the file's
 * own node (kernel fs/f2fs/recovery.c, do_recover_data()). A block that became
 * part of one file and was later used for another is in both files' nodes; the
 * later node has it (check_index_in_prev_nodes()).
 */
#include "config.h"

#include "engine/recover_int.h"
#include "base/bits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The node whose slots change, in memory. */
struct target {
	uint32_t nid;
	le32 *addrs;
	uint32_t nr;
	uint64_t first_lblk;
	uint8_t version;
};

void recover_count_blocks(struct recover *r, int64_t by)
{
	uint64_t n = r->inode.blocks + (uint64_t)by;

	/* The inode itself is one, whatever was on the disk. */
	if (!n || (by < 0 && n > r->inode.blocks))
		n = 1;
	r->inode.blocks = n;
	le64_set(&od_of(r->iblock)->i_blocks, n);
}

/* The kernel believes the hint without a look at the addresses. */
static void forget_extent(struct recover *r)
{
	memset(&od_of(r->iblock)->i_ext, 0, sizeof(struct od_extent));
	r->inode.ext_len = 0;
}

/* A block that the SIT does not have is only forgotten, as the kernel does. */
static int drop_slot(struct recover *r, le32 *addr)
{
	struct volume *vol = r->vol;
	uint32_t blk = le32_get(*addr);
	int err;

	le32_set(addr, OD_BLK_NULL);
	if (blk == OD_BLK_NULL ||
	    (blk_is_real(blk) && (!blk_is_main(&vol->lo, blk) ||
				  !sit_is_valid(&vol->sit, blk))))
		return 0;
	err = edit_drop_block(r->ed, blk);
	recover_count_blocks(r, -1);
	return err;
}

int recover_drop_slots(struct recover *r, le32 *addrs, uint32_t nr)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < nr; i++)
		err = drop_slot(r, &addrs[i]);
	forget_extent(r);
	return err;
}

/* Does the node in @node, of an inode @inode, hold @blk in slot @e says? */
static bool holds(const struct layout *lo, const struct inode *inode,
		  const uint8_t *node, const struct sum_entry *e, uint32_t blk,
		  struct file_slot *out)
{
	uint32_t ofs = foot_ofs(node_foot(lo, node));
	enum node_kind kind = node_kind(lo, ofs);
	bool is_inode = kind == NODE_INODE;
	const le32 *addrs = is_inode ? inode_file_addrs(inode, node) :
				       node_slots(node);

	if ((!is_inode && kind != NODE_DIRECT) || !inode_has_blocks(inode) ||
	    e->ofs >= (is_inode ? inode->nr_addrs : inode->node_addrs) ||
	    le32_get(addrs[e->ofs]) != blk)
		return false;
	*out = (struct file_slot){
		.ino = inode->ino,
		.lblk = node_first_lblk(lo, ofs, inode->nr_addrs,
					inode->node_addrs) + e->ofs,
		.nid = e->nid,
		.ofs = e->ofs,
		.blk = blk,
	};
	return true;
}

static int find_owner(struct recover *r, uint32_t blk, uint8_t *node,
		      uint8_t *iblock, struct file_slot *out)
{
	const struct layout *lo = &r->vol->lo;
	struct sum_entry e;
	struct inode inode;
	int err;

	err = edit_owner(r->ed, blk, &e);
	if (!err)
		err = node_read(r->vol, e.nid, node);
	if (!err)
		err = inode_read(r->vol, le32_get(node_foot(lo, node)->ino),
				 iblock, &inode);
	if (!err)
		return holds(lo, &inode, node, &e, blk, out);
	if (err != -EUCLEAN && err != -ENOENT && err != -EBADMSG)
		return err;
	ctx_clear_error(r->vol->ctx);
	return 0;
}

int recover_owner(struct recover *r, uint32_t blk, struct file_slot *out)
{
	uint32_t size = r->vol->lo.block_size;
	uint8_t *bufs = malloc(2 * (size_t)size);
	int ret = bufs ? find_owner(r, blk, bufs, bufs + size, out) :
			 ctx_nomem(r->vol->ctx, "node blocks");

	free(bufs);
	return ret;
}

static int drop_of_others(struct recover *r, uint32_t blk)
{
	struct file_slot owner;
	int ret = recover_owner(r, blk, &owner);
	bool is_ours = ret > 0 && owner.ino == r->inode.ino;
	int err = 0;

	if (ret <= 0)
		return ret;
	if (is_ours)
		err = recover_store_inode(r);
	if (!err)
		err = map_edit_drop(r->ed, &owner);
	if (!err && is_ours)
		err = inode_read(r->vol, r->inode.ino, r->iblock, &r->inode);
	return err ? err : 1;
}

/* Make the valid block @blk free again: 1, 0 if no owner is known, or error. */
static int take_over(struct recover *r, struct target *t, uint32_t blk)
{
	struct sum_entry e;
	int err = edit_owner(r->ed, blk, &e);

	if (err)
		return err;
	if (e.nid != t->nid)
		return drop_of_others(r, blk);
	if (e.ofs >= t->nr || le32_get(t->addrs[e.ofs]) != blk)
		return 0;
	err = drop_slot(r, &t->addrs[e.ofs]);
	return err ? err : 1;
}

/* What the proof asked for; only a volume that is not sound fails here. */
static bool can_claim(const struct recover *r, uint32_t blk)
{
	const struct volume *vol = r->vol;
	const struct sit_seg *seg;

	if (!blk_is_main(&vol->lo, blk) || sit_is_valid(&vol->sit, blk))
		return false;
	seg = sit_get(&vol->sit, blk_to_seg(&vol->lo, blk));
	return bit_test_lsb(r->ed->withheld, blk_to_sec(&vol->lo, blk)) &&
	       !(seg->valid && log_is_node(seg->type));
}

static int claim(struct recover *r, struct target *t, uint32_t i, uint32_t blk)
{
	struct sum_entry owner = {
		.nid = t->nid, .ofs = (uint16_t)i, .version = t->version,
	};
	int ret = 1;

	if (blk_is_main(&r->vol->lo, blk) && sit_is_valid(&r->vol->sit, blk))
		ret = take_over(r, t, blk);
	if (ret < 0)
		return ret;
	if (!ret || !can_claim(r, blk)) {
		r->st->conflicts++;
		return 0;
	}
	ret = drop_slot(r, &t->addrs[i]);
	if (!ret)
		ret = edit_claim_block(r->ed, blk, LOG_WARM_DATA, owner);
	if (ret)
		return ret;
	le32_set(&t->addrs[i], blk);
	recover_count_blocks(r, 1);
	r->st->blocks++;
	return 0;
}

static int reserve(struct recover *r, le32 *addr)
{
	int err = drop_slot(r, addr);

	if (err)
		return err;
	edit_reserve_block(r->ed);
	le32_set(addr, OD_BLK_NEW);
	recover_count_blocks(r, 1);
	return 0;
}

/* Blocks may lie past the end of a file only where it says so. */
static void raise_size(struct recover *r, uint64_t lblk)
{
	uint64_t start = lblk * r->vol->lo.block_size;

	if (r->inode.advise & OD_ADVISE_KEEP_SIZE || r->inode.size > start)
		return;
	r->inode.size = start + r->vol->lo.block_size;
	le64_set(&od_of(r->iblock)->i_size, r->inode.size);
}

static int change_slot(struct recover *r, struct target *t, uint32_t i,
		       uint32_t blk)
{
	forget_extent(r);
	if (blk == OD_BLK_NULL)
		return drop_slot(r, &t->addrs[i]);
	raise_size(r, t->first_lblk + i);
	if (blk == OD_BLK_NEW)
		return reserve(r, &t->addrs[i]);
	return claim(r, t, i, blk);
}

static int change_slots(struct recover *r, struct target *t, const le32 *from)
{
	int err = 0;

	t->version = nat_get(&r->vol->nat, t->nid).version;
	for (uint32_t i = 0; !err && i < t->nr; i++)
		if (le32_get(from[i]) != le32_get(t->addrs[i]))
			err = change_slot(r, t, i, le32_get(from[i]));
	return err;
}

/* The file's own node at offset @ofs, made if it has none. */
static int load_target(struct recover *r, uint32_t ofs, struct target *t)
{
	struct volume *vol = r->vol;
	struct file_slot slot;
	int err;

	t->first_lblk = node_first_lblk(&vol->lo, ofs, r->inode.nr_addrs,
					r->inode.node_addrs);
	t->nr = r->inode.node_addrs;
	err = recover_store_inode(r);
	if (!err)
		err = map_edit_slot(r->ed, r->inode.ino, t->first_lblk, &slot);
	if (!err)
		err = inode_read(vol, r->inode.ino, r->iblock, &r->inode);
	if (!err)
		err = node_read(vol, slot.nid, r->node);
	if (err)
		return err;
	t->nid = slot.nid;
	t->addrs = node_slots(r->node);
	return 0;
}

int recover_slots(struct recover *r, const uint8_t *from, uint32_t ofs)
{
	struct target t;
	int err;

	if (!ofs) {
		t = (struct target){
			.nid = r->inode.ino,
			.addrs = inode_file_addrs(&r->inode, r->iblock),
			.nr = r->inode.nr_addrs,
		};
		return change_slots(r, &t, inode_file_addrs(&r->inode, from));
	}
	err = load_target(r, ofs, &t);
	if (!err)
		err = change_slots(r, &t, node_slots(from));
	return err ? err : edit_write_node(r->ed, t.nid, r->node);
}
