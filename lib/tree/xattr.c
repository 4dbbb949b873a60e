/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extended attributes: the inline area and the xattr node are one list, in
 * which an entry may straddle the two.
 */
#include "config.h"

#include "tree/xattr.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct area {
	uint8_t *bytes;
	size_t nr;
};

static int load_area(struct volume *vol, const struct inode *inode,
		     const void *block, struct area *out)
{
	size_t node_bytes = vol->lo.block_size - sizeof(struct od_node_foot);
	uint8_t *bytes;
	int err;

	/* The node's footer lands behind the list and is not part of it. */
	bytes = malloc(inode->xattr_bytes + (size_t)vol->lo.block_size);
	if (!bytes)
		return ctx_nomem(vol->ctx, "extended attributes");
	if (inode->xattr_bytes)
		memcpy(bytes, (const uint8_t *)block + inode->xattr_off,
		       inode->xattr_bytes);
	out->nr = inode->xattr_bytes;
	if (inode->xattr_nid) {
		err = node_read_child(vol, inode->xattr_nid, inode->ino,
				      OD_XATTR_NODE_OFS,
				      bytes + inode->xattr_bytes);
		if (err) {
			free(bytes);
			return err;
		}
		out->nr += node_bytes;
	}
	out->bytes = bytes;
	return 0;
}

/* 1: there is a list, 0: none was ever made, -EUCLEAN: something else. */
static int check_head(struct volume *vol, const struct inode *inode,
		      const struct area *area)
{
	const struct od_xattr_head *head = (const void *)area->bytes;
	uint32_t magic;

	if (area->nr < sizeof(*head))
		return 0;
	magic = le32_get(head->magic);
	if (magic == OD_XATTR_MAGIC)
		return 1;
	if (!magic)
		return 0;
	return ctx_fail(vol->ctx, -EUCLEAN, "inode %" PRIu32
			": extended attributes begin with 0x%" PRIx32
			", expected 0x%" PRIx32, inode->ino, magic,
			OD_XATTR_MAGIC);
}

/* 1: an entry, of *@size bytes with its padding; 0: the end; -EUCLEAN. */
static int decode_entry(const struct area *area, size_t at, struct xattr *out,
			size_t *size)
{
	const struct od_xattr_entry *od = (const void *)(area->bytes + at);
	size_t left = area->nr - at;
	static const uint8_t end[4];
	size_t bytes;

	if (left < sizeof(*od) || !memcmp(od, end, sizeof(end)))
		return 0;
	bytes = sizeof(*od) + od->name_len + le16_get(od->value_size);
	if (bytes > left)
		return -EUCLEAN;
	*out = (struct xattr){
		.index = od->name_index,
		.name = area->bytes + at + sizeof(*od),
		.name_len = od->name_len,
		.value_size = le16_get(od->value_size),
	};
	out->value = out->name + out->name_len;
	*size = (bytes + 3) & ~(size_t)3;
	return 1;
}

int xattr_iterate(struct volume *vol, const struct inode *inode,
		  const void *block, xattr_fn *fn, void *priv)
{
	size_t at = sizeof(struct od_xattr_head);
	struct area area = { 0 };
	struct xattr x;
	size_t size;
	int ret;

	if (!inode->xattr_bytes && !inode->xattr_nid)
		return 0;
	ret = load_area(vol, inode, block, &area);
	if (ret)
		return ret;
	ret = check_head(vol, inode, &area);
	if (ret <= 0)
		goto out;
	while ((ret = decode_entry(&area, at, &x, &size)) > 0) {
		ret = fn(priv, &x);
		if (ret)
			goto out;
		at += size;		/* areas are multiples of 4, too */
	}
	if (ret < 0)
		ret = ctx_fail(vol->ctx, ret, "inode %" PRIu32
			       ": the extended attribute at byte %zu leaves"
			       " its area of %zu bytes", inode->ino, at,
			       area.nr);
	else
		ret = 0;
out:
	free(area.bytes);
	return ret;
}

const char *xattr_prefix(uint8_t index)
{
	switch (index) {
	case 1:
		return "user.";
	case 2:
		return "system.posix_acl_access";
	case 3:
		return "system.posix_acl_default";
	case 4:
		return "trusted.";
	case 6:
		return "security.";
	default:
		return NULL;
	}
}
