/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All that can be wrong with a volume, one row each, and the list of what was
 * found. Opening a volume and the checks add findings; nothing here does I/O.
 *
 * A row: PROBLEM(name, severity, text, repair). The id that users see is the
 * name in lower case with '-' for '_'.
 */
#ifndef F2CORE_FORMAT_PROBLEM_H
#define F2CORE_FORMAT_PROBLEM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * NOTE: a hint, never makes a volume unclean. ERROR: the volume is
 * inconsistent. FATAL: an ERROR because of which parts cannot be read at all.
 */
enum severity { SEV_NOTE, SEV_ERROR, SEV_FATAL };

#define PROBLEM(name, severity, text, repair) P_##name,
enum problem_id {
#include "format/problems.def"
	NR_PROBLEMS
};
#undef PROBLEM

struct problem {
	const char *id;			/* "sit-count" */
	enum severity severity;
	const char *text;		/* a sentence without the values */
	const char *repair;		/* what a repair would do */
};

const struct problem *problem_get(enum problem_id id);

/*
 * One finding. @structure and @number name what is wrong ("SIT entry", 17),
 * @blk is the address where it lies (0: nowhere), @ino the inode it belongs
 * to (0: none). @found and @expected are meaningful if @has_values.
 */
struct finding {
	enum problem_id id;
	const char *structure;		/* a literal */
	uint64_t number;
	uint32_t blk;
	uint32_t ino;
	bool has_values;
	uint64_t found;
	uint64_t expected;
	char *detail;			/* owned; more words, or NULL */
};

/*
 * A list that several threads may add to. When memory for a finding is short
 * or there are more than a million, it is only counted.
 */
struct findings {
	pthread_mutex_t lock;
	struct finding *v;
	size_t nr;			/* kept in v */
	size_t room;
	uint64_t counted[NR_PROBLEMS];	/* all, kept or not */
};

void findings_init(struct findings *f);
void findings_free(struct findings *f);

/* Append all of @from to @to; @from is empty afterwards. */
void findings_move(struct findings *from, struct findings *to);

/* All fields of *@finding are copied; detail may be NULL, printf form else. */
void findings_add(struct findings *f, const struct finding *finding,
		  const char *detail, ...)
	__attribute__((format(printf, 3, 4)));

/* Take out all findings of this problem: it is solved. */
void findings_drop(struct findings *f, enum problem_id id);

/* How many of at least this severity. */
uint64_t findings_count(const struct findings *f, enum severity least);

/* Stable order: problem, structure, number, blk. For output. */
void findings_sort(struct findings *f);

/* One line with structure, address and values; returns snprintf's value. */
int finding_format(const struct finding *finding, char *buf, size_t size);

#endif
