/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of a report: columns, sorting, and the first N of them. */
#ifndef F2CORE_DEFRAG_FILES_H
#define F2CORE_DEFRAG_FILES_H

#include <f2core.h>

#include "tool/out.h"

/* Ends with a row of zeros. */
extern const struct out_column file_columns[];

/*
 * A list of columns as people type it ("path,ideal"), in the words of the
 * table. NULL with *@bad set to the first name that is none of them, or to
 * NULL if memory is short. The caller's, to free().
 */
char *file_columns_parse(const char *typed, const char **bad);

struct file_list {
	/* Set before the first is added. */
	const char *sort;		/* a key of file_columns; NULL: score */
	bool reverse;
	size_t top;			/* 0: all */
	uint32_t min_extents;
	double min_score;

	struct file_row *rows;
	size_t nr, room;
	/* Of all that were added, also those that are not among the first. */
	struct f2c_frag sum;
};

/* An f2c_file_frag_fn; @priv is a list. 0 or -ENOMEM. */
int file_list_add(void *priv, const struct f2c_file_frag *file);
/* Sort, and leave the first of them. */
void file_list_finish(struct file_list *list);
void file_list_free(struct file_list *list);

/* The table; @columns as file_columns_parse() gave them, or NULL. */
void file_list_put(const struct file_list *list, struct out *out,
		   const char *heading, const char *columns,
		   uint32_t block_size);

#endif
