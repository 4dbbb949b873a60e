/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sections for garbage collection: which, in which order, what they cost. */
#include "config.h"

#include "api/size_int.h"
#include "api/victims_int.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static_assert((int)F2C_GREEDY == (int)VICTIM_GREEDY, "f2c_victim_policy");
static_assert((int)F2C_COST_BENEFIT == (int)VICTIM_COST_BENEFIT,
	      "f2c_victim_policy");
static_assert((int)F2C_AGE_THRESHOLD == (int)VICTIM_AGE_THRESHOLD,
	      "f2c_victim_policy");

#define NR_SHARES	10U

struct f2c_victims {
	struct f2c_victims_summary summary;
	size_t nr;
	struct f2c_victim v[];
};

static int check_options(struct f2c_fs *fs, const struct f2c_victim_options *o)
{
	uint32_t nr_secs = fs->vol->lo.nr_main_secs;

	if (o->policy < F2C_GREEDY || o->policy > F2C_AGE_THRESHOLD)
		return ctx_fail(fs->ctx, -EINVAL,
				"f2c_victim_options: %d is no policy",
				(int)o->policy);
	if (o->side < F2C_BOTH_SIDES || o->side > F2C_NODES_ONLY)
		return ctx_fail(fs->ctx, -EINVAL,
				"f2c_victim_options: %d is no side",
				(int)o->side);
	if (!(o->skip_valid >= 0 && o->skip_valid <= 100))
		return ctx_fail(fs->ctx, -EINVAL,
				"f2c_victim_options: skip_valid is not a percentage");
	for (size_t i = 0; i < o->nr_only; i++)
		if (o->only[i].first > o->only[i].last ||
		    o->only[i].last >= nr_secs)
			return ctx_fail(fs->ctx, -EINVAL,
					"%s: there are no sections %" PRIu32
					" to %" PRIu32 ": they count from 0 to %"
					PRIu32, fs->vol->dev->name,
					o->only[i].first, o->only[i].last,
					nr_secs - 1);
	return 0;
}

static int take_ranges(struct f2c_fs *fs, const struct f2c_victim_options *o,
		       struct victim_options *ours)
{
	struct secno_range *only = calloc(o->nr_only + 1, sizeof(*only));

	if (!only)
		return ctx_nomem(fs->ctx, "ranges of sections");
	for (size_t i = 0; i < o->nr_only; i++)
		only[i] = (struct secno_range){ o->only[i].first,
						o->only[i].last };
	ours->only = only;
	ours->nr_only = o->nr_only;
	return 0;
}

int victim_options_take(struct f2c_fs *fs,
			const struct f2c_victim_options *theirs,
			struct victim_options *ours)
{
	struct f2c_victim_options o = { 0 };
	int err = 0;

	if (theirs)
		err = size_copy_in(fs->ctx, "f2c_victim_options", &o,
				   sizeof(o), theirs);
	if (!err)
		err = check_options(fs, &o);
	if (err)
		return err;
	*ours = (struct victim_options){
		.policy = (enum victim_policy)o.policy,
		.no_data = o.side == F2C_NODES_ONLY,
		.no_nodes = o.side == F2C_DATA_ONLY,
		.skip_valid = o.skip_valid,
	};
	return o.nr_only ? take_ranges(fs, &o, ours) : 0;
}

void victim_options_drop(struct victim_options *ours)
{
	free((void *)(uintptr_t)ours->only);
	ours->only = NULL;
	ours->nr_only = 0;
}

static struct f2c_victim to_public(const struct volume *vol,
				   const struct victim *v)
{
	uint64_t now = vol->cp.elapsed_time;
	uint32_t blocks = blks_per_sec(&vol->lo);

	return (struct f2c_victim){
		.section = v->secno,
		.type = (enum f2c_log_type)v->type,
		.is_current = v->is_current,
		.blocks = blocks,
		.valid_blocks = v->valid,
		.gain_blocks = blocks - v->valid,
		.age_seconds = v->mtime < now ? now - v->mtime : 0,
		.cost = v->cost,
	};
}

static void add_to_summary(struct f2c_victims_summary *s,
			   const struct f2c_victim *v, bool is_node)
{
	uint64_t share = (uint64_t)v->valid_blocks * NR_SHARES / v->blocks;

	s->sections++;
	if (is_node)
		s->node_sections++;
	else
		s->data_sections++;
	s->valid_blocks += v->valid_blocks;
	s->gain_blocks += v->gain_blocks;
	if (share >= NR_SHARES)
		share = NR_SHARES - 1;
	s->sections_by_share[share]++;
	s->valid_blocks_by_share[share] += v->valid_blocks;
}

/* Data and nodes never share a section. */
static int set_gain(struct volume *vol, const struct victim_vec *list,
		    struct f2c_victims_summary *s)
{
	struct alloc a = { 0 };
	int err = alloc_init(&a, vol);

	if (!err)
		s->gain_sections =
			victim_gain(&a, list->v, list->nr, false, false) +
			victim_gain(&a, list->v, list->nr, true, false);
	alloc_free(&a);
	return err;
}

static int make_list(struct volume *vol, const struct victim_vec *list,
		     struct f2c_victims **out)
{
	struct f2c_victims *l = calloc(1, sizeof(*l) +
				       list->nr * sizeof(l->v[0]));
	int err;

	if (!l)
		return ctx_nomem(vol->ctx, "the list of victims");
	for (size_t i = 0; i < list->nr; i++) {
		l->v[i] = to_public(vol, &list->v[i]);
		add_to_summary(&l->summary, &l->v[i], list->v[i].is_node);
	}
	l->nr = list->nr;
	l->summary.free_sections = volume_free_secs(vol);
	l->summary.volume_sections = vol->lo.nr_main_secs;
	err = set_gain(vol, list, &l->summary);
	if (err)
		free(l);
	else
		*out = l;
	return err;
}

int f2c_victims_find(struct f2c_fs *fs,
		     const struct f2c_victim_options *options,
		     struct f2c_victims **victims)
{
	struct victim_options opt = { 0 };
	struct victim_vec list = { 0 };
	int err = victim_options_take(fs, options, &opt);

	if (!err)
		err = victim_list(fs->vol, &opt, NULL, &list);
	if (!err)
		err = make_list(fs->vol, &list, victims);
	vec_free(&list);
	victim_options_drop(&opt);
	return err;
}

void f2c_victims_free(struct f2c_victims *victims)
{
	free(victims);
}

size_t f2c_victims_nr(const struct f2c_victims *victims)
{
	return victims->nr;
}

const struct f2c_victim *f2c_victims_get(const struct f2c_victims *victims,
					 size_t i)
{
	return i < victims->nr ? &victims->v[i] : NULL;
}

const struct f2c_victims_summary *
f2c_victims_get_summary(const struct f2c_victims *victims)
{
	return &victims->summary;
}
