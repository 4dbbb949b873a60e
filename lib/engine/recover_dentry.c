/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names: the one that a fsynced inode holds is put into its directory. What
 * had that name before was removed or renamed since the checkpoint (kernel
 * fs/f2fs/recovery.c, recover_dentry(); dir.c, f2fs_delete_entry()).
 */
#include "config.h"

#include "engine/recover_int.h"
#include "engine/lost_found.h"
#include "engine/orphans.h"

#include <errno.h>
#include <string.h>

static int to_be_freed(struct recover *r, uint32_t ino)
{
	return vec_push(&r->dead, &ino) ?
	       ctx_nomem(r->vol->ctx, "the inodes to be freed") : 0;
}

static void stamp_ctime(struct od_inode *od, const struct inode_time *now)
{
	le64_set(&od->i_ctime, (uint64_t)now->sec);
	le32_set(&od->i_ctime_nsec, now->nsec);
}

/*
 * A name of inode @ino is gone. A directory has but one. An inode that cannot
 * be read is left to a check. @block is a buffer.
 */
static int drop_link(struct recover *r, uint32_t ino, uint8_t *block)
{
	struct volume *vol = r->vol;
	struct inode inode;
	int err = inode_read(vol, ino, block, &inode);

	if (err == -EUCLEAN || err == -ENOENT) {
		ctx_clear_error(vol->ctx);
		return 0;
	}
	if (err)
		return err;
	if (inode_is_dir(&inode) || !inode.links)
		inode.links = 1;
	le32_set(&od_of(block)->i_links, inode.links - 1);
	stamp_ctime(od_of(block), &r->now);
	err = edit_write_node(r->ed, ino, block);
	if (!err && inode.links == 1)
		err = to_be_freed(r, ino);
	return err;
}

/* The inode knows the name by which it is found. */
static void note_name(struct recover *r, const uint8_t *from, bool is_secret)
{
	struct od_inode *d = od_of(r->iblock);
	const struct od_inode *s = od_of(from);

	d->i_pino = s->i_pino;
	d->i_namelen = s->i_namelen;
	memcpy(d->i_name, s->i_name, sizeof(d->i_name));
	if (is_secret)
		d->i_advise |= OD_ADVISE_ENC_NAME;
	r->inode.advise = d->i_advise;
}

static int add_name(struct recover *r, const uint8_t *from, uint32_t dir,
		    const struct dir_name *name)
{
	struct inode parent;
	int err;

	err = dir_edit_add(r->ed, dir, name, r->inode.ino,
			   dir_file_type(r->inode.mode), &r->now);
	if (!err)
		err = inode_read(r->vol, dir, r->node, &parent);
	if (err)
		return err;
	note_name(r, from, parent.advise & OD_ADVISE_ENCRYPT);
	r->st->names_added++;
	return 0;
}

int recover_dentry(struct recover *r, const uint8_t *from)
{
	uint32_t dir = le32_get(od_of(from)->i_pino);
	struct dir_found found;
	struct dir_name name;
	int err = dir_name_of_inode(from, &name);

	if (!err)
		err = dir_edit_lookup(r->ed, dir, &name, &found);
	if (!err && found.ino == r->inode.ino)
		return 0;
	if (!err) {
		err = dir_edit_remove(r->ed, dir, &name, &r->now);
		if (!err)
			err = drop_link(r, found.ino, r->node);
		r->st->names_removed++;
	} else if (err == -ENOENT) {
		err = 0;
	}
	return err ? err : add_name(r, from, dir, &name);
}

static int collect_entry(void *priv, const struct dir_entry *e)
{
	bool is_dot = e->name[0] == '.' &&
		      (e->name_len == 1 ||
		       (e->name_len == 2 && e->name[1] == '.'));

	return is_dot || vec_push((struct ino_vec *)priv, &e->ino) == 0 ?
	       0 : -ENOMEM;
}

/*
 * What a directory held that is gone. It was removed from there or renamed
 * before the directory could be, and which of the two nobody knows any more:
 * a kernel leaves it behind without a name. Ours is in lost+found, unless it
 * has other names.
 */
static int keep_entry(struct recover *r, uint32_t ino)
{
	struct volume *vol = r->vol;
	struct inode inode;
	int err = inode_read(vol, ino, r->node, &inode);

	if (err == -EUCLEAN || err == -ENOENT) {
		ctx_clear_error(vol->ctx);
		return 0;
	}
	if (err)
		return err;
	if (!inode_is_dir(&inode) && inode.links != 1)
		return drop_link(r, ino, r->node);
	r->st->inodes_kept++;
	return lost_found_add(r->ed, ino, &r->now);
}

static int keep_entries(struct recover *r, const struct inode *dir,
			const uint8_t *block)
{
	struct ino_vec inos = { 0 };
	int err = dir_iterate(r->vol, dir, block, collect_entry, &inos);

	for (size_t i = 0; !err && i < inos.nr; i++)
		if (inos.v[i] != OD_ROOT_INO)
			err = keep_entry(r, inos.v[i]);
	vec_free(&inos);
	return err;
}

int recover_free_dead(struct recover *r)
{
	struct orphans_stats freed = { 0 };
	int err = 0;

	/* Each directory is there once only, so this ends. */
	while (!err && r->dead.nr) {
		uint32_t ino = r->dead.v[--r->dead.nr];

		if (nat_get(&r->vol->nat, ino).blk == OD_BLK_NULL)
			continue;
		err = inode_read(r->vol, ino, r->iblock, &r->inode);
		if (!err && inode_is_dir(&r->inode))
			err = keep_entries(r, &r->inode, r->iblock);
		if (!err)
			err = orphans_free_inode(r->ed, ino, &freed);
	}
	r->st->inodes_freed += freed.inodes;
	return err;
}
