/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Progress on a descriptor, and the flag that a signal sets. */
#include "config.h"

#include "tool/progress.h"
#include "tool/stop.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void set(struct progress *p, const char *phase, uint64_t done,
		uint64_t total)
{
	struct f2c_progress now = {
		.phase = phase, .done = done, .total = total,
	};

	progress_set(p, &now);
}

static void lines_are_json_objects(void **state)
{
	struct f2c_progress files = {
		.phase = "moving files", .done = 2, .total = 4,
		.files_done = 1, .files_total = 2,
		.extents_before = 90, .extents_now = 50,
	};
	struct progress *p;
	char text[1024];
	int fds[2];
	ssize_t n;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	p = progress_new(fds[1], true);
	set(p, "nodes", 1, 3);
	set(p, "nodes", 2, 3);		/* too soon */
	set(p, "nodes", 3, 3);		/* the end is always shown */
	set(p, "moving", 7, 0);		/* so is a new phase */
	progress_unit(p, 4096);
	progress_set(p, &files);
	progress_free(p);
	n = read(fds[0], text, sizeof(text) - 1);
	assert_true(n > 0);
	text[n] = '\0';
	assert_string_equal(text,
"{\"phase\":\"nodes\",\"percent\":33,\"done\":1,\"total\":3,"
"\"seconds_left\":null}\n"
"{\"phase\":\"nodes\",\"percent\":100,\"done\":3,\"total\":3,"
"\"seconds_left\":null}\n"
"{\"phase\":\"moving\",\"percent\":0,\"done\":7,\"total\":0,"
"\"seconds_left\":null}\n"
"{\"phase\":\"moving files\",\"percent\":50,\"done_bytes\":8192,"
"\"total_bytes\":16384,\"seconds_left\":null,\"files_done\":1,"
"\"files_total\":2,\"extents_before\":90,\"extents_now\":50}\n");
	close(fds[0]);
	close(fds[1]);
}

/* Make stderr a terminal; *@was is what it was. */
static int open_terminal(int *was)
{
	int pty = posix_openpt(O_RDWR | O_NOCTTY), end;

	assert_true(pty >= 0);
	assert_int_equal(grantpt(pty), 0);
	assert_int_equal(unlockpt(pty), 0);
	end = open(ptsname(pty), O_RDWR | O_NOCTTY);
	assert_true(end >= 0);
	*was = dup(STDERR_FILENO);
	assert_true(dup2(end, STDERR_FILENO) >= 0);
	close(end);
	return pty;
}

static void terminals_see_sizes_files_extents_and_time_left(void **state)
{
	struct f2c_progress files = {
		.phase = "moving", .done = 25, .total = 100,
		.files_done = 1, .files_total = 3,
		.extents_before = 90, .extents_now = 50,
	};
	struct progress *p;
	int was, pty = open_terminal(&was);
	char text[512] = "";
	size_t len = 0;
	ssize_t n;

	(void)state;
	alarm(20);			/* rather than read forever */
	p = progress_new(-1, false);
	progress_unit(p, 1 << 20);
	set(p, "moving", 0, 100);
	usleep(1600 * 1000);
	progress_set(p, &files);
	set(p, "counting", 7, 0);
	while (!strstr(text, "counting: 7 MiB") &&
	       (n = read(pty, text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)n;
	dup2(was, STDERR_FILENO);
	progress_free(p);
	assert_non_null(strstr(text, "moving: 0% (0 B of 100 MiB)\r"));
	assert_non_null(strstr(text, "moving: 25% (25 MiB of 100 MiB), 0:0"));
	assert_non_null(strstr(text, " left, 1 of 3 files, 50 of 90 extents\r"));
	close(was);
	close(pty);
}

static void a_reader_that_left_is_no_reason_to_die(void **state)
{
	struct progress *p;
	int fds[2];

	(void)state;
	stop_install();
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	p = progress_new(fds[1], true);
	set(p, "nodes", 1, 3);
	set(p, "moving", 1, 3);
	progress_free(p);
	close(fds[1]);
}

static void a_signal_stops_the_work(void **state)
{
	struct f2c_progress now = { .phase = "nodes", .done = 1, .total = 3 };

	(void)state;
	stop_install();
	assert_false(stop_requested());
	assert_null(stop_reason());
	assert_int_equal(progress_of_library(NULL, &now), 0);
	raise(SIGTERM);
	assert_true(stop_requested());
	assert_string_equal(stop_reason(), "SIGTERM");
	assert_int_not_equal(progress_of_library(NULL, &now), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_json_objects),
		cmocka_unit_test(terminals_see_sizes_files_extents_and_time_left),
		cmocka_unit_test(a_reader_that_left_is_no_reason_to_die),
		cmocka_unit_test(a_signal_stops_the_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
