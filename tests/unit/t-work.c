/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The work queue gives on many threads what it gives on one. */
#include "config.h"

#include "base/work.h"
#include "unit.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

enum { PIECES = 2000, WINDOW = 7 };

struct job {
	atomic_uint done[PIECES];
	size_t merged;
	size_t result[WINDOW];
	size_t fail_at, fail_merge_at;
	unsigned int nr_threads;
	bool order_broken, worker_broken, result_broken;
	pthread_t caller;
	atomic_bool elsewhere;
};

static struct job job;

static void start(unsigned int nr_threads)
{
	memset(&job, 0, sizeof(job));
	job.fail_at = job.fail_merge_at = SIZE_MAX;
	job.nr_threads = nr_threads;
	job.caller = pthread_self();
}

static int piece(void *priv, size_t index, unsigned int worker)
{
	struct job *j = priv;

	if (worker >= j->nr_threads)
		j->worker_broken = true;
	if (!pthread_equal(j->caller, pthread_self()))
		atomic_store(&j->elsewhere, true);
	if (index % 16 == 0)
		sched_yield();
	atomic_fetch_add(&j->done[index], 1);
	if (index == j->fail_at) {	/* later ones fail before it */
		nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
		return -EUCLEAN;
	}
	return index > j->fail_at ? -EIO : 0;
}

static int piece_with_result(void *priv, size_t index, unsigned int worker)
{
	struct job *j = priv;

	j->result[index % WINDOW] = index;
	return piece(priv, index, worker);
}

static int merge(void *priv, size_t index)
{
	struct job *j = priv;

	if (index != j->merged)
		j->order_broken = true;
	if (j->result[index % WINDOW] != index)
		j->result_broken = true;
	if (index == j->fail_merge_at)
		return -ENOSPC;
	j->merged = index + 1;
	return 0;
}

static void each_piece_is_done_once(void **state)
{
	(void)state;
	for (unsigned int t = 1; t <= 9; t += 4) {
		start(t);
		assert_int_equal(work_run(t, PIECES, piece, &job), 0);
		for (size_t i = 0; i < PIECES; i++)
			assert_int_equal(job.done[i], 1);
		assert_false(job.worker_broken);
	}
}

static void one_thread_is_the_callers(void **state)
{
	(void)state;
	start(1);
	assert_int_equal(work_run(1, PIECES, piece, &job), 0);
	assert_false(job.elsewhere);
}

static void nothing_to_do_is_no_error(void **state)
{
	(void)state;
	start(1);
	assert_int_equal(work_run(4, 0, piece, &job), 0);
	assert_int_equal(work_run_merged(4, 0, WINDOW, piece, merge, &job), 0);
}

static void lowest_error_wins_and_stops(void **state)
{
	(void)state;
	for (unsigned int t = 1; t <= 8; t++) {
		start(t);
		job.fail_at = 100;
		assert_int_equal(work_run(t, PIECES, piece, &job), -EUCLEAN);
		for (size_t i = 0; i <= 100; i++)
			assert_int_equal(job.done[i], 1);
		assert_int_equal(job.done[PIECES - 1], 0);
	}
}

static void results_are_merged_in_order_within_the_window(void **state)
{
	(void)state;
	for (unsigned int t = 1; t <= 8; t++) {
		start(t);
		assert_int_equal(work_run_merged(t, PIECES, WINDOW,
						 piece_with_result, merge,
						 &job), 0);
		assert_int_equal(job.merged, PIECES);
		assert_false(job.order_broken);
		assert_false(job.result_broken);
	}
}

static void error_merges_what_came_before(void **state)
{
	(void)state;
	for (unsigned int t = 1; t <= 8; t++) {
		start(t);
		job.fail_at = 500;
		assert_int_equal(work_run_merged(t, PIECES, WINDOW,
						 piece_with_result, merge,
						 &job), -EUCLEAN);
		assert_int_equal(job.merged, 500);
		start(t);
		job.fail_merge_at = 300;
		job.fail_at = 301;
		assert_int_equal(work_run_merged(t, PIECES, WINDOW,
						 piece_with_result, merge,
						 &job), -ENOSPC);
		assert_int_equal(job.merged, 300);
	}
}

static void number_of_threads_is_bounded(void **state)
{
	(void)state;
	assert_in_range(work_default_threads(), 1, 8);
	assert_int_equal(work_nr_threads(0, 1000), work_default_threads());
	assert_int_equal(work_nr_threads(5, 3), 3);
	assert_int_equal(work_nr_threads(5, 0), 1);
	assert_in_range(work_nr_threads(100000, 100000), 8, 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_piece_is_done_once),
		cmocka_unit_test(one_thread_is_the_callers),
		cmocka_unit_test(nothing_to_do_is_no_error),
		cmocka_unit_test(lowest_error_wins_and_stops),
		cmocka_unit_test(results_are_merged_in_order_within_the_window),
		cmocka_unit_test(error_merges_what_came_before),
		cmocka_unit_test(number_of_threads_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
