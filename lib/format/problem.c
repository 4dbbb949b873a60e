/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of problems, and lists of findings. */
#include "config.h"

#include "format/problem.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More are only counted: no image can take more memory than this. */
#define MAX_FINDINGS	1000000U

#define PROBLEM(name, severity, text, repair) { #name, severity, text, repair },
static const struct problem table[NR_PROBLEMS] = {
#include "format/problems.def"
};
#undef PROBLEM

/* "sit-count" for each row, made from the names once. */
static struct problem rows[NR_PROBLEMS];
static char ids[NR_PROBLEMS][32];
static pthread_once_t rows_once = PTHREAD_ONCE_INIT;

static void make_rows(void)
{
	for (size_t i = 0; i < NR_PROBLEMS; i++) {
		size_t n = 0;

		for (const char *p = table[i].id; *p && n < 31; p++, n++)
			ids[i][n] = *p == '_' ? '-' :
				    *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : *p;
		rows[i] = table[i];
		rows[i].id = ids[i];
	}
}

const struct problem *problem_get(enum problem_id id)
{
	pthread_once(&rows_once, make_rows);
	return &rows[id];
}

void findings_init(struct findings *f)
{
	memset(f, 0, sizeof(*f));
	pthread_mutex_init(&f->lock, NULL);
}

void findings_free(struct findings *f)
{
	for (size_t i = 0; i < f->nr; i++)
		free(f->v[i].detail);
	free(f->v);
	pthread_mutex_destroy(&f->lock);
	memset(f, 0, sizeof(*f));
}

/* Room for one more, or false. */
static bool make_room(struct findings *f)
{
	size_t room = f->room ? f->room * 2 : 32;
	struct finding *v;

	if (f->nr >= MAX_FINDINGS)
		return false;
	if (f->nr < f->room)
		return true;
	v = realloc(f->v, room * sizeof(*v));
	if (!v)
		return false;
	f->v = v;
	f->room = room;
	return true;
}

/* The text is the list's afterwards, or freed. */
static void add_locked(struct findings *f, const struct finding *finding,
		       char *text)
{
	f->counted[finding->id]++;
	if (!make_room(f)) {
		free(text);
		return;
	}
	f->v[f->nr] = *finding;
	f->v[f->nr++].detail = text;
}

void findings_add(struct findings *f, const struct finding *finding,
		  const char *detail, ...)
{
	char *text = NULL;
	va_list ap;

	if (detail) {
		va_start(ap, detail);
		if (vasprintf(&text, detail, ap) < 0)
			text = NULL;
		va_end(ap);
	}
	pthread_mutex_lock(&f->lock);
	add_locked(f, finding, text);
	pthread_mutex_unlock(&f->lock);
}

void findings_move(struct findings *from, struct findings *to)
{
	uint64_t kept[NR_PROBLEMS] = { 0 };

	pthread_mutex_lock(&to->lock);
	for (size_t i = 0; i < from->nr; i++) {
		kept[from->v[i].id]++;
		add_locked(to, &from->v[i], from->v[i].detail);
	}
	/* Those that were only counted. */
	for (int i = 0; i < NR_PROBLEMS; i++) {
		to->counted[i] += from->counted[i] - kept[i];
		from->counted[i] = 0;
	}
	from->nr = 0;
	pthread_mutex_unlock(&to->lock);
}

void findings_drop(struct findings *f, enum problem_id id)
{
	size_t kept = 0;

	pthread_mutex_lock(&f->lock);
	for (size_t i = 0; i < f->nr; i++) {
		if (f->v[i].id == id)
			free(f->v[i].detail);
		else
			f->v[kept++] = f->v[i];
	}
	f->nr = kept;
	f->counted[id] = 0;
	pthread_mutex_unlock(&f->lock);
}

uint64_t findings_count(const struct findings *f, enum severity least)
{
	uint64_t n = 0;

	for (int i = 0; i < NR_PROBLEMS; i++)
		if (table[i].severity >= least)
			n += f->counted[i];
	return n;
}

static int cmp_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int cmp_findings(const void *pa, const void *pb)
{
	const struct finding *a = pa, *b = pb;
	int c = cmp_u64(a->id, b->id);

	if (!c)
		c = strcmp(a->structure, b->structure);
	if (!c)
		c = cmp_u64(a->number, b->number);
	if (!c)
		c = cmp_u64(a->blk, b->blk);
	if (!c)
		c = cmp_u64(a->ino, b->ino);
	if (!c)
		c = cmp_u64(a->found, b->found);
	if (!c)
		c = cmp_u64(a->expected, b->expected);
	if (!c)
		c = strcmp(a->detail ? a->detail : "",
			   b->detail ? b->detail : "");
	return c;
}

void findings_sort(struct findings *f)
{
	pthread_mutex_lock(&f->lock);
	if (f->nr)
		qsort(f->v, f->nr, sizeof(*f->v), cmp_findings);
	pthread_mutex_unlock(&f->lock);
}

/* "STRUCTURE N at block B of inode I", the last two only if they are known. */
static void format_place(const struct finding *f, char *buf, size_t size)
{
	char blk[32] = "", ino[32] = "";

	if (f->blk)
		snprintf(blk, sizeof(blk), " at block %" PRIu32, f->blk);
	if (f->ino)
		snprintf(ino, sizeof(ino), " of inode %" PRIu32, f->ino);
	snprintf(buf, size, "%s %" PRIu64 "%s%s", f->structure, f->number, blk,
		 ino);
}

int finding_format(const struct finding *f, char *buf, size_t size)
{
	const struct problem *p = problem_get(f->id);
	char place[192], values[80] = "";

	format_place(f, place, sizeof(place));
	if (f->has_values)
		snprintf(values, sizeof(values),
			 ": found %" PRIu64 ", expected %" PRIu64, f->found,
			 f->expected);
	return snprintf(buf, size, "%s: %s: %s%s%s%s%s", p->id, place, p->text,
			values, f->detail ? " (" : "",
			f->detail ? f->detail : "", f->detail ? ")" : "");
}
