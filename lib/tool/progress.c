/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Progress: at most five times a second. */
#include "config.h"

#include "tool/progress.h"
#include "tool/size.h"
#include "tool/stop.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define INTERVAL_MS 200
#define GUESS_AFTER_MS 1500		/* what is left of a phase */

struct progress {
	int fd;				/* -1: nothing is shown */
	bool terminal;
	bool drawn;			/* a line stands on the terminal */
	char phase[64];
	int64_t shown_ms;		/* when the last line was shown */
	int64_t begun_ms;		/* the phase, */
	uint64_t begun_at;		/* with this much done */
	uint64_t unit;			/* bytes; 0: none */
};

struct progress *progress_new(int fd, bool quiet)
{
	struct progress *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->fd = fd;
	if (fd < 0 && !quiet && isatty(STDERR_FILENO)) {
		p->fd = STDERR_FILENO;
		p->terminal = true;
	}
	return p;
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static unsigned int percent(uint64_t done, uint64_t total)
{
	if (!total)
		return 0;
	if (done >= total)
		return 100;
	return (unsigned int)((double)done / (double)total * 100);
}

/* A reader that went away ends the reports, not the work. */
static void put(struct progress *p, const char *text, size_t len)
{
	if (write(p->fd, text, len) < 0)
		p->fd = -1;
}

static size_t terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_col < 20)
		return 80;
	return size.ws_col;
}

static void put_count(const struct progress *p, uint64_t n,
		      char text[SIZE_TEXT_MAX])
{
	if (p->unit)
		size_format(n < UINT64_MAX / p->unit ? n * p->unit : n, text);
	else
		snprintf(text, SIZE_TEXT_MAX, "%" PRIu64, n);
}

/* Seconds, or -1 while that cannot be known. */
static double time_left(const struct progress *p,
			const struct f2c_progress *now)
{
	int64_t spent = p->shown_ms - p->begun_ms;

	if (spent < GUESS_AFTER_MS || now->done <= p->begun_at ||
	    now->done >= now->total)
		return -1;
	return (double)(now->total - now->done) /
	       (double)(now->done - p->begun_at) * (double)spent / 1000;
}

__attribute__((format(printf, 3, 4)))
static void append(char *text, size_t size, const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + len, size - len, fmt, ap);
	va_end(ap);
}

/* "moving files: 25% (1 GiB of 4 GiB), 3 of 9 files, 700 of 800 extents" */
static void put_text(const struct progress *p, const struct f2c_progress *now,
		     char *text, size_t size)
{
	char done[SIZE_TEXT_MAX], all[SIZE_TEXT_MAX];
	double left = time_left(p, now);

	put_count(p, now->done, done);
	put_count(p, now->total, all);
	snprintf(text, size, "%s: ", p->phase);
	if (now->total)
		append(text, size, "%u%% (%s of %s)",
		       percent(now->done, now->total), done, all);
	else
		append(text, size, "%s", done);
	if (left >= 0 && left < 360000)
		append(text, size, ", %d:%02d left", (int)left / 60,
		       (int)left % 60);
	if (now->files_total)
		append(text, size, ", %" PRIu64 " of %" PRIu64 " files",
		       now->files_done, now->files_total);
	if (now->extents_before)
		append(text, size, ", %" PRIu64 " of %" PRIu64 " extents",
		       now->extents_now, now->extents_before);
}

static void draw(struct progress *p, const struct f2c_progress *now)
{
	size_t width = terminal_width() - 1;
	char line[256], text[200];
	int len;

	put_text(p, now, text, sizeof(text));
	if (width > sizeof(text) - 1)
		width = sizeof(text) - 1;
	len = snprintf(line, sizeof(line), "\r\033[K%.*s", (int)width, text);
	put(p, line, (size_t)len);
	p->drawn = true;
}

/* Phases are literals of ours: nothing in them is to be escaped. */
static void put_json(struct progress *p, const struct f2c_progress *now)
{
	const char *unit = p->unit ? "_bytes" : "";
	uint64_t size = p->unit ? p->unit : 1;
	double left = time_left(p, now);
	char line[512];

	snprintf(line, sizeof(line), "{\"phase\":\"%s\",\"percent\":%u,"
		 "\"done%s\":%" PRIu64 ",\"total%s\":%" PRIu64, p->phase,
		 percent(now->done, now->total), unit, now->done * size, unit,
		 now->total * size);
	if (left >= 0)
		append(line, sizeof(line), ",\"seconds_left\":%.0f", left);
	else
		append(line, sizeof(line), ",\"seconds_left\":null");
	if (now->files_total)
		append(line, sizeof(line), ",\"files_done\":%" PRIu64
		       ",\"files_total\":%" PRIu64, now->files_done,
		       now->files_total);
	if (now->extents_before)
		append(line, sizeof(line), ",\"extents_before\":%" PRIu64
		       ",\"extents_now\":%" PRIu64, now->extents_before,
		       now->extents_now);
	append(line, sizeof(line), "}\n");
	put(p, line, strlen(line));
}

void progress_unit(struct progress *p, uint64_t bytes)
{
	if (p)
		p->unit = bytes;
}

void progress_set(struct progress *p, const struct f2c_progress *now)
{
	int64_t ms;

	if (!p || p->fd < 0)
		return;
	ms = now_ms();
	if (strncmp(p->phase, now->phase, sizeof(p->phase) - 1)) {
		snprintf(p->phase, sizeof(p->phase), "%s", now->phase);
		p->begun_ms = ms;
		p->begun_at = now->done;
	} else if (ms - p->shown_ms < INTERVAL_MS &&
		   !(now->total && now->done >= now->total)) {
		return;
	}
	p->shown_ms = ms;
	if (p->terminal)
		draw(p, now);
	else
		put_json(p, now);
}

static_assert(_Generic(progress_of_library, f2c_progress_fn *: 1, default: 0),
	      "progress_of_library is an f2c_progress_fn");

int progress_of_library(void *priv, const struct f2c_progress *now)
{
	progress_set(priv, now);
	return stop_requested();
}

void progress_clear(struct progress *p)
{
	if (p && p->drawn && p->fd >= 0)
		put(p, "\r\033[K", 4);
	if (p)
		p->drawn = false;
}

void progress_free(struct progress *p)
{
	progress_clear(p);
	free(p);
}
