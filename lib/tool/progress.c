/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Progress lines, at most five a second. */
#include "config.h"

#include "tool/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define INTERVAL_MS 200

struct progress {
	int fd;				/* -1: nothing is shown */
	bool terminal;
	bool drawn;			/* a line stands on the terminal */
	char what[64];
	int64_t shown_ms;		/* when the last line was shown */
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

static void draw(struct progress *p, uint64_t done, uint64_t total,
		 const char *unit)
{
	size_t width = terminal_width() - 1;
	char line[256], text[200];
	int len;

	if (total)
		snprintf(text, sizeof(text), "%s: %u%% (%" PRIu64 " of %" PRIu64
			 " %s)", p->what, percent(done, total), done, total,
			 unit);
	else
		snprintf(text, sizeof(text), "%s: %" PRIu64 " %s", p->what,
			 done, unit);
	if (width > sizeof(text) - 1)
		width = sizeof(text) - 1;
	len = snprintf(line, sizeof(line), "\r\033[K%.*s", (int)width, text);
	put(p, line, (size_t)len);
	p->drawn = true;
}

void progress_set(struct progress *p, const char *what, uint64_t done,
		  uint64_t total, const char *unit)
{
	char line[128];
	int64_t now;
	int len;

	if (!p || p->fd < 0)
		return;
	now = now_ms();
	if (!strncmp(p->what, what, sizeof(p->what) - 1) &&
	    now - p->shown_ms < INTERVAL_MS && !(total && done >= total))
		return;
	snprintf(p->what, sizeof(p->what), "%s", what);
	p->shown_ms = now;
	if (p->terminal) {
		draw(p, done, total, unit);
		return;
	}
	len = snprintf(line, sizeof(line), "%u %" PRIu64 " %" PRIu64 " %s\n",
		       percent(done, total), done, total, unit);
	if ((size_t)len < sizeof(line))
		put(p, line, (size_t)len);
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
