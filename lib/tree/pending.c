/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The chain of nodes that a mount would replay: kernel fs/f2fs/recovery.c,
 * find_fsync_dnodes(), and fs/f2fs/node.h, is_recoverable_dnode().
 */
#include "config.h"

#include "tree/pending.h"
#include "base/bits.h"
#include "tree/node.h"

#include <errno.h>
#include <stdlib.h>

#define WINDOW_BLKS 64U			/* read at once at most */

int blk_window_open(struct blk_window *w, struct volume *vol)
{
	*w = (struct blk_window){ .vol = vol, .room = 1 };
	w->blocks = malloc((size_t)WINDOW_BLKS * vol->lo.block_size);
	return w->blocks ? 0 : ctx_nomem(vol->ctx, "node blocks");
}

void blk_window_close(struct blk_window *w)
{
	free(w->blocks);
	w->blocks = NULL;
}

static uint8_t *in_window(const struct blk_window *w, uint32_t blk)
{
	return w->blocks + (size_t)(blk - w->first) * w->vol->lo.block_size;
}

int blk_window_read(struct blk_window *w, uint32_t blk, uint8_t **block)
{
	uint32_t left = w->vol->lo.end_blk - blk;
	int err;

	if (blk >= w->first && blk - w->first < w->nr) {
		*block = in_window(w, blk);
		return 0;
	}
	if (w->nr && blk == w->first + w->nr)
		w->room = w->room < WINDOW_BLKS ? 2 * w->room : WINDOW_BLKS;
	else
		w->room = 1;
	w->first = blk;
	w->nr = w->room < left ? w->room : left;
	err = dev_read(w->vol->dev, blk, w->nr, w->blocks);
	if (err && w->nr > 1) {		/* a fault further on is not ours */
		w->nr = w->room = 1;
		err = dev_read(w->vol->dev, blk, 1, w->blocks);
	}
	if (err)
		w->nr = 0;
	*block = w->blocks;
	return err;
}

struct chain {
	struct volume *vol;
	uint64_t version;		/* that its nodes carry */
	uint64_t mask;			/* bits of it that are compared */
	struct blk_window window;
	uint8_t *block;			/* the node at blk */
	uint32_t blk;
};

static int chain_open(struct chain *c, struct volume *vol)
{
	*c = (struct chain){
		.vol = vol,
		.version = cp_recovery_version(&vol->lo, &vol->cp),
		.mask = vol->cp.flags & OD_CP_NOCRC_RECOVERY ?
			UINT32_MAX : UINT64_MAX,
	};
	return blk_window_open(&c->window, vol);
}

/* Whether there is a node of the chain at @blk; it is read. 1, 0 or error. */
static int chain_goto(struct chain *c, uint32_t blk)
{
	const struct od_node_foot *foot;
	int err;

	if (!blk_is_main(&c->vol->lo, blk))
		return 0;
	err = blk_window_read(&c->window, blk, &c->block);
	if (err)
		return err;
	c->blk = blk;
	foot = node_foot(&c->vol->lo, c->block);
	return !((le64_get(foot->cp_ver) ^ c->version) & c->mask);
}

static int chain_start(struct chain *c)
{
	const struct curseg *log = &c->vol->cp.log[LOG_WARM_NODE];

	if (log->segno >= c->vol->lo.nr_main_segs)
		return 0;
	return chain_goto(c, seg_to_blk(&c->vol->lo, log->segno) + log->next);
}

static int chain_next(struct chain *c)
{
	const struct od_node_foot *foot = node_foot(&c->vol->lo, c->block);

	return chain_goto(c, le32_get(foot->next_blk));
}

/*
 * A loop is found by Brent's method: a mark is set at each power of 2 and met
 * again within one lap. That takes no memory, and time in proportion to the
 * chain.
 */
int pending_fsyncs(struct volume *vol, uint64_t *nr_fsynced)
{
	uint64_t nr_marked = 0, nr = 0, next_mark = 1;
	uint32_t mark = OD_BLK_NULL;
	struct chain c;
	int ret = chain_open(&c, vol);

	if (ret)
		return ret;
	for (ret = chain_start(&c); ret > 0; ret = chain_next(&c)) {
		const struct od_node_foot *foot = node_foot(&vol->lo, c.block);

		if (c.blk == mark)
			break;
		if (++nr == next_mark) {
			mark = c.blk;
			next_mark *= 2;
		}
		if (le32_get(foot->flag) & OD_FOOT_FSYNC)
			nr_marked++;
	}
	blk_window_close(&c.window);
	if (ret < 0)
		return ret;
	*nr_fsynced = nr_marked;
	return 0;
}

void pending_free(struct pending *p)
{
	vec_free(&p->nodes);
	vec_free(&p->inodes);
	map_free(&p->by_ino);
	free(p->has_blk);
	p->has_blk = NULL;
}

static void note_cut(struct pending *p, uint32_t blk, const char *why)
{
	p->cut_at = blk;
	p->cut_why = why;
}

/* NULL, or what is wrong with this node whatever its inode is. */
static const char *node_fault(const struct layout *lo,
			      const struct pending_node *n)
{
	if (n->nid <= OD_ROOT_INO || n->nid >= lo->nr_nids ||
	    n->ino <= OD_ROOT_INO || n->ino >= lo->nr_nids)
		return "its nid cannot be";
	if ((n->nid == n->ino) != !(n->flag >> OD_FOOT_OFS_SHIFT))
		return "its nid and its offset contradict each other";
	return NULL;
}

static int add_node(struct pending *p, const struct chain *c)
{
	const struct od_node_foot *foot = node_foot(&c->vol->lo, c->block);
	struct pending_node n = {
		.blk = c->blk,
		.nid = le32_get(foot->nid),
		.ino = le32_get(foot->ino),
		.flag = le32_get(foot->flag),
	};

	bit_set_lsb(p->has_blk, c->blk - c->vol->lo.main_blk);
	p->has_fsync = p->has_fsync || n.flag & OD_FOOT_FSYNC;
	return vec_push(&p->nodes, &n) ?
	       ctx_nomem(c->vol->ctx, "the chain of fsynced nodes") : 0;
}

/* All nodes up to the end, or to one that was met before. */
static int read_nodes(struct volume *vol, struct pending *p)
{
	struct chain c;
	int ret = chain_open(&c, vol);

	if (ret)
		return ret;
	for (ret = chain_start(&c); ret > 0; ret = chain_next(&c)) {
		int err;

		if (pending_has_blk(p, &vol->lo, c.blk)) {
			note_cut(p, c.blk, "the chain comes back to it");
			break;
		}
		err = add_node(p, &c);
		if (err) {
			ret = err;
			break;
		}
	}
	blk_window_close(&c.window);
	return ret < 0 ? ret : 0;
}

/* The nodes from number @nr on do not count. */
static void drop_nodes(struct pending *p, uint32_t nr, const char *why)
{
	note_cut(p, p->nodes.v[nr].blk, why);
	p->nodes.nr = nr;
}

static int add_inode(struct volume *vol, struct pending *p, uint32_t nr,
		     bool is_new, struct pending_inode **out)
{
	struct pending_inode i = {
		.ino = p->nodes.v[nr].ino,
		.made_by = is_new ? nr : PENDING_NONE,
		.dentry = PENDING_NONE,
	};

	if (map_put(&p->by_ino, i.ino, p->inodes.nr) ||
	    vec_push(&p->inodes, &i))
		return ctx_nomem(vol->ctx, "the fsynced inodes");
	*out = &p->inodes.v[p->inodes.nr - 1];
	return 0;
}

/*
 * A node with the fsync mark. An inode that the NAT lacks is made by one with
 * both marks only; until that comes, what was fsynced of it is passed over.
 */
static int note_fsync(struct volume *vol, struct pending *p, uint32_t nr,
		      const char **why)
{
	const struct pending_node *n = &p->nodes.v[nr];
	bool is_dentry = n->nid == n->ino && n->flag & OD_FOOT_DENT;
	bool is_known = nat_get(&vol->nat, n->ino).blk != OD_BLK_NULL;
	struct pending_inode *i = NULL;
	uint64_t at;
	int err = 0;

	if (map_get(&p->by_ino, n->ino, &at)) {
		i = &p->inodes.v[at];
	} else if (is_known && is_dentry) {
		*why = "it is marked as new, but the NAT has the inode";
		return 0;
	} else if (is_known || is_dentry) {
		err = add_inode(vol, p, nr, is_dentry, &i);
	}
	if (err || !i)
		return err;
	i->last = nr;
	if (is_dentry)
		i->dentry = nr;
	return 0;
}

static int find_inodes(struct volume *vol, struct pending *p)
{
	p->inodes.nr = 0;
	map_clear(&p->by_ino);
	for (uint32_t nr = 0; nr < p->nodes.nr; nr++) {
		const char *why = NULL;
		int err = 0;

		if (!(p->nodes.v[nr].flag & OD_FOOT_FSYNC))
			continue;
		why = node_fault(&vol->lo, &p->nodes.v[nr]);
		if (!why)
			err = note_fsync(vol, p, nr, &why);
		if (err)
			return err;
		if (why)
			drop_nodes(p, nr, why);
	}
	return 0;
}

int pending_read(struct volume *vol, struct pending *p)
{
	int err;

	*p = (struct pending){ 0 };
	p->has_blk = calloc(1, (vol->lo.end_blk - vol->lo.main_blk) / 8 + 1);
	if (!p->has_blk)
		return ctx_nomem(vol->ctx, "the map of fsynced nodes");
	err = read_nodes(vol, p);
	if (!err)
		err = find_inodes(vol, p);
	if (err)
		pending_free(p);
	return err;
}

int pending_cut(struct volume *vol, struct pending *p, uint32_t nr,
		const char *why)
{
	drop_nodes(p, nr, why);
	return find_inodes(vol, p);
}

const struct pending_inode *pending_inode_of(const struct pending *p,
					     uint32_t nr)
{
	uint64_t at;

	if (!map_get(&p->by_ino, p->nodes.v[nr].ino, &at) ||
	    p->inodes.v[at].last < nr)
		return NULL;
	return &p->inodes.v[at];
}
