/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One sequential pass over a table of blocks with two copies each. */
#include "config.h"

#include "meta/table.h"
#include "base/bits.h"
#include "base/ctx.h"

#include <stdlib.h>
#include <string.h>

#define RUN_BYTES	(1U << 20)	/* largest read */
#define GAP_BLKS	16U		/* so many of the other copy are read too */
#define AHEAD_RUNS	8U		/* prefetched before they are read */

struct pass {
	struct dev *dev;
	const struct layout *lo;
	const struct table *table;
	table_fn *fn;
	void *priv;
	uint8_t *buf;			/* RUN_BYTES */
};

static bool is_zero(const uint8_t *p, size_t size)
{
	return !p[0] && !memcmp(p, p + 1, size - 1);
}

static int copy_of(const struct table *t, uint32_t i)
{
	return bit_test_msb(t->bitmap, i);
}

/* Read [@first, @end) of one copy and visit those that are current in it. */
static int read_run(struct pass *p, uint32_t first, uint32_t end, int copy)
{
	uint32_t blk = p->table->blk(p->lo, first, copy);
	int err;

	if (dev_is_hole(p->dev, blk, end - first))
		return 0;
	err = dev_read(p->dev, blk, end - first, p->buf);
	for (uint32_t i = first; i < end && !err; i++) {
		const uint8_t *block = p->buf +
			(size_t)(i - first) * p->lo->block_size;

		if (copy_of(p->table, i) == copy &&
		    !is_zero(block, p->lo->block_size))
			err = p->fn(p->priv, i, blk + (i - first), block);
	}
	return err;
}

static int hint_run(struct pass *p, uint32_t first, uint32_t end, int copy)
{
	dev_prefetch(p->dev, p->table->blk(p->lo, first, copy), end - first);
	return 0;
}

/* Split [@first, @end) into runs of this copy with small gaps only. */
static int each_run(struct pass *p, uint32_t first, uint32_t end, int copy,
		    int (*fn)(struct pass *, uint32_t, uint32_t, int))
{
	uint32_t i = first;
	int err = 0;

	while (i < end && !err) {
		uint32_t start, last;

		while (i < end && copy_of(p->table, i) != copy)
			i++;
		if (i == end)
			break;
		start = last = i;
		for (; i < end && i - last <= GAP_BLKS; i++)
			if (copy_of(p->table, i) == copy)
				last = i;
		err = fn(p, start, last + 1, copy);
	}
	return err;
}

/* Both copies of [@first, @first + @run), as far as the table has them. */
static int each_copy(struct pass *p, uint32_t first, uint32_t run,
		     int (*fn)(struct pass *, uint32_t, uint32_t, int))
{
	uint32_t nr = p->table->nr_blks;
	uint32_t end = nr - first < run ? nr : first + run;
	int err = each_run(p, first, end, 0, fn);

	return err ? err : each_run(p, first, end, 1, fn);
}

int table_read(struct dev *dev, const struct layout *lo,
	       const struct table *table, table_fn *fn, void *priv)
{
	/* A power of two, so no run goes over the end of a segment. */
	const uint32_t run = RUN_BYTES / lo->block_size;
	struct pass p = { dev, lo, table, fn, priv, malloc(RUN_BYTES) };
	uint32_t hinted = 0;
	int err = 0;

	if (!p.buf)
		return ctx_nomem(dev->ctx, "reading a table");
	for (uint32_t i = 0; i < table->nr_blks && !err; i += run) {
		while (hinted < table->nr_blks &&
		       hinted <= i + AHEAD_RUNS * run) {
			each_copy(&p, hinted, run, hint_run);
			hinted += run;
		}
		err = each_copy(&p, i, run, read_run);
	}
	free(p.buf);
	return err;
}
