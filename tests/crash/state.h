/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * States that a power cut may leave, in memory: one image whose blocks are set
 * one at a time, and for two checkpoints (before and after a transaction) how
 * many of the blocks that each reaches are not as they have to be. So a state
 * costs as much as the blocks that differ from the one before.
 */
#ifndef F2CORE_CRASH_STATE_H
#define F2CORE_CRASH_STATE_H

#include "dev/dev_stack.h"
#include "meta/volume.h"

#define BLOCK 4096U
#define SECTOR 512U

struct image {
	struct f2c_ctx *ctx;
	struct layout lo;
	uint8_t *data;
	uint32_t nr_blks;
};

/* A checkpoint, and the content of every block it reaches. */
struct ref {
	uint64_t version;
	uint64_t *hash;			/* by block; 0: not reached */
	uint8_t *sit_maps;		/* by segno, for summaries */
	uint32_t chain_blk;		/* where roll-forward begins */
	uint64_t chain_version;
	uint64_t nr_fsynced;		/* nodes that a mount would replay */
	uint64_t nr_reached;
};

enum { OLD, NEW };

struct state {
	struct image img;
	uint64_t *hash;			/* of every block as it is */
	const struct ref *ref[2];
	uint64_t bad[2];		/* reached blocks with other content */
	uint64_t live;			/* version; 0: no checkpoint is valid */
	bool live_known;
};

/* A device that shows @img without owning it. */
int image_dev(const struct image *img, struct dev **out);
/* @to gets memory of its own. 0 or -ENOMEM. */
int image_copy(const struct image *from, struct image *to);
/* Open the volume in @img; 0 or the reader's error. */
int image_open(const struct image *img, struct volume **out);

/* Write @img to @path, with holes for zeros. */
int image_store(const struct image *img, const char *path);

/* What the live checkpoint of @img reaches. */
int ref_make(const struct image *img, struct ref *out);
void ref_free(struct ref *ref);
/* Whether @ref reaches @blk, and whether @data is right for it there. */
bool ref_reaches(const struct ref *ref, uint32_t blk);
bool ref_accepts(const struct image *img, const struct ref *ref, uint32_t blk,
		 const void *data);

/* Takes over the data of @img. */
int state_init(struct state *st, const struct image *img);
void state_free(struct state *st);
/* From here on count against these two; the image is at @old. */
void state_set_refs(struct state *st, const struct ref *old,
		    const struct ref *new);
void state_set_block(struct state *st, uint32_t blk, const uint8_t *data);
/* Version of the checkpoint that a reader would take. */
uint64_t state_live(struct state *st);

/*
 * Is the image whole as @ref or as the checkpoint that is live? NULL, or what
 * is wrong, in a static buffer. @allowed: bit OLD, bit NEW.
 */
const char *state_check(struct state *st, unsigned int allowed);

#endif
