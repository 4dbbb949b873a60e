/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The directory lost+found and what enters it. */
#include "config.h"

#include "engine/lost_found.h"

#include "engine/dentry_edit.h"
#include "engine/dir_edit.h"
#include "engine/map_edit.h"
#include "format/hash.h"
#include "tree/dir.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_NAMES 100			/* tried for one inode */

static const uint8_t dir_name[] = "lost+found";

static struct dir_name name_of(const uint8_t *name, size_t len)
{
	return (struct dir_name){ .name = name, .len = len };
}

static struct od_inode *od_of(uint8_t *block)
{
	return (struct od_inode *)block;
}

static void set_own_name(uint8_t *block, uint32_t dir,
			 const struct dir_name *name)
{
	struct od_inode *od = od_of(block);

	le32_set(&od->i_pino, dir);
	le32_set(&od->i_namelen, (uint32_t)name->len);
	memset(od->i_name, 0, sizeof(od->i_name));
	memcpy(od->i_name, name->name, name->len);
	od->i_advise &= (uint8_t)~(OD_ADVISE_ENC_NAME | OD_ADVISE_LOST_PINO);
}

static void set_times(struct od_inode *od, const struct inode_time *now)
{
	le64_set(&od->i_atime, (uint64_t)now->sec);
	le64_set(&od->i_mtime, (uint64_t)now->sec);
	le64_set(&od->i_ctime, (uint64_t)now->sec);
	le32_set(&od->i_atime_nsec, now->nsec);
	le32_set(&od->i_mtime_nsec, now->nsec);
	le32_set(&od->i_ctime_nsec, now->nsec);
}

/* An inode of the form that the root has, which was made with the volume. */
static void fill_inode(struct volume *vol, uint32_t ino, uint8_t *block,
		       const uint8_t *root, const struct inode_time *now)
{
	const struct od_inode_extra *from = inode_extra(root);
	struct od_inode_extra *extra = inode_extra(block);
	struct od_node_foot *foot = node_foot(&vol->lo, block);
	struct od_inode *od = od_of(block);
	const struct od_inode *od_root = (const struct od_inode *)root;
	struct dir_name name = name_of(dir_name, sizeof(dir_name) - 1);

	memset(block, 0, vol->lo.block_size);
	le16_set(&od->i_mode, S_IFDIR | 0700);
	le32_set(&od->i_links, 2);
	le64_set(&od->i_size, vol->lo.block_size);
	le64_set(&od->i_blocks, 1);
	le32_set(&od->i_current_depth, 1);
	set_times(od, now);
	set_own_name(block, OD_ROOT_INO, &name);
	od->i_inline = od_root->i_inline &
		       (OD_INLINE_XATTR | OD_INLINE_EXTRA_ATTR);
	if (od->i_inline & OD_INLINE_EXTRA_ATTR) {
		extra->i_extra_isize = from->i_extra_isize;
		if (layout_has(&vol->lo, OD_FEATURE_FLEXIBLE_INLINE_XATTR))
			extra->i_inline_xattr_size = from->i_inline_xattr_size;
		if (layout_has(&vol->lo, OD_FEATURE_INODE_CRTIME)) {
			le64_set(&extra->i_crtime, (uint64_t)now->sec);
			le32_set(&extra->i_crtime_nsec, now->nsec);
		}
	}
	le32_set(&foot->nid, ino);
	le32_set(&foot->ino, ino);
}

static void put_dots(const struct layout *lo, uint32_t ino, uint8_t *block)
{
	static const uint8_t dots[] = "..";
	struct dentry_area area;

	memset(block, 0, lo->block_size);
	dentry_area_of_block(lo, block, &area);
	for (uint16_t len = 1; len <= 2; len++)
		dentry_put(&area, &(struct dir_entry){
			.ino = len == 1 ? ino : OD_ROOT_INO,
			.hash = dentry_hash(dots, len),
			.file_type = OD_FT_DIR, .name = dots, .name_len = len,
			.slot = len - 1U });
}

/* @block: two blocks. */
static int make_dir(struct edit *ed, const struct inode_time *now,
		    uint8_t *block, uint32_t *dir)
{
	struct volume *vol = ed->vol;
	uint8_t *root = block + vol->lo.block_size;
	struct dir_name name = name_of(dir_name, sizeof(dir_name) - 1);
	struct file_slot slot;
	int err;

	err = node_read(vol, OD_ROOT_INO, root);
	if (!err)
		err = edit_new_nid(ed, dir);
	if (err)
		return err;
	fill_inode(vol, *dir, block, root, now);
	err = edit_write_node(ed, *dir, block);
	if (!err)
		err = map_edit_slot(ed, *dir, 0, &slot);
	if (err)
		return err;
	put_dots(&vol->lo, *dir, block);
	err = map_edit_write(ed, &slot, LOG_HOT_DATA, block);
	return err ? err : dir_edit_add(ed, OD_ROOT_INO, &name, *dir, OD_FT_DIR,
					now);
}

static int find_dir(struct edit *ed, const struct inode_time *now,
		    uint8_t *block, uint32_t *dir)
{
	struct dir_name name = name_of(dir_name, sizeof(dir_name) - 1);
	struct dir_found found;
	int err = dir_edit_lookup(ed, OD_ROOT_INO, &name, &found);

	if (err == -ENOENT)
		return make_dir(ed, now, block, dir);
	if (err)
		return err;
	if (found.file_type != OD_FT_DIR)
		return ctx_fail(ed->vol->ctx, -EEXIST, "%s: lost+found is not "
				"a directory: rename it", ed->vol->dev->name);
	*dir = found.ino;
	return 0;
}

/* The number, and if that is taken the number with something behind it. */
static int add_name(struct edit *ed, uint32_t dir, const struct inode *inode,
		    const struct inode_time *now, char text[32],
		    struct dir_name *name)
{
	int err = -EEXIST;

	for (int i = 0; err == -EEXIST && i < MOST_NAMES; i++) {
		snprintf(text, 32, i ? "%" PRIu32 ".%d" : "%" PRIu32,
			 inode->ino, i);
		*name = name_of((const uint8_t *)text, strlen(text));
		err = dir_edit_add(ed, dir, name, inode->ino,
				   dir_file_type(inode->mode), now);
	}
	return err == -EEXIST ? ctx_fail(ed->vol->ctx, err, "lost+found has all"
			" names that inode %" PRIu32 " could get", inode->ino) :
	       err;
}

static int set_parent(struct edit *ed, uint32_t ino, uint32_t dir)
{
	static const uint8_t dots[] = "..";
	struct dir_name name = name_of(dots, 2);
	int err = dir_edit_replace(ed, ino, &name, dir, OD_FT_DIR, NULL);

	/* Without one it is no worse than before. */
	return err == -ENOENT ? 0 : err;
}

/* @block: two blocks. */
static int add(struct edit *ed, uint32_t ino, const struct inode_time *now,
	       uint8_t *block)
{
	struct dir_name name;
	struct inode inode;
	char text[32];
	uint32_t dir;
	int err;

	err = find_dir(ed, now, block, &dir);
	if (!err)
		err = inode_read(ed->vol, ino, block, &inode);
	if (!err)
		err = add_name(ed, dir, &inode, now, text, &name);
	if (err)
		return err;
	set_own_name(block, dir, &name);
	err = edit_write_node(ed, ino, block);
	if (!err && inode_is_dir(&inode))
		err = set_parent(ed, ino, dir);
	return err;
}

int lost_found_add(struct edit *ed, uint32_t ino, const struct inode_time *now)
{
	uint8_t *block = malloc(2 * (size_t)ed->vol->lo.block_size);
	int err = block ? add(ed, ino, now, block) :
			  ctx_nomem(ed->vol->ctx, "an inode");

	free(block);
	return err;
}
