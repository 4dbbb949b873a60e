/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extended attribute lists: every entry must end inside the area, which is
 * the inline part followed by the xattr node (kernel fs/f2fs/xattr.c,
 * f2fs_listxattr()). The two parts are checked apart: all that the first
 * tells the second is where in it the next entry begins.
 */
#include "config.h"

#include "check/check_int.h"

#define HEAD_BYTES ((uint32_t)sizeof(struct od_xattr_head))

static uint32_t entry_bytes(const struct od_xattr_entry *e)
{
	uint32_t n = (uint32_t)sizeof(*e) + e->name_len +
		     le16_get(e->value_size);

	return (n + 3) & ~3U;
}

/*
 * Follow the list from byte @pos of @area. Returns where the entry that does
 * not begin in the area any more would: @len or beyond it, or 0 if the list
 * ended. Sizes and positions are multiples of 4, so no entry's head is cut.
 */
static uint32_t follow(const uint8_t *area, uint32_t len, uint32_t pos)
{
	while (pos < len) {
		const struct od_xattr_entry *e = (const void *)(area + pos);

		if (!e->name_index && !e->name_len && !le16_get(e->value_size))
			return 0;
		pos += entry_bytes(e);
	}
	return pos;
}

static void report(struct check *c, uint32_t ino, uint32_t blk, uint64_t end,
		   uint64_t area)
{
	check_found_as(c, (&(struct finding){
			.id = P_XATTR_LIST, .structure = "inode",
			.number = ino, .blk = blk, .ino = ino,
			.has_values = true, .found = end, .expected = area }),
		       "an entry ends behind the area");
}

/* Bytes of an xattr node that belong to the list. */
static uint32_t node_bytes(const struct check *c)
{
	return c->lo->block_size - (uint32_t)sizeof(struct od_node_foot);
}

void xattr_check_inline(struct check *c, const struct inode *inode,
			uint32_t blk, const void *block, uint32_t *next)
{
	const uint8_t *area = (const uint8_t *)block + inode->xattr_off;
	uint32_t len = inode->xattr_bytes;
	uint32_t room = inode->xattr_nid ? node_bytes(c) : 0;
	uint32_t end;

	*next = 0;
	if (len < HEAD_BYTES) {		/* the list begins in the node */
		*next = HEAD_BYTES;
		return;
	}
	end = follow(area, len, HEAD_BYTES);
	if (!end)
		return;
	if (end - len > room)
		report(c, inode->ino, blk, end, len + room);
	else if (room && end - len < room)
		*next = end - len ? end - len : UINT32_MAX;
}

void xattr_check_node(struct check *c, uint32_t ino, uint32_t blk,
		      const void *block, uint32_t from)
{
	uint32_t len = node_bytes(c);
	uint32_t end = follow(block, len, from == UINT32_MAX ? 0 : from);

	if (end > len)
		report(c, ino, blk, end, len);
}
