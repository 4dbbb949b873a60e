/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The check: its index and its map, and what a poke into a file cannot bring
 * about (I/O errors, orphans, pending fsyncs, little memory for names).
 */
#include "config.h"

#include "unit.h"

#include "base/crc.h"
#include "check/check_int.h"
#include "dev/dev_stack.h"
#include "engine/create.h"
#include "format/hash.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VOLUME_BYTES (64U << 20)
#define LOST_FOUND_INO 4U

struct test {
	struct f2c_ctx *ctx;
	struct dev *mem;		/* owned by whoever opened it last */
	uint8_t *image;			/* a new volume with a lost+found */
};

static int make_volume(void **state)
{
	struct test *t = calloc(1, sizeof(*t));
	struct format_options opt;
	struct format_plan plan;
	struct dev *dev;

	assert_non_null(t);
	t->ctx = ctx_new();
	assert_non_null(t->ctx);
	format_options_init(&opt);
	opt.features |= OD_FEATURE_LOST_FOUND;
	opt.cp_version = 0x1234567;
	assert_int_equal(dev_mem_open(t->ctx, NULL, VOLUME_BYTES, &dev), 0);
	assert_int_equal(format_plan(t->ctx, "memory", &opt, VOLUME_BYTES,
				     &plan), 0);
	assert_int_equal(format_write(dev, &plan), 0);
	t->image = malloc(VOLUME_BYTES);
	assert_non_null(t->image);
	memcpy(t->image, dev_mem_data(dev), VOLUME_BYTES);
	dev_close(dev);
	*state = t;
	return 0;
}

static int free_volume(void **state)
{
	struct test *t = *state;

	free(t->image);
	ctx_free(t->ctx);
	free(t);
	return 0;
}

static struct volume *open_volume(struct test *t)
{
	struct volume *vol = NULL;

	assert_int_equal(dev_mem_open(t->ctx, t->image, VOLUME_BYTES, &t->mem),
			 0);
	assert_int_equal(volume_open(t->ctx, t->mem, &vol, NULL), 0);
	return vol;
}

static void check(struct volume *vol, const struct check_options *opt,
		  struct check_result *res)
{
	static const struct check_options defaults;

	assert_int_equal(check_run(vol, opt ? opt : &defaults, res), 0);
}

static uint64_t found(const struct check_result *res, enum problem_id id)
{
	return res->findings.counted[id];
}

static void new_volume_is_clean(void **state)
{
	struct volume *vol = open_volume(*state);
	struct check_result res;

	check(vol, NULL, &res);
	assert_int_equal(findings_count(&res.findings, SEV_NOTE), 0);
	assert_int_equal(res.nodes, 2);
	assert_int_equal(res.dirs, 2);
	assert_int_equal(res.files, 0);
	assert_int_equal(res.blocks, 4);
	check_result_free(&res);
	volume_close(vol);
}

/* The index of nids against the NAT itself. */

static void index_has_exactly_the_used_nids(void **state)
{
	struct volume *vol = open_volume(*state);
	uint32_t nids[] = { 5, 63, 64, 65, 127, 454, 455, 456, 909, 910, 20000 };
	struct nid_rec *rec;
	struct nat_entry e;
	struct nids n;
	uint32_t nid = 0;
	size_t i = 0;

	for (i = 0; i < NR_OF(nids); i++) {
		e = (struct nat_entry){ .ino = nids[i] % 2 ? nids[i] : 3,
					.blk = vol->lo.main_blk + 600 };
		assert_int_equal(nat_set(&vol->nat, nids[i], &e), 0);
	}
	assert_int_equal(nids_build(vol->ctx, &vol->nat, &n), 0);
	assert_int_equal(n.nr, 2 + NR_OF(nids));
	for (nid = 0; nid < 1000; nid++) {
		rec = nids_get(&n, nid);
		assert_int_equal(rec != NULL, nat_get(&vol->nat, nid).blk != 0);
		if (rec)
			assert_int_equal(rec->flags & REC_INODE ? nid : 0,
					 nat_get(&vol->nat, nid).ino == nid ?
					 nid : 0);
	}
	assert_null(nids_get(&n, UINT32_MAX));
	assert_null(nids_get(&n, vol->lo.nr_nids));
	i = 0;
	nid = 0;
	while ((rec = nids_next(&n, &i, &nid, &e)))
		assert_ptr_equal(rec, nids_get(&n, nid));
	assert_int_equal(i, n.nr);
	nids_free(&n);
	volume_close(vol);
}

static void lowest_parent_is_kept(void **state)
{
	struct nid_rec rec = { 0 };

	(void)state;
	rec_set_parent(&rec, 9);
	rec_set_parent(&rec, 12);
	rec_set_parent(&rec, 7);
	assert_int_equal(rec.ino, 7);
}

/* The map of the main area. */

static void claims_are_counted_once(void **state)
{
	struct volume *vol = open_volume(*state);
	uint32_t main_blk = vol->lo.main_blk;
	struct space s;

	assert_int_equal(space_init(vol->ctx, &vol->lo, &s), 0);
	assert_int_equal(space_claim(&s, main_blk + 512, 512, SEG_HAS_DATA), 0);
	assert_int_equal(bits_count(space_map(&s, 1), OD_SIT_MAP_BYTES), 512);
	assert_int_equal(bits_count(space_map(&s, 0), OD_SIT_MAP_BYTES), 0);
	assert_int_equal(space_claim(&s, main_blk + 60, 10, SEG_HAS_NODES), 0);
	for (uint32_t i = 0; i < 512; i++)
		assert_int_equal(bit_test_msb(space_map(&s, 0), i),
				 i >= 60 && i < 70);
	assert_int_equal(space_claim(&s, main_blk + 63, 3, SEG_HAS_DATA), 3);
	assert_true(space_is_twice(&s, main_blk + 63));
	assert_true(space_is_twice(&s, main_blk + 65));
	assert_false(space_is_twice(&s, main_blk + 62));
	assert_int_equal(s.seg[0], SEG_HAS_NODES | SEG_HAS_TWICE);
	assert_int_equal(space_claim(&s, main_blk + 69, 2, SEG_HAS_DATA), 1);
	assert_int_equal(s.seg[0], SEG_HAS_NODES | SEG_HAS_DATA |
				   SEG_HAS_TWICE);
	space_free(&s);
	volume_close(vol);
}

/* Orphans */

static void bad_orphans_are_found(void **state)
{
	struct volume *vol = open_volume(*state);
	struct check_result res;

	vol->cp.orphans = malloc(2 * sizeof(*vol->cp.orphans));
	assert_non_null(vol->cp.orphans);
	vol->cp.nr_orphans = 2;
	vol->cp.orphans[0] = 77;		/* free */
	vol->cp.orphans[1] = LOST_FOUND_INO;	/* has a name and links */
	check(vol, NULL, &res);
	assert_int_equal(found(&res, P_CP_ORPHAN), 2);
	assert_int_equal(found(&res, P_INODE_LINKS), 1);
	assert_int_equal(res.orphans, 1);
	check_result_free(&res);
	volume_close(vol);
}

/* Fsynced nodes behind the checkpoint */

static void pending_fsync_is_a_note(void **state)
{
	struct volume *vol = open_volume(*state);
	const struct curseg *log = &vol->cp.log[LOG_WARM_NODE];
	uint32_t blk = seg_to_blk(&vol->lo, log->segno) + log->next;
	struct test *t = *state;
	struct check_result res;
	struct od_node_foot *foot;

	foot = node_foot(&vol->lo, dev_mem_data(t->mem) +
				   (size_t)blk * vol->lo.block_size);
	le32_set(&foot->nid, 100);
	le32_set(&foot->ino, 100);
	le32_set(&foot->flag, OD_FOOT_FSYNC | OD_FOOT_DENT);
	le64_set(&foot->cp_ver, cp_recovery_version(&vol->lo, &vol->cp));
	check(vol, NULL, &res);
	assert_int_equal(found(&res, P_CP_PENDING_FSYNC), 1);
	assert_int_equal(findings_count(&res.findings, SEV_ERROR), 0);
	assert_int_equal(res.pending_fsyncs, 1);
	check_result_free(&res);
	volume_close(vol);
}

/* Reads that fail: once, or for good from some read on. */

/* An inode in a segment that no log is at, so that its summary is read. */
static void add_inode(struct volume *vol, uint8_t *memory)
{
	uint32_t ino = 50, blk = seg_to_blk(&vol->lo, 20);
	struct nat_entry e = { .ino = ino, .blk = blk };
	uint8_t *block = memory + (size_t)blk * vol->lo.block_size;
	struct od_inode *od = (struct od_inode *)block;
	struct od_node_foot *foot = node_foot(&vol->lo, block);

	memset(block, 0, vol->lo.block_size);
	le16_set(&od->i_mode, 0100600);
	le64_set(&od->i_blocks, 1);
	le32_set(&foot->nid, ino);
	le32_set(&foot->ino, ino);
	assert_int_equal(nat_set(&vol->nat, ino, &e), 0);
	assert_int_equal(sit_mark_valid(&vol->sit, blk, LOG_WARM_NODE), 0);
}

/* Adds what was found to @sum. False if the volume could not be opened. */
static bool check_with_faults(struct test *t, const struct dev_fault_plan *plan,
			      uint64_t sum[NR_PROBLEMS])
{
	struct check_options opt = { .nr_threads = 1 };
	struct volume *vol = NULL;
	struct check_result res;
	struct dev *mem, *dev;

	assert_int_equal(dev_mem_open(t->ctx, t->image, VOLUME_BYTES, &mem),
			 0);
	assert_int_equal(dev_fault_open(mem, plan, &dev), 0);
	if (volume_open(t->ctx, dev, &vol, NULL)) {
		assert_string_not_equal(ctx_error(t->ctx), "");
		dev_close(dev);
		return false;
	}
	add_inode(vol, dev_mem_data(mem));
	ctx_clear_error(t->ctx);
	if (check_run(vol, &opt, &res)) {
		assert_string_not_equal(ctx_error(t->ctx), "");
	} else {
		for (int i = 0; i < NR_PROBLEMS; i++)
			sum[i] += res.findings.counted[i];
		check_result_free(&res);
	}
	volume_close(vol);
	return true;
}

static void failed_reads_are_found(void **state)
{
	uint64_t sum[NR_PROBLEMS] = { 0 };

	for (uint64_t n = 1; n < 60; n++) {
		struct dev_fault_plan once = { .fail_read = n };
		struct dev_fault_plan dead = { .fail_read = n,
					       .and_all_later = true };

		check_with_faults(*state, &once, sum);
		check_with_faults(*state, &dead, sum);
	}
	assert_int_not_equal(sum[P_NODE_UNREADABLE], 0);
	assert_int_not_equal(sum[P_DIR_UNREADABLE], 0);
	assert_int_not_equal(sum[P_SSA_UNREADABLE], 0);
}

/* The root's only block, filled with names that all mean lost+found. */

static void set_name(const struct layout *lo, uint8_t *block, uint32_t slot,
		     const char *name)
{
	struct dentry_area area;
	struct od_dentry *entry;

	dentry_area_of_block(lo, block, &area);
	entry = (struct od_dentry *)(uintptr_t)&area.entries[slot];
	bit_set_lsb((uint8_t *)(uintptr_t)area.bitmap, slot);
	le32_set(&entry->hash, dentry_hash((const uint8_t *)name,
					   strlen(name)));
	le32_set(&entry->ino, LOST_FOUND_INO);
	le16_set(&entry->name_len, (uint16_t)strlen(name));
	entry->file_type = OD_FT_DIR;
	memcpy((uint8_t *)(uintptr_t)area.names + 8 * (size_t)slot, name,
	       strlen(name));
}

static uint8_t *root_block(struct test *t, struct volume *vol)
{
	uint8_t *memory = dev_mem_data(t->mem);
	uint8_t *inode = memory + (size_t)nat_get(&vol->nat, OD_ROOT_INO).blk *
				  vol->lo.block_size;
	struct inode root;
	struct fault fault;

	assert_int_equal(inode_decode(&vol->lo, inode, &root, &fault), 0);
	return memory + (size_t)le32_get(*inode_file_addrs(&root, inode)) *
			vol->lo.block_size;
}

static void duplicates_are_found_in_little_memory(void **state)
{
	static const uint64_t max_names[] = { 0, 1, 1000 };
	struct volume *vol = open_volume(*state);
	uint8_t *block = root_block(*state, vol);

	for (uint32_t i = 0; i < 180; i++) {
		char name[8];

		/* 40 and 77 twice, 120 three times. */
		snprintf(name, sizeof(name), "n%u",
			 i == 41 ? 40 : i == 170 ? 77 :
			 i == 121 || i == 122 ? 120 : i);
		set_name(&vol->lo, block, 20 + i, name);
	}
	for (size_t i = 0; i < NR_OF(max_names); i++) {
		struct check_options opt = { .max_names = max_names[i] };
		struct check_result res;

		check(vol, &opt, &res);
		assert_int_equal(found(&res, P_DIR_DUPLICATE), 4);
		assert_int_equal(found(&res, P_DIR_LINKED), 1);
		check_result_free(&res);
	}
	volume_close(vol);
}

/* Short names in neighbouring directories: no two keys are equal. */

static int compare_keys(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void keys_of_different_names_differ(void **state)
{
	struct volume *vol = open_volume(*state);
	struct check c = { .vol = vol, .lo = &vol->lo };
	uint64_t *keys = malloc(256 * 1000 * sizeof(*keys));
	size_t nr = 0;

	assert_non_null(keys);
	assert_int_equal(space_init(vol->ctx, &vol->lo, &c.space), 0);
	for (uint32_t dir = 0; dir < 256; dir++) {
		for (unsigned int i = 0; i < 1000; i++) {
			char name[16];
			int len = snprintf(name, sizeof(name), "f%u", i);

			keys[nr++] = name_key(&c, dir, (uint8_t *)name,
					      (size_t)len);
		}
	}
	qsort(keys, nr, sizeof(*keys), compare_keys);
	for (size_t i = 1; i < nr; i++)
		assert_true(keys[i] != keys[i - 1]);
	space_free(&c.space);
	free(keys);
	volume_close(vol);
}

/* The same findings in the same order, whatever the number of threads. */

static char *all_lines(const struct check_result *res)
{
	char *text = calloc(res->findings.nr + 1, 512);

	assert_non_null(text);
	for (size_t i = 0; i < res->findings.nr; i++)
		finding_format(&res->findings.v[i], text + strlen(text), 511);
	return text;
}

static void threads_do_not_change_the_result(void **state)
{
	struct volume *vol = open_volume(*state);
	uint8_t *block = root_block(*state, vol);
	char *first = NULL;

	for (uint32_t i = 0; i < 100; i++)
		set_name(&vol->lo, block, 20 + i, i % 3 ? "same" : "other");
	for (unsigned int threads = 1; threads <= 8; threads++) {
		struct check_options opt = { .nr_threads = threads };
		struct check_result res;
		char *lines;

		check(vol, &opt, &res);
		lines = all_lines(&res);
		if (!first)
			first = lines;
		assert_string_equal(lines, first);
		if (lines != first)
			free(lines);
		check_result_free(&res);
	}
	free(first);
	volume_close(vol);
}

static int stop(void *priv, const char *phase, uint64_t done, uint64_t total)
{
	(void)done;
	(void)total;
	assert_non_null(phase);
	++*(int *)priv;
	return 1;
}

static void callback_stops_the_check(void **state)
{
	struct volume *vol = open_volume(*state);
	int calls = 0;
	struct check_options opt = { .progress = stop, .priv = &calls,
				     .nr_threads = 1 };
	struct check_result res;

	assert_int_equal(check_run(vol, &opt, &res), -ECANCELED);
	assert_int_equal(calls, 1);
	volume_close(vol);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_volume_is_clean),
		cmocka_unit_test(index_has_exactly_the_used_nids),
		cmocka_unit_test(lowest_parent_is_kept),
		cmocka_unit_test(claims_are_counted_once),
		cmocka_unit_test(bad_orphans_are_found),
		cmocka_unit_test(pending_fsync_is_a_note),
		cmocka_unit_test(failed_reads_are_found),
		cmocka_unit_test(duplicates_are_found_in_little_memory),
		cmocka_unit_test(keys_of_different_names_differ),
		cmocka_unit_test(threads_do_not_change_the_result),
		cmocka_unit_test(callback_stops_the_check),
	};

	return cmocka_run_group_tests(tests, make_volume, free_volume);
}
