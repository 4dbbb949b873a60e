/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Both checkpoint packs are judged, the newer valid one is loaded: fields,
 * version bitmaps, orphans (kernel fs/f2fs/checkpoint.c). The logs and their
 * summaries are in cp_summary.c.
 */
#include "config.h"

#include "meta/cp_int.h"
#include "base/ctx.h"
#include "base/map.h"
#include "format/validate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIN_PACK_BLKS	3U
#define SECTOR_BYTES	512U	/* a power cut may tear a block there */

int pack_unusable(struct pack *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(p->why, sizeof(p->why), fmt, ap);
	va_end(ap);
	return -EUCLEAN;
}

static void pack_is(struct pack *p, enum pack_state state, const char *end,
		    const struct fault *fault)
{
	p->state = state;
	pack_unusable(p, "%s block: %s is %" PRIu64 " (0x%" PRIx64
		      "), expected %" PRIu64 " (0x%" PRIx64 ")", end,
		      fault->field, fault->found, fault->found,
		      fault->expected, fault->expected);
}

static uint64_t cp_version(const void *block)
{
	return le64_get(((const struct od_checkpoint *)block)->checkpoint_ver);
}

/*
 * A block of which only the last sectors were written: the first is that of
 * an older checkpoint, and not only in its version.
 */
static bool begins_older(const uint8_t *head, const uint8_t *foot)
{
	size_t at = sizeof(((struct od_checkpoint *)NULL)->checkpoint_ver);

	return (int64_t)(cp_version(foot) - cp_version(head)) < 0 &&
	       memcmp(head + at, foot + at, SECTOR_BYTES - at);
}

/*
 * A block of which only the first sectors were written: it equals @head up to
 * some sector, and in none behind it that says anything.
 */
static bool is_torn(const struct layout *lo, const uint8_t *head,
		    const uint8_t *foot)
{
	static const uint8_t zeros[SECTOR_BYTES];
	uint32_t at = 0;

	while (at < lo->block_size &&
	       !memcmp(head + at, foot + at, SECTOR_BYTES))
		at += SECTOR_BYTES;
	if (!at || at == lo->block_size)
		return false;
	for (; at < lo->block_size; at += SECTOR_BYTES)
		if (!memcmp(head + at, foot + at, SECTOR_BYTES) &&
		    memcmp(head + at, zeros, SECTOR_BYTES))
			return false;
	return true;
}

/*
 * Whether this is the last block of the same pack, be it damaged: the fields
 * in front are equal but for a few bytes.
 */
static bool is_foot_of(const struct layout *lo, const uint8_t *head,
		       const uint8_t *foot)
{
	unsigned int equal = 0;

	for (size_t i = 0; i < sizeof(struct od_checkpoint); i++)
		equal += head[i] == foot[i];
	return equal > sizeof(struct od_checkpoint) * 9 / 10 &&
	       !is_torn(lo, head, foot) && !begins_older(head, foot);
}

/*
 * Whether a first block with a wrong checksum was cut off inside: the last
 * block is written when it is durable, so where a pack was whole it is there,
 * be it damaged itself. Where the first sector is that of a last block that is
 * whole, another checkpoint may have reached the sectors behind it.
 */
static void judge_cut_head(struct dev *dev, const struct layout *lo,
			   struct pack *p)
{
	uint32_t total = le32_get(pack_head(p)->cp_pack_total_block_count);
	struct fault fault;
	uint8_t *foot;

	if (total < MIN_PACK_BLKS || total > lo->blks_per_seg)
		return;
	foot = malloc(lo->block_size);
	if (!foot)
		return;
	if (!dev_read(dev, p->blk + total - 1, 1, foot)) {
		if (cp_block_validate(lo, foot, &fault)) {
			p->cut = !is_foot_of(lo, p->buf, foot);
		} else {
			p->cut = (int64_t)(cp_version(foot) - p->version) < 0;
			p->was_whole = !memcmp(p->buf, foot, SECTOR_BYTES);
		}
	}
	free(foot);
}

/* The head alone: it must be proved before its total is believed. */
static int read_head(struct dev *dev, const struct layout *lo, struct pack *p)
{
	struct fault fault;
	int err;

	p->state = PACK_BAD_HEAD;
	err = dev_read(dev, p->blk, 1, p->buf);
	if (err) {
		p->unread = true;
		pack_unusable(p, "%s", ctx_error(dev->ctx));
		return err;
	}
	p->version = le64_get(pack_head(p)->checkpoint_ver);
	err = cp_block_validate(lo, p->buf, &fault);
	if (err) {
		pack_is(p, PACK_BAD_HEAD, "first", &fault);
		judge_cut_head(dev, lo, p);
		return err;
	}
	p->total = le32_get(pack_head(p)->cp_pack_total_block_count);
	if (p->total < MIN_PACK_BLKS || p->total > lo->blks_per_seg) {
		fault.field = "cp_pack_total_block_count";
		fault.found = p->total;
		fault.expected = p->total < MIN_PACK_BLKS ? MIN_PACK_BLKS :
							    lo->blks_per_seg;
		pack_is(p, PACK_BAD_HEAD, "first", &fault);
		return -EUCLEAN;
	}
	return 0;
}

static int read_rest(struct dev *dev, const struct layout *lo, struct pack *p)
{
	struct fault fault;
	const uint8_t *foot;
	uint64_t version;
	uint8_t *buf;

	buf = realloc(p->buf, (size_t)p->total * lo->block_size);
	if (!buf)
		return ctx_nomem(dev->ctx, "a checkpoint pack");
	p->buf = buf;
	foot = buf + (size_t)(p->total - 1) * lo->block_size;
	if (dev_read(dev, p->blk + 1, p->total - 1, buf + lo->block_size)) {
		p->state = PACK_BAD_FOOT;
		p->unread = true;
		pack_unusable(p, "%s", ctx_error(dev->ctx));
		return 0;
	}
	if (cp_block_validate(lo, foot, &fault)) {
		pack_is(p, PACK_BAD_FOOT, "last", &fault);
		p->cut = !is_foot_of(lo, buf, foot);
		return 0;
	}
	version = cp_version(foot);
	p->state = PACK_VALID;
	if (version != p->version) {
		p->state = PACK_MISMATCH;
		p->cut = (int64_t)(version - p->version) < 0;
		pack_unusable(p, "first block is version %" PRIu64
			      ", last block %" PRIu64, p->version, version);
	}
	return 0;
}

/* Only fails for want of memory; what is wrong with the pack is in @p. */
static int judge_pack(struct dev *dev, const struct layout *lo, int nr,
		      struct pack *p)
{
	p->nr = nr;
	p->blk = cp_pack_blk(lo, nr);
	p->buf = malloc(lo->block_size);
	if (!p->buf)
		return ctx_nomem(dev->ctx, "a checkpoint pack");
	return read_head(dev, lo, p) ? 0 : read_rest(dev, lo, p);
}

/*
 * The last block is written when all others are durable. A power cut before
 * leaves the block that was there, and a mount goes on with the other pack:
 * that is no damage, if the version is not more than one ahead of @live. A
 * first block that is half there is one ahead, or if its first sector is not
 * there yet, an older one that nobody needs.
 */
static void add_pack_finding(struct findings *findings, const struct pack *p,
			     const struct pack *live)
{
	int64_t ahead = (int64_t)(p->version - live->version);
	bool cut;

	if (p->state == PACK_BAD_HEAD)
		cut = (p->cut && (ahead == 1 || ahead == -1)) ||
		      (p->was_whole && ahead < 0);
	else
		cut = p->cut && ahead <= 1;
	if (live->state != PACK_VALID)
		cut = false;

	findings_add(findings, &(struct finding){
		     .id = cut ? P_CP_PACK_TORN : P_CP_PACK_BAD,
		     .structure = "checkpoint pack",
		     .number = (uint64_t)p->nr, .blk = p->blk }, "%s", p->why);
}

static void load_fields(const struct pack *p, struct checkpoint *cp)
{
	const struct od_checkpoint *od = pack_head(p);

	cp->pack = p->nr;
	cp->version = p->version;
	cp->flags = le32_get(od->ckpt_flags);
	cp->user_blocks = le64_get(od->user_block_count);
	cp->valid_blocks = le64_get(od->valid_block_count);
	cp->valid_nodes = le32_get(od->valid_node_count);
	cp->valid_inodes = le32_get(od->valid_inode_count);
	cp->rsvd_segs = le32_get(od->rsvd_segment_count);
	cp->overprov_segs = le32_get(od->overprov_segment_count);
	cp->free_segs = le32_get(od->free_segment_count);
	cp->next_free_nid = le32_get(od->next_free_nid);
	cp->elapsed_time = le64_get(od->elapsed_time);
}

/* Faults of logs and places become findings where those are loaded. */
static void note_faults(const struct layout *lo, const struct pack *p,
			struct findings *findings)
{
	struct fault v[CP_MAX_FAULTS];
	unsigned int nr = cp_faults(lo, p->buf, v, CP_MAX_FAULTS);

	for (unsigned int i = 0; i < nr; i++) {
		if (!strncmp(v[i].field, "cur_", 4) ||
		    !strcmp(v[i].field, "cp_pack_start_sum"))
			continue;
		findings_add(findings, &(struct finding){
			     .id = P_CP_FIELD, .structure = "checkpoint pack",
			     .number = (uint64_t)p->nr, .blk = p->blk,
			     .has_values = true, .found = v[i].found,
			     .expected = v[i].expected }, "%s", v[i].field);
	}
}

static int copy_of(struct dev *dev, const uint8_t *from, size_t size,
		   uint8_t **out)
{
	uint8_t *p = malloc(size);

	if (!p)
		return ctx_nomem(dev->ctx, "a checkpoint");
	memcpy(p, from, size);
	*out = p;
	return 0;
}

/*
 * The version bitmaps, by the sizes that the superblock gives: whether the
 * checkpoint says the same is judged elsewhere (format 3.5).
 */
static int load_bitmaps(struct dev *dev, const struct layout *lo,
			struct pack *p, struct checkpoint *cp)
{
	const size_t sit = lo->sit_bitmap_bytes, nat = lo->nat_bitmap_bytes;
	const size_t pay = (size_t)lo->cp_payload * lo->block_size;
	/* Where each begins, and where its room ends. */
	size_t sit_at = OD_CP_BITMAPS, nat_at = OD_CP_BITMAPS + sit;
	size_t sit_end = lo->block_size - sizeof(le32), nat_end = sit_end;
	int err;

	if (cp->flags & OD_CP_LARGE_NAT_BITMAP) {
		nat_at = OD_CP_LARGE_BITMAPS;
		sit_at = nat_at + nat;
		sit_end = nat_end = lo->block_size + pay;
	} else if (lo->cp_payload) {
		nat_at = OD_CP_BITMAPS;
		sit_at = lo->block_size;
		sit_end = lo->block_size + pay;
	}
	/* The last block is the foot. */
	if (lo->cp_payload + 2 > p->total)
		return pack_unusable(p, "%" PRIu32 " blocks in all, too few for %"
				     PRIu32 " blocks of payload", p->total,
				     lo->cp_payload);
	if (sit_at + sit > sit_end || nat_at + nat > nat_end)
		return pack_unusable(p, "no room for version bitmaps of %zu bytes (SIT) and %zu bytes (NAT)",
				     sit, nat);
	err = copy_of(dev, p->buf + sit_at, sit, &cp->sit_bitmap);
	if (!err)
		err = copy_of(dev, p->buf + nat_at, nat, &cp->nat_bitmap);
	return err;
}

static void orphan_finding(struct findings *findings, const char *structure,
			   uint64_t number, uint32_t blk, uint64_t found,
			   uint64_t expected, const char *what)
{
	findings_add(findings, &(struct finding){
		     .id = P_CP_ORPHAN, .structure = structure,
		     .number = number, .blk = blk, .has_values = true,
		     .found = found, .expected = expected }, "%s", what);
}

/* One orphan block; @seen holds the inos of those before it. */
static int load_orphan_block(struct dev *dev, const struct layout *lo,
			     const struct pack *p, uint32_t at,
			     struct findings *findings, struct map *seen,
			     struct checkpoint *cp)
{
	const uint8_t *block = p->buf + (size_t)at * lo->block_size;
	const struct od_orphan_foot *foot = (const struct od_orphan_foot *)
		(block + lo->block_size - sizeof(*foot));
	uint32_t n = le32_get(foot->entry_count);

	if (n > lo->orphans_per_block) {
		orphan_finding(findings, "orphan block", at, p->blk + at, n,
			       lo->orphans_per_block, "entry_count");
		n = lo->orphans_per_block;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t ino = le32_get(((const le32 *)block)[i]);

		if (ino < OD_ROOT_INO || ino >= lo->nr_nids) {
			orphan_finding(findings, "orphan entry", i, p->blk + at,
				       ino, lo->nr_nids - 1, "ino");
			continue;
		}
		if (map_get(seen, ino, NULL)) {
			orphan_finding(findings, "orphan entry", i, p->blk + at,
				       ino, 0, "ino listed twice");
			continue;
		}
		if (map_put(seen, ino, 1))
			return ctx_nomem(dev->ctx, "the orphan list");
		cp->orphans[cp->nr_orphans++] = ino;
	}
	return 0;
}

static int load_orphans(struct dev *dev, const struct layout *lo,
			struct pack *p, struct findings *findings,
			struct checkpoint *cp)
{
	uint32_t first = 1 + lo->cp_payload, end = p->start_sum;
	struct map seen = { 0 };
	int err = 0;

	if (!(cp->flags & OD_CP_ORPHAN_PRESENT) || end == first)
		return 0;
	cp->orphans = malloc((size_t)(end - first) * lo->orphans_per_block *
			     sizeof(*cp->orphans));
	if (!cp->orphans)
		return ctx_nomem(dev->ctx, "the orphan list");
	for (uint32_t i = first; i < end && !err; i++)
		err = load_orphan_block(dev, lo, p, i, findings, &seen, cp);
	map_free(&seen);
	return err;
}

static int load_pack(struct dev *dev, const struct layout *lo, struct pack *p,
		     const struct pack *other, struct findings *findings,
		     struct checkpoint *cp)
{
	int err;

	load_fields(p, cp);
	note_faults(lo, p, findings);
	err = cp_judge_places(lo, p, other, findings, cp);
	if (!err)
		err = copy_of(dev, p->buf, lo->block_size, &cp->head);
	if (!err)
		err = load_bitmaps(dev, lo, p, cp);
	if (!err)
		err = load_orphans(dev, lo, p, findings, cp);
	if (!err) {
		cp_load_logs(lo, p, findings, cp);
		err = cp_load_sums(dev, lo, p, findings, cp);
	}
	return err;
}

/* What loading pack @p found counts only if the pack is the one used. */
static int try_pack(struct dev *dev, const struct layout *lo, struct pack *p,
		    const struct pack *other, struct findings *findings,
		    struct checkpoint *cp)
{
	struct findings own;
	int err;

	findings_init(&own);
	memset(cp, 0, sizeof(*cp));
	err = load_pack(dev, lo, p, other, &own, cp);
	if (!err)
		findings_move(&own, findings);
	findings_free(&own);
	if (err)
		cp_free(cp);
	if (err == -EUCLEAN)
		p->state = PACK_BAD_CONTENT;
	return err;
}

/* Versions are compared as a signed difference, as the kernel does. */
static int newer_pack(const struct pack p[2])
{
	if (p[0].state != PACK_VALID)
		return 1;
	if (p[1].state != PACK_VALID)
		return 0;
	return (int64_t)(p[1].version - p[0].version) > 0;
}

static int fail_both(struct dev *dev, struct findings *findings,
		     const struct pack p[2])
{
	findings_add(findings, &(struct finding){
		     .id = P_CP_BOTH_BAD, .structure = "checkpoint",
		     .blk = p[0].blk }, NULL);
	return ctx_fail(dev->ctx, -EUCLEAN,
			"%s: no valid checkpoint pack (pack 0 at block %" PRIu32
			": %s; pack 1 at block %" PRIu32 ": %s)", dev->name,
			p[0].blk, p[0].why, p[1].blk, p[1].why);
}

static int load_newer(struct dev *dev, const struct layout *lo,
		      struct pack p[2], struct findings *findings,
		      struct checkpoint *cp)
{
	int first = newer_pack(p);
	int err = -EUCLEAN;

	for (int i = 0; i < 2 && err == -EUCLEAN; i++) {
		struct pack *one = &p[i ? !first : first];

		if (one->state == PACK_VALID)
			err = try_pack(dev, lo, one, &p[i ? first : !first],
				       findings, cp);
	}
	for (int i = 0; i < 2; i++)
		if (p[i].state != PACK_VALID)
			add_pack_finding(findings, &p[i], &p[!i]);
	return err == -EUCLEAN ? fail_both(dev, findings, p) : err;
}

int cp_load(struct dev *dev, const struct layout *lo,
	    struct findings *findings, struct checkpoint *out)
{
	struct pack p[2] = { 0 };
	struct checkpoint cp = { 0 };
	int err;

	err = judge_pack(dev, lo, 0, &p[0]);
	if (!err)
		err = judge_pack(dev, lo, 1, &p[1]);
	if (!err)
		err = load_newer(dev, lo, p, findings, &cp);
	if (!err) {
		for (int i = 0; i < 2; i++) {
			cp.state[i] = p[i].state;
			cp.pack_version[i] = p[i].version;
			cp.unread[i] = p[i].unread;
		}
		ctx_clear_error(dev->ctx);
		*out = cp;
	}
	free(p[0].buf);
	free(p[1].buf);
	return err;
}

bool cp_other_is_readable(struct dev *dev, const struct layout *lo,
			  const struct checkpoint *cp)
{
	uint8_t *block = malloc(lo->block_size);
	const struct od_checkpoint *head = (const void *)block;
	uint32_t blk = cp_pack_blk(lo, !cp->pack);
	uint32_t total = block && !dev_read(dev, blk, 1, block) ?
			 le32_get(head->cp_pack_total_block_count) : 0;
	bool can = total && total <= lo->blks_per_seg;

	for (uint32_t i = 1; can && i < total; i++)
		can = !dev_read(dev, blk + i, 1, block);
	free(block);
	return can;
}

void cp_free(struct checkpoint *cp)
{
	for (int i = 0; i < OD_NR_LOGS; i++)
		free(cp->log[i].sum);
	free(cp->orphans);
	free(cp->nat_bitmap);
	free(cp->sit_bitmap);
	free(cp->head);
	memset(cp, 0, sizeof(*cp));
}

uint64_t cp_recovery_version(const struct layout *lo,
			     const struct checkpoint *cp)
{
	uint32_t ofs = le32_get(((const struct od_checkpoint *)
				 cp->head)->checksum_offset);
	uint64_t crc;

	if (!(cp->flags & OD_CP_CRC_RECOVERY) ||
	    ofs > lo->block_size - sizeof(le32))
		return cp->version;
	crc = le32_get(*(const le32 *)(cp->head + ofs));
	return cp->version | crc << 32;
}
