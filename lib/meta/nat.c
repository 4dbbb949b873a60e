/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The NAT in memory. A page keeps the entries of one NAT block as three
 * arrays and a bit for each that is dirty: 9.1 bytes a nid.
 */
#include "config.h"

#include "meta/nat.h"
#include "meta/journal.h"
#include "meta/table.h"
#include "base/bits.h"
#include "base/ctx.h"
#include "base/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * n = lo->nats_per_block: n inos, n addresses, n versions, then n bits in
 * bytes for the dirty ones.
 */
struct nat_page {
	uint32_t nr_dirty;
	uint32_t nr_used;		/* with an address, nids 0 to 2 too */
	uint32_t ino[];
};

static uint32_t *page_blk(const struct layout *lo, struct nat_page *page)
{
	return page->ino + lo->nats_per_block;
}

static uint8_t *page_version(const struct layout *lo, struct nat_page *page)
{
	return (uint8_t *)(page->ino + 2 * (size_t)lo->nats_per_block);
}

static uint8_t *page_dirty(const struct layout *lo, struct nat_page *page)
{
	return page_version(lo, page) + lo->nats_per_block;
}

static struct nat_page *page_new(const struct layout *lo)
{
	const size_t n = lo->nats_per_block;

	return calloc(1, sizeof(struct nat_page) + 2 * n * sizeof(uint32_t) +
		      n + (n + 7) / 8);
}

/* The page of NAT block @i, made if need be; NULL without memory. */
static struct nat_page *page_need(struct nat *nat, uint32_t i)
{
	if (!nat->pages[i])
		nat->pages[i] = page_new(nat->lo);
	return nat->pages[i];
}

static void page_set(const struct layout *lo, struct nat_page *page,
		     uint32_t n, const struct nat_entry *e)
{
	uint32_t *blk = page_blk(lo, page);

	page->nr_used += (e->blk != OD_BLK_NULL) - (blk[n] != OD_BLK_NULL);
	page->ino[n] = e->ino;
	blk[n] = e->blk;
	page_version(lo, page)[n] = e->version;
}

static struct nat_entry page_get(const struct layout *lo,
				 struct nat_page *page, uint32_t n)
{
	return (struct nat_entry){
		.ino = page->ino[n],
		.blk = page_blk(lo, page)[n],
		.version = page_version(lo, page)[n],
	};
}

static void set_dirty(struct nat *nat, struct nat_page *page, uint32_t n)
{
	uint8_t *dirty = page_dirty(nat->lo, page);

	if (bit_test_lsb(dirty, n))
		return;
	bit_set_lsb(dirty, n);
	page->nr_dirty++;
	nat->nr_dirty++;
}

static struct nat_entry nat_decode(const struct od_nat_entry *od)
{
	return (struct nat_entry){
		.ino = le32_get(od->ino),
		.blk = le32_get(od->blk),
		.version = od->version,
	};
}

static int load_block(void *priv, uint32_t i, uint32_t blk,
		      const uint8_t *block)
{
	const struct od_nat_entry *od = (const struct od_nat_entry *)block;
	struct nat *nat = priv;
	struct nat_page *page = page_need(nat, i);

	(void)blk;
	if (!page)
		return -ENOMEM;
	for (uint32_t n = 0; n < nat->lo->nats_per_block; n++) {
		struct nat_entry e = nat_decode(&od[n]);

		page_set(nat->lo, page, n, &e);
	}
	return 0;
}

static void journal_finding(struct findings *findings, const char *structure,
			    uint64_t number, uint64_t found, uint64_t expected,
			    const char *what)
{
	findings_add(findings, &(struct finding){
		     .id = P_NAT_JOURNAL, .structure = structure,
		     .number = number, .has_values = true, .found = found,
		     .expected = expected }, "%s", what);
}

static int load_journal_entry(struct nat *nat, unsigned int number,
			      const struct od_nat_journal_entry *od,
			      struct findings *findings, struct map *seen)
{
	const char *structure = "NAT journal entry";
	uint32_t nid = le32_get(od->nid);
	struct nat_entry e = nat_decode(&od->nat);

	if (nid < OD_ROOT_INO || nid >= nat->lo->nr_nids) {
		journal_finding(findings, structure, number, nid,
				nat->lo->nr_nids - 1, "nid");
		return 0;
	}
	if (map_get(seen, nid, NULL)) {
		journal_finding(findings, structure, number, nid, 0,
				"nid listed twice");
		return 0;
	}
	if (map_put(seen, nid, 1))
		return -ENOMEM;
	return nat_set(nat, nid, &e);
}

/* The journal overrides the blocks; only its bad entries are dropped. */
static int load_journal(struct nat *nat, const struct checkpoint *cp,
			struct findings *findings)
{
	const uint8_t *area = sum_journal(nat->lo, cp->log[LOG_HOT_DATA].sum);
	unsigned int nr = journal_count(area);
	struct map seen = { 0 };
	int err = 0;

	if (nr > nat->lo->nat_journal_max) {
		journal_finding(findings, "NAT journal", 0, nr,
				nat->lo->nat_journal_max, "number of entries");
		nr = nat->lo->nat_journal_max;
	}
	for (unsigned int i = 0; i < nr && !err; i++)
		err = load_journal_entry(nat, i, nat_journal_entry(area, i),
					 findings, &seen);
	map_free(&seen);
	return err;
}

static uint32_t table_blk(const struct layout *lo, uint32_t i, int copy)
{
	return nat_block_blk(lo, i, copy);
}

int nat_load(struct dev *dev, const struct layout *lo,
	     const struct checkpoint *cp, struct findings *findings,
	     struct nat *out)
{
	const struct table table = { lo->nr_nat_blks, cp->nat_bitmap,
				     table_blk };
	struct nat nat = { .lo = lo };
	int err = -ENOMEM;

	nat.pages = calloc(lo->nr_nat_blks, sizeof(*nat.pages));
	if (nat.pages)
		err = table_read(dev, lo, &table, load_block, &nat);
	if (!err)
		err = load_journal(&nat, cp, findings);
	if (err) {
		nat_free(&nat);
		return err == -ENOMEM ? ctx_nomem(dev->ctx, "the NAT") : err;
	}
	*out = nat;
	return 0;
}

void nat_free(struct nat *nat)
{
	for (uint32_t i = 0; nat->pages && i < nat->lo->nr_nat_blks; i++)
		free(nat->pages[i]);
	free(nat->pages);
	memset(nat, 0, sizeof(*nat));
}

struct nat_entry nat_get(const struct nat *nat, uint32_t nid)
{
	return nat_get_any(nat, nid < OD_ROOT_INO ? UINT32_MAX : nid);
}

struct nat_entry nat_get_any(const struct nat *nat, uint32_t nid)
{
	const struct nat_entry none = { 0 };
	struct nat_page *page;

	if (nid >= nat->lo->nr_nids)
		return none;
	page = nat->pages[nid_to_nat_block(nat->lo, nid)];
	if (!page)
		return none;
	return page_get(nat->lo, page, nid % nat->lo->nats_per_block);
}

int nat_set(struct nat *nat, uint32_t nid, const struct nat_entry *e)
{
	struct nat_page *page = page_need(nat,
					  nid_to_nat_block(nat->lo, nid));
	uint32_t n = nid % nat->lo->nats_per_block;

	if (!page)
		return -ENOMEM;
	page_set(nat->lo, page, n, e);
	set_dirty(nat, page, n);
	return 0;
}

bool nat_next(const struct nat *nat, uint32_t *nid, struct nat_entry *e)
{
	const struct layout *lo = nat->lo;
	uint32_t from = *nid < OD_ROOT_INO ? OD_ROOT_INO : *nid;
	uint32_t n = from % lo->nats_per_block;

	for (uint32_t i = nid_to_nat_block(lo, from); i < lo->nr_nat_blks;
	     i++, n = 0) {
		struct nat_page *page = nat->pages[i];
		const uint32_t *blk;

		if (!page || !page->nr_used)
			continue;
		blk = page_blk(lo, page);
		while (n < lo->nats_per_block && blk[n] == OD_BLK_NULL)
			n++;
		if (n == lo->nats_per_block)
			continue;
		*nid = i * lo->nats_per_block + n;
		*e = page_get(lo, page, n);
		return true;
	}
	return false;
}

bool nat_next_dirty(const struct nat *nat, uint32_t *nid, struct nat_entry *e)
{
	const struct layout *lo = nat->lo;
	uint32_t n = *nid % lo->nats_per_block;

	for (uint32_t i = nid_to_nat_block(lo, *nid); i < lo->nr_nat_blks;
	     i++, n = 0) {
		struct nat_page *page = nat->pages[i];
		const uint8_t *dirty;

		if (!page || !page->nr_dirty)
			continue;
		dirty = page_dirty(lo, page);
		while (n < lo->nats_per_block && !bit_test_lsb(dirty, n))
			n++;
		if (n == lo->nats_per_block)
			continue;
		*nid = i * lo->nats_per_block + n;
		*e = page_get(lo, page, n);
		return true;
	}
	return false;
}

uint32_t nat_block_used(const struct nat *nat, uint32_t i)
{
	return nat->pages[i] ? nat->pages[i]->nr_used : 0;
}

void nat_clear_dirty(struct nat *nat, uint32_t nid)
{
	struct nat_page *page = nat->pages[nid_to_nat_block(nat->lo, nid)];
	uint32_t n = nid % nat->lo->nats_per_block;

	if (!page || !bit_test_lsb(page_dirty(nat->lo, page), n))
		return;
	bit_clear_lsb(page_dirty(nat->lo, page), n);
	page->nr_dirty--;
	nat->nr_dirty--;
}

void nat_encode_block(const struct nat *nat, uint32_t i, void *block)
{
	struct nat_page *page = nat->pages[i];
	struct od_nat_entry *od = block;

	memset(block, 0, nat->lo->block_size);
	if (!page)
		return;
	for (uint32_t n = 0; n < nat->lo->nats_per_block; n++) {
		struct nat_entry e = page_get(nat->lo, page, n);

		od[n].version = e.version;
		le32_set(&od[n].ino, e.ino);
		le32_set(&od[n].blk, e.blk);
	}
}
