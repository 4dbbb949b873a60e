/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Defragmentation of made-up volumes, also of full ones, with all kinds of
 * options: whatever stops a run, and when, every file is whole and lies no
 * worse, no commit has fewer free sections than the volume had at first, and
 * what a dry run foretells comes true.
 */
#include "config.h"

#include "volume_builder.h"
#include "base/ctx.h"
#include "engine/defrag.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More of them: SEEDS=500 tests/unit/t-defrag; FIRST=7 begins there. */
static uint64_t from_env(const char *name, uint64_t nr)
{
	const char *s = getenv(name);

	return s ? strtoull(s, NULL, 0) : nr;
}

/* What the run is watched by, and what ends it. */
struct watch {
	struct volume *vol;
	uint32_t free_secs;
	uint64_t calls;
	uint64_t stop_at;		/* call; 0: none */
};

static int look(void *priv, const char *phase, uint64_t done, uint64_t total)
{
	struct watch *w = priv;

	(void)phase;
	(void)done;
	(void)total;
	/* Never called between the change of the tables and their commit. */
	assert_true(volume_free_secs(w->vol) >= w->free_secs);
	return ++w->calls == w->stop_at;
}

/* From nearly empty to without a free segment, from small files to large. */
static void make(struct vb *b, uint64_t seed)
{
	static const uint32_t sizes[] = { 20, 200, 600, 2500 };
	static const uint32_t every[] = { 2, 4, 10, 50 };
	static const uint32_t per_sec[] = { 1, 1, 2, 4 };
	struct vb_random_opt opt = {
		.seed = seed, .segs_per_sec = per_sec[seed / 3 % 4],
		.nr_files = 30 + (uint32_t)(seed % 300),
		.max_blocks = sizes[seed % 4],
		.delete_every = every[seed / 7 % 4],
	};

	if (seed % 3) {
		opt.nr_secs = (28 + (uint32_t)(seed % 23)) / opt.segs_per_sec +
			      (opt.segs_per_sec > 2 ? 4 : 0);
		opt.leave = (uint32_t)(seed / 5 % 6);
		opt.full = true;
	}
	vb_make_random(b, &opt);
}

struct ino_list {
	uint32_t v[16];
	size_t nr;
};

static int by_number(const void *pa, const void *pb)
{
	const uint32_t *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

static void some_files(struct vb *b, struct ino_list *list)
{
	list->nr = 0;
	for (int i = 0; i < 12; i++) {
		uint32_t n = vb_random(b, (uint32_t)b->files.nr);

		if (!b->files.v[n]->gone)
			list->v[list->nr++] = b->files.v[n]->ino;
	}
	qsort(list->v, list->nr, sizeof(*list->v), by_number);
}

enum { NR_KINDS = 10 };

static void choose(struct vb *b, uint64_t kind, struct defrag_options *opt,
		   struct watch *w, struct ino_list *list)
{
	*opt = (struct defrag_options){
		.progress = look, .progress_priv = w,
		.order = (enum defrag_order)vb_random(b, 5),
	};
	some_files(b, list);
	switch (kind) {
	case 1:
		opt->only_free = true;
		break;
	case 2:
		opt->full = true;
		break;
	case 3:
		opt->max_moved = 1 + vb_random(b, 3000);
		break;
	case 4:
		opt->only = list->v;
		opt->nr_only = list->nr;
		opt->files_only = true;
		break;
	case 5:
		opt->exclude = list->v;
		opt->nr_exclude = list->nr;
		break;
	case 6:
		w->stop_at = 1 + vb_random(b, 30);
		break;
	case 7:
		opt->time_limit = .0001 + vb_random(b, 100) * .0001;
		break;
	case 8:
		opt->only_free = true;
		opt->max_moved = 1 + vb_random(b, 2000);
		break;
	case 9:
		opt->min_extents = 1 + vb_random(b, 40);
		opt->min_score = vb_random(b, 60);
		break;
	}
}

static void run(struct vb *b, struct volume *vol,
		const struct defrag_options *opt, struct defrag_report *r)
{
	int err;

	alarm(120);
	err = defrag_run(vol, opt, r);
	alarm(0);
	if (err)
		print_error("defrag: %s\n", ctx_error(b->ctx));
	assert_int_equal(err, 0);
}

static void foretell(struct vb *b, struct defrag_options opt,
		     struct defrag_report *r)
{
	struct volume *vol;
	struct dev *dev;

	assert_int_equal(dev_overlay_open(vb_dev(b), &dev), 0);
	vol = vb_open_dev(b, dev);
	opt.dry_run = true;
	opt.progress = NULL;
	run(b, vol, &opt, r);
	volume_close(vol);
}

static void reports_are_equal(const struct defrag_report *a,
			      const struct defrag_report *b)
{
	assert_int_equal(a->stopped_by, b->stopped_by);
	assert_int_equal(a->after.extents, b->after.extents);
	assert_int_equal(a->files_moved, b->files_moved);
	assert_int_equal(a->files_skipped, b->files_skipped);
	assert_int_equal(a->data_moved, b->data_moved);
	assert_int_equal(a->nodes_moved, b->nodes_moved);
	assert_int_equal(a->nodes_updated, b->nodes_updated);
	assert_int_equal(a->free_secs_after, b->free_secs_after);
	assert_int_equal(a->dirty_secs_after, b->dirty_secs_after);
	assert_int_equal(a->commits.commits, b->commits.commits);
	assert_int_equal(a->commits.blocks_written, b->commits.blocks_written);
}

static void list_files(struct volume *vol, struct frag_file_vec *files)
{
	struct frag total;

	assert_int_equal(frag_list(vol, 1, files, &total), 0);
}

static void no_file_is_worse(const struct frag_file_vec *before,
			     const struct frag_file_vec *after)
{
	assert_int_equal(before->nr, after->nr);
	for (size_t i = 0; i < before->nr; i++) {
		assert_int_equal(before->v[i].ino, after->v[i].ino);
		assert_true(after->v[i].extents <= before->v[i].extents);
	}
}

static void limits_are_kept(const struct defrag_options *opt,
			    const struct defrag_report *r)
{
	assert_true(r->free_secs_after >= r->free_secs_before);
	assert_true(r->free_secs_after <= r->free_secs_most);
	assert_int_equal(r->before.free_blocks, r->after.free_blocks);
	if (opt->max_moved)
		assert_true(r->data_moved <= opt->max_moved);
	if (r->stopped_by == DEFRAG_DONE && !opt->only_free && !opt->only &&
	    !opt->nr_exclude && !opt->min_extents)
		assert_int_equal(r->after.extents, r->after.ideal_extents);
}

static bool is_foretold(const struct defrag_options *opt,
			const struct watch *w)
{
	return opt->time_limit <= 0 && !w->stop_at;
}

struct totals {
	uint64_t runs, gained, most, done, space;
};

static void one_seed(uint64_t seed, uint64_t kind, struct totals *sum)
{
	struct frag_file_vec before = { 0 }, after = { 0 };
	struct defrag_report r, plan = { 0 };
	struct defrag_options opt;
	struct ino_list list;
	struct watch w = { 0 };
	struct vb b;

	make(&b, seed);
	choose(&b, kind, &opt, &w, &list);
	if (is_foretold(&opt, &w))
		foretell(&b, opt, &plan);
	w.vol = vb_open(&b);
	w.free_secs = volume_free_secs(w.vol);
	list_files(w.vol, &before);
	run(&b, w.vol, &opt, &r);
	list_files(w.vol, &after);
	limits_are_kept(&opt, &r);
	no_file_is_worse(&before, &after);
	if (is_foretold(&opt, &w))
		reports_are_equal(&plan, &r);
	volume_close(w.vol);
	vb_verify(&b);

	w = (struct watch){ .vol = vb_open(&b) };
	w.free_secs = volume_free_secs(w.vol);
	if (is_foretold(&opt, &w) && !opt.full && !opt.max_moved &&
	    kind != 6) {
		struct defrag_report second;

		run(&b, w.vol, &opt, &second);
		assert_int_equal(second.data_moved + second.nodes_moved, 0);
		assert_int_equal(second.commits.commits, 0);
	}
	volume_close(w.vol);
	sum->runs++;
	sum->gained += r.free_secs_after > r.free_secs_before;
	sum->most += r.free_secs_after == r.free_secs_most;
	sum->done += r.stopped_by == DEFRAG_DONE;
	sum->space += r.stopped_by == DEFRAG_STOP_SPACE;
	vec_free(&before);
	vec_free(&after);
	vb_free(&b);
}

static void seeds_of_a_kind(uint64_t kind, struct totals *sum)
{
	uint64_t first = from_env("FIRST", 1);
	/* Few limits of what may move come in between a round's files. */
	uint64_t nr = from_env("SEEDS", !kind || kind == 3 ? 24 : 4);

	for (uint64_t seed = first; seed < first + nr; seed++) {
		if (getenv("VERBOSE"))
			print_message("kind %u seed %u\n", (unsigned int)kind,
				      (unsigned int)seed);
		one_seed(kind * 1000 + seed, kind, sum);
	}
}

static void a_run_leaves_files_and_free_space_no_worse(void **state)
{
	struct totals sum = { 0 };

	(void)state;
	seeds_of_a_kind(0, &sum);
	if (getenv("VERBOSE"))
		print_message("%u runs, %u done, %u without space, %u gained, "
			      "%u with the most free sections\n",
			      (unsigned int)sum.runs, (unsigned int)sum.done,
			      (unsigned int)sum.space,
			      (unsigned int)sum.gained, (unsigned int)sum.most);
	assert_true(sum.done > sum.runs / 3);
	assert_true(sum.gained > sum.runs / 4);
}

static void nor_does_any_option(void **state)
{
	const char *one = getenv("KIND");
	struct totals sum = { 0 };

	(void)state;
	for (uint64_t kind = 1; kind < NR_KINDS; kind++)
		if (!one || strtoull(one, NULL, 0) == kind)
			seeds_of_a_kind(kind, &sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_leaves_files_and_free_space_no_worse),
		cmocka_unit_test(nor_does_any_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
