/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The live checkpoint pack in memory: its first block, version bitmaps, the
 * six logs with their summaries and journals, the orphans.
 */
#ifndef F2CORE_META_CHECKPOINT_H
#define F2CORE_META_CHECKPOINT_H

#include "dev/dev.h"
#include "format/layout.h"
#include "format/problem.h"

enum { ALLOC_LFS = 0, ALLOC_SSR = 1 };

struct curseg {
	uint32_t segno;			/* of main; OD_SEG_NULL: no usable one */
	uint16_t next;			/* block written next, below 512 */
	uint8_t alloc_type;		/* ALLOC_ */
	/*
	 * Its summary, lo->sum_bytes long. The journal area of the hot data
	 * log is the NAT journal, of the cold data log the SIT journal, of
	 * the hot node log it holds kbytes_written.
	 */
	uint8_t *sum;
};

enum pack_state {
	PACK_VALID,
	PACK_BAD_HEAD,
	PACK_BAD_FOOT,
	PACK_MISMATCH,			/* head and foot of different versions */
	PACK_BAD_CONTENT,		/* valid, but what it holds is not */
};

struct checkpoint {
	int pack;			/* live: 0 or 1 */
	enum pack_state state[2];
	bool unread[2];			/* bad for a read error */
	uint64_t pack_version[2];	/* of the heads that could be read */

	uint8_t *head;			/* live first block as read, all bytes */
	uint64_t version;
	uint32_t flags;			/* OD_CP_ */
	uint64_t user_blocks;
	uint64_t valid_blocks;
	uint32_t valid_nodes;
	uint32_t valid_inodes;
	uint32_t rsvd_segs;
	uint32_t overprov_segs;
	uint32_t free_segs;
	uint32_t next_free_nid;
	uint64_t elapsed_time;		/* seconds */

	uint8_t *sit_bitmap;		/* msb; lo->sit_bitmap_bytes */
	uint8_t *nat_bitmap;		/* msb; lo->nat_bitmap_bytes */
	struct curseg log[OD_NR_LOGS];	/* by enum log_type */
	uint32_t *orphans;		/* inos, each once */
	uint32_t nr_orphans;
};

/* First block of pack 0 or 1. */
static inline uint32_t cp_pack_blk(const struct layout *lo, int pack)
{
	return lo->cp_blk + (pack ? lo->blks_per_seg : 0);
}

/*
 * Judge both packs and load the newer valid one (kernel checkpoint.c,
 * f2fs_get_valid_checkpoint()); fall back to the other when its contents
 * cannot be loaded. Never reads past a pack's segment.
 */
int cp_load(struct dev *dev, const struct layout *lo,
	    struct findings *findings, struct checkpoint *out);
void cp_free(struct checkpoint *cp);

/*
 * The pack that is not live was not readable when it was judged. Whether it is
 * now, all of it: then it may be the newer one after all.
 */
bool cp_other_is_readable(struct dev *dev, const struct layout *lo,
			  const struct checkpoint *cp);

/* The log that writes to this segment now, or -1. */
static inline int cp_log_of_seg(const struct checkpoint *cp, uint32_t segno)
{
	for (int i = 0; i < OD_NR_LOGS; i++)
		if (cp->log[i].segno == segno)
			return i;
	return -1;
}

/*
 * What roll-forward compares node footers with: version | crc << 32, by the
 * flags of the live checkpoint (format 7.5). With NOCRC_RECOVERY only the low
 * 32 bits are compared.
 */
uint64_t cp_recovery_version(const struct layout *lo,
			     const struct checkpoint *cp);

#endif
