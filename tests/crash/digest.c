/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Digest of a whole tree through the library's reader. */
#include "config.h"

#include "digest.h"

#include "hash.h"
#include "tree/filemap.h"
#include "tree/walk.h"
#include "tree/xattr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 4096U

struct digester {
	struct volume *vol;
	struct digest d;
	uint8_t buf[BLOCK];
};

static void add(struct digester *g, const void *data, size_t len)
{
	g->d.hash = hash_bytes(g->d.hash, data, len);
}

static void add_u64(struct digester *g, uint64_t v)
{
	add(g, &v, sizeof(v));
}

static void add_time(struct digester *g, const struct inode_time *t)
{
	add_u64(g, (uint64_t)t->sec);
	add_u64(g, t->nsec);
}

static void add_attributes(struct digester *g, const struct inode *i)
{
	add_u64(g, i->ino);
	add_u64(g, i->mode);
	add_u64(g, (uint64_t)i->uid << 32 | i->gid);
	add_u64(g, i->links);
	add_u64(g, i->size);
	add_u64(g, i->blocks);
	add_u64(g, i->flags);
	add_u64(g, i->advise);
	add_u64(g, i->inl);
	add_u64(g, i->generation);
	add_u64(g, i->projid);
	add_u64(g, i->pino);
	add_time(g, &i->atime);
	add_time(g, &i->ctime);
	add_time(g, &i->mtime);
	add_time(g, &i->crtime);
}

static int add_mapping(void *priv, const struct mapping *m)
{
	struct digester *g = priv;
	int err;

	add_u64(g, m->lblk);
	if (!blk_is_real(m->blk)) {
		add_u64(g, m->blk);
		return 0;
	}
	if (!blk_is_main(&g->vol->lo, m->blk) ||
	    !sit_is_valid(&g->vol->sit, m->blk))
		return -EUCLEAN;
	err = dev_read(g->vol->dev, m->blk, 1, g->buf);
	if (!err)
		add(g, g->buf, BLOCK);
	g->d.blocks++;
	return err;
}

static int add_xattr(void *priv, const struct xattr *x)
{
	struct digester *g = priv;

	add_u64(g, x->index);
	add(g, x->name, x->name_len);
	add(g, x->value, x->value_size);
	return 0;
}

static int add_inode(struct digester *g, const struct inode *i,
		     const uint8_t *block)
{
	int err;

	add_attributes(g, i);
	if (i->inl & (OD_INLINE_DATA | OD_INLINE_DENTRY))
		add(g, block + i->inline_off, i->inline_bytes);
	if (inode_has_blocks(i)) {
		err = filemap_walk(g->vol, i, block, add_mapping, g);
		if (err)
			return err;
	}
	return xattr_iterate(g->vol, i, block, add_xattr, g);
}

static int add_visit(void *priv, const struct walk_visit *v)
{
	struct digester *g = priv;

	g->d.paths++;
	add(g, v->path, strlen(v->path));
	return add_inode(g, v->inode, v->block);
}

static int add_orphans(struct digester *g)
{
	uint8_t block[BLOCK];
	struct inode inode;
	int err;

	add_u64(g, g->vol->cp.nr_orphans);
	for (uint32_t i = 0; i < g->vol->cp.nr_orphans; i++) {
		err = inode_read(g->vol, g->vol->cp.orphans[i], block, &inode);
		if (!err)
			err = add_inode(g, &inode, block);
		if (err)
			return err;
	}
	return 0;
}

int digest_volume(struct volume *vol, struct digest *out)
{
	struct digester *g = calloc(1, sizeof(*g));
	int err;

	if (!g)
		return -ENOMEM;
	g->vol = vol;
	err = walk_tree(vol, add_visit, g);
	if (!err)
		err = add_orphans(g);
	*out = g->d;
	free(g);
	return err;
}
