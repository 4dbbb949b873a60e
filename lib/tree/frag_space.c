/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The yardstick of free space: its runs, and how whole it is; from the SIT. */
#include "config.h"

#include "tree/frag.h"

struct free_runs {
	struct frag *out;
	uint64_t open;			/* blocks of the run that goes on */
};

/* The largest i with 2^i <= @n; a volume has less than 2^32 blocks. */
static unsigned int size_class(uint64_t n)
{
	unsigned int i = 0;

	while (n >>= 1)
		i++;
	return i < FRAG_RUN_SIZES ? i : FRAG_RUN_SIZES - 1;
}

static void end_run(struct free_runs *r)
{
	struct frag *out = r->out;
	unsigned int i = size_class(r->open);

	if (!r->open)
		return;
	if (r->open > out->longest_free_run)
		out->longest_free_run = r->open;
	out->free_runs++;
	out->free_blocks += r->open;
	out->runs_by_size[i]++;
	out->blocks_by_size[i] += r->open;
	r->open = 0;
}

static void add_segment(struct free_runs *r, const struct layout *lo,
			const struct sit_seg *seg)
{
	if (!seg->valid) {
		r->open += lo->blks_per_seg;
		return;
	}
	for (uint32_t i = 0; i < lo->blks_per_seg; i++) {
		if (seg->map[i / 8] & 0x80 >> i % 8)
			end_run(r);
		else
			r->open++;
	}
}

/* By its first segment in use; a log fills a section with one type. */
static uint8_t type_of_sec(const struct volume *vol, uint32_t secno)
{
	uint32_t first = sec_to_seg(&vol->lo, secno);
	uint8_t type = 0;

	for (uint32_t i = 0; i < vol->lo.segs_per_sec; i++) {
		const struct sit_seg *seg = sit_get(&vol->sit, first + i);

		type = seg->type;
		if (seg->valid)
			break;
	}
	return type < OD_NR_LOGS ? type : 0;
}

/* Dirty: some blocks valid, not all, and no log is at work there. */
static void count_dirty_secs(const struct volume *vol, struct frag *out)
{
	const struct layout *lo = &vol->lo;

	for (uint32_t i = 0; i < lo->nr_main_secs; i++) {
		uint32_t valid = sit_sec_valid(&vol->sit, i);

		if (!valid || valid >= blks_per_sec(lo) ||
		    volume_sec_is_current(vol, i))
			continue;
		out->dirty_secs++;
		out->dirty_secs_by_type[type_of_sec(vol, i)]++;
	}
}

static void clear_free_space(struct frag *out)
{
	struct frag keep = {
		.files = out->files,
		.file_blocks = out->file_blocks,
		.extents = out->extents,
		.ideal_extents = out->ideal_extents,
		.fragmented_files = out->fragmented_files,
		.breaks = out->breaks,
		.neighbours = out->neighbours,
	};

	*out = keep;
}

void frag_free_space(const struct volume *vol, struct frag *out)
{
	const struct layout *lo = &vol->lo;
	struct free_runs runs = { .out = out };

	clear_free_space(out);
	for (uint32_t i = 0; i < lo->nr_main_segs; i++) {
		const struct sit_seg *seg = sit_get(&vol->sit, i);

		add_segment(&runs, lo, seg);
		if (seg->valid && seg->valid < lo->blks_per_seg &&
		    !volume_seg_is_current(vol, i))
			out->dirty_segs++;
	}
	end_run(&runs);
	out->free_segs = volume_free_segs(vol);
	out->free_secs = volume_free_secs(vol);
	out->whole_free_blocks = (uint64_t)out->free_secs * blks_per_sec(lo);
	count_dirty_secs(vol, out);
}
