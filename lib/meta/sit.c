/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The SIT in memory. A page keeps the segments of one SIT block and a bit for
 * each that is dirty: 82 bytes a segment at 4 KiB.
 */
#include "config.h"

#include "meta/sit.h"
#include "meta/journal.h"
#include "meta/table.h"
#include "base/bits.h"
#include "base/ctx.h"
#include "base/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A block of 64 KiB has 885 entries. */
#define MAX_PER_BLOCK	885

struct sit_page {
	uint32_t nr_dirty;
	uint8_t dirty[(MAX_PER_BLOCK + 7) / 8];	/* lsb */
	struct sit_seg seg[];
};

static const struct sit_seg no_seg;

static struct sit_page *page_of(const struct sit *sit, uint32_t segno)
{
	return sit->pages[segno / sit->lo->sits_per_block];
}

static struct sit_page *page_need(struct sit *sit, uint32_t i)
{
	if (!sit->pages[i])
		sit->pages[i] = calloc(1, sizeof(struct sit_page) +
				       sit->lo->sits_per_block *
				       sizeof(struct sit_seg));
	return sit->pages[i];
}

const struct sit_seg *sit_get(const struct sit *sit, uint32_t segno)
{
	const struct sit_page *page = page_of(sit, segno);

	return page ? &page->seg[segno % sit->lo->sits_per_block] : &no_seg;
}

static void add_valid(struct sit *sit, uint8_t type, int64_t blocks)
{
	if (log_is_node(type))
		sit->valid_nodes += (uint64_t)blocks;
	else
		sit->valid_data += (uint64_t)blocks;
}

/* The segment to change, marked dirty; NULL without memory. */
static struct sit_seg *change(struct sit *sit, uint32_t segno)
{
	struct sit_page *page = page_need(sit,
					  segno / sit->lo->sits_per_block);
	uint32_t n = segno % sit->lo->sits_per_block;

	if (!page)
		return NULL;
	if (!bit_test_lsb(page->dirty, n)) {
		bit_set_lsb(page->dirty, n);
		page->nr_dirty++;
		sit->nr_dirty++;
	}
	return &page->seg[n];
}

struct loading {
	struct sit *sit;
	struct findings *findings;
};

/* What is wrong with an entry; the bitmap wins over the count. */
static void decode(struct loading *l, uint32_t segno, uint32_t blk,
		   const struct od_sit_entry *od, struct sit_seg *seg)
{
	struct finding f = { .structure = "SIT entry", .number = segno,
			     .blk = blk, .has_values = true };
	uint16_t count = od_sit_valid_blocks(od);

	seg->mtime = le64_get(od->mtime);
	seg->type = od_sit_type(od);
	memcpy(seg->map, od->valid_map, sizeof(seg->map));
	seg->valid = (uint16_t)bits_count(seg->map, sizeof(seg->map));
	if (count != seg->valid) {
		f.id = P_SIT_COUNT;
		f.found = count;
		f.expected = seg->valid;
		findings_add(l->findings, &f, NULL);
	}
	if (seg->type > LOG_COLD_NODE) {
		f.id = P_SIT_TYPE;
		f.found = seg->type;
		f.expected = LOG_COLD_NODE;
		findings_add(l->findings, &f, "no such type");
		seg->type = LOG_WARM_DATA;
	}
}

static int load_block(void *priv, uint32_t i, uint32_t blk,
		      const uint8_t *block)
{
	const struct od_sit_entry *od = (const struct od_sit_entry *)block;
	struct loading *l = priv;
	const struct layout *lo = l->sit->lo;
	struct sit_page *page = page_need(l->sit, i);
	uint32_t segno = i * lo->sits_per_block;

	if (!page)
		return -ENOMEM;
	for (uint32_t n = 0; n < lo->sits_per_block &&
	     segno < lo->nr_main_segs; n++, segno++)
		decode(l, segno, blk, &od[n], &page->seg[n]);
	return 0;
}

static void journal_finding(struct findings *findings, const char *structure,
			    uint64_t number, uint64_t found, uint64_t expected,
			    const char *what)
{
	findings_add(findings, &(struct finding){
		     .id = P_SIT_JOURNAL, .structure = structure,
		     .number = number, .has_values = true, .found = found,
		     .expected = expected }, "%s", what);
}

static int load_journal_entry(struct loading *l, unsigned int number,
			      const struct od_sit_journal_entry *od,
			      struct map *seen)
{
	const char *structure = "SIT journal entry";
	uint32_t segno = le32_get(od->segno);
	struct sit_seg *seg;

	if (segno >= l->sit->lo->nr_main_segs) {
		journal_finding(l->findings, structure, number, segno,
				l->sit->lo->nr_main_segs - 1,
				"segment number");
		return 0;
	}
	if (map_get(seen, segno, NULL)) {
		journal_finding(l->findings, structure, number, segno,
				OD_SEG_NULL, "segment listed twice");
		return 0;
	}
	if (map_put(seen, segno, 1))
		return -ENOMEM;
	seg = change(l->sit, segno);
	if (!seg)
		return -ENOMEM;
	decode(l, segno, 0, &od->sit, seg);
	return 0;
}

/* The journal overrides the blocks; only its bad entries are dropped. */
static int load_journal(struct loading *l, const struct checkpoint *cp)
{
	const struct layout *lo = l->sit->lo;
	const uint8_t *area = sum_journal(lo, cp->log[LOG_COLD_DATA].sum);
	unsigned int nr = journal_count(area);
	struct map seen = { 0 };
	int err = 0;

	if (nr > lo->sit_journal_max) {
		journal_finding(l->findings, "SIT journal", 0, nr,
				lo->sit_journal_max, "number of entries");
		nr = lo->sit_journal_max;
	}
	for (unsigned int i = 0; i < nr && !err; i++)
		err = load_journal_entry(l, i, sit_journal_entry(area, i),
					 &seen);
	map_free(&seen);
	return err;
}

static void count_valid(struct sit *sit)
{
	const uint32_t per_block = sit->lo->sits_per_block;

	for (uint32_t i = 0; i < sit->lo->nr_sit_blks; i++) {
		const struct sit_page *page = sit->pages[i];

		for (uint32_t n = 0; page && n < per_block; n++)
			add_valid(sit, page->seg[n].type, page->seg[n].valid);
	}
}

static uint32_t table_blk(const struct layout *lo, uint32_t i, int copy)
{
	return sit_block_blk(lo, i, copy);
}

int sit_load(struct dev *dev, const struct layout *lo,
	     const struct checkpoint *cp, struct findings *findings,
	     struct sit *out)
{
	const struct table table = { lo->nr_sit_blks, cp->sit_bitmap,
				     table_blk };
	struct sit sit = { .lo = lo };
	struct loading l = { &sit, findings };
	int err = -ENOMEM;

	sit.pages = calloc(lo->nr_sit_blks, sizeof(*sit.pages));
	if (sit.pages)
		err = table_read(dev, lo, &table, load_block, &l);
	if (!err)
		err = load_journal(&l, cp);
	if (err) {
		sit_free(&sit);
		return err == -ENOMEM ? ctx_nomem(dev->ctx, "the SIT") : err;
	}
	count_valid(&sit);
	*out = sit;
	return 0;
}

void sit_free(struct sit *sit)
{
	for (uint32_t i = 0; sit->pages && i < sit->lo->nr_sit_blks; i++)
		free(sit->pages[i]);
	free(sit->pages);
	memset(sit, 0, sizeof(*sit));
}

int sit_mark_valid(struct sit *sit, uint32_t blk, uint8_t type)
{
	uint32_t n = blk_in_seg(sit->lo, blk);
	struct sit_seg *seg;

	if (sit_is_valid(sit, blk))
		return -EUCLEAN;
	seg = change(sit, blk_to_seg(sit->lo, blk));
	if (!seg)
		return -ENOMEM;
	if (!seg->valid)
		seg->type = type;
	bit_set_msb(seg->map, n);
	seg->valid++;
	add_valid(sit, seg->type, 1);
	return 0;
}

int sit_mark_invalid(struct sit *sit, uint32_t blk)
{
	uint32_t n = blk_in_seg(sit->lo, blk);
	struct sit_seg *seg;

	if (!sit_is_valid(sit, blk))
		return -EUCLEAN;
	seg = change(sit, blk_to_seg(sit->lo, blk));
	if (!seg)
		return -ENOMEM;
	bit_clear_msb(seg->map, n);
	seg->valid--;
	add_valid(sit, seg->type, -1);
	return 0;
}

int sit_set_map(struct sit *sit, uint32_t segno,
		const uint8_t map[OD_SIT_MAP_BYTES])
{
	struct sit_seg *seg = change(sit, segno);

	if (!seg)
		return -ENOMEM;
	add_valid(sit, seg->type, -(int64_t)seg->valid);
	memcpy(seg->map, map, sizeof(seg->map));
	seg->valid = (uint16_t)bits_count(map, sizeof(seg->map));
	add_valid(sit, seg->type, seg->valid);
	return 0;
}

int sit_set_type(struct sit *sit, uint32_t segno, uint8_t type)
{
	struct sit_seg *seg = change(sit, segno);

	if (!seg)
		return -ENOMEM;
	add_valid(sit, seg->type, -(int64_t)seg->valid);
	seg->type = type;
	add_valid(sit, seg->type, seg->valid);
	return 0;
}

int sit_set_mtime(struct sit *sit, uint32_t segno, uint64_t mtime)
{
	struct sit_seg *seg = change(sit, segno);

	if (!seg)
		return -ENOMEM;
	seg->mtime = mtime;
	return 0;
}

bool sit_next_dirty(const struct sit *sit, uint32_t *segno)
{
	const struct layout *lo = sit->lo;
	uint32_t n = *segno % lo->sits_per_block;

	for (uint32_t i = *segno / lo->sits_per_block; i < lo->nr_sit_blks;
	     i++, n = 0) {
		const struct sit_page *page = sit->pages[i];

		if (!page || !page->nr_dirty)
			continue;
		while (n < lo->sits_per_block && !bit_test_lsb(page->dirty, n))
			n++;
		if (n == lo->sits_per_block)
			continue;
		*segno = i * lo->sits_per_block + n;
		return true;
	}
	return false;
}

void sit_clear_dirty(struct sit *sit, uint32_t segno)
{
	struct sit_page *page = page_of(sit, segno);
	uint32_t n = segno % sit->lo->sits_per_block;

	if (!page || !bit_test_lsb(page->dirty, n))
		return;
	bit_clear_lsb(page->dirty, n);
	page->nr_dirty--;
	sit->nr_dirty--;
}

uint32_t sit_sec_valid(const struct sit *sit, uint32_t secno)
{
	uint32_t first = sec_to_seg(sit->lo, secno), n = 0;

	for (uint32_t i = 0; i < sit->lo->segs_per_sec; i++)
		n += sit_get(sit, first + i)->valid;
	return n;
}

void sit_encode(const struct sit_seg *seg, struct od_sit_entry *out)
{
	od_sit_set_vblocks(out, seg->valid, seg->type);
	memcpy(out->valid_map, seg->map, sizeof(out->valid_map));
	le64_set(&out->mtime, seg->mtime);
}

void sit_encode_block(const struct sit *sit, uint32_t i, void *block)
{
	const struct sit_page *page = sit->pages[i];
	struct od_sit_entry *od = block;

	memset(block, 0, sit->lo->block_size);
	for (uint32_t n = 0; page && n < sit->lo->sits_per_block; n++)
		sit_encode(&page->seg[n], &od[n]);
}
