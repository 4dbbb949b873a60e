/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a quota file and proving its tree; walking it. */
#include "config.h"

#include "tree/quota.h"

#include "base/bits.h"
#include "tree/filemap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const type_names[OD_QUOTA_TYPES] = {
	"users", "groups", "projects",
};

uint32_t quota_ino(const struct volume *vol, unsigned int type)
{
	if (!layout_has(&vol->lo, OD_FEATURE_QUOTA_INO))
		return 0;
	return le32_get(vol->super.sb.qf_ino[type]);
}

bool quota_has_files(const struct volume *vol)
{
	for (unsigned int type = 0; type < OD_QUOTA_TYPES; type++)
		if (quota_ino(vol, type))
			return true;
	return false;
}

bool quota_is_ino(const struct volume *vol, uint32_t ino)
{
	for (unsigned int type = 0; type < OD_QUOTA_TYPES; type++)
		if (quota_ino(vol, type) == ino)
			return true;
	return false;
}

const char *quota_type_name(unsigned int type)
{
	return type_names[type];
}

/* What is wrong in words, with a place and a value. */
static int damaged(const struct volume *vol, const struct quota_file *q,
		   const char *what, uint32_t blk, uint64_t value)
{
	return ctx_fail(vol->ctx, -EUCLEAN, "quota file of %s (inode %" PRIu32
			"), quota block %" PRIu32 ": %s: %" PRIu64,
			type_names[q->type], q->ino, blk, what, value);
}

/* The file's content, block by block. */
struct content {
	struct volume *vol;
	const struct quota_file *q;
	uint64_t nr_blks;		/* of the volume, wanted */
	uint64_t found;
	uint8_t *buf;			/* NULL: only count */
};

static int take_block(void *priv, const struct mapping *m)
{
	struct content *c = priv;
	uint32_t size = c->vol->lo.block_size;

	if (m->lblk >= c->nr_blks)
		return 0;
	if (!blk_is_main(&c->vol->lo, m->blk))
		return damaged(c->vol, c->q, "its address is none",
			       (uint32_t)(m->lblk * size / OD_QUOTA_BLOCK),
			       m->blk);
	c->found++;
	return c->buf ? dev_read(c->vol->dev, m->blk, 1,
				 c->buf + m->lblk * size) : 0;
}

/* Memory is asked for only when so many blocks are there. */
static int read_content(struct volume *vol, struct quota_file *q,
			const struct inode *inode, const void *block)
{
	uint32_t size = vol->lo.block_size;
	struct content c = { .vol = vol, .q = q };
	int err;

	c.nr_blks = (inode->size + size - 1) / size;
	err = filemap_walk(vol, inode, block, take_block, &c);
	if (err)
		return err;
	if (c.found != c.nr_blks)
		return damaged(vol, q, "the file has holes, blocks that are "
			       "there", 0, c.found);
	q->room = (uint32_t)(c.nr_blks * size / OD_QUOTA_BLOCK);
	q->data = malloc((size_t)c.nr_blks * size);
	if (!q->data)
		return ctx_nomem(vol->ctx, "a quota file");
	c.buf = q->data;
	return filemap_walk(vol, inode, block, take_block, &c);
}

static int read_file(struct volume *vol, struct quota_file *q)
{
	uint8_t *block = malloc(vol->lo.block_size);
	struct inode inode;
	int err;

	if (!block)
		return ctx_nomem(vol->ctx, "an inode");
	err = inode_read(vol, q->ino, block, &inode);
	if (err == -ENOENT)
		err = ctx_fail(vol->ctx, -EUCLEAN, "the quota file of %s, inode "
			       "%" PRIu32 ", is not there",
			       type_names[q->type], q->ino);
	if (!err && (!S_ISREG(inode.mode) || !inode_has_blocks(&inode) ||
		     inode.cluster_blks || inode.advise & OD_ADVISE_ENCRYPT))
		err = damaged(vol, q, "no plain file, its mode is", 0,
			      inode.mode);
	if (!err && inode.size < (OD_QUOTA_ROOT + 1) * OD_QUOTA_BLOCK)
		err = damaged(vol, q, "too short, its bytes are", 0,
			      inode.size);
	if (!err && inode.size > QUOTA_MAX_BYTES)
		err = damaged(vol, q, "too large to be held, its bytes are", 0,
			      inode.size);
	if (!err)
		err = read_content(vol, q, &inode, block);
	if (!err)	/* the header's number must not be above */
		q->nr = (uint32_t)(inode.size / OD_QUOTA_BLOCK);
	free(block);
	return err;
}

/* As a mount of the kernel judges it (fs/quota/quota_v2.c). */
static int prove_head(const struct volume *vol, struct quota_file *q)
{
	static const uint32_t magic[OD_QUOTA_TYPES] = {
		OD_QUOTA_MAGIC_USER, OD_QUOTA_MAGIC_GROUP,
		OD_QUOTA_MAGIC_PROJECT,
	};
	const struct od_quota_head *h = quota_head(q);
	uint32_t nr = le32_get(h->blocks);

	if (le32_get(h->magic) != magic[q->type])
		return damaged(vol, q, "the magic is wrong", 0,
			       le32_get(h->magic));
	if (le32_get(h->version) != OD_QUOTA_VERSION)
		return damaged(vol, q, "the version is not 1", 0,
			       le32_get(h->version));
	if (nr <= OD_QUOTA_ROOT || nr > q->nr)
		return damaged(vol, q, "so many blocks are not in the file", 0,
			       nr);
	q->nr = nr;
	return 0;
}

/* What a block was found to be. */
enum { AS_NOTHING, AS_NODE, AS_LEAF, AS_LISTED, AS_FREE };

/* Proving: what each block is, and how many pointers lead to a leaf. */
struct proof {
	const struct volume *vol;
	struct quota_file *q;
	uint8_t *as;
	uint8_t *refs;
};

bool quota_entry_is_used(const struct od_quota_entry *e)
{
	static const struct od_quota_entry zero;

	return memcmp(e, &zero, sizeof(*e));
}

struct od_quota_entry *quota_find_in_leaf(struct od_quota_leaf *leaf,
					  uint32_t id)
{
	struct od_quota_entry *e = quota_entries(leaf);

	for (unsigned int i = 0; i < OD_QUOTA_LEAF_ENTRIES; i++, e++)
		if (le32_get(e->id) == id && quota_entry_is_used(e))
			return e;
	return NULL;
}

static bool is_block(const struct quota_file *q, uint32_t n)
{
	return n > OD_QUOTA_ROOT && n < q->nr;
}

/* A block that a pointer at @depth leads to. */
static int prove_child(struct proof *p, uint32_t parent, uint32_t n,
		       unsigned int depth, uint32_t id)
{
	bool is_leaf = depth == OD_QUOTA_DEPTH - 1;

	if (!is_block(p->q, n))
		return damaged(p->vol, p->q, "a pointer leads out of the file",
			       parent, n);
	if (p->as[n] != AS_NOTHING && (!is_leaf || p->as[n] != AS_LEAF))
		return damaged(p->vol, p->q, "a pointer leads to a block that "
			       "is another's", parent, n);
	p->as[n] = is_leaf ? AS_LEAF : AS_NODE;
	if (!is_leaf)
		return 0;
	if (!quota_find_in_leaf(quota_block(p->q, n), id) ||
	    p->refs[n] == OD_QUOTA_LEAF_ENTRIES)
		return damaged(p->vol, p->q, "a leaf has no entry for the id",
			       n, id);
	p->refs[n]++;
	return 0;
}

/*
 * The next pointer to a leaf: 1, and 0 after the last. Blocks are proved on
 * the way with @p, each is entered once at most then.
 */
static int next_leaf(const struct quota_file *q, struct quota_pos *pos,
		     struct proof *p, uint32_t *id, uint32_t *leaf)
{
	pos->blk[0] = OD_QUOTA_ROOT;
	for (;;) {
		unsigned int d = pos->depth;
		const le32 *slots = quota_block(q, pos->blk[d]);
		uint32_t n;
		int err = 0;

		if (pos->next[d] == QUOTA_SLOTS) {
			if (!d)
				return 0;
			pos->depth--;
			continue;
		}
		n = le32_get(slots[pos->next[d]++]);
		if (!n)
			continue;
		*id = 0;
		for (unsigned int i = 0; i <= d; i++)
			*id = *id << 8 | (pos->next[i] - 1);
		if (p)
			err = prove_child(p, pos->blk[d], n, d, *id);
		if (err)
			return err;
		*leaf = n;
		if (d == OD_QUOTA_DEPTH - 1)
			return 1;
		pos->blk[++pos->depth] = n;
		pos->next[pos->depth] = 0;
	}
}

struct od_quota_entry *quota_next(const struct quota_file *q,
				  struct quota_pos *pos, uint32_t *id)
{
	uint32_t leaf;

	if (next_leaf(q, pos, NULL, id, &leaf) != 1)
		return NULL;
	return quota_find_in_leaf(quota_block(q, leaf), *id);
}

static int prove_leaf(const struct proof *p, uint32_t n)
{
	struct od_quota_leaf *leaf = quota_block(p->q, n);
	struct od_quota_entry *e = quota_entries(leaf);
	unsigned int used = 0;

	for (unsigned int i = 0; i < OD_QUOTA_LEAF_ENTRIES; i++)
		used += quota_entry_is_used(&e[i]);
	if (used != p->refs[n])
		return damaged(p->vol, p->q, "the leaf has entries that no "
			       "pointer leads to, in all", n, used);
	if (le16_get(leaf->nr_entries) != used)
		return damaged(p->vol, p->q, "the leaf's count of entries is "
			       "wrong", n, le16_get(leaf->nr_entries));
	return 0;
}

/* Leaves with room are in a list that leads both ways. */
static int prove_leaf_list(struct proof *p)
{
	uint32_t prev = 0, n = le32_get(quota_head(p->q)->free_leaf);

	while (n) {
		const struct od_quota_leaf *leaf;

		if (!is_block(p->q, n) || p->as[n] != AS_LEAF)
			return damaged(p->vol, p->q, "the list of leaves with "
				       "room leads to what is none", prev, n);
		p->as[n] = AS_LISTED;
		leaf = quota_block(p->q, n);
		if (le32_get(leaf->prev_free) != prev ||
		    p->refs[n] == OD_QUOTA_LEAF_ENTRIES)
			return damaged(p->vol, p->q, "the leaf is not to be in "
				       "the list, or not behind this", n,
				       le32_get(leaf->prev_free));
		prev = n;
		n = le32_get(leaf->next_free);
	}
	return 0;
}

static int prove_free_list(struct proof *p)
{
	uint32_t prev = 0, n = le32_get(quota_head(p->q)->free_blk);

	while (n) {
		const struct od_quota_leaf *leaf;

		if (!is_block(p->q, n) || p->as[n] != AS_NOTHING)
			return damaged(p->vol, p->q, "the list of free blocks "
				       "leads to what is none", prev, n);
		p->as[n] = AS_FREE;
		leaf = quota_block(p->q, n);
		prev = n;
		n = le32_get(leaf->next_free);
	}
	return 0;
}

/* A leaf that is not in the list: those who take it out must see that. */
static int prove_unlisted(const struct proof *p, uint32_t n)
{
	const struct od_quota_leaf *leaf = quota_block(p->q, n);
	uint32_t next = le32_get(leaf->next_free);
	uint32_t prev = le32_get(leaf->prev_free);

	if (!next && !prev)
		return 0;
	return damaged(p->vol, p->q, "the leaf is in no list, but names a "
		       "neighbour", n, next ? next : prev);
}

static int prove_tree(struct proof *p)
{
	struct quota_pos pos = { 0 };
	uint32_t id, leaf;
	int err;

	do {
		err = next_leaf(p->q, &pos, p, &id, &leaf);
	} while (err == 1);
	for (uint32_t n = OD_QUOTA_ROOT + 1; !err && n < p->q->nr; n++)
		if (p->as[n] == AS_LEAF)
			err = prove_leaf(p, n);
	if (!err)
		err = prove_leaf_list(p);
	for (uint32_t n = OD_QUOTA_ROOT + 1; !err && n < p->q->nr; n++)
		if (p->as[n] == AS_LEAF)
			err = prove_unlisted(p, n);
	return err ? err : prove_free_list(p);
}

int quota_load(struct volume *vol, unsigned int type, struct quota_file *out)
{
	struct quota_file q = { .type = type, .ino = quota_ino(vol, type) };
	struct proof p = { .vol = vol, .q = &q };
	int err = read_file(vol, &q);

	if (!err)
		err = prove_head(vol, &q);
	if (err)
		goto out;
	p.as = calloc(2, q.nr);
	if (!p.as) {
		err = ctx_nomem(vol->ctx, "a map of a quota file");
		goto out;
	}
	p.refs = p.as + q.nr;
	err = prove_tree(&p);
	free(p.as);
	if (!err) {
		*out = q;
		return 0;
	}
out:
	quota_free(&q);
	return err;
}

void quota_free(struct quota_file *q)
{
	free(q->data);
	q->data = NULL;
}
