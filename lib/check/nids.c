/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records by nid: building the index and looking in it. */
#include "config.h"

#include "check/nids.h"

#include <stdlib.h>

#define WORD_BITS 64U

struct nid_rec *nids_get(const struct nids *n, uint32_t nid)
{
	const struct layout *lo = n->nat->lo;
	const struct nid_word *w;
	uint32_t page, bit;

	if (nid >= lo->nr_nids)
		return NULL;
	page = n->page[nid / lo->nats_per_block];
	if (!page)
		return NULL;
	bit = nid % lo->nats_per_block;
	w = &n->words[page - 1 + bit / WORD_BITS];
	bit %= WORD_BITS;
	if (!(w->used >> bit & 1))
		return NULL;
	return &n->rec[w->rank + (uint32_t)__builtin_popcountll(
				w->used & ((1ULL << bit) - 1))];
}

struct nid_rec *nids_next(const struct nids *n, size_t *i, uint32_t *nid,
			  struct nat_entry *e)
{
	if (*i)
		++*nid;
	if (*i >= n->nr || !nat_next(n->nat, nid, e))
		return NULL;
	return &n->rec[(*i)++];
}

void rec_set_parent(struct nid_rec *rec, uint32_t dir)
{
	uint32_t old = __atomic_load_n(&rec->ino, __ATOMIC_RELAXED);

	while (!old || dir < old)
		if (__atomic_compare_exchange_n(&rec->ino, &old, dir, true,
						__ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return;
}

/* Count used nids and NAT blocks that hold any. */
static size_t count_used(const struct nat *nat, size_t *pages)
{
	uint32_t last = UINT32_MAX;
	struct nat_entry e;
	size_t nr = 0;

	*pages = 0;
	for (uint32_t nid = 0; nat_next(nat, &nid, &e); nid++) {
		uint32_t page = nid_to_nat_block(nat->lo, nid);

		if (page != last)
			++*pages;
		last = page;
		nr++;
	}
	return nr;
}

static void mark_used(struct nids *n)
{
	const struct layout *lo = n->nat->lo;
	uint32_t nr_words = 0, rank = 0;
	struct nat_entry e;

	for (uint32_t nid = 0; nat_next(n->nat, &nid, &e); nid++) {
		uint32_t *page = &n->page[nid_to_nat_block(lo, nid)];
		uint32_t bit = nid % lo->nats_per_block;

		if (!*page) {
			*page = nr_words + 1;
			nr_words += n->words_per_page;
		}
		n->words[*page - 1 + bit / WORD_BITS].used |=
			1ULL << bit % WORD_BITS;
		if (e.ino == nid)
			n->rec[rank].flags = REC_INODE;
		rank++;
	}
	rank = 0;
	for (uint32_t i = 0; i < nr_words; i++) {
		n->words[i].rank = rank;
		rank += (uint32_t)__builtin_popcountll(n->words[i].used);
	}
}

int nids_build(struct f2c_ctx *ctx, const struct nat *nat, struct nids *out)
{
	const struct layout *lo = nat->lo;
	struct nids n = { .nat = nat };
	size_t pages;

	n.nr = count_used(nat, &pages);
	n.words_per_page = (lo->nats_per_block + WORD_BITS - 1) / WORD_BITS;
	n.page = calloc((size_t)lo->nr_nat_blks + 1, sizeof(*n.page));
	n.words = calloc(pages * n.words_per_page + 1, sizeof(*n.words));
	n.rec = calloc(n.nr + 1, sizeof(*n.rec));
	if (!n.page || !n.words || !n.rec) {
		nids_free(&n);
		return ctx_nomem(ctx, "the list of nodes");
	}
	mark_used(&n);
	*out = n;
	return 0;
}

void nids_free(struct nids *n)
{
	free(n->page);
	free(n->words);
	free(n->rec);
	n->page = NULL;
	n->words = NULL;
	n->rec = NULL;
}
