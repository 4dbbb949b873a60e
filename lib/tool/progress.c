/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Progress lines, at most five a second. */
#include "config.h"

#include "tool/progress.h"
#include "tool/size.h"
#include "tool/stop.h"

#include <f2core.h>

#include <assert.h>
#include <inttypes.h>
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

/* ", 1:07 left", or "" while that cannot be known. */
static void put_time_left(const struct progress *p, uint64_t done,
			  uint64_t total, char text[32])
{
	int64_t spent = p->shown_ms - p->begun_ms;
	double left;

	text[0] = '\0';
	if (spent < GUESS_AFTER_MS || done <= p->begun_at || done >= total)
		return;
	left = (double)(total - done) / (double)(done - p->begun_at) *
	       (double)spent / 1000;
	if (left < 360000)
		snprintf(text, 32, ", %d:%02d left", (int)left / 60,
			 (int)left % 60);
}

static void put_text(const struct progress *p, uint64_t done, uint64_t total,
		     char *text, size_t size)
{
	char now[SIZE_TEXT_MAX], all[SIZE_TEXT_MAX], left[32];

	put_count(p, done, now);
	put_count(p, total, all);
	put_time_left(p, done, total, left);
	if (total)
		snprintf(text, size, "%s: %u%% (%s of %s)%s", p->phase,
			 percent(done, total), now, all, left);
	else
		snprintf(text, size, "%s: %s", p->phase, now);
}

static void draw(struct progress *p, uint64_t done, uint64_t total)
{
	size_t width = terminal_width() - 1;
	char line[256], text[200];
	int len;

	put_text(p, done, total, text, sizeof(text));
	if (width > sizeof(text) - 1)
		width = sizeof(text) - 1;
	len = snprintf(line, sizeof(line), "\r\033[K%.*s", (int)width, text);
	put(p, line, (size_t)len);
	p->drawn = true;
}

void progress_unit(struct progress *p, uint64_t bytes)
{
	if (p)
		p->unit = bytes;
}

void progress_set(struct progress *p, const char *phase, uint64_t done,
		  uint64_t total)
{
	char line[128];
	int64_t now;
	int len;

	if (!p || p->fd < 0)
		return;
	now = now_ms();
	if (strncmp(p->phase, phase, sizeof(p->phase) - 1)) {
		snprintf(p->phase, sizeof(p->phase), "%s", phase);
		p->begun_ms = now;
		p->begun_at = done;
	} else if (now - p->shown_ms < INTERVAL_MS &&
		   !(total && done >= total)) {
		return;
	}
	p->shown_ms = now;
	if (p->terminal) {
		draw(p, done, total);
		return;
	}
	len = snprintf(line, sizeof(line), "%u %" PRIu64 " %" PRIu64 " %s\n",
		       percent(done, total), done, total, p->phase);
	put(p, line, (size_t)len);
}

static_assert(_Generic(progress_of_library, f2c_progress_fn *: 1, default: 0),
	      "progress_of_library is an f2c_progress_fn");

int progress_of_library(void *priv, const char *phase, uint64_t done,
			uint64_t total)
{
	progress_set(priv, phase, done, total);
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
