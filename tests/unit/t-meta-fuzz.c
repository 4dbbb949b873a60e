/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hostile input: random changes to the metadata of a small valid volume, with
 * checksums made right again so that they get past the first test. Opening
 * may fail or succeed, but whatever is offered then must be safe to use. Run
 * it with the sanitizers. The seed is fixed: round N is the same each time.
 */
#include "config.h"

#include "meta/journal.h"
#include "meta/ssa.h"
#include "tiny.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define ROUNDS		300		/* for each form of volume */
#define MAX_CHANGES	6

static uint64_t rng = 0x9e3779b97f4a7c15U;

static uint32_t random_below(uint32_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (uint32_t)(rng >> 32) % n;
}

/* Values at which arithmetic goes wrong. */
static uint32_t odd_value(void)
{
	static const uint32_t values[] = {
		0, 1, 2, 5, 6, 7, 59, 60, 61, 511, 512, 513, 0x7f, 0x80, 0xff,
		0x100, 0x3ff, 0x400, 0x7fff, 0x8000, 0xffff, 0x10000,
		0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
	};

	return values[random_below(NR_OF(values))];
}

/* The old bytes of one change, to undo it. */
struct change {
	uint8_t *at;
	uint8_t old[4];
};

/*
 * A place in the superblock, a pack, a journal, the SIT or the NAT. Earlier
 * changes must not move it: @journal was found before.
 */
static uint8_t *pick_place(const struct tiny *t, uint8_t *journal)
{
	uint32_t bs = t->lo.block_size;

	switch (random_below(8)) {
	case 0:
		return (uint8_t *)tiny_super(t, (int)random_below(2)) +
		       random_below(120);
	case 1:
		return (uint8_t *)tiny_super(t, (int)random_below(2)) +
		       random_below(OD_SUPER_SIZE - 8);
	case 2:
		return (uint8_t *)tiny_cp(t, 0) + random_below(192);
	case 3:
		return (uint8_t *)tiny_cp(t, (int)random_below(2)) +
		       random_below(bs - 8);
	case 4:
		return (uint8_t *)tiny_cp(t, 0) + bs + random_below(9 * bs);
	case 5:
		return tiny_block(t, t->lo.sit_blk +
				  512 * random_below(2)) + random_below(bs - 4);
	case 6:
		return journal + random_below(1000);
	default:
		return tiny_block(t, t->lo.nat_blk + 512 * random_below(2) +
				  3 * random_below(2)) + random_below(bs - 4);
	}
}

static void change(const struct tiny *t, uint8_t *journal, struct change *c)
{
	uint32_t value = odd_value();

	c->at = pick_place(t, journal);
	memcpy(c->old, c->at, sizeof(c->old));
	if (random_below(2))
		memcpy(c->at, &value, 1 + random_below(4));
	else
		c->at[random_below(4)] ^= (uint8_t)(1 << random_below(8));
}

/* The foot stays where it was when the total is changed. */
static void sign(const struct tiny *t, const uint32_t total[2])
{
	tiny_sign_super(t);
	for (int p = 0; p < 2; p++) {
		struct od_checkpoint *cp = tiny_cp(t, p);

		if (le32_get(cp->cp_pack_total_block_count) == total[p])
			tiny_sign(t, p);
		else
			tiny_sign_block(t, cp);
	}
}

static void use_tables(struct volume *vol)
{
	uint8_t *buf = malloc(vol->lo.block_size);
	struct nat_entry e;
	uint32_t nid = 0, segno = 0;

	assert_non_null(buf);
	for (int i = 0; i < 2000 && nat_next(&vol->nat, &nid, &e); i++)
		nid++;
	for (nid = 0; nat_next_dirty(&vol->nat, &nid, &e); nid++)
		assert_in_range(nid, 3, vol->lo.nr_nids - 1);
	for (; sit_next_dirty(&vol->sit, &segno); segno++)
		assert_in_range(segno, 0, vol->lo.nr_main_segs - 1);
	nat_encode_block(&vol->nat, 0, buf);
	sit_encode_block(&vol->sit, 0, buf);
	for (segno = 0; segno < vol->lo.nr_main_segs; segno++) {
		assert_in_range(sit_get(&vol->sit, segno)->type, 0, 5);
		assert_in_range(sit_get(&vol->sit, segno)->valid, 0, 512);
		ssa_read(vol, segno, buf);
	}
	sit_mark_valid(&vol->sit, vol->lo.end_blk - 1, LOG_WARM_DATA);
	sit_mark_invalid(&vol->sit, vol->lo.end_blk - 1);
	nat_set(&vol->nat, vol->lo.nr_nids - 1, &e);
	free(buf);
}

static void use(struct volume *vol)
{
	for (int i = 0; i < OD_NR_LOGS; i++) {
		const struct curseg *log = &vol->cp.log[i];

		assert_true(log->segno < vol->lo.nr_main_segs ||
			    log->segno == OD_SEG_NULL);
		assert_in_range(log->next, 0, 511);
		assert_in_range(log->alloc_type, 0, 1);
	}
	for (uint32_t i = 0; i < vol->cp.nr_orphans; i++)
		assert_in_range(vol->cp.orphans[i], 3, vol->lo.nr_nids - 1);
	cp_recovery_version(&vol->lo, &vol->cp);
	volume_can_write(vol);
	assert_in_range(volume_free_segs(vol), 0, vol->lo.nr_main_segs);
	assert_in_range(volume_free_secs(vol), 0, vol->lo.nr_main_secs);
	use_tables(vol);
}

static void say_all(struct findings *f)
{
	char line[400];

	findings_sort(f);
	for (size_t i = 0; i < f->nr; i++)
		assert_true(finding_format(&f->v[i], line, sizeof(line)) > 0);
}

static bool open_and_use(struct tiny *t)
{
	struct findings f;
	struct volume *vol;
	int err;

	t->dev->block_size = t->lo.block_size;
	err = volume_open(t->ctx, t->dev, &vol, &f);
	if (err) {
		assert_string_not_equal(ctx_error(t->ctx), "");
		say_all(&f);
		findings_free(&f);
		return false;
	}
	say_all(&vol->findings);
	use(vol);
	vol->dev = NULL;		/* stays the test's */
	volume_close(vol);
	return true;
}

/* What signing may write to anywhere: the start of the device, both packs. */
struct saved {
	uint8_t *at;
	uint8_t *bytes;
	size_t size;
};

static void save(const struct tiny *t, struct saved s[3])
{
	size_t bs = t->lo.block_size;

	s[0] = (struct saved){ t->data, NULL, 2 * bs };
	for (int p = 0; p < 2; p++)
		s[1 + p] = (struct saved){ (uint8_t *)tiny_cp(t, p), NULL,
					   16 * bs };
	for (int i = 0; i < 3; i++) {
		s[i].bytes = malloc(s[i].size);
		assert_non_null(s[i].bytes);
		memcpy(s[i].bytes, s[i].at, s[i].size);
	}
}

static bool one_round(struct tiny *t, uint8_t *journal,
		      const uint32_t total[2])
{
	struct change c[MAX_CHANGES];
	uint32_t n = 1 + random_below(MAX_CHANGES);
	bool opened;

	for (uint32_t i = 0; i < n; i++)
		change(t, journal, &c[i]);
	sign(t, total);
	opened = open_and_use(t);
	while (n--)
		memcpy(c[n].at, c[n].old, sizeof(c[n].old));
	return opened;
}

static void fuzz(const struct tiny_opt *opt)
{
	unsigned int opened = 0;
	struct saved saved[3];
	uint32_t total[2];
	uint8_t *journal;
	struct tiny t;

	tiny_make(&t, opt);
	save(&t, saved);
	journal = tiny_nat_journal(&t);
	for (int p = 0; p < 2; p++)
		total[p] = le32_get(tiny_cp(&t, p)->cp_pack_total_block_count);
	for (int round = 0; round < ROUNDS; round++) {
		opened += one_round(&t, journal, total);
		for (int i = 0; i < 3; i++)
			memcpy(saved[i].at, saved[i].bytes, saved[i].size);
	}
	/* Undone, it is whole; and many rounds got past the first test. */
	assert_true(open_and_use(&t));
	assert_true(opened > ROUNDS / 4);
	for (int i = 0; i < 3; i++)
		free(saved[i].bytes);
	tiny_free(&t);
}

static void plain(void **state)
{
	(void)state;
	fuzz(&(struct tiny_opt){ .nr_orphans = 5 });
}

static void normal_after_a_crash(void **state)
{
	(void)state;
	fuzz(&(struct tiny_opt){ .normal = true, .crashed = true,
	     .nr_orphans = 1500 });
}

static void payload_and_holes(void **state)
{
	(void)state;
	fuzz(&(struct tiny_opt){ .payload = 2, .ssr = true });
}

static void large_bitmaps(void **state)
{
	(void)state;
	fuzz(&(struct tiny_opt){ .payload = 1, .large = true,
	     .normal = true });
}

static void large_blocks_packed(void **state)
{
	(void)state;
	fuzz(&(struct tiny_opt){ .block_size = 16384,
	     .features = OD_FEATURE_PACKED_SSA });
}

static void read_only(void **state)
{
	(void)state;
	fuzz(&(struct tiny_opt){ .features = OD_FEATURE_RO });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),
		cmocka_unit_test(normal_after_a_crash),
		cmocka_unit_test(payload_and_holes),
		cmocka_unit_test(large_bitmaps),
		cmocka_unit_test(large_blocks_packed),
		cmocka_unit_test(read_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
