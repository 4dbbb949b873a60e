/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of problems and lists of findings. */
#include "config.h"

#include "format/problem.h"

#include <pthread.h>
#include <string.h>

#include "unit.h"

static void ids_are_words_with_dashes_and_unique(void **state)
{
	(void)state;
	assert_string_equal(problem_get(P_SIT_COUNT)->id, "sit-count");
	assert_string_equal(problem_get(P_SB_UNKNOWN_FEATURE)->id,
			    "sb-unknown-feature");
	for (int i = 0; i < NR_PROBLEMS; i++) {
		const struct problem *p = problem_get((enum problem_id)i);

		assert_int_equal(strspn(p->id, "abcdefghijklmnopqrstuvwxyz-"),
				 strlen(p->id));
		assert_true(p->text[0] && p->repair[0]);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(
				p->id, problem_get((enum problem_id)k)->id);
	}
}

static void counts_by_severity(void **state)
{
	struct findings f;

	(void)state;
	findings_init(&f);
	findings_add(&f, &(struct finding){ .id = P_SB_ERRORS_MARKED,
		     .structure = "superblock" }, NULL);
	findings_add(&f, &(struct finding){ .id = P_SIT_COUNT,
		     .structure = "SIT entry" }, NULL);
	findings_add(&f, &(struct finding){ .id = P_CP_BOTH_BAD,
		     .structure = "checkpoint" }, NULL);
	assert_int_equal(findings_count(&f, SEV_NOTE), 3);
	assert_int_equal(findings_count(&f, SEV_ERROR), 2);
	assert_int_equal(findings_count(&f, SEV_FATAL), 1);
	findings_free(&f);
}

static void lines_name_place_and_values(void **state)
{
	struct finding f = { .id = P_SIT_COUNT, .structure = "SIT entry",
			     .number = 17, .blk = 1234, .has_values = true,
			     .found = 508, .expected = 512 };
	char buf[300], small[10];
	int n;

	(void)state;
	n = finding_format(&f, buf, sizeof(buf));
	assert_int_equal(n, strlen(buf));
	assert_string_equal(buf, "sit-count: SIT entry 17 at block 1234: a segment's valid count differs from its bitmap: found 508, expected 512");
	assert_int_equal(finding_format(&f, small, sizeof(small)), n);
	f = (struct finding){ .id = P_DIR_HASH, .structure = "dentry",
			      .number = 3, .ino = 9, .detail = (char *)"x" };
	finding_format(&f, buf, sizeof(buf));
	assert_string_equal(buf, "dir-hash: dentry 3 of inode 9: a directory entry's hash or bucket is wrong (x)");
}

static void order_is_the_same_however_they_came(void **state)
{
	struct findings f;

	(void)state;
	findings_init(&f);
	for (uint64_t i = 0; i < 50; i++)
		findings_add(&f, &(struct finding){
			     .id = i % 2 ? P_SIT_COUNT : P_NAT_ENTRY,
			     .structure = "x", .number = 50 - i }, "n%d",
			     (int)i);
	findings_sort(&f);
	assert_int_equal(f.nr, 50);
	for (size_t i = 1; i < f.nr; i++)
		assert_true(f.v[i - 1].id < f.v[i].id ||
			    (f.v[i - 1].id == f.v[i].id &&
			     f.v[i - 1].number < f.v[i].number));
	assert_string_equal(f.v[0].detail, "n48");
	findings_free(&f);
}

static void moving_empties_the_source(void **state)
{
	struct findings a, b;

	(void)state;
	findings_init(&a);
	findings_init(&b);
	findings_add(&a, &(struct finding){ .id = P_SIT_COUNT,
		     .structure = "x" }, "words");
	a.counted[P_SIT_COUNT] += 5;	/* as if no memory was left for five */
	findings_add(&b, &(struct finding){ .id = P_SIT_COUNT,
		     .structure = "x" }, NULL);
	findings_move(&a, &b);
	assert_int_equal(findings_count(&a, SEV_NOTE), 0);
	assert_int_equal(findings_count(&b, SEV_NOTE), 7);
	assert_int_equal(a.nr, 0);
	assert_int_equal(b.nr, 2);
	assert_string_equal(b.v[1].detail, "words");
	findings_free(&a);
	findings_free(&b);
}

#define NR_PER_THREAD 2000

static void *add_many(void *list)
{
	for (int i = 0; i < NR_PER_THREAD; i++)
		findings_add(list, &(struct finding){ .id = P_SSA_ENTRY,
			     .structure = "x", .number = (uint64_t)i }, "d");
	return NULL;
}

static void threads_add_at_once(void **state)
{
	struct findings f;
	pthread_t t[4];

	(void)state;
	findings_init(&f);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, add_many, &f), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	assert_int_equal(f.nr, 4 * NR_PER_THREAD);
	findings_free(&f);
}

static void a_million_are_kept_the_rest_counted(void **state)
{
	const size_t nr = 1000100;
	struct findings f;

	(void)state;
	findings_init(&f);
	for (size_t i = 0; i < nr; i++)
		findings_add(&f, &(struct finding){ .id = P_SSA_ENTRY,
			     .structure = "x" }, NULL);
	assert_int_equal(f.nr, 1000000);
	assert_int_equal(findings_count(&f, SEV_ERROR), nr);
	findings_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_are_words_with_dashes_and_unique),
		cmocka_unit_test(counts_by_severity),
		cmocka_unit_test(lines_name_place_and_values),
		cmocka_unit_test(order_is_the_same_however_they_came),
		cmocka_unit_test(moving_empties_the_source),
		cmocka_unit_test(threads_add_at_once),
		cmocka_unit_test(a_million_are_kept_the_rest_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
