/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which pack is live, and that all it holds is found, in each form. */
#include "config.h"

#include "base/bits.h"
#include "meta/checkpoint.h"
#include "meta/journal.h"
#include "meta/volume.h"
#include "tiny.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

struct loaded {
	struct findings f;
	struct checkpoint cp;
	int err;
};

static void load(struct tiny *t, struct loaded *l)
{
	findings_init(&l->f);
	memset(&l->cp, 0, sizeof(l->cp));
	l->err = cp_load(t->dev, &t->lo, &l->f, &l->cp);
}

static void unload(struct loaded *l)
{
	cp_free(&l->cp);
	findings_free(&l->f);
}

/* The pack used, its version, and the number of findings of one kind. */
static void expect(struct tiny *t, int pack, enum problem_id id, uint64_t nr)
{
	struct loaded l;

	load(t, &l);
	assert_int_equal(l.err, 0);
	assert_int_equal(l.cp.pack, pack);
	assert_int_equal(l.cp.version, pack ? TINY_VERSION - 1 : TINY_VERSION);
	assert_int_equal(l.f.counted[id], nr);
	assert_int_equal(findings_count(&l.f, SEV_NOTE), nr);
	unload(&l);
}

static void newer_pack_is_live(void **state)
{
	struct loaded l;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	load(&t, &l);
	assert_int_equal(l.err, 0);
	assert_int_equal(l.cp.pack, 0);
	assert_int_equal(l.cp.state[0], PACK_VALID);
	assert_int_equal(l.cp.state[1], PACK_VALID);
	assert_int_equal(l.cp.pack_version[1], TINY_VERSION - 1);
	assert_int_equal(l.cp.user_blocks, 40 * 512);
	assert_int_equal(l.cp.valid_nodes, 4);
	assert_int_equal(l.cp.rsvd_segs, 10);
	assert_int_equal(l.cp.elapsed_time, 5000);
	assert_int_equal(findings_count(&l.f, SEV_NOTE), 0);
	unload(&l);
	tiny_free(&t);
}

static void versions(struct tiny *t, uint64_t v0, uint64_t v1, int live)
{
	struct loaded l;

	le64_set(&tiny_cp(t, 0)->checkpoint_ver, v0);
	le64_set(&tiny_cp(t, 1)->checkpoint_ver, v1);
	tiny_sign(t, 0);
	tiny_sign(t, 1);
	load(t, &l);
	assert_int_equal(l.err, 0);
	assert_int_equal(l.cp.pack, live);
	unload(&l);
}

/* The kernel compares the signed difference. */
static void versions_are_compared_as_a_difference(void **state)
{
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	versions(&t, 5, 6, 1);
	versions(&t, 6, 6, 0);
	versions(&t, 0, UINT64_MAX, 0);
	versions(&t, UINT64_MAX, 0, 1);
	versions(&t, 1ULL << 63, 1, 0);
	tiny_free(&t);
}

static void bad_head_or_foot_gives_the_other_pack(void **state)
{
	struct tiny t;
	struct od_checkpoint *foot;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	foot = tiny_cp_foot(&t, 0);
	tiny_cp(&t, 0)->valid_node_count.b[0] ^= 1;
	expect(&t, 1, P_CP_PACK_BAD, 1);
	tiny_sign(&t, 0);
	expect(&t, 0, P_CP_PACK_BAD, 0);
	foot->valid_node_count.b[0] ^= 1;
	expect(&t, 1, P_CP_PACK_BAD, 1);
	tiny_sign(&t, 0);
	/* No writer leaves a foot that is newer than its head. */
	le64_set(&foot->checkpoint_ver, TINY_VERSION + 2);
	tiny_sign_block(&t, foot);
	expect(&t, 1, P_CP_PACK_BAD, 1);
	/* The pack that is not live may be bad too, and is reported. */
	tiny_sign(&t, 0);
	tiny_cp(&t, 1)->checkpoint_ver.b[0] ^= 1;
	expect(&t, 0, P_CP_PACK_BAD, 1);
	tiny_free(&t);
}

/* What a power cut before the last block leaves is no damage. */
static void pack_that_was_cut_is_a_note(void **state)
{
	struct od_checkpoint *foot;
	struct volume *vol;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	foot = tiny_cp_foot(&t, 0);
	/* The foot of the pack that was there before. */
	le64_set(&foot->checkpoint_ver, TINY_VERSION - 2);
	tiny_sign_block(&t, foot);
	expect(&t, 1, P_CP_PACK_TORN, 1);
	/* That pack was shorter or longer: what lies there is no foot. */
	memset(foot, 0, 4096);
	expect(&t, 1, P_CP_PACK_TORN, 1);
	memcpy(foot, tiny_sums(&t, 0), 4096);
	expect(&t, 1, P_CP_PACK_TORN, 1);
	assert_int_equal(volume_open(t.ctx, t.dev, &vol, NULL), 0);
	assert_int_equal(volume_can_write(vol), 0);
	vol->dev = NULL;
	volume_close(vol);
	/* A version that does not follow is no cut. */
	le64_set(&tiny_cp(&t, 0)->checkpoint_ver, TINY_VERSION + 1);
	tiny_sign_block(&t, tiny_cp(&t, 0));
	expect(&t, 1, P_CP_PACK_BAD, 1);
	tiny_free(&t);
}

/* A drive may write the sectors of a block from the last to the first. */
static void pack_block_written_from_its_end_is_a_note(void **state)
{
	uint8_t *head, *foot;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	/* Pack 1 is the older one: its first block gets sectors of pack 0 + 1. */
	head = (uint8_t *)tiny_cp(&t, 1);
	head[4092] ^= 1;
	expect(&t, 0, P_CP_PACK_TORN, 1);
	head[2000] ^= 1;
	expect(&t, 0, P_CP_PACK_TORN, 1);
	/* A longer pack is written over its last block. */
	memcpy(tiny_cp_foot(&t, 1), tiny_sums(&t, 0), 4096);
	expect(&t, 0, P_CP_PACK_TORN, 1);
	memcpy(tiny_cp_foot(&t, 1), tiny_cp(&t, 1), 4096);
	tiny_sign_block(&t, tiny_cp_foot(&t, 1));
	/* In the first sector the new version would have to be. */
	head[100] ^= 1;
	expect(&t, 0, P_CP_PACK_BAD, 1);
	tiny_free(&t);

	/* Of the newest pack's last block the first sector is still the old. */
	tiny_make(&t, &(struct tiny_opt){ 0 });
	foot = (uint8_t *)tiny_cp_foot(&t, 0);
	le64_set(&tiny_cp_foot(&t, 0)->checkpoint_ver, TINY_VERSION - 2);
	foot[24] ^= 1;
	expect(&t, 1, P_CP_PACK_TORN, 1);
	/* Its version alone is damage. */
	foot[24] ^= 1;
	expect(&t, 1, P_CP_PACK_BAD, 1);
	tiny_free(&t);

	/* The newest pack's first block is damaged, whole as the last is. */
	tiny_make(&t, &(struct tiny_opt){ 0 });
	((uint8_t *)tiny_cp(&t, 0))[2000] ^= 1;
	expect(&t, 1, P_CP_PACK_BAD, 1);
	tiny_free(&t);
}

/* C13: with a right checksum, and never read past the pack's segment. */
static void impossible_totals_make_a_pack_bad(void **state)
{
	static const uint32_t totals[] = { 0, 1, 2, 513, 0x80000001,
					   0xffffffff };
	struct loaded l;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	for (size_t i = 0; i < NR_OF(totals); i++) {
		le32_set(&tiny_cp(&t, 0)->cp_pack_total_block_count,
			 totals[i]);
		tiny_sign_block(&t, tiny_cp(&t, 0));
		expect(&t, 1, P_CP_PACK_BAD, 1);
	}
	for (size_t i = 0; i < NR_OF(totals); i++) {
		le32_set(&tiny_cp(&t, 1)->cp_pack_total_block_count,
			 totals[i]);
		tiny_sign_block(&t, tiny_cp(&t, 1));
		load(&t, &l);
		assert_int_equal(l.err, -EUCLEAN);
		assert_int_equal(l.f.counted[P_CP_PACK_BAD], 2);
		assert_int_equal(l.f.counted[P_CP_BOTH_BAD], 1);
		assert_non_null(strstr(ctx_error(t.ctx),
				       "cp_pack_total_block_count"));
		unload(&l);
	}
	tiny_free(&t);
}

/* Sound at both ends, but no form of summaries has so many blocks. */
static void content_that_cannot_be_loaded_gives_the_other(void **state)
{
	struct loaded l;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	le32_set(&tiny_cp(&t, 0)->cp_pack_total_block_count, 10);
	tiny_sign(&t, 0);
	load(&t, &l);
	assert_int_equal(l.cp.pack, 1);
	assert_int_equal(l.cp.state[0], PACK_BAD_CONTENT);
	assert_int_equal(l.f.counted[P_CP_PACK_BAD], 1);
	assert_non_null(strstr(l.f.v[0].detail, "8 blocks of summaries"));
	unload(&l);
	le32_set(&tiny_cp(&t, 1)->cp_pack_total_block_count, 10);
	tiny_sign(&t, 1);
	load(&t, &l);
	assert_int_equal(l.err, -EUCLEAN);
	unload(&l);
	tiny_free(&t);
}

/* What the rest of the pack says of a field that lies. */
static void flag_is_mended(uint32_t flag, const struct tiny_opt *opt)
{
	struct loaded l;
	uint32_t flags;
	struct tiny t;

	tiny_make(&t, opt);
	flags = le32_get(tiny_cp(&t, 0)->ckpt_flags);
	le32_set(&tiny_cp(&t, 0)->ckpt_flags, flags ^ flag);
	tiny_sign(&t, 0);
	load(&t, &l);
	assert_int_equal(l.err, 0);
	assert_int_equal(l.cp.pack, 0);
	assert_int_equal(l.cp.flags, flags);
	assert_true(l.f.counted[P_CP_FIELD] >= 1);
	unload(&l);
	tiny_free(&t);
}

static void flags_are_mended_by_what_is_there(void **state)
{
	(void)state;
	flag_is_mended(OD_CP_UMOUNT, &(struct tiny_opt){ 0 });
	flag_is_mended(OD_CP_COMPACT_SUM, &(struct tiny_opt){ 0 });
	flag_is_mended(OD_CP_COMPACT_SUM, &(struct tiny_opt){ .normal = true });
	flag_is_mended(OD_CP_UMOUNT, &(struct tiny_opt){ .normal = true });
	flag_is_mended(OD_CP_ORPHAN_PRESENT,
		       &(struct tiny_opt){ .nr_orphans = 10 });
	flag_is_mended(OD_CP_LARGE_NAT_BITMAP, &(struct tiny_opt){ 0 });
	flag_is_mended(OD_CP_LARGE_NAT_BITMAP,
		       &(struct tiny_opt){ .large = true });
}

static void start_is_wrong(uint32_t start, const struct tiny_opt *opt)
{
	struct tiny t;

	tiny_make(&t, opt);
	le32_set(&tiny_cp(&t, 0)->cp_pack_start_sum, start);
	tiny_sign(&t, 0);
	expect(&t, 0, P_CP_FIELD, 1);
	tiny_free(&t);
}

static void the_start_is_mended_by_what_is_there(void **state)
{
	(void)state;
	start_is_wrong(0, &(struct tiny_opt){ 0 });
	start_is_wrong(2, &(struct tiny_opt){ 0 });
	start_is_wrong(5, &(struct tiny_opt){ .payload = 1 });
	start_is_wrong(UINT32_MAX, &(struct tiny_opt){ 0 });
	start_is_wrong(1, &(struct tiny_opt){ .nr_orphans = 10 });
	start_is_wrong(500, &(struct tiny_opt){ .nr_orphans = 10,
						.normal = true });
}

static void bitmaps_of(const struct tiny_opt *opt)
{
	struct loaded l;
	struct tiny t;

	tiny_make(&t, opt);
	load(&t, &l);
	assert_int_equal(l.err, 0);
	assert_int_equal(findings_count(&l.f, SEV_NOTE), 0);
	assert_int_equal(bits_count(l.cp.sit_bitmap, 64), 1);
	assert_true(bit_test_msb(l.cp.sit_bitmap, 0));
	assert_int_equal(bits_count(l.cp.nat_bitmap, 64), 1);
	assert_true(bit_test_msb(l.cp.nat_bitmap, 3));
	unload(&l);
	tiny_free(&t);
}

static void bitmaps_are_found_in_each_place(void **state)
{
	(void)state;
	bitmaps_of(&(struct tiny_opt){ 0 });
	bitmaps_of(&(struct tiny_opt){ .payload = 1 });
	bitmaps_of(&(struct tiny_opt){ .payload = 3, .normal = true });
	bitmaps_of(&(struct tiny_opt){ .large = true });
	bitmaps_of(&(struct tiny_opt){ .large = true, .payload = 2 });
	bitmaps_of(&(struct tiny_opt){ .block_size = 16384, .payload = 1 });
}

/* In the large form the two run on from the first block into the payload. */
static void large_bitmaps_cross_the_block(void **state)
{
	const uint32_t nat_bytes = 3904;	/* 61 segments a copy */
	struct layout lo;
	struct loaded l;
	struct tiny t;
	uint8_t *b;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ .large = true, .payload = 1 });
	lo = t.lo;
	lo.nat_bitmap_bytes = nat_bytes;
	b = (uint8_t *)tiny_cp(&t, 0);
	memset(b + 196, 0, 4096);
	bit_set_msb(b + 196, 8 * nat_bytes - 1);
	bit_set_msb(b + 196 + nat_bytes, 5);
	le32_set(&tiny_cp(&t, 0)->nat_ver_bitmap_bytesize, nat_bytes);
	tiny_sign(&t, 0);
	findings_init(&l.f);
	assert_int_equal(cp_load(t.dev, &lo, &l.f, &l.cp), 0);
	assert_int_equal(l.cp.pack, 0);
	assert_true(bit_test_msb(l.cp.nat_bitmap, 8 * nat_bytes - 1));
	assert_true(bit_test_msb(l.cp.sit_bitmap, 5));
	unload(&l);
	tiny_free(&t);
}

static void bitmaps_without_room_make_a_pack_bad(void **state)
{
	struct layout lo;
	struct loaded l;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	lo = t.lo;
	lo.nat_bitmap_bytes = 4096 - 192 - 4 - 64 + 1;
	findings_init(&l.f);
	memset(&l.cp, 0, sizeof(l.cp));
	assert_int_equal(cp_load(t.dev, &lo, &l.f, &l.cp), -EUCLEAN);
	assert_non_null(strstr(ctx_error(t.ctx), "no room for version bitmaps"));
	unload(&l);
	tiny_free(&t);
}

static void check_sums(const struct tiny *t, const struct checkpoint *cp)
{
	static const uint32_t nr[] = { 1, 2, 0 };
	const struct layout *lo = &t->lo;
	uint32_t far = tiny_far_nid(t);

	for (unsigned int log = 0; log < 3; log++) {
		const struct od_sum_entry *e = sum_entries(cp->log[log].sum);
		bool ssr = t->opt.ssr && log == LOG_WARM_DATA;
		uint32_t n = ssr ? 512 : nr[log];

		for (uint32_t i = 0; i < n; i++) {
			assert_int_equal(le32_get(e[i].nid),
					 1000 * (log + 1) + i);
			assert_int_equal(e[i].version, log);
			assert_int_equal(le16_get(e[i].ofs_in_node), i);
		}
		if (!ssr)
			assert_int_equal(le32_get(e[n].nid), 0);
		assert_int_equal(sum_foot(lo, cp->log[log].sum)->entry_type,
				 OD_SUM_DATA);
	}
	for (unsigned int log = 3; log < 6; log++)
		assert_int_equal(sum_foot(lo, cp->log[log].sum)->entry_type,
				 OD_SUM_NODE);
	assert_int_equal(le32_get(sum_entries(cp->log[3].sum)[0].nid), 3);
	assert_int_equal(le32_get(sum_entries(cp->log[4].sum)[0].nid), 4);
	assert_int_equal(le32_get(sum_entries(cp->log[4].sum)[1].nid), far);
	assert_int_equal(le32_get(sum_entries(cp->log[4].sum)[2].nid), far + 1);
	assert_int_equal(journal_count(sum_journal(lo, cp->log[0].sum)), 1);
	assert_int_equal(journal_count(sum_journal(lo, cp->log[2].sum)), 1);
}

static void summaries_of(const struct tiny_opt *opt)
{
	struct loaded l;
	struct tiny t;

	tiny_make(&t, opt);
	load(&t, &l);
	assert_int_equal(l.err, 0);
	assert_int_equal(findings_count(&l.f, SEV_NOTE), 0);
	check_sums(&t, &l.cp);
	unload(&l);
	tiny_free(&t);
}

static void summaries_are_found_in_each_form(void **state)
{
	(void)state;
	summaries_of(&(struct tiny_opt){ 0 });
	summaries_of(&(struct tiny_opt){ .normal = true });
	summaries_of(&(struct tiny_opt){ .crashed = true });
	summaries_of(&(struct tiny_opt){ .crashed = true, .normal = true });
	summaries_of(&(struct tiny_opt){ .ssr = true });	/* two blocks */
	summaries_of(&(struct tiny_opt){ .ssr = true, .normal = true });
	summaries_of(&(struct tiny_opt){ .payload = 2, .nr_orphans = 3 });
	summaries_of(&(struct tiny_opt){ .normal = true, .crashed = true,
		     .payload = 2, .nr_orphans = 1021 });
	summaries_of(&(struct tiny_opt){ .block_size = 16384, .ssr = true });
	summaries_of(&(struct tiny_opt){ .block_size = 16384, .normal = true,
		     .features = OD_FEATURE_PACKED_SSA });
	summaries_of(&(struct tiny_opt){ .block_size = 16384,
		     .features = OD_FEATURE_PACKED_SSA });
}

/* Three logs that fill holes need 1536 entries: more than two blocks. */
static void compact_summaries_past_the_pack(void **state)
{
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	memset(tiny_cp(&t, 0)->alloc_type, ALLOC_SSR, 3);
	tiny_sign(&t, 0);
	expect(&t, 0, P_SSA_UNREADABLE, 1);
	tiny_free(&t);
}

static void unreadable_nodes_leave_gaps_in_a_rebuilt_summary(void **state)
{
	struct dev_fault_plan plan = { 0 };
	struct loaded l;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ .crashed = true });
	/* Four reads of the packs, then hot node, then warm node. */
	plan.fail_read = 6;
	assert_int_equal(dev_fault_open(t.dev, &plan, &t.dev), 0);
	load(&t, &l);
	assert_int_equal(l.err, 0);
	assert_int_equal(le32_get(sum_entries(l.cp.log[3].sum)[0].nid), 3);
	assert_int_equal(le32_get(sum_entries(l.cp.log[4].sum)[0].nid), 0);
	unload(&l);
	tiny_free(&t);
}

static void orphans_are_listed(void **state)
{
	struct loaded l;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ .nr_orphans = 1500, .payload = 1 });
	load(&t, &l);
	assert_int_equal(l.err, 0);
	assert_int_equal(l.cp.nr_orphans, 1500);
	for (uint32_t i = 0; i < 1500; i++)
		assert_int_equal(l.cp.orphans[i], 100 + i);
	unload(&l);
	tiny_free(&t);
}

static void bad_orphans_are_dropped(void **state)
{
	struct od_orphan_foot *foot;
	struct loaded l;
	struct tiny t;
	le32 *inos;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ .nr_orphans = 10 });
	inos = (le32 *)((uint8_t *)tiny_cp(&t, 0) + 4096);
	foot = (void *)((uint8_t *)inos + 4096 - sizeof(*foot));
	le32_set(&inos[2], 2);
	le32_set(&inos[3], t.lo.nr_nids);
	le32_set(&inos[4], 100);
	load(&t, &l);
	assert_int_equal(l.cp.nr_orphans, 7);
	assert_int_equal(l.f.counted[P_CP_ORPHAN], 3);
	unload(&l);
	le32_set(&foot->entry_count, 0xffffffff);
	load(&t, &l);
	/* Clipped; what is there beyond the ten is zero and dropped too. */
	assert_int_equal(l.cp.nr_orphans, 7);
	assert_int_equal(l.f.counted[P_CP_ORPHAN], 1 + 3 + 1010);
	unload(&l);
	tiny_free(&t);
}

/* Whole summaries are counted from the end: the field is not needed. */
static void normal_form_does_not_need_the_start(void **state)
{
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ .normal = true });
	le32_set(&tiny_cp(&t, 0)->cp_pack_start_sum, 506);
	tiny_sign(&t, 0);
	expect(&t, 0, P_CP_FIELD, 1);
	tiny_free(&t);
}

static void bad_fields_are_findings(void **state)
{
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ 0 });
	le64_set(&tiny_cp(&t, 0)->user_block_count, 418);	/* C19 */
	le32_set(&tiny_cp(&t, 0)->overprov_segment_count, 0);
	tiny_sign(&t, 0);
	expect(&t, 0, P_CP_FIELD, 2);
	tiny_free(&t);
}

static void bad_logs_are_made_safe(void **state)
{
	struct loaded l;
	struct tiny t;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ .crashed = true });
	le32_set(&tiny_cp(&t, 0)->cur_node_segno[1], 60);
	le32_set(&tiny_cp(&t, 0)->cur_data_segno[2], 0xffffffff);
	le16_set(&tiny_cp(&t, 0)->cur_node_blkoff[0], 512);
	le32_set(&tiny_cp(&t, 0)->cur_data_segno[1], 3);
	tiny_cp(&t, 0)->alloc_type[LOG_COLD_NODE] = 0x7f;	/* C14 */
	tiny_sign(&t, 0);
	load(&t, &l);
	assert_int_equal(l.err, 0);
	assert_int_equal(l.cp.pack, 0);
	assert_int_equal(l.f.counted[P_CP_CURSEG], 5);
	assert_int_equal(findings_count(&l.f, SEV_NOTE), 5);
	assert_int_equal(l.cp.log[LOG_WARM_NODE].segno, OD_SEG_NULL);
	assert_int_equal(l.cp.log[LOG_COLD_DATA].segno, OD_SEG_NULL);
	assert_int_equal(l.cp.log[LOG_HOT_NODE].next, 511);
	assert_int_equal(l.cp.log[LOG_COLD_NODE].alloc_type, ALLOC_LFS);
	assert_int_equal(cp_log_of_seg(&l.cp, 3), LOG_HOT_DATA);
	unload(&l);
	tiny_free(&t);
}

static void recovery_version_follows_the_flags(void **state)
{
	struct loaded l;
	struct tiny t;
	uint32_t crc;

	(void)state;
	tiny_make(&t, &(struct tiny_opt){ .large = true });
	load(&t, &l);
	crc = le32_get(*(le32 *)((uint8_t *)tiny_cp(&t, 0) + 192));
	assert_true(cp_recovery_version(&t.lo, &l.cp) ==
		    (TINY_VERSION | (uint64_t)crc << 32));
	unload(&l);
	le32_set(&tiny_cp(&t, 0)->ckpt_flags, OD_CP_UMOUNT |
		 OD_CP_COMPACT_SUM | OD_CP_LARGE_NAT_BITMAP);
	tiny_sign(&t, 0);
	load(&t, &l);
	assert_true(cp_recovery_version(&t.lo, &l.cp) == TINY_VERSION);
	unload(&l);
	tiny_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(newer_pack_is_live),
		cmocka_unit_test(versions_are_compared_as_a_difference),
		cmocka_unit_test(bad_head_or_foot_gives_the_other_pack),
		cmocka_unit_test(pack_that_was_cut_is_a_note),
		cmocka_unit_test(pack_block_written_from_its_end_is_a_note),
		cmocka_unit_test(impossible_totals_make_a_pack_bad),
		cmocka_unit_test(content_that_cannot_be_loaded_gives_the_other),
		cmocka_unit_test(flags_are_mended_by_what_is_there),
		cmocka_unit_test(the_start_is_mended_by_what_is_there),
		cmocka_unit_test(bitmaps_are_found_in_each_place),
		cmocka_unit_test(large_bitmaps_cross_the_block),
		cmocka_unit_test(bitmaps_without_room_make_a_pack_bad),
		cmocka_unit_test(summaries_are_found_in_each_form),
		cmocka_unit_test(compact_summaries_past_the_pack),
		cmocka_unit_test(unreadable_nodes_leave_gaps_in_a_rebuilt_summary),
		cmocka_unit_test(orphans_are_listed),
		cmocka_unit_test(bad_orphans_are_dropped),
		cmocka_unit_test(normal_form_does_not_need_the_start),
		cmocka_unit_test(bad_fields_are_findings),
		cmocka_unit_test(bad_logs_are_made_safe),
		cmocka_unit_test(recovery_version_follows_the_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
