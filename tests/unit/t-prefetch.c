/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which hints a list of blocks makes, and when. */
#include "config.h"

#include "dev/dev_stack.h"
#include "dev/prefetch.h"
#include "base/ctx.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

enum { HINTS = 4096 };

static struct f2c_ctx *ctx;
static struct dev *dev;
static struct dev_ops ops;
static struct { uint64_t blk, count; } hint[HINTS];
static size_t nr_hints;

static void note_hint(struct dev *d, uint64_t off, size_t len)
{
	assert_true(nr_hints < HINTS);
	hint[nr_hints].blk = off / d->block_size;
	hint[nr_hints++].count = len / d->block_size;
}

static int setup(void **state)
{
	(void)state;
	ctx = ctx_new();
	if (!ctx || dev_mem_open(ctx, NULL, 4096, &dev))
		return -1;
	ops = *dev->ops;
	ops.prefetch = note_hint;
	dev->ops = &ops;
	dev->nr_bytes = 4096ULL << 32;	/* only hinted at, never read */
	nr_hints = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	dev_close(dev);
	ctx_free(ctx);
	return 0;
}

static void list_is_sorted_and_merged(void **state)
{
	uint32_t blks[] = { 50, 7, 8, 12, 8, 100, 9, 13, UINT32_MAX };
	const uint32_t sorted[] = { 7, 8, 8, 9, 12, 13, 50, 100, UINT32_MAX };

	(void)state;
	prefetch_batch(dev, blks, NR_OF(blks), 0);
	assert_memory_equal(blks, sorted, sizeof(blks));
	assert_int_equal(nr_hints, 5);
	assert_int_equal(hint[0].blk, 7);
	assert_int_equal(hint[0].count, 3);
	assert_int_equal(hint[1].blk, 12);
	assert_int_equal(hint[1].count, 2);
	assert_int_equal(hint[4].blk, UINT32_MAX);
	assert_int_equal(hint[4].count, 1);
}

static void small_gaps_are_read_through(void **state)
{
	uint32_t blks[] = { 10, 14, 19, 30 };

	(void)state;
	prefetch_batch(dev, blks, NR_OF(blks), 3);
	assert_int_equal(nr_hints, 3);	/* 10-14, 19 (gap of 4), 30 */
	assert_int_equal(hint[0].blk, 10);
	assert_int_equal(hint[0].count, 5);
	nr_hints = 0;
	prefetch_batch(dev, blks, NR_OF(blks), UINT32_MAX);
	assert_int_equal(nr_hints, 1);
	assert_int_equal(hint[0].count, 21);
}

static void nothing_is_hinted_for_nothing(void **state)
{
	(void)state;
	prefetch_batch(dev, NULL, 0, 3);
	assert_int_equal(nr_hints, 0);
}

/* A block outside the device is nothing to trip over: hints come first. */
static void blocks_off_the_device_are_passed_over(void **state)
{
	uint32_t blks[] = { 1, 98, 200 };

	(void)state;
	dev->nr_bytes = 100 * 4096;
	prefetch_batch(dev, blks, NR_OF(blks), 0);
	assert_int_equal(nr_hints, 2);
	assert_int_equal(hint[1].blk, 98);
}

static void window_bounds_what_is_ahead(void **state)
{
	enum { N = 1000, WINDOW = 64 };
	struct prefetch pf;
	uint32_t blks[N];

	(void)state;
	for (uint32_t i = 0; i < N; i++)
		blks[i] = (N - i) * 10;	/* never merged */
	prefetch_start(&pf, dev, blks, N, 3, WINDOW);
	assert_int_equal(nr_hints, WINDOW);
	for (size_t i = 0; i < N; i++) {
		prefetch_reach(&pf, i);
		assert_true(nr_hints > i);	/* itself at least */
		assert_true(nr_hints <= i + WINDOW);
		if (i + WINDOW / 2 < N)
			assert_true(nr_hints >= i + WINDOW / 2);
	}
	assert_int_equal(nr_hints, N);
	for (size_t i = 0; i < N; i++)
		assert_int_equal(hint[i].blk, blks[i]);
	prefetch_reach(&pf, N);
	prefetch_reach(&pf, N + 5);
	assert_int_equal(nr_hints, N);
}

/* What the caller has read already needs no hint any more. */
static void reader_may_jump_ahead(void **state)
{
	uint32_t blks[100];
	struct prefetch pf;

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		blks[i] = i * 10;
	prefetch_start(&pf, dev, blks, 100, 0, 8);
	nr_hints = 0;
	prefetch_reach(&pf, 50);
	assert_int_equal(nr_hints, 8);
	assert_int_equal(hint[0].blk, 500);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(list_is_sorted_and_merged),
		T(small_gaps_are_read_through),
		T(nothing_is_hinted_for_nothing),
		T(blocks_off_the_device_are_passed_over),
		T(window_bounds_what_is_ahead),
		T(reader_may_jump_ahead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
