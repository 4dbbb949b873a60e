/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is asked of the list of files. */
#include "config.h"

#include "tree/frag_files.h"

const struct frag_file *frag_find(const struct frag_file_vec *files,
				  uint32_t ino)
{
	size_t low = 0, high = files->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (files->v[mid].ino < ino)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == files->nr || files->v[low].ino != ino)
		return NULL;
	return &files->v[low];
}

double frag_score(const struct frag_file *f)
{
	double percent;

	if (f->extents <= f->ideal || f->blocks <= f->ideal)
		return 0;
	percent = 100.0 * (f->extents - f->ideal) / (f->blocks - f->ideal);
	if (percent > 100)
		percent = 100;
	return percent <= 10 ? 8 * percent : 80 + (percent - 10) * 20 / 90;
}
