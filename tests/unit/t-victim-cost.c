/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which sections are victims and what they cost, against formulas written out
 * again here over what the builder knows; and runs that choose.
 */
#include "config.h"

#include "volume_builder.h"
#include "base/bits.h"
#include "base/ctx.h"
#include "engine/gc.h"

#include <stdlib.h>
#include <string.h>

#define DAY	UINT64_C(86400)

/* A volume whose segments are up to @days old. */
static void make(struct vb *b, uint64_t seed, uint64_t days)
{
	vb_make_random(b, &(struct vb_random_opt){
		.seed = seed, .segs_per_sec = seed % 2 ? 1 : 3, .leave = 8,
	});
	b->opt.elapsed = days * DAY;
	for (uint32_t s = 0; s < b->lo.nr_main_segs; s++)
		b->seg[s].mtime = b->seg_used[s] ?
				  vb_random(b, (uint32_t)(days * DAY)) : 0;
	vb_write(b);
}

/* What the builder knows of a section. */
struct sec {
	uint32_t valid;
	uint64_t weighted;		/* sum of mtime * valid */
	uint64_t mtime;
	bool is_node;
};

static struct sec sec_of(const struct vb *b, uint32_t secno)
{
	uint32_t n = b->lo.segs_per_sec;
	struct sec sec = { 0 };

	for (uint32_t s = secno * n; s < secno * n + n; s++) {
		/* The builder mixes types in a section; the first counts. */
		if (b->seg[s].valid && !sec.valid)
			sec.is_node = b->seg[s].type >= 3;
		sec.valid += b->seg[s].valid;
		sec.weighted += b->seg[s].mtime * b->seg[s].valid;
	}
	sec.mtime = n == 1 ? b->seg[secno].mtime :
		    sec.valid ? sec.weighted / sec.valid : UINT64_MAX;
	return sec;
}

static struct victim_vec list_of(struct volume *vol,
				 const struct victim_options *opt)
{
	struct victim_vec list = { 0 };

	assert_int_equal(victim_list(vol, opt, NULL, &list), 0);
	return list;
}

static uint32_t cost_benefit(const struct vb *b, const struct sec *sec)
{
	uint64_t min = UINT64_MAX, max = b->opt.elapsed;
	uint32_t u = sec->valid / b->lo.segs_per_sec * 100 / 512, age;

	for (uint32_t s = 0; s < b->lo.nr_main_secs; s++) {
		struct sec other = sec_of(b, s);

		if (other.mtime < min)
			min = other.mtime;
	}
	age = (uint32_t)(100 - 100 * (sec->mtime - min) / (max - min));
	return UINT32_MAX - 100 * (100 - u) * age / (100 + u);
}

static void costs_are_those_of_the_formulas(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct victim_options greedy = { 0 };
		struct victim_options cb = { .policy = VICTIM_COST_BENEFIT };
		struct victim_vec list;
		struct volume *vol;
		struct vb b;

		make(&b, seed, 300);
		vol = vb_open(&b);
		list = list_of(vol, &greedy);
		assert_true(list.nr > 5);
		for (size_t i = 0; i < list.nr; i++) {
			struct sec sec = sec_of(&b, list.v[i].secno);

			assert_int_equal(list.v[i].valid, sec.valid);
			assert_int_equal(list.v[i].cost, sec.valid);
			assert_int_equal(list.v[i].is_node, sec.is_node);
			assert_true(list.v[i].mtime == sec.mtime);
			assert_true(!i || list.v[i - 1].cost <= sec.valid);
		}
		vec_free(&list);
		list = list_of(vol, &cb);
		for (size_t i = 0; i < list.nr; i++) {
			struct sec sec = sec_of(&b, list.v[i].secno);

			assert_int_equal(list.v[i].cost,
					 cost_benefit(&b, &sec));
			assert_true(!i || list.v[i - 1].cost <=
					  list.v[i].cost);
		}
		vec_free(&list);
		volume_close(vol);
		vb_free(&b);
	}
}

/* The oldest and the youngest that are dirty and without a log. */
static void dirty_span(const struct victim_vec *all, uint64_t *min,
		       uint64_t *max)
{
	*min = UINT64_MAX;
	*max = 0;
	for (size_t i = 0; i < all->nr; i++) {
		if (all->v[i].is_current)
			continue;
		if (all->v[i].mtime < *min)
			*min = all->v[i].mtime;
		if (all->v[i].mtime > *max)
			*max = all->v[i].mtime;
	}
}

static void age_threshold_takes_the_oldest(void **state)
{
	struct victim_options by_age = { .policy = VICTIM_AGE_THRESHOLD };
	struct victim_options all = { 0 };

	(void)state;
	for (uint64_t days = 6; days <= 300; days += 147) {
		struct victim_vec list, known;
		uint64_t min, max, total;
		struct volume *vol;
		struct vb b;
		size_t old = 0;

		make(&b, 3, days);
		vol = vb_open(&b);
		known = list_of(vol, &all);
		list = list_of(vol, &by_age);
		dirty_span(&known, &min, &max);
		for (size_t i = 0; i < known.nr; i++)
			old += days < 7 ||
			       known.v[i].mtime + 7 * DAY <= max;
		assert_int_equal(list.nr, old);
		total = max + 1 - min;
		for (size_t i = 0; i < list.nr; i++) {
			const struct victim *v = &list.v[i];
			uint64_t mtime = v->mtime > max ? max :
					 v->mtime < min ? min : v->mtime;
			uint64_t age = 10000 * (max + 1 - mtime) / total * 60;
			uint64_t u = 10000 * (512 - v->valid) / 512 * 40;

			assert_int_equal(v->cost, UINT32_MAX - (age + u));
			assert_true(!i || v[-1].rank <= v->rank);
			assert_true(!i || v[-1].rank < v->rank ||
				    v[-1].cost <= v->cost);
		}
		vec_free(&list);
		vec_free(&known);
		volume_close(vol);
		vb_free(&b);
	}
}

static void only_the_oldest_have_the_first_rank(void **state)
{
	struct victim_options opt = { .policy = VICTIM_AGE_THRESHOLD };
	uint64_t youngest = 0, oldest = UINT64_MAX;
	struct victim_vec list;
	struct volume *vol;
	size_t first = 0;
	struct vb b;

	(void)state;
	make(&b, 3, 5);
	vol = vb_open(&b);
	list = list_of(vol, &opt);
	assert_true(list.nr > 10);
	for (size_t i = 0; i < list.nr; i++) {
		const struct victim *v = &list.v[i];

		first += !v->rank;
		if (!v->rank && v->mtime > youngest)
			youngest = v->mtime;
		if (v->rank && !v->is_current && v->mtime < oldest)
			oldest = v->mtime;
	}
	assert_int_equal(first, 10);
	assert_true(youngest <= oldest);
	vec_free(&list);
	volume_close(vol);
	vb_free(&b);
}

/* Whatever the entries claim, nothing overflows and all are listed. */
static void absurd_ages_do_no_harm(void **state)
{
	static const uint64_t absurd[] = {
		0, 1, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX / 2,
		UINT64_MAX / 100, UINT64_MAX / 100 + 1, UINT64_C(1) << 32,
	};

	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++) {
		size_t nr[3];
		struct volume *vol;
		struct vb b;

		make(&b, seed, 300);
		for (uint32_t s = 0; s < b.lo.nr_main_segs; s++)
			b.seg[s].mtime = absurd[vb_random(&b, 8)];
		b.opt.elapsed = absurd[seed - 1];
		vb_write(&b);
		vol = vb_open(&b);
		for (int p = VICTIM_GREEDY; p <= VICTIM_AGE_THRESHOLD; p++) {
			struct victim_options opt = {
				.policy = (enum victim_policy)p,
			};
			struct victim_vec list = list_of(vol, &opt);

			nr[p] = list.nr;
			for (size_t i = 0; p == VICTIM_COST_BENEFIT &&
			     i < list.nr; i++)
				assert_true(list.v[i].cost >=
					    UINT32_MAX - 10000);
			vec_free(&list);
		}
		assert_int_equal(nr[0], nr[1]);
		assert_true(nr[2] <= nr[0]);
		volume_close(vol);
		vb_free(&b);
	}
}

static void what_is_chosen_is_all_and_nothing_else(void **state)
{
	struct secno_range ranges[] = { { 3, 9 }, { 20, 20 }, { 25, 30 } };
	struct victim_options all = { 0 }, data = { .no_nodes = true };
	struct victim_options nodes = { .no_data = true };
	struct victim_options named = { .only = ranges, .nr_only = 3 };
	struct victim_options half = { .skip_valid = 50 };
	struct victim_vec a, d, n, r, h;
	size_t in_ranges = 0, below = 0;
	struct volume *vol;
	struct vb b;

	(void)state;
	make(&b, 5, 20);
	vol = vb_open(&b);
	a = list_of(vol, &all);
	d = list_of(vol, &data);
	n = list_of(vol, &nodes);
	r = list_of(vol, &named);
	h = list_of(vol, &half);
	assert_true(d.nr > 0 && n.nr > 0);
	assert_int_equal(d.nr + n.nr, a.nr);
	for (size_t i = 0; i < d.nr; i++)
		assert_false(d.v[i].is_node);
	for (size_t i = 0; i < n.nr; i++)
		assert_true(n.v[i].is_node);
	for (size_t i = 0; i < a.nr; i++) {
		uint32_t s = a.v[i].secno;

		in_ranges += (s >= 3 && s <= 9) || s == 20 ||
			     (s >= 25 && s <= 30);
		/* At 50 percent it is left alone, as the kernel does. */
		below += a.v[i].valid < 256;
	}
	assert_true(r.nr > 0 && r.nr < a.nr);
	assert_int_equal(r.nr, in_ranges);
	assert_true(h.nr > 0 && h.nr < a.nr);
	assert_int_equal(h.nr, below);
	for (size_t i = 0; i < h.nr; i++)
		assert_true(h.v[i].valid < 256);
	vec_free(&a);
	vec_free(&d);
	vec_free(&n);
	vec_free(&r);
	vec_free(&h);
	volume_close(vol);
	vb_free(&b);
}

static void sections_that_are_held_are_left_out(void **state)
{
	struct victim_options opt = { 0 };
	struct victim_vec all, rest = { 0 };
	struct volume *vol;
	uint8_t *held;
	struct vb b;

	(void)state;
	make(&b, 1, 20);
	vol = vb_open(&b);
	all = list_of(vol, &opt);
	held = calloc(1, vol->lo.nr_main_secs / 8 + 1);
	assert_non_null(held);
	bit_set_lsb(held, all.v[2].secno);
	assert_int_equal(victim_list(vol, &opt, held, &rest), 0);
	assert_int_equal(rest.nr, all.nr - 1);
	for (size_t i = 0; i < rest.nr; i++)
		assert_int_not_equal(rest.v[i].secno, all.v[2].secno);
	free(held);
	vec_free(&all);
	vec_free(&rest);
	volume_close(vol);
	vb_free(&b);
}

static void must_run(struct volume *vol, const struct gc_options *opt,
		     struct gc_report *r)
{
	int err = gc_run(vol, opt, r);

	if (err)
		print_error("gc: %s\n", ctx_error(vol->ctx));
	assert_int_equal(err, 0);
}

/* Every choice and limit in turn. */
static struct gc_options options_of(uint64_t seed,
				    const struct secno_range *range)
{
	struct gc_options opt = {
		.choice.policy = (enum victim_policy)(seed % 3),
		.full = seed % 4 == 1,
	};

	switch (seed % 5) {
	case 0:
		opt.choice.no_data = true;
		break;
	case 1:
		opt.choice.no_nodes = true;
		break;
	case 2:
		opt.choice.only = range;
		opt.choice.nr_only = 1;
		break;
	case 3:
		opt.choice.skip_valid = 60;
		break;
	case 4:
		opt.max_moved = 1500;
		break;
	}
	return opt;
}

static void drop_times(struct gc_report *r)
{
	r->plan_ms = r->moved.merge_ms = r->seconds = 0;
	r->moved.commits.nat_flush_ms = r->moved.commits.sit_flush_ms = 0;
	r->moved.commits.sync_ms = r->moved.commits.checkpoint_ms = 0;
	r->moved.commits.barriers_ms = 0;
}

static void runs_that_choose_keep_files_and_are_foretold(void **state)
{
	static const struct secno_range range = { 5, 14 };

	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct gc_options opt = options_of(seed, &range), dry = opt;
		struct gc_report said, done;
		struct volume *vol;
		struct dev *over;
		struct vb b;

		print_message("seed %u\n", (unsigned int)seed);
		make(&b, seed, 100);
		dry.dry_run = true;
		assert_int_equal(dev_overlay_open(vb_dev(&b), &over), 0);
		vol = vb_open_dev(&b, over);
		must_run(vol, &dry, &said);
		volume_close(vol);
		vol = vb_open(&b);
		must_run(vol, &opt, &done);
		vb_verify_volume(&b, vol);
		volume_close(vol);
		vb_verify(&b);
		drop_times(&said);
		drop_times(&done);
		assert_memory_equal(&said, &done, sizeof(said));
		vb_free(&b);
	}
}

/* Runs of files that are taken along count, too. */
static void no_more_is_moved_than_may_be(void **state)
{
	(void)state;
	for (uint64_t limit = 16; limit <= 4096; limit *= 4) {
		for (int full = 0; full <= 1; full++) {
			struct gc_options opt = {
				.full = full, .max_moved = limit,
			};
			struct gc_report r;
			struct volume *vol;
			struct vb b;

			make(&b, 2 + limit % 3, 100);
			vol = vb_open(&b);
			must_run(vol, &opt, &r);
			assert_true(r.moved.data_moved + r.moved.nodes_moved <=
				    limit);
			if (full)
				assert_int_equal(r.stopped_by, GC_STOP_MOVED);
			vb_verify_volume(&b, vol);
			volume_close(vol);
			vb_free(&b);
		}
	}
}

static void named_sections_are_emptied_and_no_others(void **state)
{
	struct secno_range range = { 0 };
	struct gc_options opt = { .choice.only = &range, .choice.nr_only = 1 };
	struct victim_options data = { .no_nodes = true };
	struct victim_vec list;
	struct gc_report r;
	struct volume *vol;
	struct vb b;

	(void)state;
	make(&b, 1, 100);
	vol = vb_open(&b);
	list = list_of(vol, &data);
	/* The last would be emptied last, and gain least. */
	range.first = range.last = list.v[list.nr - 1].secno;
	must_run(vol, &opt, &r);
	assert_int_equal(r.sections_selected, 1);
	assert_int_equal(sit_sec_valid(&vol->sit, range.first), 0);
	for (size_t i = 0; i + 1 < list.nr; i++)
		assert_int_equal(sit_sec_valid(&vol->sit, list.v[i].secno),
				 list.v[i].valid);
	vb_verify_volume(&b, vol);
	vec_free(&list);
	volume_close(vol);
	vb_free(&b);
}

static void time_stops_at_the_last_commit(void **state)
{
	struct gc_options opt = { .full = true, .time_limit = 1e-6 };
	struct gc_report r;
	struct volume *vol;
	uint8_t *copy;
	struct vb b;

	(void)state;
	make(&b, 5, 100);
	copy = malloc(vb_nr_bytes(&b));
	assert_non_null(copy);
	memcpy(copy, b.img, vb_nr_bytes(&b));
	vol = vb_open(&b);
	must_run(vol, &opt, &r);
	assert_int_equal(r.stopped_by, GC_STOP_TIME);
	assert_int_equal(r.moved.commits.commits, 0);
	assert_memory_equal(copy, b.img, vb_nr_bytes(&b));
	opt.time_limit = 3600;
	must_run(vol, &opt, &r);
	assert_int_equal(r.stopped_by, GC_DONE);
	vb_verify_volume(&b, vol);
	volume_close(vol);
	free(copy);
	vb_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(costs_are_those_of_the_formulas),
		cmocka_unit_test(age_threshold_takes_the_oldest),
		cmocka_unit_test(only_the_oldest_have_the_first_rank),
		cmocka_unit_test(absurd_ages_do_no_harm),
		cmocka_unit_test(what_is_chosen_is_all_and_nothing_else),
		cmocka_unit_test(sections_that_are_held_are_left_out),
		cmocka_unit_test(runs_that_choose_keep_files_and_are_foretold),
		cmocka_unit_test(no_more_is_moved_than_may_be),
		cmocka_unit_test(named_sections_are_emptied_and_no_others),
		cmocka_unit_test(time_stops_at_the_last_commit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
