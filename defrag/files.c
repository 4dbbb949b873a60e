/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collecting the files of a report in memory for as many as are shown. */
#include "config.h"

#include "files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { COL_PATH, COL_INODE, COL_SIZE, COL_BLOCKS, COL_EXTENTS, COL_IDEAL,
       COL_AVERAGE, COL_SCORE, COL_PINNED, COL_DIRECTORY, NR_COLS };

const struct out_column file_columns[NR_COLS + 1] = {
	[COL_PATH] = { "path", "PATH", false },
	[COL_INODE] = { "inode", "INODE", true },
	[COL_SIZE] = { "size_bytes", "SIZE", true },
	[COL_BLOCKS] = { "blocks", "BLOCKS", true },
	[COL_EXTENTS] = { "extents", "EXTENTS", true },
	[COL_IDEAL] = { "ideal_extents", "IDEAL", true },
	[COL_AVERAGE] = { "average_bytes", "AVERAGE", true },
	[COL_SCORE] = { "score", "SCORE", true },
	[COL_PINNED] = { "pinned", "PINNED", false },
	[COL_DIRECTORY] = { "directory", "DIRECTORY", false },
};

/* Paths may be long: they come last. */
#define SHOWN "score,extents,ideal_extents,blocks,size_bytes,pinned,path"

struct file_row {
	struct f2c_file_frag file;	/* its path is ours */
};

/* What --columns and --sort take besides the keys. */
static const struct {
	const char *word;
	int column;
} short_words[] = {
	{ "size", COL_SIZE },
	{ "ideal", COL_IDEAL },
	{ "average", COL_AVERAGE },
};

static const char *key_of(const char *word, size_t len)
{
	for (int i = 0; i < NR_COLS; i++)
		if (strlen(file_columns[i].key) == len &&
		    !memcmp(file_columns[i].key, word, len))
			return file_columns[i].key;
	for (size_t i = 0; i < sizeof(short_words) / sizeof(*short_words); i++)
		if (strlen(short_words[i].word) == len &&
		    !memcmp(short_words[i].word, word, len))
			return file_columns[short_words[i].column].key;
	return NULL;
}

char *file_columns_parse(const char *typed, const char **bad)
{
	/* No short word is less than a third of its key. */
	char *out = malloc(3 * strlen(typed) + 1), *to = out;

	*bad = NULL;
	while (out) {
		size_t len = strcspn(typed, ",");
		const char *key = key_of(typed, len);

		if (!key) {
			*bad = typed;
			free(out);
			return NULL;
		}
		to = stpcpy(to, key);
		typed += len;
		if (!*typed++)
			break;
		*to++ = ',';
	}
	return out;
}

static double average(const struct f2c_file_frag *f)
{
	return f->extents ? (double)f->blocks / (double)f->extents : 0;
}

static double number(const struct f2c_file_frag *f, int column)
{
	switch (column) {
	case COL_INODE:
		return f->inode;
	case COL_SIZE:
		return (double)f->size_bytes;
	case COL_BLOCKS:
		return (double)f->blocks;
	case COL_EXTENTS:
		return (double)f->extents;
	case COL_IDEAL:
		return (double)f->ideal_extents;
	case COL_AVERAGE:
		return average(f);
	case COL_PINNED:
		return f->is_pinned;
	case COL_DIRECTORY:
		return f->is_directory;
	default:
		return f->score;
	}
}

static int compare_numbers(const struct f2c_file_frag *a,
			   const struct f2c_file_frag *b, int column)
{
	double x = number(a, column), y = number(b, column);

	return (x < y) - (x > y);
}

/* Paths from the first letter on, numbers from the largest on. */
static int compare_rows(const void *a, const void *b, void *priv)
{
	const struct file_list *list = priv;
	const struct f2c_file_frag *x = a, *y = b;
	int column = COL_SCORE, ret;

	for (int i = 0; list->sort && i < NR_COLS; i++)
		if (!strcmp(file_columns[i].key, list->sort))
			column = i;
	ret = column == COL_PATH ? strcmp(x->path, y->path) :
				   compare_numbers(x, y, column);
	if (ret)
		return list->reverse ? -ret : ret;
	ret = compare_numbers(x, y, COL_EXTENTS);
	if (!ret)
		ret = strcmp(x->path, y->path);
	return ret ? ret : (x->inode > y->inode) - (x->inode < y->inode);
}

void file_list_finish(struct file_list *list)
{
	if (list->nr)
		qsort_r(list->rows, list->nr, sizeof(*list->rows),
			compare_rows, list);
	while (list->top && list->nr > list->top)
		free((void *)(uintptr_t)list->rows[--list->nr].file.path);
}

static int add_row(struct file_list *list, const struct f2c_file_frag *file)
{
	struct file_row row = { *file };

	/* Those that are not wanted go when they are as many as those are. */
	if (list->nr == list->room && list->top && list->nr > 2 * list->top)
		file_list_finish(list);
	if (list->nr == list->room) {
		size_t room = list->room ? 2 * list->room : 256;
		void *rows = reallocarray(list->rows, room, sizeof(row));

		if (!rows)
			return -ENOMEM;
		list->rows = rows;
		list->room = room;
	}
	row.file.path = strdup(file->path);
	if (!row.file.path)
		return -ENOMEM;
	list->rows[list->nr++] = row;
	return 0;
}

int file_list_add(void *priv, const struct f2c_file_frag *file)
{
	struct file_list *list = priv;
	struct f2c_frag *sum = &list->sum;

	if (file->extents < list->min_extents ||
	    file->score < list->min_score)
		return 0;
	sum->files++;
	sum->file_blocks += file->blocks;
	sum->extents += file->extents;
	sum->ideal_extents += file->ideal_extents;
	sum->fragmented_files += file->extents > file->ideal_extents;
	return add_row(list, file);
}

void file_list_free(struct file_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		free((void *)(uintptr_t)list->rows[i].file.path);
	free(list->rows);
}

static void put_row(struct out *out, const struct f2c_file_frag *f,
		    uint32_t block_size)
{
	out_row(out);
	out_cell_str(out, f->path[0] ? f->path : NULL);
	out_cell_u64(out, f->inode);
	out_cell_size(out, f->size_bytes);
	out_cell_u64(out, f->blocks);
	out_cell_u64(out, f->extents);
	out_cell_u64(out, f->ideal_extents);
	out_cell_size(out, (uint64_t)(average(f) * block_size));
	out_cell_double(out, f->score, 1);
	out_cell_bool(out, f->is_pinned);
	out_cell_bool(out, f->is_directory);
}

void file_list_put(const struct file_list *list, struct out *out,
		   const char *heading, const char *columns,
		   uint32_t block_size)
{
	if (!columns && !out_is_json(out))
		columns = SHOWN;
	out_table_begin(out, "files", heading, file_columns, columns);
	for (size_t i = 0; i < list->nr; i++)
		put_row(out, &list->rows[i].file, block_size);
	out_table_end(out);
}
