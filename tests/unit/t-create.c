/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A new volume in memory: what the plan says, in which order it is written,
 * and that a cut at any write leaves no volume or a whole one.
 */
#include "config.h"

#include "engine/create.h"
#include "base/ctx.h"
#include "dev/dev_stack.h"
#include "format/validate.h"
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MIB ((uint64_t)1 << 20)
#define TIB ((uint64_t)1 << 40)
#define DEV_BYTES (50 * MIB)

static struct f2c_ctx *ctx;
static struct format_options opt;
static struct format_plan plan;

static int setup(void **state)
{
	(void)state;
	ctx = ctx_new();
	format_options_init(&opt);
	return ctx ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	ctx_free(ctx);
	return 0;
}

static int plan_for(uint64_t bytes)
{
	return format_plan(ctx, "test", &opt, bytes, &plan);
}

static bool super_is_valid(const struct od_super *sb, uint64_t bytes)
{
	struct fault fault;

	return !super_validate(sb, bytes, &fault);
}

static void planned_superblocks_are_valid(void **state)
{
	static const uint64_t sizes[] = {
		44 * MIB, 64 * MIB, 512 * MIB, 1 * TIB, 15 * TIB, 16 * TIB - 1,
	};

	(void)state;
	opt.features = OD_FEATURE_SB_CHKSUM;
	for (size_t i = 0; i < NR_OF(sizes); i++) {
		assert_int_equal(plan_for(sizes[i]), 0);
		assert_true(super_is_valid(&plan.sb, sizes[i]));
	}
}

/* A volume of 512 MiB as f2fs-tools 1.16 lays it. */
static void logs_begin_in_zones_of_their_own(void **state)
{
	static const uint32_t noheap[] = { 3, 123, 61, 0, 1, 2 };
	static const uint32_t heap[] = { 244, 1, 0, 247, 246, 245 };

	(void)state;
	assert_int_equal(plan_for(512 * MIB), 0);
	assert_int_equal(plan.geo.nr_main_segs, 248);
	assert_memory_equal(plan.geo.curseg, noheap, sizeof(noheap));
	opt.heap = true;
	assert_int_equal(plan_for(512 * MIB), 0);
	assert_memory_equal(plan.geo.curseg, heap, sizeof(heap));
}

static void assert_logs_apart(void)
{
	const uint32_t *seg = plan.geo.curseg;

	for (int i = 0; i < OD_NR_LOGS; i++) {
		assert_true(seg[i] < plan.geo.nr_main_segs);
		for (int k = 0; k < i; k++)
			assert_int_not_equal(seg[i], seg[k]);
	}
}

/* Any geometry whatsoever is refused or has six logs apart. */
static void no_two_logs_meet(void **state)
{
	(void)state;
	for (uint64_t mib = 40; mib < 9000; mib += mib / 9)
		for (uint32_t n = 0; n < 140; n++) {
			opt.segs_per_sec = 1 + n % 14 * 3;
			opt.secs_per_zone = 1 + n / 14 % 5 * 2;
			opt.heap = n / 70;
			if (!plan_for(mib * MIB))
				assert_logs_apart();
		}
}

static void too_small_and_too_large(void **state)
{
	(void)state;
	assert_int_equal(plan_for(0), -ENOSPC);
	assert_int_equal(plan_for(44 * MIB - 1), -ENOSPC);
	assert_non_null(strstr(ctx_error(ctx), "46137344"));
	assert_int_equal(plan_for(44 * MIB), 0);
	assert_int_equal(plan_for(16 * TIB - 1), 0);
	assert_int_equal(plan.lo.end_blk, 0xfffffe00U);
	assert_int_equal(plan_for(16 * TIB), -EFBIG);
	assert_int_equal(plan_for(UINT64_MAX), -EFBIG);
}

static void the_minimum_is_one(void **state)
{
	static const uint32_t units[][2] = {
		{ 1, 1 }, { 4, 1 }, { 1, 3 }, { 32, 2 }, { 1024, 1 },
	};

	(void)state;
	for (size_t i = 0; i < NR_OF(units); i++) {
		uint64_t min;

		opt.segs_per_sec = units[i][0];
		opt.secs_per_zone = units[i][1];
		min = geometry_min_bytes(&opt);
		assert_int_not_equal(min, 0);
		assert_int_equal(plan_for(min), 0);
		assert_int_equal(plan_for(min - 1), -ENOSPC);
	}
}

static void impossible_options(void **state)
{
	(void)state;
	opt.segs_per_sec = 0;
	assert_int_equal(plan_for(64 * MIB), -EINVAL);
	opt.segs_per_sec = UINT32_MAX;
	opt.secs_per_zone = UINT32_MAX;
	assert_int_equal(plan_for(64 * MIB), -EINVAL);
	format_options_init(&opt);
	opt.overprovision = 0.0 / 0.0;
	assert_int_equal(plan_for(64 * MIB), -EINVAL);
	opt.overprovision = 1e-300;
	assert_int_equal(plan_for(64 * MIB), -EINVAL);
	format_options_init(&opt);
	opt.features = (uint64_t)1 << 40;
	assert_int_equal(plan_for(64 * MIB), -EINVAL);
	opt.features = OD_FEATURE_INODE_CHKSUM;
	assert_int_equal(plan_for(64 * MIB), -EINVAL);
}

static void extensions_are_listed_once(void **state)
{
	unsigned int cold = opt.nr_cold_ext, hot = opt.nr_hot_ext;

	(void)state;
	assert_int_equal(format_options_add_ext(ctx, &opt, "mp,new", false), 0);
	assert_int_equal(opt.nr_cold_ext, cold + 1);
	assert_string_equal((char *)opt.ext[cold], "new");
	assert_string_equal((char *)opt.ext[cold + 1], "db");
	assert_int_equal(format_options_add_ext(ctx, &opt, "x,y,x", true), 0);
	assert_int_equal(opt.nr_hot_ext, hot + 2);
	assert_int_equal(format_options_add_ext(ctx, &opt, "seven77", true), 0);
	assert_int_equal(format_options_add_ext(ctx, &opt, "eight888", true),
			 -EINVAL);
	assert_int_equal(format_options_add_ext(ctx, &opt, "a,,b", true),
			 -EINVAL);
	for (char c = 'a'; c <= 'z'; c++) {
		char name[] = { 'q', c, '\0' };

		if (format_options_add_ext(ctx, &opt, name, true))
			break;
	}
	assert_int_equal(opt.nr_cold_ext + opt.nr_hot_ext, OD_MAX_EXTENSIONS);
}

/* An old volume, then a new one over it, with all writes on record. */
static struct dev *format_recorded(uint8_t **old)
{
	struct dev *mem, *rec;

	assert_int_equal(dev_mem_open(ctx, NULL, DEV_BYTES, &mem), 0);
	memset(dev_mem_data(mem), 0xA5, DEV_BYTES);
	opt.features = OD_FEATURE_SB_CHKSUM | OD_FEATURE_EXTRA_ATTR |
		       OD_FEATURE_INODE_CHKSUM | OD_FEATURE_LOST_FOUND;
	assert_int_equal(plan_for(DEV_BYTES), 0);
	assert_int_equal(format_write(mem, &plan), 0);
	*old = malloc(DEV_BYTES);
	assert_non_null(*old);
	memcpy(*old, dev_mem_data(mem), DEV_BYTES);
	assert_int_equal(dev_record_open(mem, &rec), 0);
	opt.cp_version = 77;
	opt.uuid[0] = 1;
	assert_int_equal(plan_for(DEV_BYTES), 0);
	assert_int_equal(format_write(rec, &plan), 0);
	return rec;
}

/* 0: no superblock; 1: a whole new one; -1: an old one. */
static int super_state(const uint8_t *at)
{
	const struct od_super *sb = (const struct od_super *)at;

	if (!super_is_valid(sb, DEV_BYTES))
		return 0;
	return sb->uuid[0] == 1 ? 1 : -1;
}

static void cut_leaves_no_volume_or_a_whole_one(void **state)
{
	uint8_t *image;
	struct dev *rec = format_recorded(&image);
	const uint8_t *final = dev_mem_data(dev_record_under(rec));
	bool wiped = false;
	size_t nr = dev_record_nr_events(rec);

	(void)state;
	for (size_t i = 0; i < nr; i++) {
		const struct dev_event *e = dev_record_event(rec, i);
		int one, two;

		if (!e->len) {
			wiped = true;	/* what went before is durable */
			continue;
		}
		memcpy(image + e->off, e->data, e->len);
		one = super_state(image + OD_SUPER_OFFSET);
		two = super_state(image + 4096 + OD_SUPER_OFFSET);
		/* An old superblock is only there before the first flush. */
		if (wiped)
			assert_true(one >= 0 && two >= 0);
		else
			assert_true(one <= 0 && two <= 0);
		/* With a new one, all else is as it will be. */
		if (one == 1 || two == 1)
			assert_memory_equal(image + 8192, final + 8192,
					    DEV_BYTES - 8192);
	}
	assert_int_equal(super_state(image + OD_SUPER_OFFSET), 1);
	assert_int_equal(dev_record_event(rec, nr - 1)->len, 0);
	free(image);
	dev_close(rec);
}

/* Until the old superblocks are gone for good nothing else is written. */
static void old_superblocks_are_gone_first(void **state)
{
	uint8_t *image;
	struct dev *rec = format_recorded(&image);
	size_t i;

	(void)state;
	for (i = 0; dev_record_event(rec, i)->len; i++) {
		const struct dev_event *e = dev_record_event(rec, i);

		assert_true(e->off + e->len <= FORMAT_START_BYTES ||
			    e->off >= DEV_BYTES - FORMAT_END_BYTES);
		for (size_t k = 0; k < e->len; k++)
			assert_int_equal(e->data[k], 0);
	}
	assert_true(i > 0);
	free(image);
	dev_close(rec);
}

/* Only the superblocks lie between the last two flushes. */
static void superblocks_are_last_and_after_a_flush(void **state)
{
	uint8_t *image;
	struct dev *rec = format_recorded(&image);
	size_t i = dev_record_nr_events(rec) - 1;
	uint64_t end = 0;

	(void)state;
	assert_int_equal(dev_record_event(rec, i)->len, 0);
	while (i-- > 0 && dev_record_event(rec, i)->len) {
		const struct dev_event *e = dev_record_event(rec, i);

		assert_true(e->off + e->len <= 8192);
		end += e->len;
	}
	assert_int_equal(end, 8192);
	free(image);
	dev_close(rec);
}

static void both_ends_are_cleared(void **state)
{
	struct dev *mem;
	uint8_t *d;
	uint64_t bytes = DEV_BYTES + 1000;

	(void)state;
	assert_int_equal(dev_mem_open(ctx, NULL, bytes, &mem), 0);
	d = dev_mem_data(mem);
	memset(d, 0xA5, bytes);
	assert_int_equal(plan_for(bytes), 0);
	assert_int_equal(format_write(mem, &plan), 0);
	for (size_t i = 0; i < OD_SUPER_OFFSET; i++)
		assert_int_equal(d[i] | d[4096 + i], 0);
	for (size_t i = 8192; i < 2 * MIB; i++)
		assert_int_equal(d[i], 0);
	for (size_t i = bytes - MIB; i < bytes; i++)
		assert_int_equal(d[i], 0);
	/* What is not needed stays, for it was not to be discarded. */
	assert_int_equal(d[bytes - 2 * MIB], 0xA5);
	dev_close(mem);
}

static void write_errors_are_passed_on(void **state)
{
	struct dev_fault_plan fault = { 0 };
	struct dev *mem, *dev;
	int err = -EIO;

	(void)state;
	assert_int_equal(plan_for(DEV_BYTES), 0);
	for (fault.fail_write = 1; err; fault.fail_write++) {
		assert_true(fault.fail_write < 1000);
		assert_int_equal(dev_mem_open(ctx, NULL, DEV_BYTES, &mem), 0);
		assert_int_equal(dev_fault_open(mem, &fault, &dev), 0);
		err = format_write(dev, &plan);
		assert_true(!err || err == -EIO);
		assert_true(!err ==
			    (super_state(dev_mem_data(mem) + OD_SUPER_OFFSET) !=
			     0));
		dev_close(dev);
	}
	assert_true(fault.fail_write > 10);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(planned_superblocks_are_valid),
		TEST(logs_begin_in_zones_of_their_own),
		TEST(no_two_logs_meet),
		TEST(too_small_and_too_large),
		TEST(the_minimum_is_one),
		TEST(impossible_options),
		TEST(extensions_are_listed_once),
		TEST(cut_leaves_no_volume_or_a_whole_one),
		TEST(old_superblocks_are_gone_first),
		TEST(superblocks_are_last_and_after_a_flush),
		TEST(both_ends_are_cleared),
		TEST(write_errors_are_passed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
