/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the library reads of a volume, in the formats that manifest.py and
 * fiemap.py print of the same volume when a kernel has it mounted.
 *
 * usage: f2dump manifest|fiemap|frag|pending|nodes IMAGE
 */
#include "config.h"

#include "f2dump.h"
#include "base/map.h"
#include "base/vec.h"
#include "dev/dev_file.h"
#include "tree/filemap.h"
#include "tree/frag.h"
#include "tree/pending.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct path_vec VEC_BODY(struct path);

void print_escaped(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (bytes[i] >= 0x21 && bytes[i] <= 0x7e && bytes[i] != '\\')
			putchar(bytes[i]);
		else
			printf("\\x%02x", bytes[i]);
	}
}

void print_path(const struct path *p)
{
	print_escaped((const uint8_t *)p->name, strlen(p->name));
}

static int add_path(void *priv, const struct walk_visit *v)
{
	struct path_vec *paths = priv;
	struct path p = { .ino = v->inode->ino };

	p.name = strdup(v->path[1] ? v->path + 1 : ".");
	return p.name ? vec_push(paths, &p) : -ENOMEM;
}

/* The root first, then by bytes. */
static int compare_paths(const void *a, const void *b)
{
	const struct path *x = a, *y = b;
	int x_root = !strcmp(x->name, "."), y_root = !strcmp(y->name, ".");

	return x_root || y_root ? y_root - x_root : strcmp(x->name, y->name);
}

static int find_leaders(struct path_vec *paths)
{
	struct map first = { 0 };
	uint64_t leader;
	int err = 0;

	for (size_t i = 0; !err && i < paths->nr; i++) {
		paths->v[i].leader = i;
		if (map_get(&first, paths->v[i].ino, &leader))
			paths->v[i].leader = leader;
		else
			err = map_put(&first, paths->v[i].ino, i);
	}
	map_free(&first);
	return err;
}

static int with_paths(struct volume *vol,
		      int (*fn)(struct volume *, const struct paths *))
{
	struct path_vec found = { 0 };
	int err, walk_err;

	walk_err = walk_tree(vol, add_path, &found);
	err = walk_err == -EUCLEAN ? 0 : walk_err;
	if (!err && found.nr)
		qsort(found.v, found.nr, sizeof(*found.v), compare_paths);
	if (!err)
		err = find_leaders(&found);
	if (!err)
		err = fn(vol, &(struct paths){ found.v, found.nr });
	for (size_t i = 0; i < found.nr; i++)
		free(found.v[i].name);
	vec_free(&found);
	return err ? err : walk_err;
}

static int dump_frag(struct volume *vol)
{
	struct frag f = { 0 };
	int err = frag_scan(vol, 0, &f);

	if (err)
		return err;
	printf("files=%" PRIu64 " file_blocks=%" PRIu64 " extents=%" PRIu64
	       " ideal_extents=%" PRIu64 " fragmented_files=%" PRIu64
	       " breaks=%" PRIu64 " neighbours=%" PRIu64 "\n",
	       f.files, f.file_blocks, f.extents, f.ideal_extents,
	       f.fragmented_files, f.breaks, f.neighbours);
	printf("free_blocks=%" PRIu64 " free_runs=%" PRIu64
	       " longest_free_run=%" PRIu64 " free_segs=%u dirty_segs=%u"
	       " free_secs=%u dirty_secs=%u\n",
	       f.free_blocks, f.free_runs, f.longest_free_run, f.free_segs,
	       f.dirty_segs, f.free_secs, f.dirty_secs);
	return 0;
}

static int dump_pending(struct volume *vol)
{
	uint64_t nr;
	int err = pending_fsyncs(vol, &nr);

	if (!err)
		printf("pending=%" PRIu64 "\n", nr);
	return err;
}

struct node_counts {
	atomic_ulong nr[NODE_BAD + 1];
	atomic_ulong unreadable;
};

static int count_node(void *priv, unsigned int worker,
		      const struct node_visit *v)
{
	struct node_counts *c = ((void **)priv)[0];
	const struct layout *lo = ((void **)priv)[1];

	(void)worker;
	if (v->block)
		c->nr[node_kind(lo, foot_ofs(node_foot(lo, v->block)))]++;
	else
		c->unreadable++;
	return 0;
}

static int dump_nodes(struct volume *vol)
{
	static const char *const names[] = {
		"inode", "direct", "indirect", "double", "xattr", "bad",
	};
	struct node_counts c = { 0 };
	int err = node_scan(vol, 0, count_node, (void *[]){ &c, &vol->lo });

	for (int i = 0; !err && i <= NODE_BAD; i++)
		printf("%s=%lu ", names[i], c.nr[i]);
	if (!err)
		printf("unreadable=%lu\n", c.unreadable);
	return err;
}

static int dump(struct volume *vol, const char *what)
{
	if (!strcmp(what, "manifest"))
		return with_paths(vol, dump_manifest);
	if (!strcmp(what, "fiemap"))
		return with_paths(vol, dump_fiemap);
	if (!strcmp(what, "frag"))
		return dump_frag(vol);
	if (!strcmp(what, "pending"))
		return dump_pending(vol);
	if (!strcmp(what, "nodes"))
		return dump_nodes(vol);
	return -EINVAL;
}

int main(int argc, char **argv)
{
	struct f2c_ctx *ctx = ctx_new();
	struct volume *vol = NULL;
	struct dev *dev = NULL;
	int err;

	if (argc != 3 || !ctx) {
		fprintf(stderr, "usage: f2dump manifest|fiemap|frag|pending|"
			"nodes IMAGE\n");
		return 2;
	}
	err = dev_file_open(ctx, argv[2], 0, 0, &dev);
	if (!err)
		err = volume_open(ctx, dev, &vol, NULL);
	if (err)
		dev_close(dev);
	else
		err = dump(vol, argv[1]);
	volume_close(vol);
	if (err)
		fprintf(stderr, "f2dump: %s: %s: %s\n", argv[2],
			strerror(-err), ctx_error(ctx));
	ctx_free(ctx);
	return err ? 1 : 0;
}
