/* SPDX-License-Identifier: GPL-2.0-or-later */
/* f2dump fiemap: the format of fiemap.py. */
#include "config.h"

#include "f2dump.h"
#include "base/vec.h"
#include "tree/filemap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct totals {
	uint64_t files, dirs, inline_, written, unwritten, blocks, one_block;
};

struct extent_vec VEC_BODY(struct extent);

static int add_extent(void *priv, const struct extent *e)
{
	return vec_push((struct extent_vec *)priv, e);
}

static void print_inline(struct volume *vol, const struct inode *inode)
{
	uint64_t blk = nat_get(&vol->nat, inode->ino).blk;

	printf(" inline:%" PRIu64 "@%" PRIu64,
	       inode->size < inode->inline_bytes ?
			inode->size : inode->inline_bytes,
	       blk * vol->lo.block_size + inode->inline_off);
}

/* fiemap.py counts in blocks of 4096 bytes whatever the volume has. */
static void print_extent(struct volume *vol, const struct inode *inode,
			 const struct extent *e, struct totals *t)
{
	uint32_t unit = vol->lo.block_size / 4096;
	uint64_t len = e->len * unit;

	if (e->flags & EXT_INLINE) {
		t->inline_++;
		print_inline(vol, inode);
		return;
	}
	printf(" %" PRIu64 "+%" PRIu64 "@", e->lblk * unit, len);
	if (e->flags & EXT_UNWRITTEN) {
		t->unwritten++;
		printf("new");
		return;
	}
	t->written++;
	t->blocks += len;
	t->one_block += len == 1;
	printf("%" PRIu64 "%s", (uint64_t)e->blk * unit,
	       e->flags & EXT_ENCODED ? ":z" : "");
}

static int print_map(struct volume *vol, const struct inode *inode,
		     const void *block, struct totals *t)
{
	struct extent_vec v = { 0 };
	int err = filemap_extents(vol, inode, block, add_extent, &v);

	if (!err)
		printf(" %zu", v.nr);
	for (size_t i = 0; !err && i < v.nr; i++)
		print_extent(vol, inode, &v.v[i], t);
	putchar('\n');
	vec_free(&v);
	return err;
}

static int print_line(struct volume *vol, const struct paths *paths, size_t i,
		      void *block, struct totals *t)
{
	const struct path *p = &paths->v[i];
	struct inode inode;
	uint8_t type;
	int err;

	err = inode_read(vol, p->ino, block, &inode);
	if (err)
		return err;
	type = dir_file_type(inode.mode);
	if (type != OD_FT_REG && type != OD_FT_DIR)
		return 0;
	print_path(p);
	if (p->leader != i) {
		printf(" link ");
		print_path(&paths->v[p->leader]);
		putchar('\n');
		return 0;
	}
	if (type == OD_FT_REG)
		t->files++;
	else
		t->dirs++;
	return print_map(vol, &inode, block, t);
}

int dump_fiemap(struct volume *vol, const struct paths *paths)
{
	void *block = malloc(vol->lo.block_size);
	int err = block ? 0 : -ENOMEM;
	struct totals t = { 0 };

	puts("# fiemap 1");
	for (size_t i = 0; !err && i < paths->nr; i++)
		err = print_line(vol, paths, i, block, &t);
	printf("# total files=%" PRIu64 " dirs=%" PRIu64 " inline=%" PRIu64
	       " written=%" PRIu64 " unwritten=%" PRIu64 " blocks=%" PRIu64
	       " one_block=%" PRIu64 "\n", t.files, t.dirs, t.inline_,
	       t.written, t.unwritten, t.blocks, t.one_block);
	free(block);
	return err;
}
