/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Both superblock copies are read and judged; the first valid one is used. */
#include "config.h"

#include "meta/super.h"
#include "base/ctx.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MIN_BLOCK	4096U
#define MAX_BLOCK	65536U

struct copy {
	struct od_super sb;
	char why[256];			/* not valid: the reason */
	bool foreign;			/* not even the magic */
	struct fault fault;		/* field NULL: none */
};

/* One copy at byte @off. True if it is valid for blocks of @block_size. */
static bool judge(struct dev *dev, uint64_t off, uint32_t block_size,
		  struct copy *c)
{
	struct fault *fault = &c->fault;

	*fault = (struct fault){ 0 };
	c->foreign = true;
	if (off + sizeof(c->sb) > dev->nr_bytes) {
		snprintf(c->why, sizeof(c->why),
			 "the device ends at byte %" PRIu64 " before it",
			 dev->nr_bytes);
		return false;
	}
	if (dev_read_bytes(dev, off, sizeof(c->sb), &c->sb)) {
		snprintf(c->why, sizeof(c->why), "%s", ctx_error(dev->ctx));
		return false;
	}
	c->foreign = le32_get(c->sb.magic) != OD_SUPER_MAGIC;
	if (super_validate(&c->sb, dev->nr_bytes, fault)) {
		snprintf(c->why, sizeof(c->why), "%s is %" PRIu64 " (0x%" PRIx64
			 "), expected %" PRIu64 " (0x%" PRIx64 ")", fault->field,
			 fault->found, fault->found, fault->expected,
			 fault->expected);
		return false;
	}
	if (block_size && 1U << le32_get(c->sb.log_blocksize) != block_size) {
		snprintf(c->why, sizeof(c->why),
			 "log_blocksize is %" PRIu32
			 ", which does not fit its place",
			 le32_get(c->sb.log_blocksize));
		return false;
	}
	return true;
}

/*
 * Copy 1 begins 1024 bytes into the second block. Without a valid copy 0 the
 * size of a block is not known: it may be at the place of each size.
 */
static bool judge_second(struct dev *dev, uint32_t block_size, struct copy *c)
{
	struct copy other;

	if (block_size)
		return judge(dev, block_size + OD_SUPER_OFFSET, block_size, c);
	if (judge(dev, MIN_BLOCK + OD_SUPER_OFFSET, MIN_BLOCK, c))
		return true;
	for (uint32_t size = 2 * MIN_BLOCK; size <= MAX_BLOCK; size *= 2) {
		if (judge(dev, size + OD_SUPER_OFFSET, size, &other)) {
			*c = other;
			return true;
		}
		if (c->foreign && !other.foreign)
			*c = other;
	}
	return false;
}

/*
 * Marks of errors and version texts are written to the copies one after the
 * other and mean nothing to the geometry: a cut between is no damage.
 */
static bool differ_in_substance(const struct od_super *a,
				const struct od_super *b)
{
	struct od_super x = *a, y = *b;

	memcpy(x.version, y.version, sizeof(x.version));
	memcpy(x.s_stop_reason, y.s_stop_reason, sizeof(x.s_stop_reason));
	memcpy(x.s_errors, y.s_errors, sizeof(x.s_errors));
	x.crc = y.crc;
	return memcmp(&x, &y, sizeof(x));
}

static bool any_set(const uint8_t *p, size_t n)
{
	while (n--)
		if (p[n])
			return true;
	return false;
}

static void list_bytes(const uint8_t *p, size_t n, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < n && len + 16 < size; i++)
		if (p[i])
			len += (size_t)snprintf(buf + len, size - len,
						" [%zu]=%u", i, p[i]);
}

static void note_marks(struct findings *findings, const struct od_super *sb)
{
	struct finding f = { .id = P_SB_ERRORS_MARKED,
			     .structure = "superblock" };
	char reasons[400], errors[200];

	if (!any_set(sb->s_stop_reason, sizeof(sb->s_stop_reason)) &&
	    !any_set(sb->s_errors, sizeof(sb->s_errors)))
		return;
	list_bytes(sb->s_stop_reason, sizeof(sb->s_stop_reason), reasons,
		   sizeof(reasons));
	list_bytes(sb->s_errors, sizeof(sb->s_errors), errors, sizeof(errors));
	findings_add(findings, &f, "s_stop_reason%s; s_errors%s",
		     reasons[0] ? reasons : " none",
		     errors[0] ? errors : " none");
}

static void note_findings(struct findings *findings, const struct super *s,
			  const struct copy c[2])
{
	uint32_t unknown = le32_get(s->sb.feature) & ~OD_FEATURES_KNOWN;

	for (int i = 0; i < 2; i++) {
		struct finding f = { .id = P_SB_COPY_BAD, .number = (uint64_t)i,
				     .structure = "superblock copy",
				     .blk = (uint32_t)i };

		if (!s->valid[i])
			findings_add(findings, &f, "%s", c[i].why);
	}
	if (s->differ && differ_in_substance(&c[0].sb, &c[1].sb))
		findings_add(findings, &(struct finding){
			     .id = P_SB_COPIES_DIFFER,
			     .structure = "superblock copy", .number = 1,
			     .blk = 1 }, NULL);
	if (unknown)
		findings_add(findings, &(struct finding){
			     .id = P_SB_UNKNOWN_FEATURE,
			     .structure = "superblock",
			     .number = (uint64_t)s->copy, .has_values = true,
			     .found = le32_get(s->sb.feature),
			     .expected = le32_get(s->sb.feature) &
					 OD_FEATURES_KNOWN },
			     "bits 0x%" PRIx32, unknown);
	note_marks(findings, &s->sb);
}

static bool is_cut_off(const struct copy *c)
{
	return c->fault.field && !strcmp(c->fault.field, FAULT_DEVICE_SIZE);
}

static int fail_both(struct dev *dev, struct findings *findings,
		     const struct copy c[2])
{
	struct finding f = { .id = P_SB_BOTH_BAD, .structure = "superblock" };

	findings_add(findings, &f, "copy 0: %s; copy 1: %s", c[0].why,
		     c[1].why);
	for (int i = 0; i < 2; i++)
		if (is_cut_off(&c[i]))
			return ctx_fail(dev->ctx, -EUCLEAN,
					"%s: the device is smaller than its volume: it has %"
					PRIu64 " blocks of %" PRIu32
					" bytes, superblock copy %d needs %" PRIu64,
					dev->name, c[i].fault.found,
					1U << le32_get(c[i].sb.log_blocksize),
					i, c[i].fault.expected);
	if (c[0].foreign && c[1].foreign)
		return ctx_fail(dev->ctx, -EUCLEAN,
				"%s: not an F2FS volume (superblock copy 0 at byte 1024: %s; copy 1: %s)",
				dev->name, c[0].why, c[1].why);
	return ctx_fail(dev->ctx, -EUCLEAN,
			"%s: no valid superblock (copy 0 at byte 1024: %s; copy 1: %s)",
			dev->name, c[0].why, c[1].why);
}

int super_load(struct dev *dev, struct findings *findings, struct super *out)
{
	struct copy c[2] = { 0 };
	struct super s = { 0 };
	uint32_t block_size = 0;

	s.valid[0] = judge(dev, OD_SUPER_OFFSET, 0, &c[0]);
	if (s.valid[0])
		block_size = 1U << le32_get(c[0].sb.log_blocksize);
	s.valid[1] = judge_second(dev, block_size, &c[1]);
	if (!s.valid[0] && !s.valid[1])
		return fail_both(dev, findings, c);
	s.copy = s.valid[0] ? 0 : 1;
	s.sb = c[s.copy].sb;
	s.differ = s.valid[0] && s.valid[1] &&
		   memcmp(&c[0].sb, &c[1].sb, sizeof(s.sb));
	dev->block_size = 1U << le32_get(s.sb.log_blocksize);
	note_findings(findings, &s, c);
	ctx_clear_error(dev->ctx);
	*out = s;
	return 0;
}
