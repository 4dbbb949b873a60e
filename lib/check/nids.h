/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A record for every used nid, found in constant time: a bitmap of used nids
 * by NAT block with the rank of each word, and the records in nid order.
 */
#ifndef F2CORE_CHECK_NIDS_H
#define F2CORE_CHECK_NIDS_H

#include "meta/volume.h"

enum rec_flags {
	REC_READ	= 1 << 0,	/* visited in pass 2, content usable */
	REC_BAD		= 1 << 1,	/* visited or not, content not usable */
	REC_INODE	= 1 << 2,
	REC_SHARED	= 1 << 3,	/* claimed by two parents: reported */
	REC_RELEASED	= 1 << 4,	/* compressed blocks given back */
	REC_ORPHAN	= 1 << 5,
	REC_QUOTA	= 1 << 6,
	REC_DOTS	= 1 << 7,	/* directory: its first block was seen */
	REC_DOTS_BAD	= 1 << 8,	/* and its dots are reported already */
	REC_WANTED	= 1 << 9,	/* inode: direct nodes needed once more */
	REC_TRAIL	= 1 << 10,	/* pass 4: on the way up */
	REC_ROOTED	= 1 << 11,	/* pass 4: leads to the root */
	REC_LOST	= 1 << 12,	/* pass 4: does not */
	REC_TWIN	= 1 << 13,	/* another nid has the same block */
};

/*
 * 24 bytes a nid. Inodes and other nodes use the fields differently; what
 * several threads may change at once goes through the rec_ functions.
 */
struct nid_rec {
	uint32_t claim;		/* node: offset its parent expects, plus 1; 0: none */
				/* inode: directory entries that name it */
	uint32_t ino;		/* node: its inode; inode: directory it is in */
	uint32_t aux;		/* node: inode of the parent that claims it */
				/* directory: ".."; file: COMPRESS slots in nodes */
	uint32_t ofs;		/* node: its own offset; */
				/* inode: i_links less what was counted */
	uint32_t blocks;	/* inode: i_blocks less what was counted */
				/* direct node: first address if it is one run */
				/* xattr node: where the list goes on in it */
	uint16_t flags;		/* REC_ */
	uint8_t type;		/* inode: enum od_file_type */
};

struct nids {
	const struct nat *nat;
	struct nid_word *words;		/* of the NAT blocks in use */
	uint32_t *page;			/* NAT block -> first word + 1; 0: unused */
	uint32_t words_per_page;
	struct nid_rec *rec;
	size_t nr;
};

struct nid_word {
	uint64_t used;			/* one bit a nid */
	uint32_t rank;			/* used nids before this word */
};

/* Records for all used nids of @nat, which must not change meanwhile. */
int nids_build(struct f2c_ctx *ctx, const struct nat *nat, struct nids *out);
void nids_free(struct nids *n);

/* The record of @nid, or NULL if it is free or no nid at all. */
struct nid_rec *nids_get(const struct nids *n, uint32_t nid);

/*
 * All of them in order: start with *nid = 0 and *i = 0; afterwards the next
 * call goes on behind. NULL at the end.
 */
struct nid_rec *nids_next(const struct nids *n, size_t *i, uint32_t *nid,
			  struct nat_entry *e);

static inline void rec_add(uint32_t *field, uint32_t v)
{
	__atomic_fetch_add(field, v, __ATOMIC_RELAXED);
}

static inline void rec_set_flags(struct nid_rec *rec, uint16_t flags)
{
	__atomic_fetch_or(&rec->flags, flags, __ATOMIC_RELAXED);
}

static inline bool rec_has(const struct nid_rec *rec, uint16_t flags)
{
	return __atomic_load_n(&rec->flags, __ATOMIC_RELAXED) & flags;
}

/* Of several directories the lowest is kept, whichever thread comes first. */
void rec_set_parent(struct nid_rec *rec, uint32_t dir);

#endif
