/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random damage to a good volume: a few changes to its metadata, checksums
 * signed again so that they get past the first look, then a check. Whatever
 * it finds, it must end, soon, and without a fault of its own.
 *
 *	check-damage IMAGE SEED COUNT
 *
 * Prints the seed of each round that took long, so it can be run alone.
 */
#include "config.h"

#include "base/bits.h"
#include "check/check.h"
#include "format/validate.h"
#include "tree/filemap.h"
#include "tree/walk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#define MAX_CHANGES	12U
#define ROUND_SECONDS	20U

/* The volume in memory; opened again and again, never freed by a close. */
static uint8_t *memory;
static uint64_t memory_bytes;

static int mem_read(struct dev *dev, uint64_t off, size_t len, void *buf)
{
	(void)dev;
	memcpy(buf, memory + off, len);
	return 0;
}

static void mem_close(struct dev *dev)
{
	free(dev);
}

static const struct dev_ops mem_ops = { .read = mem_read, .close = mem_close };

static struct dev *open_memory(struct f2c_ctx *ctx)
{
	struct dev *dev = calloc(1, sizeof(*dev));

	if (!dev || dev_init(dev, &mem_ops, ctx, "memory", memory_bytes, false))
		exit(2);
	return dev;
}

/* xorshift64*: the same numbers everywhere. */
static uint64_t rng;

static uint64_t next(void)
{
	rng ^= rng >> 12;
	rng ^= rng << 25;
	rng ^= rng >> 27;
	return rng * 0x2545F4914F6CDD1DU;
}

static uint32_t below(uint32_t n)
{
	return (uint32_t)(next() >> 32) % n;
}

/* Where there is something to damage: blocks by kind. */
enum kind { KIND_SUPER, KIND_CP, KIND_SIT, KIND_NAT, KIND_SSA, KIND_NODE,
	    KIND_DENTRY, NR_KINDS };

struct targets {
	struct layout lo;
	uint8_t uuid[16];
	uint32_t *blk[NR_KINDS];
	uint32_t nr[NR_KINDS];
	uint32_t room[NR_KINDS];
	uint32_t *nids;
	uint32_t nr_nids;
};

static void add(struct targets *t, enum kind kind, uint32_t blk)
{
	if (t->nr[kind] == t->room[kind]) {
		t->room[kind] = t->room[kind] ? 2 * t->room[kind] : 64;
		t->blk[kind] = realloc(t->blk[kind],
				       t->room[kind] * sizeof(uint32_t));
		if (!t->blk[kind])
			exit(2);
	}
	t->blk[kind][t->nr[kind]++] = blk;
}

static int add_map(void *priv, const struct mapping *m)
{
	if (blk_is_real(m->blk))
		add(priv, KIND_DENTRY, m->blk);
	return 0;
}

static void add_nodes(struct targets *t, struct volume *vol)
{
	uint8_t *block = malloc(vol->lo.block_size);
	struct nat_entry e;
	struct inode inode;

	t->nids = calloc(vol->lo.nr_nids, sizeof(*t->nids));
	if (!block || !t->nids)
		exit(2);
	for (uint32_t nid = 0; nat_next(&vol->nat, &nid, &e); nid++) {
		t->nids[t->nr_nids++] = nid;
		add(t, KIND_NODE, e.blk);
		if (e.ino == nid && !inode_read(vol, nid, block, &inode) &&
		    inode_is_dir(&inode) && inode_has_blocks(&inode))
			filemap_walk(vol, &inode, block, add_map, t);
	}
	free(block);
}

static void find_targets(struct targets *t, struct f2c_ctx *ctx)
{
	struct volume *vol;
	const struct layout *lo;

	if (volume_open(ctx, open_memory(ctx), &vol, NULL)) {
		fprintf(stderr, "%s\n", ctx_error(ctx));
		exit(2);
	}
	lo = &vol->lo;
	t->lo = *lo;
	memcpy(t->uuid, vol->super.sb.uuid, sizeof(t->uuid));
	add(t, KIND_SUPER, 0);
	add(t, KIND_SUPER, 1);
	for (uint32_t i = 0; i < 16; i++) {
		add(t, KIND_CP, cp_pack_blk(lo, 0) + i);
		add(t, KIND_CP, cp_pack_blk(lo, 1) + i);
	}
	for (uint32_t i = 0; i < lo->nr_sit_blks; i++) {
		add(t, KIND_SIT, sit_block_blk(lo, i, 0));
		add(t, KIND_SIT, sit_block_blk(lo, i, 1));
	}
	for (uint32_t i = 0; i < 16 && i < lo->nr_nat_blks; i++) {
		add(t, KIND_NAT, nat_block_blk(lo, i, 0));
		add(t, KIND_NAT, nat_block_blk(lo, i, 1));
	}
	for (uint32_t i = 0; i < lo->nr_main_segs; i++)
		add(t, KIND_SSA, ssa_block_blk(lo, i));
	add_nodes(t, vol);
	volume_close(vol);
}

/* A block that was changed, as it was. */
struct saved {
	uint32_t blk;
	uint8_t *data;
};

static uint8_t *block_at(const struct targets *t, uint32_t blk)
{
	return memory + (uint64_t)blk * t->lo.block_size;
}

/* Numbers that mean something, and some that do not. */
static uint32_t some_value(const struct targets *t, uint32_t old)
{
	switch (below(10)) {
	case 0:
		return 0;
	case 1:
		return UINT32_MAX;
	case 2:
		return old + 1;
	case 3:
		return old - 1;
	case 4:
		return old ^ 1U << below(32);
	case 5:
		return t->nids[below(t->nr_nids)];
	case 6:
		return t->blk[KIND_NODE][below(t->nr[KIND_NODE])];
	case 7:
		return t->lo.main_blk + below(t->lo.end_blk - t->lo.main_blk);
	case 8:
		return OD_BLK_COMPRESS;
	default:
		return (uint32_t)next();
	}
}

/* Most of what counts in a node lies at its two ends. */
static uint32_t some_offset(const struct targets *t, enum kind kind)
{
	uint32_t size = t->lo.block_size;

	if (kind == KIND_SUPER)
		return OD_SUPER_OFFSET + below(below(2) ? 128 : OD_SUPER_SIZE);
	if (kind == KIND_CP && below(2))
		return below(256);
	if (kind == KIND_NODE && below(3))
		return below(2) ? below(420) : size - 72 + below(72);
	return below(size);
}

static void change(const struct targets *t, enum kind kind, uint8_t *block)
{
	uint32_t size = t->lo.block_size;
	uint32_t off = some_offset(t, kind), width = 1U << below(3), old = 0;

	if (below(40) == 0) {		/* the whole block */
		if (below(2))
			memset(block, (int)(next() & 0xff), size);
		else
			memcpy(block, block_at(t, t->blk[KIND_NODE]
					       [below(t->nr[KIND_NODE])]), size);
		return;
	}
	if (off + width > size)
		off = size - width;
	if (below(3))
		off -= off % width;
	memcpy(&old, block + off, width);
	old = some_value(t, old);
	memcpy(block + off, &old, width);
}

static void sign(const struct targets *t, enum kind kind, uint8_t *block)
{
	struct od_super *sb = (struct od_super *)(block + OD_SUPER_OFFSET);
	struct od_checkpoint *cp = (struct od_checkpoint *)block;
	uint32_t ofs;

	switch (kind) {
	case KIND_SUPER:
		le32_set(&sb->crc, super_crc(sb));
		break;
	case KIND_CP:
		ofs = le32_get(cp->checksum_offset);
		if (ofs >= OD_CP_BITMAPS && ofs <= t->lo.block_size - 4)
			le32_set((le32 *)(block + ofs),
				 cp_block_crc(&t->lo, block));
		break;
	case KIND_NODE:
		if (inode_has_checksum(&t->lo, block))
			le32_set(&inode_extra(block)->i_inode_checksum,
				 inode_checksum(&t->lo, t->uuid, block));
		break;
	default:
		break;
	}
}

static enum kind some_kind(void)
{
	static const enum kind often[] = {
		KIND_SUPER, KIND_CP, KIND_CP, KIND_SIT, KIND_NAT, KIND_NAT,
		KIND_SSA, KIND_NODE, KIND_NODE, KIND_NODE, KIND_NODE,
		KIND_NODE, KIND_DENTRY, KIND_DENTRY,
	};

	return often[below(sizeof(often) / sizeof(often[0]))];
}

static void damage_one(const struct targets *t, struct saved *saved)
{
	enum kind kind = some_kind();
	uint32_t blk, changes = 1 + below(3);
	uint8_t *block;

	if (!t->nr[kind])
		kind = KIND_NODE;
	blk = t->blk[kind][below(t->nr[kind])];
	block = block_at(t, blk);
	saved->blk = blk;
	saved->data = malloc(t->lo.block_size);
	if (!saved->data)
		exit(2);
	memcpy(saved->data, block, t->lo.block_size);
	for (uint32_t i = 0; i < changes; i++)
		change(t, kind, block);
	if (below(8))
		sign(t, kind, block);
}

static int visit_path(void *priv, const struct walk_visit *v)
{
	(void)v;
	return ++*(uint32_t *)priv > 100000;
}

/* Findings on @threads threads; 0 if the volume cannot be opened. */
static uint64_t check_once(struct f2c_ctx *ctx, unsigned int threads)
{
	struct check_options opt = { .nr_threads = threads,
				     .max_names = threads > 1 ? 0 : 100 };
	struct dev *dev = open_memory(ctx);
	struct check_result res;
	struct volume *vol;
	uint32_t paths = 0;
	uint64_t found = 0;

	if (volume_open(ctx, dev, &vol, NULL)) {
		dev_close(dev);
		return 0;
	}
	if (!check_run(vol, &opt, &res)) {
		found = findings_count(&res.findings, SEV_NOTE) + 1;
		check_result_free(&res);
	}
	if (threads == 1)
		walk_tree(vol, visit_path, &paths);
	volume_close(vol);
	return found;
}

/* Time of the processor, not of the clock: the machine may be busy. */
static void limit_cpu(time_t seconds)
{
	struct itimerval limit = { .it_value.tv_sec = seconds };

	setitimer(ITIMER_PROF, &limit, NULL);
}

/* What the rounds came to: not opened, nothing found, something found. */
static uint64_t outcomes[3];

static void run_round(const struct targets *t, struct f2c_ctx *ctx,
		      uint64_t seed)
{
	struct saved saved[MAX_CHANGES];
	uint32_t nr = 1;
	uint64_t one, two;
	time_t begin = time(NULL);

	rng = seed * 0x9E3779B97F4A7C15U + 1;
	for (int i = 0; i < 4; i++)
		next();
	if (below(4) == 0)
		nr += below(MAX_CHANGES - 1);
	for (uint32_t i = 0; i < nr; i++)
		damage_one(t, &saved[i]);
	limit_cpu(ROUND_SECONDS);
	one = check_once(ctx, 1);
	two = check_once(ctx, 2);
	limit_cpu(0);
	outcomes[one > 1 ? 2 : one]++;
	if (one != two) {
		printf("seed %" PRIu64 ": %" PRIu64 " findings on one thread, %"
		       PRIu64 " on two\n", seed, one, two);
		exit(1);
	}
	if (time(NULL) - begin > 5)
		printf("seed %" PRIu64 ": %ld seconds\n", seed,
		       (long)(time(NULL) - begin));
	while (nr--) {
		memcpy(block_at(t, saved[nr].blk), saved[nr].data,
		       t->lo.block_size);
		free(saved[nr].data);
	}
}

static void load(const char *path)
{
	FILE *f = fopen(path, "rb");
	long size = -1;

	if (f && !fseek(f, 0, SEEK_END))
		size = ftell(f);
	memory = size > 0 ? malloc((size_t)size) : NULL;
	if (!memory || fseek(f, 0, SEEK_SET) ||
	    fread(memory, 1, (size_t)size, f) != (size_t)size) {
		fprintf(stderr, "%s: cannot be read\n", path);
		exit(2);
	}
	memory_bytes = (uint64_t)size;
	fclose(f);
}

int main(int argc, char **argv)
{
	struct targets t = { 0 };
	struct f2c_ctx *ctx = ctx_new();
	uint64_t seed, count;

	if (argc != 4 || !ctx)
		return 2;
	load(argv[1]);
	seed = strtoull(argv[2], NULL, 0);
	count = strtoull(argv[3], NULL, 0);
	find_targets(&t, ctx);
	for (uint64_t i = 0; i < count; i++) {
		/* The last one printed is the one that crashed. */
		fprintf(stderr, "\rseed %" PRIu64, seed + i);
		run_round(&t, ctx, seed + i);
	}
	fprintf(stderr, "\n");
	printf("%" PRIu64 " not opened, %" PRIu64 " clean, %" PRIu64
	       " with findings\n", outcomes[0], outcomes[1], outcomes[2]);
	for (int i = 0; i < NR_KINDS; i++)
		free(t.blk[i]);
	free(t.nids);
	free(memory);
	ctx_free(ctx);
	return 0;
}
