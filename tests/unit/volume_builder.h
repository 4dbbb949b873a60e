/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes small volumes in memory, file by file and block by block, with an
 * arithmetic of its own, and proves later that every file is still there.
 * All functions fail the test if something cannot be done.
 *
 *	vb_init(&b, &opt);
 *	f = vb_file(&b, VB_REG);
 *	vb_map(&b, f, lblk, vb_place(&b, LOG_WARM_DATA));
 *	vb_write(&b);
 *	vol = vb_open(&b);		// b.img, not a copy
 *	... change it, close it ...
 *	vb_verify(&b);			// what b.img holds now
 */
#ifndef F2CORE_TESTS_UNIT_VOLUME_BUILDER_H
#define F2CORE_TESTS_UNIT_VOLUME_BUILDER_H

#include "base/vec.h"
#include "dev/dev_stack.h"
#include "meta/volume.h"

#include "unit.h"

#define VB_SEG0		512U
#define VB_SEG_BLKS	512U
#define VB_BYTES	4096U
#define VB_N		1018U		/* slots in a node */
#define VB_A		914U		/* addresses in an inode with 36 extra bytes */
#define VB_NIDS		(VB_SEG_BLKS * 455U)

struct vb_opt {
	uint32_t nr_secs;		/* 0: 40 */
	uint32_t segs_per_sec;		/* 0: 1 */
	uint32_t payload;		/* blocks of bitmaps */
	bool large;			/* LARGE_NAT_BITMAP */
	bool normal;			/* whole data summaries */
	bool crashed;			/* no node summaries in the pack */
	int pack;			/* that is live */
	uint64_t version;		/* of it; the other has one less */
	uint32_t nat_journal;		/* entries to put there, at most 38 */
	uint32_t sit_journal;		/* at most 6 */
	uint32_t extra_orphans;		/* inos that are no files, for commits */
	uint32_t clear_flags, set_flags;
	uint64_t elapsed;		/* 0: 5000 */
	uint64_t seed;			/* of choices */
};

enum vb_kind { VB_REG, VB_PINNED, VB_ORPHAN, VB_DIR };

struct vb_node {
	uint32_t nid;
	uint32_t ofs;
	uint32_t blk;
	uint8_t type;
};

struct vb_node_vec VEC_BODY(struct vb_node);
struct vb_u32_vec VEC_BODY(uint32_t);

struct vb_file {
	enum vb_kind kind;
	uint32_t ino;
	char name[16];
	struct vb_u32_vec map;		/* addresses by file block */
	struct vb_node_vec nodes;	/* [0] is the inode */
	bool gone;			/* deleted again */
};

struct vb_file_vec VEC_BODY(struct vb_file *);

struct vb_seg {
	uint8_t type;
	uint8_t map[OD_SIT_MAP_BYTES];
	uint16_t valid;
	uint64_t mtime;
	uint8_t sum[VB_BYTES];
};

struct vb_nat {
	uint32_t ino, blk;
	uint8_t version;
};

struct vb_log {
	uint32_t segno;
	uint16_t next;
	bool ssr;
};

struct vb {
	struct vb_opt opt;
	struct layout lo;
	struct f2c_ctx *ctx;
	uint8_t *img;			/* lo.end_blk blocks */
	struct vb_seg *seg;
	struct vb_nat *nat;		/* VB_NIDS */
	struct vb_log log[OD_NR_LOGS];
	uint8_t *seg_used;		/* a byte a segment: was given out */
	struct vb_file_vec files;	/* [0] is the root directory */
	uint32_t next_nid;
	uint64_t random;
	/* Segments that scattered blocks of each type go to. */
	struct vb_u32_vec open[OD_NR_LOGS];
	uint32_t scatter;		/* how many at once; 0: in the log */
	uint64_t kbytes;		/* in the hot node summary */
	uint8_t nat_map[64];		/* version bits as written last */
};

/* Numbers below @below, the same for the same seed. */
uint32_t vb_random(struct vb *b, uint32_t below);

void vb_init(struct vb *b, const struct vb_opt *opt);
void vb_free(struct vb *b);

/* Give a segment that was never used to @type; @segno ~0: a random one. */
uint32_t vb_new_seg(struct vb *b, uint8_t type, uint32_t segno);
/* Segments that were never given out. */
uint32_t vb_unused_segs(const struct vb *b);
/* Move a log to a place; its segment must be its own or unused. */
void vb_set_log(struct vb *b, uint8_t type, uint32_t segno, uint16_t next);

/* The next block for @type: behind its log, or scattered. */
uint32_t vb_place(struct vb *b, uint8_t type);

struct vb_file *vb_file(struct vb *b, enum vb_kind kind);
/* File block @lblk lies at @blk (0: becomes a hole, OD_BLK_NEW). */
void vb_map(struct vb *b, struct vb_file *f, uint32_t lblk, uint32_t blk);
/* Map the next @nr blocks of the file to places of @type. */
void vb_append(struct vb *b, struct vb_file *f, uint8_t type, uint32_t nr);
void vb_delete(struct vb *b, struct vb_file *f);

/*
 * A volume of files of every size that lie scattered, some deleted again, so
 * that there are holes everywhere; b->img is made. The same for the same seed.
 */
struct vb_random_opt {
	uint64_t seed;
	uint32_t nr_secs;		/* 0: 48 segments */
	uint32_t segs_per_sec;		/* 0: 1 */
	uint32_t nr_files;		/* at most; 0: 120 */
	uint32_t leave;			/* segments that are never used */
	bool full;			/* use all others */
	uint32_t delete_every;		/* 0: 3 */
	uint32_t max_blocks;		/* of a large file; 0: 1500 */
};
void vb_make_random(struct vb *b, const struct vb_random_opt *opt);

/* Make b->img from all of it. May be called again after more changes. */
void vb_write(struct vb *b);

/* For changes to the image afterwards: make an inode's checksum right. */
void vb_sign_inode(uint8_t *block);
struct od_nat_entry *vb_nat_entry(const struct vb *b, uint32_t nid);
struct od_sum_entry *vb_sum_entry(const struct vb *b, uint32_t blk);

/* A device over b->img, which must outlive it, and how often it was read. */
struct dev *vb_dev(struct vb *b);
struct dev *vb_view(struct f2c_ctx *ctx, uint8_t *img, uint64_t nr_bytes);
uint64_t vb_nr_reads(const struct dev *view);
struct volume *vb_open_dev(struct vb *b, struct dev *dev);
struct volume *vb_open(struct vb *b);
uint64_t vb_nr_bytes(const struct vb *b);
uint8_t *vb_block(const struct vb *b, uint32_t blk);

/*
 * Every file of the builder in what @img holds: its fields, each block of its
 * content, its nodes; nothing besides; SIT, summaries and counts as the nodes
 * say; the logs in a state that a mount takes; lib/check finds nothing.
 */
void vb_verify_img(struct vb *b, uint8_t *img);
void vb_verify(struct vb *b);
void vb_verify_volume(struct vb *b, struct volume *vol);
/* What a data block holds. */
void vb_pattern(uint32_t ino, uint32_t lblk, uint8_t *block);

#endif
