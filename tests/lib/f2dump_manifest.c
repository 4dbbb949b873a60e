/* SPDX-License-Identifier: GPL-2.0-or-later */
/* f2dump manifest: the format of manifest.py. */
#include "config.h"

#include "f2dump.h"
#include "sha256.h"
#include "base/vec.h"
#include "tree/xattr.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HASH_DIGITS	16
#define ACL_INDEX_MIN	2
#define ACL_INDEX_MAX	3

struct shown {				/* one extended attribute */
	char name[300];
	size_t name_len;
	size_t size;
	char hash[HASH_DIGITS + 1];
};

struct shown_vec VEC_BODY(struct shown);

static char type_letter(uint16_t mode)
{
	static const char letters[] = "?fdcbpsl";

	return letters[dir_file_type(mode)];
}

/*
 * An ACL as getxattr(2) gives it: version 2, and an id in every entry. On
 * disk only named users (2) and groups (8) have one. Returns the new length.
 */
static size_t expand_acl(const uint8_t *in, size_t len, uint8_t *out)
{
	size_t n = 4;

	memcpy(out, "\2\0\0\0", 4);
	for (size_t at = 4; at + 4 <= len; at += 4) {
		unsigned int tag = in[at] | in[at + 1] << 8;

		memcpy(out + n, in + at, 4);
		memset(out + n + 4, 0xff, 4);
		if ((tag == 2 || tag == 8) && at + 8 <= len) {
			memcpy(out + n + 4, in + at + 4, 4);
			at += 4;
		}
		n += 8;
	}
	return n;
}

static int add_xattr(void *priv, const struct xattr *x)
{
	const char *prefix = xattr_prefix(x->index);
	struct shown s = { .size = x->value_size };
	uint8_t *acl = NULL;
	struct sha256 sha;

	if (!prefix)			/* listxattr(2) does not show it */
		return 0;
	s.name_len = strlen(prefix) + x->name_len;
	memcpy(s.name, prefix, strlen(prefix));
	memcpy(s.name + strlen(prefix), x->name, x->name_len);
	if (x->index >= ACL_INDEX_MIN && x->index <= ACL_INDEX_MAX) {
		acl = malloc(2 * (size_t)x->value_size + 4);
		if (!acl)
			return -ENOMEM;
		s.size = expand_acl(x->value, x->value_size, acl);
	}
	sha256_init(&sha);
	sha256_add(&sha, acl ? acl : x->value, s.size);
	sha256_hex(&sha, s.hash, HASH_DIGITS);
	free(acl);
	return vec_push((struct shown_vec *)priv, &s);
}

static int compare_shown(const void *a, const void *b)
{
	return strcmp(((const struct shown *)a)->name,
		      ((const struct shown *)b)->name);
}

static int print_xattrs(struct volume *vol, const struct inode *inode,
			const void *block)
{
	struct shown_vec v = { 0 };
	int err = xattr_iterate(vol, inode, block, add_xattr, &v);

	if (v.nr)
		qsort(v.v, v.nr, sizeof(*v.v), compare_shown);
	for (size_t i = 0; !err && i < v.nr; i++) {
		printf(" xattr=");
		print_escaped((uint8_t *)v.v[i].name, v.v[i].name_len);
		printf(":%zu:%s", v.v[i].size, v.v[i].hash);
	}
	vec_free(&v);
	return err;
}

static int print_target(struct volume *vol, const struct inode *inode,
			const void *block)
{
	uint8_t buf[4096];
	size_t len;
	int err = read_target(vol, inode, block, buf, sizeof(buf), &len);

	if (err)
		return err;
	printf(" target=");
	print_escaped(buf, strnlen((char *)buf, len));
	return 0;
}

static void print_time(const char *name, struct inode_time t)
{
	printf(" %s=%" PRId64 ".%09" PRIu32, name, t.sec, t.nsec);
}

static void print_stat(const struct inode *i, const void *block, char type)
{
	uint32_t rdev = inode_rdev(i, block);

	printf(" type=%c ino=%" PRIu32 " mode=%04o uid=%" PRIu32 " gid=%" PRIu32
	       " nlink=%" PRIu32 " size=%" PRIu64, type, i->ino,
	       i->mode & 07777, i->uid, i->gid, i->links, i->size);
	print_time("mtime", i->mtime);
	print_time("ctime", i->ctime);
	print_time("atime", i->atime);
	if (type == 'c' || type == 'b')
		printf(" rdev=%" PRIu32 ":%" PRIu32, rdev >> 20,
		       rdev & 0xfffff);
}

static int print_line(struct volume *vol, const struct paths *paths, size_t i,
		      void *block)
{
	const struct path *p = &paths->v[i];
	struct inode inode;
	char type;
	int err;

	err = inode_read(vol, p->ino, block, &inode);
	if (err)
		return err;
	type = type_letter(inode.mode);
	print_path(p);
	print_stat(&inode, block, type);
	if (type == 'l')
		err = print_target(vol, &inode, block);
	if (!err)
		err = print_xattrs(vol, &inode, block);
	if (p->leader != i) {
		printf(" link=");
		print_path(&paths->v[p->leader]);
	} else if (!err && type == 'f') {
		err = print_content(vol, &inode, block);
	}
	putchar('\n');
	return err;
}

int dump_manifest(struct volume *vol, const struct paths *paths)
{
	void *block = malloc(vol->lo.block_size);
	int err = block ? 0 : -ENOMEM;

	puts("# manifest 1");
	for (size_t i = 0; !err && i < paths->nr; i++)
		err = print_line(vol, paths, i, block);
	free(block);
	return err;
}
