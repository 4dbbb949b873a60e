/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Garbage collection: random layouts keep every file and free what they say. */
#include "config.h"

#include "volume_builder.h"
#include "base/ctx.h"
#include "engine/gc.h"

#include <stdlib.h>
#include <string.h>

/* More of them: SEEDS=200 tests/unit/t-gc */
static uint64_t nr_seeds(uint64_t nr)
{
	const char *s = getenv("SEEDS");

	return s ? strtoull(s, NULL, 0) : nr;
}

static uint16_t *valid_blocks(const struct volume *vol)
{
	uint16_t *valid = calloc(vol->lo.nr_main_segs, sizeof(*valid));

	assert_non_null(valid);
	for (uint32_t s = 0; s < vol->lo.nr_main_segs; s++)
		valid[s] = sit_get(&vol->sit, s)->valid;
	return valid;
}

/* What was freed, from a look at the SIT before and one after. */
static void expect_freed(const struct volume *vol, const uint16_t *was,
			 const struct gc_report *r)
{
	uint32_t per_sec = vol->lo.segs_per_sec;
	uint64_t segs = 0, secs = 0;

	for (uint32_t sec = 0; sec < vol->lo.nr_main_secs; sec++) {
		uint32_t before = 0, after = 0;

		for (uint32_t i = 0; i < per_sec; i++) {
			uint32_t s = sec * per_sec + i;
			uint16_t is = sit_get(&vol->sit, s)->valid;

			segs += was[s] && !is;
			before += was[s];
			after += is;
		}
		secs += before && !after;
	}
	assert_int_equal(r->segments_freed, segs);
	assert_int_equal(r->sections_freed, secs);
	assert_int_equal(r->free_secs_after, volume_free_secs(vol));
}

static void must_run(struct vb *b, struct volume *vol,
		     const struct gc_options *opt, struct gc_report *r)
{
	int err = gc_run(vol, opt, r);

	if (err)
		print_error("gc: %s\n", ctx_error(b->ctx));
	assert_int_equal(err, 0);
}

static void expect_gain(const struct gc_options *opt,
			const struct gc_report *r)
{
	assert_true(r->after.extents <= r->before.extents + r->moved.extents_split);
	assert_int_equal(r->before.file_blocks, r->after.file_blocks);
	if (!opt->full && !opt->max_sections)
		assert_true(r->free_secs_after >= r->free_secs_before);
}

/* Every option in turn. */
static struct gc_options options_of(uint64_t seed)
{
	return (struct gc_options){
		.full = seed % 3 == 0,
		.no_pack = seed % 5 == 0,
		.pack_max_blocks = seed % 4 == 1 ? 64 : 0,
		.fail_record_every = seed % 7 == 3 ? 4 : 0,
		.max_sections = seed % 11 == 10 ? 3 : 0,
	};
}

static void make(struct vb *b, uint64_t seed)
{
	vb_make_random(b, &(struct vb_random_opt){
		.seed = seed, .segs_per_sec = seed % 4 == 3 ? 3 : 1,
		.leave = 8,
	});
}

static void every_file_is_kept(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= nr_seeds(12); seed++) {
		struct gc_options opt = options_of(seed);
		struct gc_report r;
		struct volume *vol;
		uint16_t *was;
		struct vb b;

		print_message("seed %u\n", (unsigned int)seed);
		make(&b, seed);
		vb_verify(&b);
		vol = vb_open(&b);
		was = valid_blocks(vol);
		must_run(&b, vol, &opt, &r);
		expect_gain(&opt, &r);
		/* In memory, and as a reader finds it. */
		expect_freed(vol, was, &r);
		vb_verify_volume(&b, vol);
		volume_close(vol);
		vol = vb_open(&b);
		expect_freed(vol, was, &r);
		vb_verify_volume(&b, vol);
		volume_close(vol);
		free(was);
		vb_free(&b);
	}
}

/* Times apart, of which no two runs have the same. */
static void drop_times(struct gc_report *r)
{
	r->plan_ms = r->moved.merge_ms = r->seconds = 0;
	r->moved.commits.nat_flush_ms = r->moved.commits.sit_flush_ms = 0;
	r->moved.commits.sync_ms = r->moved.commits.checkpoint_ms = 0;
	r->moved.commits.barriers_ms = 0;
}

static void dry_run_says_what_a_run_does(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= nr_seeds(6); seed++) {
		struct gc_options opt = options_of(seed), dry = opt;
		struct gc_report said, done;
		struct volume *vol;
		struct dev *over;
		uint8_t *copy;
		struct vb b;

		make(&b, seed);
		copy = malloc(vb_nr_bytes(&b));
		assert_non_null(copy);
		memcpy(copy, b.img, vb_nr_bytes(&b));
		dry.dry_run = true;
		assert_int_equal(dev_overlay_open(vb_dev(&b), &over), 0);
		vol = vb_open_dev(&b, over);
		must_run(&b, vol, &dry, &said);
		volume_close(vol);
		assert_memory_equal(copy, b.img, vb_nr_bytes(&b));
		vol = vb_open(&b);
		must_run(&b, vol, &opt, &done);
		volume_close(vol);
		drop_times(&said);
		drop_times(&done);
		assert_memory_equal(&said, &done, sizeof(said));
		free(copy);
		vb_free(&b);
	}
}

struct stop_at {
	uint64_t calls;
	uint64_t at;
};

static int stop_at(void *priv, const char *phase, uint64_t done,
		   uint64_t total)
{
	struct stop_at *s = priv;

	(void)phase;
	(void)done;
	(void)total;
	return ++s->calls == s->at;
}

/* Stopped at its @at-th call; whether it came so far. */
static bool stopped_run(struct vb *b, const uint8_t *img, uint64_t at)
{
	struct stop_at s = { .at = at };
	struct gc_options opt = {
		.full = true, .progress = stop_at, .progress_priv = &s,
	};
	struct volume *vol;
	struct gc_report r;
	uint16_t *was;

	memcpy(b->img, img, vb_nr_bytes(b));
	vol = vb_open(b);
	was = valid_blocks(vol);
	must_run(b, vol, &opt, &r);
	expect_freed(vol, was, &r);
	volume_close(vol);
	vol = vb_open(b);
	expect_freed(vol, was, &r);
	vb_verify_volume(b, vol);
	assert_int_equal(vol->cp.version, b->opt.version + r.moved.commits.commits);
	if (!r.moved.commits.commits) {
		assert_int_equal(r.moved.data_moved, 0);
		assert_int_equal(r.moved.commits.blocks_written, 0);
		assert_int_equal(r.sections_selected, 0);
	}
	volume_close(vol);
	free(was);
	if (s.calls >= at)
		assert_int_equal(r.stopped_by, GC_STOP_SIGNAL);
	return s.calls >= at;
}

static void stopped_at_any_call_it_keeps_the_last_commit(void **state)
{
	uint64_t at = 1;
	uint8_t *copy;
	struct vb b;

	(void)state;
	make(&b, 4);
	copy = malloc(vb_nr_bytes(&b));
	assert_non_null(copy);
	memcpy(copy, b.img, vb_nr_bytes(&b));
	while (stopped_run(&b, copy, at))
		at++;
	assert_true(at > 6);
	free(copy);
	vb_free(&b);
}

static void a_second_run_finds_nothing(void **state)
{
	struct gc_options opt = { 0 };
	struct gc_report r;
	struct volume *vol;
	struct vb b;

	(void)state;
	make(&b, 2);
	vol = vb_open(&b);
	must_run(&b, vol, &opt, &r);
	assert_true(r.sections_freed > 0);
	must_run(&b, vol, &opt, &r);
	assert_int_equal(r.sections_freed, 0);
	assert_int_equal(r.moved.commits.commits, 0);
	vb_verify_volume(&b, vol);
	volume_close(vol);
	vb_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_file_is_kept),
		cmocka_unit_test(dry_run_says_what_a_run_does),
		cmocka_unit_test(stopped_at_any_call_it_keeps_the_last_commit),
		cmocka_unit_test(a_second_run_finds_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
