/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Extended attributes in the inode, in their node, and across the two. */
#include "config.h"

#include "fake.h"
#include "tree/xattr.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define INO	4U
#define XNID	5U
#define INLINE_BYTES 200

/* The list as one piece; spread() puts it where it belongs. */
struct list {
	uint8_t bytes[INLINE_BYTES + 4096];
	size_t nr;
};

static void start(struct list *l)
{
	memset(l, 0, sizeof(*l));
	le32_set((le32 *)l->bytes, OD_XATTR_MAGIC);
	le32_set((le32 *)l->bytes + 1, 1);
	l->nr = 24;
}

static void add(struct list *l, uint8_t index, const char *name, char fill,
		size_t size)
{
	uint8_t *at = l->bytes + l->nr;

	at[0] = index;
	at[1] = (uint8_t)strlen(name);
	le16_set((le16 *)(at + 2), (uint16_t)size);
	memcpy(at + 4, name, strlen(name));
	memset(at + 4 + strlen(name), fill, size);
	l->nr += (4 + strlen(name) + size + 3) / 4 * 4;
	assert_true(l->nr <= sizeof(l->bytes));
}

static void spread(struct fake *f, uint8_t *inode, const struct list *l,
		   bool with_inline, bool with_node)
{
	size_t nr_inline = with_inline ? INLINE_BYTES : 0;

	if (with_inline) {
		od_inode_of(inode)->i_inline |= OD_INLINE_XATTR;
		memcpy(inode + 4096 - 44 - INLINE_BYTES, l->bytes, nr_inline);
	}
	if (with_node) {
		le32_set(&od_inode_of(inode)->i_xattr_nid, XNID);
		memcpy(fake_node(f, XNID, INO, OD_XATTR_NODE_OFS),
		       l->bytes + nr_inline, 4096 - 24);
	}
}

static int add_line(void *priv, const struct xattr *x)
{
	char *text = priv;

	for (uint16_t i = 1; i < x->value_size; i++)
		assert_int_equal(x->value[i], x->value[0]);
	sprintf(text + strlen(text), "%u %.*s %u%c\n", x->index, x->name_len,
		(const char *)x->name, x->value_size,
		x->value_size ? x->value[0] : '-');
	return 0;
}

static void expect(struct fake *f, const uint8_t *block, int ret,
		   const char *want)
{
	struct inode inode = fake_decode(f, block);
	char text[512] = "";

	assert_int_equal(xattr_iterate(&f->vol, &inode, block, add_line,
				       text), ret);
	assert_string_equal(text, want);
}

static uint8_t *setup(struct fake *f)
{
	fake_init(f, 4096, 0);
	return fake_inode(f, INO, S_IFREG | 0644, 0);
}

static void no_attributes_at_all(void **state)
{
	struct list none = { 0 };
	struct fake f;
	uint8_t *block = setup(&f);

	(void)state;
	expect(&f, block, 0, "");
	spread(&f, block, &none, true, false);
	expect(&f, block, 0, "");
	spread(&f, block, &none, true, true);
	expect(&f, block, 0, "");
	fake_free(&f);
}

static void an_entry_straddles_inode_and_node(void **state)
{
	struct list l;
	struct fake f;
	uint8_t *block = setup(&f);

	(void)state;
	start(&l);
	add(&l, 1, "one", 'a', 100);
	add(&l, 4, "across", 'b', 150);
	add(&l, 6, "far", 'c', 1);
	spread(&f, block, &l, true, true);
	expect(&f, block, 0, "1 one 100a\n4 across 150b\n6 far 1c\n");
	fake_free(&f);
}

/* 24 + 108 + 12 + 56 = 200: the list ends with the area, without a zero. */
static void a_list_may_fill_its_area(void **state)
{
	struct list l;
	struct fake f;
	uint8_t *block = setup(&f);

	(void)state;
	start(&l);
	add(&l, 1, "one", 'a', 101);
	add(&l, 1, "e", '-', 7);
	add(&l, 1, "last", 'z', 48);
	assert_int_equal(l.nr, INLINE_BYTES);
	spread(&f, block, &l, true, false);
	expect(&f, block, 0, "1 one 101a\n1 e 7-\n1 last 48z\n");
	fake_free(&f);
}

static void a_node_alone(void **state)
{
	struct list l;
	struct fake f;
	uint8_t *block = setup(&f);

	(void)state;
	start(&l);
	add(&l, 1, "big", 'v', 4096 - 24 - 24 - 4 - 3 - 1);
	spread(&f, block, &l, false, true);
	expect(&f, block, 0, "1 big 4040v\n");
	fake_free(&f);
}

static void lists_that_are_none(void **state)
{
	struct list l;
	struct fake f;
	uint8_t *block = setup(&f), *node;

	(void)state;
	start(&l);
	add(&l, 1, "one", 'a', 4);
	add(&l, 1, "two", 'b', 4);
	le16_set((le16 *)(l.bytes + 24 + 12 + 2), 200);	/* leaves the area */
	spread(&f, block, &l, true, false);
	expect(&f, block, -EUCLEAN, "1 one 4a\n");
	assert_string_equal(ctx_error(f.vol.ctx), "inode 4: the extended"
			    " attribute at byte 36 leaves its area of 200"
			    " bytes");
	le32_set((le32 *)l.bytes, 0x12345678);
	spread(&f, block, &l, true, false);
	expect(&f, block, -EUCLEAN, "");

	/* A node that is not this inode's, or no xattr node, or free. */
	start(&l);
	add(&l, 1, "one", 'a', 4);
	spread(&f, block, &l, true, true);
	expect(&f, block, 0, "1 one 4a\n");
	le32_set(&od_inode_of(block)->i_xattr_nid, 6);
	expect(&f, block, -EUCLEAN, "");
	node = fake_node(&f, 6, INO, 1);
	expect(&f, block, -EUCLEAN, "");
	le32_set(&node_foot(&f.vol.lo, node)->flag,
		 OD_XATTR_NODE_OFS << OD_FOOT_OFS_SHIFT);
	expect(&f, block, 0, "1 one 4a\n");
	le32_set(&node_foot(&f.vol.lo, node)->ino, 7);
	expect(&f, block, -EUCLEAN, "");
	fake_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_attributes_at_all),
		cmocka_unit_test(an_entry_straddles_inode_and_node),
		cmocka_unit_test(a_list_may_fill_its_area),
		cmocka_unit_test(a_node_alone),
		cmocka_unit_test(lists_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
