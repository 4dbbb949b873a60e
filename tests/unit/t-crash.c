/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power cuts and I/O errors during garbage collection: at every write the
 * volume must hold every file, and nothing that its live checkpoint reaches
 * may be written over.
 */
#include "config.h"

#include "volume_builder.h"
#include "base/bits.h"
#include "base/ctx.h"
#include "engine/gc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct gc_options full = { .full = true };

/* A small one: a verification is a full check. */
static void make(struct vb *b, uint64_t seed)
{
	vb_make_random(b, &(struct vb_random_opt){
		.seed = seed, .nr_secs = 34, .nr_files = 24, .leave = 4,
		.max_blocks = 1100,
	});
}

static uint8_t *copy_of(const struct vb *b)
{
	uint8_t *img = malloc(vb_nr_bytes(b));

	assert_non_null(img);
	memcpy(img, b->img, vb_nr_bytes(b));
	return img;
}

static struct volume *open_img(struct vb *b, uint8_t *img)
{
	return vb_open_dev(b, vb_view(b->ctx, img, vb_nr_bytes(b)));
}

/* All that was written, and the flushes, from a run on a copy. */
static struct volume *record_run(struct vb *b, uint8_t *img,
				 const struct gc_options *opt)
{
	struct gc_report r;
	struct volume *vol;
	struct dev *rec;

	assert_int_equal(dev_record_open(vb_view(b->ctx, img, vb_nr_bytes(b)),
					 &rec), 0);
	vol = vb_open_dev(b, rec);
	assert_int_equal(gc_run(vol, opt, &r), 0);
	assert_true(r.moved.commits.commits >= 1);
	return vol;
}

/* What the live checkpoint of an image reaches. */
struct reach {
	uint64_t version;
	uint8_t *blk;			/* a byte a block */
	uint8_t *valid;			/* likewise: of the main area only */
	uint32_t log[OD_NR_LOGS];
};

static void reach_of(struct vb *b, uint8_t *img, struct reach *r)
{
	struct volume *vol = open_img(b, img);
	const struct layout *lo = &vol->lo;
	const struct checkpoint *cp = &vol->cp;
	uint32_t pack = cp_pack_blk(lo, cp->pack);

	r->version = cp->version;
	memset(r->blk, 0, lo->end_blk);
	memset(r->valid, 0, lo->end_blk);
	r->blk[0] = r->blk[1] = 1;
	memset(r->blk + pack, 1, VB_SEG_BLKS);
	for (uint32_t i = 0; i < lo->nr_sit_blks; i++)
		r->blk[sit_block_blk(lo, i, bit_test_msb(cp->sit_bitmap, i))] =
			1;
	for (uint32_t i = 0; i < lo->nr_nat_blks; i++)
		r->blk[nat_block_blk(lo, i, bit_test_msb(cp->nat_bitmap, i))] =
			1;
	for (uint32_t blk = lo->main_blk; blk < lo->end_blk; blk++)
		r->valid[blk] = r->blk[blk] = sit_is_valid(&vol->sit, blk);
	for (int t = 0; t < OD_NR_LOGS; t++)
		r->log[t] = cp->log[t].segno;
	volume_close(vol);
}

static bool is_log(const struct reach *r, uint32_t segno)
{
	for (int t = 0; t < OD_NR_LOGS; t++)
		if (r->log[t] == segno)
			return true;
	return false;
}

/* A summary may change only where nothing valid is, or in a log's segment. */
static void expect_summary_kept(const struct vb *b, const struct reach *r,
				uint32_t segno, const uint8_t *was,
				const uint8_t *is)
{
	if (is_log(r, segno))
		return;
	for (uint32_t i = 0; i < VB_SEG_BLKS; i++) {
		if (!r->valid[seg_to_blk(&b->lo, segno) + i])
			continue;
		assert_memory_equal(was + 7 * i, is + 7 * i, 7);
		assert_int_equal(was[4091], is[4091]);
	}
}

static void expect_harmless(const struct vb *b, const struct reach *r,
			    const uint8_t *img, const struct dev_event *e)
{
	uint32_t first = (uint32_t)(e->off / VB_BYTES);

	assert_int_equal(e->off % VB_BYTES, 0);
	for (uint32_t i = 0; i < e->len / VB_BYTES; i++) {
		uint32_t blk = first + i;

		assert_false(r->blk[blk]);
		if (blk >= b->lo.ssa_blk && blk < b->lo.main_blk)
			expect_summary_kept(b, r, blk - b->lo.ssa_blk,
					    img + (size_t)blk * VB_BYTES,
					    e->data + (size_t)i * VB_BYTES);
	}
}

static void apply(uint8_t *img, const struct dev_event *e, size_t len)
{
	memcpy(img + e->off, e->data, len);
}

/*
 * Every prefix of the writes holds all files; no write touches what the
 * checkpoint of the last flush reaches; a checkpoint comes to life by one
 * block, alone between two flushes.
 */
static void every_prefix_is_whole(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 3; seed++) {
		uint8_t *run, *img;
		struct volume *vol;
		struct reach r;
		struct vb b;
		size_t nr;

		make(&b, seed);
		run = copy_of(&b);
		img = copy_of(&b);
		r.blk = malloc(b.lo.end_blk);
		r.valid = malloc(b.lo.end_blk);
		assert_true(r.blk && r.valid);
		vol = record_run(&b, run, &full);
		reach_of(&b, img, &r);
		nr = dev_record_nr_events(vol->dev);
		for (size_t i = 0; i < nr; i++) {
			const struct dev_event *e =
				dev_record_event(vol->dev, i);
			uint64_t version = r.version;

			if (!e->len)
				continue;
			expect_harmless(&b, &r, img, e);
			apply(img, e, e->len);
			vb_verify_img(&b, img);
			reach_of(&b, img, &r);
			if (r.version == version)
				continue;
			assert_int_equal(r.version, version + 1);
			assert_int_equal(e->len, VB_BYTES);
			assert_int_equal(dev_record_event(vol->dev, i - 1)->len,
					 0);
			assert_int_equal(dev_record_event(vol->dev, i + 1)->len,
					 0);
		}
		assert_memory_equal(img, run, vb_nr_bytes(&b));
		volume_close(vol);
		free(r.blk);
		free(r.valid);
		free(img);
		free(run);
		vb_free(&b);
	}
}

/*
 * No node written by the run can be taken for one that was fsynced after the
 * checkpoint that is live then, where versions are compared without a CRC.
 */
static void expect_no_chain(struct vb *b, uint8_t *img)
{
	struct volume *vol = open_img(b, img);
	const struct curseg *log = &vol->cp.log[LOG_WARM_NODE];
	const uint8_t *block = img + (size_t)VB_BYTES *
			       (seg_to_blk(&b->lo, log->segno) + log->next);
	uint64_t version = le64_get(node_foot(&b->lo, block)->cp_ver);

	assert_int_not_equal((uint32_t)version, (uint32_t)vol->cp.version);
	volume_close(vol);
}

/* Few data blocks in many segments; the nodes lie in a log without holes. */
static void make_sparse(struct vb *b)
{
	vb_init(b, &(struct vb_opt){
		.nr_secs = 24, .version = 70,
		.clear_flags = OD_CP_CRC_RECOVERY,
		.set_flags = OD_CP_NOCRC_RECOVERY,
	});
	for (uint32_t i = 0; i < 20; i++) {
		struct vb_file *f = vb_file(b, VB_REG);

		for (uint32_t s = 0; s < 5; s++) {
			if (!i)
				vb_new_seg(b, LOG_WARM_DATA, s);
			vb_map(b, f, s, seg_to_blk(&b->lo, s) + 7 * i);
		}
	}
	vb_write(b);
}

static void moved_nodes_make_no_chain(void **state)
{
	static const struct gc_options plain = { 0 };
	uint8_t *run, *img;
	struct volume *vol;
	struct vb b;

	(void)state;
	make_sparse(&b);
	run = copy_of(&b);
	img = copy_of(&b);
	vol = record_run(&b, run, &plain);
	for (size_t i = 0; i < dev_record_nr_events(vol->dev); i++) {
		const struct dev_event *e = dev_record_event(vol->dev, i);

		if (e->len)
			apply(img, e, e->len);
		expect_no_chain(&b, img);
	}
	volume_close(vol);
	free(img);
	free(run);
	vb_free(&b);
}

/* What the writes of events [@first, @end) overwrite, to put it back. */
static uint8_t **save(struct volume *vol, const uint8_t *img, size_t first,
		      size_t end)
{
	uint8_t **old = calloc(end - first + 1, sizeof(*old));

	assert_non_null(old);
	for (size_t i = first; i < end; i++) {
		const struct dev_event *e = dev_record_event(vol->dev, i);

		old[i - first] = malloc(e->len);
		assert_non_null(old[i - first]);
		memcpy(old[i - first], img + e->off, e->len);
	}
	return old;
}

static void restore(struct volume *vol, uint8_t *img, uint8_t **old,
		    size_t first, size_t end)
{
	for (size_t i = end; i-- > first; ) {
		const struct dev_event *e = dev_record_event(vol->dev, i);

		memcpy(img + e->off, old[i - first], e->len);
	}
}

/*
 * Between two flushes: any of the writes may have landed, and of one its
 * first sectors only.
 */
static void some_of_them_landed(struct vb *b, struct volume *vol,
				uint8_t *img, size_t first, size_t end)
{
	uint8_t **old = save(vol, img, first, end);

	for (int round = 0; round < 4; round++) {
		uint32_t torn = vb_random(b, (uint32_t)(end - first));

		for (size_t i = first; i < end; i++) {
			const struct dev_event *e =
				dev_record_event(vol->dev, i);
			size_t len = e->len;

			if (i - first == torn)
				len = 512 * vb_random(b, (uint32_t)(len / 512));
			else if (vb_random(b, 2))
				continue;
			apply(img, e, len);
		}
		vb_verify_img(b, img);
		restore(vol, img, old, first, end);
	}
	for (size_t i = first; i < end; i++)
		free(old[i - first]);
	free(old);
}

static void any_part_between_two_flushes_is_whole(void **state)
{
	(void)state;
	for (uint64_t seed = 4; seed <= 6; seed++) {
		uint8_t *run, *img;
		struct volume *vol;
		size_t nr, end;
		struct vb b;

		make(&b, seed);
		run = copy_of(&b);
		img = copy_of(&b);
		vol = record_run(&b, run, &full);
		nr = dev_record_nr_events(vol->dev);
		for (size_t i = 0; i < nr; i = end + 1) {
			for (end = i; end < nr &&
			     dev_record_event(vol->dev, end)->len; end++)
				;
			if (end > i)
				some_of_them_landed(&b, vol, img, i, end);
			for (size_t k = i; k < end; k++) {
				const struct dev_event *e =
					dev_record_event(vol->dev, k);

				apply(img, e, e->len);
			}
		}
		volume_close(vol);
		free(img);
		free(run);
		vb_free(&b);
	}
}

static void expect_report(struct vb *b, struct volume *vol,
			  const struct gc_report *r)
{
	uint64_t segs = 0;

	for (uint32_t s = 0; s < vol->lo.nr_main_segs; s++)
		segs += b->seg[s].valid && !sit_get(&vol->sit, s)->valid;
	assert_int_equal(r->segments_freed, segs);
	assert_int_equal(r->free_secs_after, volume_free_secs(vol));
	assert_int_equal(vol->cp.version, b->opt.version + r->moved.commits.commits);
	if (r->moved.commits.commits)
		return;
	assert_int_equal(r->moved.data_moved + r->moved.nodes_moved +
			 r->moved.nodes_updated, 0);
	assert_int_equal(r->moved.commits.blocks_written, 0);
	assert_int_equal(r->moved.commits.nat_blocks_written, 0);
	assert_int_equal(r->moved.commits.sit_blocks_written, 0);
	assert_int_equal(r->after.extents, r->before.extents);
}

/* A run over a failing device; whether it came so far as to fail. */
static bool failing_run(struct vb *b, const struct dev_fault_plan *plan)
{
	uint8_t *img = copy_of(b);
	struct gc_report r;
	struct volume *vol;
	struct dev *dev;
	bool hit;
	int err;

	assert_int_equal(dev_fault_open(vb_view(b->ctx, img, vb_nr_bytes(b)),
					plan, &dev), 0);
	if (volume_open(b->ctx, dev, &vol, NULL)) {
		assert_true(dev_fault_was_hit(dev));
		dev_close(dev);
		free(img);
		return true;
	}
	err = gc_run(vol, &full, &r);
	hit = dev_fault_was_hit(vol->dev);
	/* Hints and measurements may fail in silence, writes may not. */
	if (!plan->fail_read)
		assert_int_equal(err, hit ? -EIO : 0);
	volume_close(vol);
	vb_verify_img(b, img);
	vol = open_img(b, img);
	/* Whether the last block is there when its flush failed: who knows. */
	if (plan->fail_flush && vol->cp.version == b->opt.version +
						    r.moved.commits.commits + 1)
		assert_true(hit);
	else
		expect_report(b, vol, &r);
	volume_close(vol);
	free(img);
	return hit;
}

static void a_write_that_fails_loses_nothing(void **state)
{
	struct dev_fault_plan plan = { 0 };
	struct vb b;

	(void)state;
	make(&b, 7);
	do {
		plan.fail_write++;
		plan.and_all_later = plan.fail_write & 1;
	} while (failing_run(&b, &plan));
	assert_true(plan.fail_write > 10);
	vb_free(&b);
}

static void a_flush_that_fails_loses_nothing(void **state)
{
	struct dev_fault_plan plan = { 0 };
	struct vb b;

	(void)state;
	make(&b, 8);
	do
		plan.fail_flush++;
	while (failing_run(&b, &plan));
	assert_true(plan.fail_flush >= 4);
	vb_free(&b);
}

static void a_read_that_fails_loses_nothing(void **state)
{
	struct dev_fault_plan plan = { .fail_read = 1 };
	struct vb b;

	(void)state;
	make(&b, 9);
	while (failing_run(&b, &plan))
		plan.fail_read += 1 + plan.fail_read / 16;
	assert_true(plan.fail_read > 50);
	vb_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_prefix_is_whole),
		cmocka_unit_test(moved_nodes_make_no_chain),
		cmocka_unit_test(any_part_between_two_flushes_is_whole),
		cmocka_unit_test(a_write_that_fails_loses_nothing),
		cmocka_unit_test(a_flush_that_fails_loses_nothing),
		cmocka_unit_test(a_read_that_fails_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
