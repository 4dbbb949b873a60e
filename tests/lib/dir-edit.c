/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes names on a volume by what standard input says, as one commit; a line
 * each, fields between tabs, names in hexadecimal digits, the others paths:
 *
 *	add DIR NAME FILE	a hard link of FILE, or an entry of a directory that
 *				has none (its ".." follows)
 *	remove DIR NAME		and what had no other name
 *	replace DIR NAME FILE	NAME was a link of another file
 *	fill DIR COUNT FILE	COUNT hard links, n0000000 and so on
 *	again			every name of every directory is taken out and put
 *				in again, with its hash where that takes a key
 *
 * With --list it prints of every directory how it is laid out: its inode's
 * numbers, and each entry with its place.
 *
 * usage: dir-edit [--list] IMAGE
 */
#include "config.h"

#include "dev/dev_file.h"
#include "engine/dir_edit.h"
#include "engine/orphans.h"
#include "tree/walk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct job {
	struct volume *vol;
	struct edit ed;
	struct inode_time now;
	uint8_t *block;
	uint64_t done;
};

/* Another link of a file, or one less; the last one frees it. */
static int change_links(struct job *j, uint32_t ino, int by)
{
	struct od_inode *od = (struct od_inode *)j->block;
	struct orphans_stats st = { 0 };
	struct inode inode;
	bool is_last;
	int err = inode_read(j->vol, ino, j->block, &inode);

	if (err)
		return err;
	is_last = by < 0 && (inode_is_dir(&inode) || inode.links < 2);
	le32_set(&od->i_links, is_last ? 0 : inode.links + (uint32_t)by);
	/* As the kernel does: the name in it may not be the only one. */
	od->i_advise |= OD_ADVISE_LOST_PINO;
	err = edit_write_node(&j->ed, ino, j->block);
	if (err || !is_last)
		return err;
	return orphans_free_inode(&j->ed, ino, &st);
}

static int need_type(struct job *j, uint32_t ino, uint8_t *type)
{
	struct inode inode;
	int err = inode_read(j->vol, ino, j->block, &inode);

	if (!err)
		*type = dir_file_type(inode.mode);
	return err;
}

static int add(struct job *j, uint32_t dir, const struct dir_name *name,
	       uint32_t ino)
{
	static const struct dir_name dots = { (const uint8_t *)"..", 2, 0, 0 };
	uint8_t type;
	int err = need_type(j, ino, &type);

	if (!err)
		err = dir_edit_add(&j->ed, dir, name, ino, type, &j->now);
	if (!err && type == OD_FT_DIR)
		return dir_edit_replace(&j->ed, ino, &dots, dir, type,
					&j->now);
	return err ? err : change_links(j, ino, 1);
}

static int fill(struct job *j, uint32_t dir, uint32_t count, uint32_t ino)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < count; i++) {
		char text[32];
		struct dir_name name = { .name = (uint8_t *)text };

		name.len = (size_t)snprintf(text, sizeof(text), "n%07u", i);
		err = add(j, dir, &name, ino);
	}
	return err;
}

static int remove_name(struct job *j, uint32_t dir,
		       const struct dir_name *name)
{
	struct dir_found found;
	int err = dir_edit_lookup(&j->ed, dir, name, &found);

	if (!err)
		err = dir_edit_remove(&j->ed, dir, name, &j->now);
	return err ? err : change_links(j, found.ino, -1);
}

static int replace(struct job *j, uint32_t dir, const struct dir_name *name,
		   uint32_t ino)
{
	struct dir_found found;
	uint8_t type;
	int err = dir_edit_lookup(&j->ed, dir, name, &found);

	if (!err)
		err = need_type(j, ino, &type);
	if (!err)
		err = dir_edit_replace(&j->ed, dir, name, ino, type, &j->now);
	if (!err)
		err = change_links(j, ino, 1);
	return err ? err : change_links(j, found.ino, -1);
}

struct ino_vec VEC_BODY(uint32_t);
struct old_entry {
	struct dir_entry e;
	uint8_t name[OD_NAME_LEN];
};
struct old_vec VEC_BODY(struct old_entry);

static int keep_dir(void *priv, const struct walk_visit *v)
{
	return inode_is_dir(v->inode) ?
	       vec_push((struct ino_vec *)priv, &v->inode->ino) : 0;
}

static int keep_entry(void *priv, const struct dir_entry *e)
{
	struct old_entry old = { .e = *e };

	if (e->name[0] == '.' && (e->name_len == 1 ||
				  (e->name_len == 2 && e->name[1] == '.')))
		return 0;
	memcpy(old.name, e->name, e->name_len);
	return vec_push((struct old_vec *)priv, &old);
}

static int dir_again(struct job *j, uint32_t dir)
{
	struct old_vec olds = { 0 };
	struct inode inode;
	int err = inode_read(j->vol, dir, j->block, &inode);

	if (!err)
		err = dir_iterate(j->vol, &inode, j->block, keep_entry, &olds);
	for (size_t i = 0; !err && i < olds.nr; i++) {
		const struct dir_entry *e = &olds.v[i].e;
		struct dir_name name = {
			.name = olds.v[i].name, .len = e->name_len,
			.has_hash = true, .hash = e->hash,
		};

		err = dir_edit_remove(&j->ed, dir, &name, NULL);
		if (!err)
			err = dir_edit_add(&j->ed, dir, &name, e->ino,
					   e->file_type, NULL);
		j->done++;
	}
	vec_free(&olds);
	return err;
}

static int again(struct job *j)
{
	struct ino_vec dirs = { 0 };
	int err = walk_tree(j->vol, keep_dir, &dirs);

	for (size_t i = 0; !err && i < dirs.nr; i++)
		err = dir_again(j, dirs.v[i]);
	vec_free(&dirs);
	printf("names: %" PRIu64 "\n", j->done);
	return err;
}

static bool parse_hex(const char *hex, uint8_t *out, struct dir_name *name)
{
	*name = (struct dir_name){ .name = out, .len = strlen(hex) / 2 };
	if (name->len > OD_NAME_LEN)
		return false;
	for (size_t i = 0; i < name->len; i++) {
		unsigned int v;

		if (sscanf(hex + 2 * i, "%2x", &v) != 1)
			return false;
		out[i] = (uint8_t)v;
	}
	return true;
}

static int do_line(struct job *j, char *line)
{
	char *verb = strtok(line, "\t\n"), *path = strtok(NULL, "\t\n");
	char *arg = strtok(NULL, "\t\n"), *file = strtok(NULL, "\t\n");
	uint8_t bytes[OD_NAME_LEN];
	struct dir_name name = { .name = bytes };
	uint32_t dir, ino = 0;
	int err;

	if (verb && !strcmp(verb, "again"))
		return again(j);
	if (!verb || !path || !arg)
		return -EINVAL;
	err = walk_lookup(j->vol, path, &dir);
	if (!err && file)
		err = walk_lookup(j->vol, file, &ino);
	if (err)
		return err;
	if (!strcmp(verb, "fill"))
		return fill(j, dir, (uint32_t)atol(arg), ino);
	if (!parse_hex(arg, bytes, &name))
		return -EINVAL;
	j->done++;
	if (!strcmp(verb, "add"))
		return add(j, dir, &name, ino);
	if (!strcmp(verb, "replace"))
		return replace(j, dir, &name, ino);
	return remove_name(j, dir, &name);
}

static int run(struct job *j)
{
	char line[2048], copy[2048];
	struct commit_stats st = { 0 };
	int err = 0;

	while (!err && fgets(line, sizeof(line), stdin)) {
		memcpy(copy, line, sizeof(copy));
		err = do_line(j, line);
		if (err)
			fprintf(stderr, "dir-edit: %s: %s", strerror(-err),
				copy);
	}
	if (!err)
		err = edit_commit(&j->ed, &st);
	printf("blocks written: %" PRIu64 "\n", st.blocks_written);
	return err;
}

static int list_entry(void *priv, const struct dir_entry *e)
{
	const struct inode *dir = priv;

	printf("%u %" PRIu64 "/%u hash=%08x ino=%u type=%u ", dir->ino,
	       e->lblk, e->slot, e->hash, e->ino, e->file_type);
	for (unsigned int i = 0; i < e->name_len; i++)
		printf("%02x", e->name[i]);
	putchar('\n');
	return 0;
}

static int list_dir(void *priv, const struct walk_visit *v)
{
	const struct inode *i = v->inode;

	if (!inode_is_dir(i))
		return 0;
	printf("%u size=%" PRIu64 " depth=%u level=%u blocks=%" PRIu64
	       " links=%u inline=%x\n", i->ino, i->size, i->current_depth,
	       i->dir_level, i->blocks, i->links, i->inl);
	return dir_iterate(priv, i, v->block, list_entry, (void *)i);
}

static int edit_volume(struct volume *vol)
{
	struct job j = { .vol = vol, .now = { .sec = time(NULL), .nsec = 7 } };
	int err = volume_can_write(vol);

	if (!err)
		err = edit_init(&j.ed, vol);
	if (err)
		return err;
	j.block = malloc(vol->lo.block_size);
	err = j.block ? run(&j) : -ENOMEM;
	free(j.block);
	edit_free(&j.ed);
	return err;
}

int main(int argc, char **argv)
{
	struct f2c_ctx *ctx = ctx_new();
	struct volume *vol = NULL;
	bool lists = argc == 3 && !strcmp(argv[1], "--list");
	struct dev *dev;
	int err;

	if ((argc != 2 && !lists) || !ctx)
		return 2;
	err = dev_file_open(ctx, argv[argc - 1], lists ? 0 : DEV_WRITE, 0,
			    &dev);
	if (!err) {
		err = volume_open(ctx, dev, &vol, NULL);
		if (err)
			dev_close(dev);
	}
	if (!err)
		err = lists ? walk_tree(vol, list_dir, vol) : edit_volume(vol);
	if (err)
		fprintf(stderr, "dir-edit: %s: %s\n", argv[argc - 1],
			ctx_error(ctx));
	volume_close(vol);
	ctx_free(ctx);
	return err ? 1 : 0;
}
