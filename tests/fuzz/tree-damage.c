/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Damage the nodes and directory blocks of a good volume at random, in memory
 * only, and read everything: whatever comes of it, it ends, and no byte is
 * touched that is not ours (run it under sanitizers, with a time limit).
 *
 * usage: tree-damage IMAGE SEED ROUNDS
 */
#include "config.h"

#include "base/vec.h"
#include "dev/dev_file.h"
#include "dev/dev_stack.h"
#include "tree/filemap.h"
#include "tree/frag.h"
#include "tree/pending.h"
#include "tree/walk.h"
#include "tree/xattr.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WOUNDS	24U		/* blocks changed in a round */
#define MAX_CHANGES	8U		/* changes of one block */

struct blk_vec VEC_BODY(uint32_t);

struct wound {
	uint32_t blk;
	uint8_t *before;
};

struct damage {
	struct volume *vol;
	struct blk_vec targets;		/* nodes and directory blocks */
	struct blk_vec nids;
	uint64_t seed;
	struct wound wounds[MAX_WOUNDS];
	unsigned int nr_wounds;
	uint64_t visited;
	uint64_t refused;
};

static uint32_t random_below(struct damage *d, uint32_t n)
{
	d->seed = d->seed * 6364136223846793005U + 1442695040888963407U;
	return (uint32_t)((d->seed >> 33) % n);
}

static uint32_t pick(struct damage *d, const struct blk_vec *v)
{
	return v->v[random_below(d, (uint32_t)v->nr)];
}

/* A number that may do harm where one is expected. */
static uint32_t bad_number(struct damage *d)
{
	switch (random_below(d, 9)) {
	case 0:
		return 0;
	case 1:
		return OD_BLK_NEW;
	case 2:
		return OD_BLK_COMPRESS;
	case 3:
		return pick(d, &d->nids);
	case 4:
		return pick(d, &d->targets);
	case 5:
		return d->vol->lo.end_blk - random_below(d, 2);
	case 6:
		return 1U << random_below(d, 32);
	case 7:
		return random_below(d, 64);
	default:
		return random_below(d, UINT32_MAX);
	}
}

/* Fields are where the numbers are, so they are hit more often. */
static uint32_t place(struct damage *d)
{
	uint32_t size = d->vol->lo.block_size;

	switch (random_below(d, 4)) {
	case 0:
		return random_below(d, 400);
	case 1:
		return size - 44 + random_below(d, 44);
	default:
		return random_below(d, size);
	}
}

static void change(struct damage *d, uint8_t *block)
{
	uint32_t size = d->vol->lo.block_size;
	uint32_t at = place(d);
	uint32_t number = bad_number(d);

	switch (random_below(d, 4)) {
	case 0:
		block[at] ^= (uint8_t)(1U << random_below(d, 8));
		break;
	case 1:
		block[at] = (uint8_t)number;
		break;
	case 2:
		memset(block + at, (int)number, random_below(d, size - at));
		break;
	default:
		at = at % (size - 3) / 4 * 4;
		memcpy(block + at, &number, sizeof(number));
	}
}

static int wound(struct damage *d)
{
	struct wound *w = &d->wounds[d->nr_wounds];
	struct dev *dev = d->vol->dev;
	uint32_t size = d->vol->lo.block_size;
	uint8_t *now = malloc(size);
	int err = -ENOMEM;

	w->blk = pick(d, &d->targets);
	w->before = malloc(size);
	if (!now || !w->before)
		goto out;
	d->nr_wounds++;
	err = dev_read(dev, w->blk, 1, w->before);
	if (!err)
		err = dev_read(dev, random_below(d, 8) ? w->blk :
			       pick(d, &d->targets), 1, now);
	if (err)
		goto out;
	for (uint32_t n = random_below(d, MAX_CHANGES); n; n--)
		change(d, now);
	err = dev_write(dev, w->blk, 1, now);
out:
	free(now);
	return err;
}

/* In the order opposite to that of the wounds: a block may have several. */
static int heal(struct damage *d)
{
	int err = 0;

	while (d->nr_wounds) {
		struct wound *w = &d->wounds[--d->nr_wounds];
		int e = dev_write(d->vol->dev, w->blk, 1, w->before);

		free(w->before);
		err = err ? err : e;
	}
	return err;
}

static int count(struct damage *d, int err)
{
	if (err == -EUCLEAN)
		d->refused++;
	return err == -EUCLEAN || err == -EOPNOTSUPP || err == -ENOENT ||
	       err == -ERANGE ? 0 : err;
}

static int see_mapping(void *priv, const struct mapping *m)
{
	struct damage *d = priv;

	d->visited += m->lblk != UINT64_MAX;
	return 0;
}

static int see_extent(void *priv, const struct extent *e)
{
	struct damage *d = priv;

	d->visited += e->len;
	return 0;
}

static int see_xattr(void *priv, const struct xattr *x)
{
	struct damage *d = priv;

	for (uint16_t i = 0; i < x->value_size; i++)
		d->visited += x->value[i];
	return 0;
}

static int see_entry(void *priv, const struct dir_entry *e)
{
	struct damage *d = priv;

	for (uint16_t i = 0; i < e->name_len; i++)
		d->visited += e->name[i];
	return 0;
}

/* Everything there is of one inode; -ENOMEM and such end the test. */
static int read_inode(struct damage *d, const struct inode *inode,
		      const void *block)
{
	struct volume *vol = d->vol;
	uint8_t *buf = malloc(vol->lo.block_size);
	uint32_t ino;
	int err;

	if (!buf)
		return -ENOMEM;
	err = count(d, filemap_walk(vol, inode, block, see_mapping, d));
	if (!err)
		err = count(d, filemap_extents(vol, inode, block, see_extent,
					       d));
	if (!err)
		err = count(d, filemap_read(vol, inode, block,
					    inode->size / 4096 / 2, buf));
	if (!err)
		err = count(d, xattr_iterate(vol, inode, block, see_xattr, d));
	if (!err && inode_is_dir(inode))
		err = count(d, dir_iterate(vol, inode, block, see_entry, d));
	if (!err && inode_is_dir(inode))
		err = count(d, dir_lookup(vol, inode, block,
					  (const uint8_t *)"no such", 7,
					  &ino));
	d->visited += inode_rdev(inode, block);
	free(buf);
	return err;
}

static int see_path(void *priv, const struct walk_visit *v)
{
	return read_inode(priv, v->inode, v->block);
}

/* Inodes that no path leads to any more. */
static int see_node(void *priv, unsigned int worker,
		    const struct node_visit *v)
{
	struct damage *d = priv;
	struct inode inode;
	struct fault fault;

	(void)worker;
	if (!v->block || v->nat.ino != v->nid || random_below(d, 8))
		return 0;
	if (inode_decode(&d->vol->lo, v->block, &inode, &fault))
		return 0;
	return read_inode(d, &inode, v->block);
}

static int read_all(struct damage *d)
{
	struct frag frag = { 0 };
	uint64_t nr;
	int err;

	err = count(d, walk_tree(d->vol, see_path, d));
	if (!err)
		err = node_scan(d->vol, 1, see_node, d);
	if (!err)
		err = frag_scan(d->vol, 2, &frag);
	if (!err)
		err = count(d, pending_fsyncs(d->vol, &nr));
	return err;
}

static int damage_round(struct damage *d)
{
	uint32_t nid = pick(d, &d->nids);
	struct nat_entry before = nat_get(&d->vol->nat, nid);
	struct nat_entry now = { .ino = before.ino, .blk = bad_number(d) };
	uint16_t next = d->vol->cp.log[LOG_WARM_NODE].next;
	int err = 0, healed;

	if (!random_below(d, 4))
		now.ino = bad_number(d);
	if (!random_below(d, 2))
		err = nat_set(&d->vol->nat, nid, &now);
	d->vol->cp.log[LOG_WARM_NODE].next = (uint16_t)random_below(d, 512);
	for (uint32_t n = 1 + random_below(d, MAX_WOUNDS); !err && n; n--)
		err = wound(d);
	if (!err)
		err = read_all(d);
	d->vol->cp.log[LOG_WARM_NODE].next = next;
	healed = heal(d);
	if (!healed)
		healed = nat_set(&d->vol->nat, nid, &before);
	return err ? err : healed;
}

static int add_dir_block(void *priv, const struct mapping *m)
{
	struct damage *d = priv;

	return blk_is_main(&d->vol->lo, m->blk) ?
	       vec_push(&d->targets, &m->blk) : 0;
}

static int add_target(void *priv, unsigned int worker,
		      const struct node_visit *v)
{
	struct damage *d = priv;
	struct inode inode;
	struct fault fault;

	(void)worker;
	if (vec_push(&d->targets, &v->nat.blk) || vec_push(&d->nids, &v->nid))
		return -ENOMEM;
	if (v->nat.ino != v->nid ||
	    inode_decode(&d->vol->lo, v->block, &inode, &fault) ||
	    !inode_is_dir(&inode))
		return 0;
	return filemap_walk(d->vol, &inode, v->block, add_dir_block, d);
}

static int open_in_memory(struct f2c_ctx *ctx, const char *name,
			  struct volume **out)
{
	struct dev *dev = NULL, *overlay = NULL;
	int err;

	err = dev_file_open(ctx, name, 0, 0, &dev);
	if (!err)
		err = dev_overlay_open(dev, &overlay);
	if (!err)
		err = volume_open(ctx, overlay, out, NULL);
	if (err)
		dev_close(overlay ? overlay : dev);
	return err;
}

int main(int argc, char **argv)
{
	struct f2c_ctx *ctx = ctx_new();
	struct damage d = { 0 };
	int err, round = 0;

	if (argc != 4 || !ctx) {
		fprintf(stderr, "usage: tree-damage IMAGE SEED ROUNDS\n");
		return 2;
	}
	err = open_in_memory(ctx, argv[1], &d.vol);
	if (!err)
		err = node_scan(d.vol, 1, add_target, &d);
	for (; !err && round < atoi(argv[3]); round++) {
		d.seed = strtoull(argv[2], NULL, 0) * 1000003 +
			 (unsigned int)round;
		err = damage_round(&d);
	}
	if (err)
		fprintf(stderr, "tree-damage: seed %s, round %d: %s: %s\n",
			argv[2], round, strerror(-err), ctx_error(ctx));
	else
		printf("%d rounds, %" PRIu64 " refusals\n", round, d.refused);
	vec_free(&d.targets);
	vec_free(&d.nids);
	volume_close(d.vol);
	ctx_free(ctx);
	return err ? 1 : 0;
}
