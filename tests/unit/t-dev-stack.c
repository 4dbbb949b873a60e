/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Layers over a device: overlay, recorder, faults. */
#include "config.h"

#include "dev/dev_stack.h"
#include "base/ctx.h"
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 40 * 4096 + 700 };

static struct f2c_ctx *ctx;
static struct dev *mem;

static int setup(void **state)
{
	(void)state;
	ctx = ctx_new();
	if (!ctx || dev_mem_open(ctx, NULL, BYTES, &mem))
		return -1;
	for (size_t i = 0; i < BYTES; i++)
		dev_mem_data(mem)[i] = (uint8_t)(i * 7 >> 3);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ctx_free(ctx);
	return 0;
}

/* Random writes; every read gives what a plain array would. */
static void overlay_reads_what_was_written_over_it(void **state)
{
	static uint8_t plain[BYTES], below[BYTES], back[BYTES];
	unsigned int x = 1;
	struct dev *dev;

	(void)state;
	memcpy(plain, dev_mem_data(mem), BYTES);
	memcpy(below, plain, BYTES);
	mem->writable = false;
	assert_int_equal(dev_overlay_open(mem, &dev), 0);
	for (int step = 0; step < 300; step++) {
		size_t off = (x = x * 1103515245 + 12345) / 4 % BYTES;
		size_t len = (x = x * 1103515245 + 12345) / 4 % 9000;

		if (len > BYTES - off)
			len = BYTES - off;
		if (step % 40 == 39)	/* whole blocks too */
			off = off / 4096 * 4096;
		memset(plain + off, step, len);
		assert_int_equal(dev_write_bytes(dev, off, len, plain + off),
				 0);
		assert_int_equal(dev_read_bytes(dev, 0, BYTES, back), 0);
		assert_memory_equal(back, plain, BYTES);
		assert_int_equal(dev_read_bytes(dev, off, len, back), 0);
		assert_memory_equal(back, plain + off, len);
	}
	assert_int_equal(dev_flush(dev), 0);
	assert_memory_equal(dev_mem_data(mem), below, BYTES);
	dev_close(dev);
}

static bool all_holes(struct dev *dev, uint64_t off, uint64_t len)
{
	(void)dev;
	(void)off;
	(void)len;
	return true;
}

static void overlay_hole_ends_where_it_was_written(void **state)
{
	struct dev_ops ops = *mem->ops;
	uint8_t block[4096] = { 0 };
	struct dev *dev;

	(void)state;
	ops.is_hole = all_holes;
	mem->ops = &ops;
	assert_int_equal(dev_overlay_open(mem, &dev), 0);
	assert_true(dev_is_hole(dev, 0, 40));
	assert_int_equal(dev_write(dev, 5, 1, block), 0);
	assert_true(dev_is_hole(dev, 0, 5));
	assert_false(dev_is_hole(dev, 0, 6));
	assert_false(dev_is_hole(dev, 5, 1));
	assert_true(dev_is_hole(dev, 6, 34));
	dev_close(dev);
}

static void overlay_passes_read_errors_on(void **state)
{
	struct dev_fault_plan plan = { .fail_read = 1, .and_all_later = true };
	uint8_t block[4096] = { 0 };
	struct dev *fault, *dev;

	(void)state;
	assert_int_equal(dev_fault_open(mem, &plan, &fault), 0);
	assert_int_equal(dev_overlay_open(fault, &dev), 0);
	assert_int_equal(dev_read(dev, 1, 1, block), -EIO);
	assert_int_equal(dev_write_bytes(dev, 1, 1, block), -EIO);
	assert_int_equal(dev_write(dev, 1, 1, block), 0);
	assert_int_equal(dev_read(dev, 1, 1, block), 0);
	dev_close(dev);
}

static void recorder_keeps_writes_and_flushes_in_order(void **state)
{
	const struct dev_event *e;
	uint8_t block[8192];
	struct dev *dev;

	(void)state;
	assert_int_equal(dev_record_open(mem, &dev), 0);
	memset(block, 1, sizeof(block));
	assert_int_equal(dev_write(dev, 3, 2, block), 0);
	memset(block, 2, sizeof(block));
	assert_int_equal(dev_write_bytes(dev, 5, 7, block), 0);
	assert_int_equal(dev_flush(dev), 0);
	assert_int_equal(dev_write(dev, 41, 1, block), -ERANGE);
	assert_int_equal(dev_write(dev, 3, 1, block), 0);
	assert_int_equal(dev_record_nr_events(dev), 4);
	e = dev_record_event(dev, 0);
	assert_int_equal(e->off, 3 * 4096);
	assert_int_equal(e->len, 8192);
	assert_int_equal(e->data[8191], 1);
	e = dev_record_event(dev, 1);
	assert_int_equal(e->off, 5);
	assert_int_equal(e->len, 7);
	assert_int_equal(dev_record_event(dev, 2)->len, 0);
	assert_int_equal(dev_record_event(dev, 3)->data[0], 2);
	assert_ptr_equal(dev_record_under(dev), mem);
	assert_int_equal(dev_mem_data(mem)[3 * 4096], 2);
	dev_close(dev);
}

/* What is replayed up to any event is what the device held then. */
static void record_can_be_replayed(void **state)
{
	uint8_t *replay = malloc(BYTES);
	uint8_t block[4096];
	struct dev *dev;

	(void)state;
	memcpy(replay, dev_mem_data(mem), BYTES);
	assert_int_equal(dev_record_open(mem, &dev), 0);
	for (int i = 0; i < 50; i++) {
		memset(block, i, sizeof(block));
		assert_int_equal(dev_write(dev, (uint32_t)i * 7 % 40, 1,
					   block), 0);
		if (i % 5 == 0)
			assert_int_equal(dev_flush(dev), 0);
	}
	for (size_t i = 0; i < dev_record_nr_events(dev); i++) {
		const struct dev_event *e = dev_record_event(dev, i);

		if (e->len)
			memcpy(replay + e->off, e->data, e->len);
	}
	assert_memory_equal(replay, dev_mem_data(mem), BYTES);
	dev_close(dev);
	free(replay);
}

static void failed_flush_is_not_recorded(void **state)
{
	struct dev_fault_plan plan = { .fail_flush = 2 };
	struct dev *fault, *dev;

	(void)state;
	assert_int_equal(dev_fault_open(mem, &plan, &fault), 0);
	assert_int_equal(dev_record_open(fault, &dev), 0);
	assert_int_equal(dev_flush(dev), 0);
	assert_int_equal(dev_flush(dev), -EIO);
	assert_int_equal(dev_flush(dev), 0);
	assert_int_equal(dev_record_nr_events(dev), 2);
	dev_close(dev);
}

static void fault_hits_the_nth_and_no_other(void **state)
{
	struct dev_fault_plan plan = { .fail_read = 2, .fail_write = 3 };
	uint8_t block[4096] = { 0 };
	struct dev *dev;

	(void)state;
	dev_mem_data(mem)[0] = 9;
	assert_int_equal(dev_fault_open(mem, &plan, &dev), 0);
	for (int n = 1; n < 6; n++) {
		assert_int_equal(dev_read(dev, 0, 1, block), n == 2 ? -EIO : 0);
		assert_int_equal(dev_fault_was_hit(dev), n >= 2);
	}
	memset(block, 0, sizeof(block));
	for (int n = 1; n < 6; n++) {
		block[0] = (uint8_t)n;
		assert_int_equal(dev_write(dev, 0, 1, block),
				 n == 3 ? -EIO : 0);
		assert_int_equal(dev_mem_data(mem)[0], n == 3 ? 2 : n);
	}
	assert_int_equal(dev_flush(dev), 0);
	dev_close(dev);
}

static void fault_can_go_on(void **state)
{
	struct dev_fault_plan plan = { .fail_write = 2, .and_all_later = true };
	uint8_t block[4096] = { 0 };
	struct dev *dev;

	(void)state;
	assert_int_equal(dev_fault_open(mem, &plan, &dev), 0);
	assert_int_equal(dev_write(dev, 0, 1, block), 0);
	for (int n = 2; n < 6; n++)
		assert_int_equal(dev_write(dev, 0, 1, block), -EIO);
	assert_int_equal(dev_read(dev, 0, 1, block), 0);
	dev_close(dev);
}

static void layers_take_over_size_and_name(void **state)
{
	struct dev *dev;

	(void)state;
	mem->block_size = 1024;
	assert_int_equal(dev_overlay_open(mem, &dev), 0);
	assert_int_equal(dev->block_size, 1024);
	assert_int_equal(dev->nr_bytes, BYTES);
	assert_string_equal(dev->name, "memory");
	dev_close(dev);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(overlay_reads_what_was_written_over_it),
		T(overlay_hole_ends_where_it_was_written),
		T(overlay_passes_read_errors_on),
		T(recorder_keeps_writes_and_flushes_in_order),
		T(record_can_be_replayed),
		T(failed_flush_is_not_recorded),
		T(fault_hits_the_nth_and_no_other),
		T(fault_can_go_on),
		T(layers_take_over_size_and_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
