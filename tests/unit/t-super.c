/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which superblock copy is used, and what is said of the other. */
#include "config.h"

#include "meta/super.h"
#include "tiny.h"

#include <errno.h>
#include <string.h>

#include "unit.h"

static uint64_t counted(const struct findings *f, enum problem_id id)
{
	return f->counted[id];
}

/* Load, compare the result and whether findings are just @id once. */
static void load(struct tiny *t, int want, int copy, int id)
{
	struct findings f;
	struct super s;

	findings_init(&f);
	assert_int_equal(super_load(t->dev, &f, &s), want);
	if (!want)
		assert_int_equal(s.copy, copy);
	if (id >= 0)
		assert_int_equal(counted(&f, (enum problem_id)id), 1);
	assert_int_equal(findings_count(&f, SEV_NOTE), id >= 0);
	findings_free(&f);
}

static void first_valid_copy_is_used(void **state)
{
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	load(&t, 0, 0, -1);
	memset(tiny_super(&t, 1), 0, OD_SUPER_SIZE);
	load(&t, 0, 0, P_SB_COPY_BAD);
	*tiny_super(&t, 1) = *tiny_super(&t, 0);
	memset(tiny_super(&t, 0), 0, OD_SUPER_SIZE);
	load(&t, 0, 1, P_SB_COPY_BAD);
	tiny_free(&t);
}

static void no_valid_copy_names_both_reasons(void **state)
{
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	le32_set(&tiny_super(&t, 0)->secs_per_zone, 0);
	le32_set(&tiny_super(&t, 1)->root_ino, 4);
	tiny_sign_super(&t);
	load(&t, -EUCLEAN, 0, P_SB_BOTH_BAD);
	assert_non_null(strstr(ctx_error(t.ctx), "secs_per_zone is 0"));
	assert_non_null(strstr(ctx_error(t.ctx), "root_ino is 4"));
	memset(tiny_super(&t, 0), 0, OD_SUPER_SIZE);
	memset(tiny_super(&t, 1), 0, OD_SUPER_SIZE);
	load(&t, -EUCLEAN, 0, P_SB_BOTH_BAD);
	assert_non_null(strstr(ctx_error(t.ctx), "not an F2FS volume"));
	tiny_free(&t);
}

/* The place of the second copy depends on the block size. */
static void second_copy_is_found_at_each_block_size(void **state)
{
	static const uint32_t sizes[] = { 4096, 8192, 16384 };

	(void)state;
	for (size_t i = 0; i < NR_OF(sizes); i++) {
		struct tiny t;

		tiny_make(&t, &(struct tiny_opt){ .block_size = sizes[i] });
		t.dev->block_size = 4096;
		load(&t, 0, 0, -1);
		assert_int_equal(t.dev->block_size, sizes[i]);
		t.dev->block_size = 4096;
		tiny_super(&t, 0)->magic.b[0] ^= 1;
		load(&t, 0, 1, P_SB_COPY_BAD);
		assert_int_equal(t.dev->block_size, sizes[i]);
		tiny_free(&t);
	}
}

/* An old copy where that of another block size would be does not count. */
static void copy_must_fit_its_place(void **state)
{
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ .block_size = 16384 });
	memcpy(t.data + 4096 + OD_SUPER_OFFSET, tiny_super(&t, 0),
	       OD_SUPER_SIZE);
	memset(tiny_super(&t, 0), 0, OD_SUPER_SIZE);
	load(&t, 0, 1, P_SB_COPY_BAD);
	memset(tiny_super(&t, 1), 0, OD_SUPER_SIZE);
	load(&t, -EUCLEAN, 0, P_SB_BOTH_BAD);
	tiny_free(&t);
}

static void copies_that_differ(void **state)
{
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	tiny_super(&t, 1)->volume_name[0].b[0] = 'x';
	tiny_sign_super(&t);
	load(&t, 0, 0, P_SB_COPIES_DIFFER);
	tiny_free(&t);
}

/* Marks are written to one copy after the other: a cut between is no fault. */
static void marks_may_differ_and_are_noted(void **state)
{
	struct findings f;
	struct super s;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	tiny_super(&t, 0)->s_errors[0] = 4;
	tiny_super(&t, 0)->s_stop_reason[3] = 2;
	tiny_sign_super(&t);
	findings_init(&f);
	assert_int_equal(super_load(t.dev, &f, &s), 0);
	assert_true(s.differ);
	assert_int_equal(counted(&f, P_SB_ERRORS_MARKED), 1);
	assert_int_equal(findings_count(&f, SEV_ERROR), 0);
	assert_string_equal(f.v[0].detail,
			    "s_stop_reason [3]=2; s_errors [0]=4");
	findings_free(&f);
	tiny_free(&t);
}

static void unknown_feature_is_a_note(void **state)
{
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ .features = 0x40000000 });
	load(&t, 0, 0, P_SB_UNKNOWN_FEATURE);
	tiny_free(&t);
}

static void small_devices(void **state)
{
	static const uint64_t sizes[] = { 0, 1, 1023, 1024, 4095, 4096, 5120,
					  8191, 8192, 1 << 20 };
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	for (size_t i = 0; i < NR_OF(sizes); i++) {
		t.dev->nr_bytes = sizes[i];
		load(&t, -EUCLEAN, 0, P_SB_BOTH_BAD);
	}
	assert_non_null(strstr(ctx_error(t.ctx),
			       "smaller than its volume: it has 256 blocks"));
	tiny_free(&t);
}

static void unreadable_copy_is_a_bad_one(void **state)
{
	const struct dev_fault_plan plan = { .fail_read = 1 };
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	assert_int_equal(dev_fault_open(t.dev, &plan, &t.dev), 0);
	load(&t, 0, 1, P_SB_COPY_BAD);
	tiny_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_valid_copy_is_used),
		cmocka_unit_test(no_valid_copy_names_both_reasons),
		cmocka_unit_test(second_copy_is_found_at_each_block_size),
		cmocka_unit_test(copy_must_fit_its_place),
		cmocka_unit_test(copies_that_differ),
		cmocka_unit_test(marks_may_differ_and_are_noted),
		cmocka_unit_test(unknown_feature_is_a_note),
		cmocka_unit_test(small_devices),
		cmocka_unit_test(unreadable_copy_is_a_bad_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
