/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Refusals that all engines share. */
#include "config.h"

#include "engine/guard.h"

#include "base/bits.h"
#include "base/setsum.h"
#include "tree/pending.h"

#include <errno.h>
#include <inttypes.h>

int guard_volume(struct volume *vol)
{
	uint64_t nr = 0;
	int err = volume_can_write(vol);

	if (!err)
		err = pending_fsyncs(vol, &nr);
	if (err || !nr)
		return err;
	return ctx_fail(vol->ctx, -EBUSY, "not cleanly unmounted: %" PRIu64
			" fsynced nodes wait to be replayed: use --replay, or "
			"fsck.f2fs -p, or mount the volume once", nr);
}

struct sums {
	uint64_t data;
	uint64_t nodes;
};

static void sum_segment(const struct volume *vol, uint32_t segno, uint64_t key,
			struct sums *valid)
{
	const struct sit_seg *seg = sit_get(&vol->sit, segno);
	uint32_t first = seg_to_blk(&vol->lo, segno);
	uint64_t sum = 0;

	if (!seg->valid)
		return;
	for (uint32_t i = 0; i < vol->lo.blks_per_seg; i++)
		if (bit_test_msb(seg->map, i))
			sum += setsum_of(key, first + i);
	if (log_is_node(seg->type))
		valid->nodes += sum;
	else
		valid->data += sum;
}

static struct sums sum_sit(const struct volume *vol, uint64_t key)
{
	struct sums valid = { 0 };

	for (uint32_t s = 0; s < vol->lo.nr_main_segs; s++)
		sum_segment(vol, s, key, &valid);
	return valid;
}

static bool sit_knows_node(const struct volume *vol, uint32_t blk)
{
	return blk_is_main(&vol->lo, blk) && sit_is_valid(&vol->sit, blk) &&
	       log_is_node(sit_get(&vol->sit,
				   blk_to_seg(&vol->lo, blk))->type);
}

/* The nodes that the NAT has, of which each must be valid. */
static int sum_nat(struct volume *vol, uint64_t key, uint64_t *nr,
		   uint64_t *sum)
{
	struct nat_entry e;

	*nr = *sum = 0;
	for (uint32_t nid = 0; nat_next(&vol->nat, &nid, &e); nid++) {
		if (!sit_knows_node(vol, e.blk))
			return ctx_fail(vol->ctx, -EUCLEAN, "node %" PRIu32
					" lies at block %" PRIu32 ", which the "
					"SIT does not know as a node: check the "
					"volume with fsck.f2fs", nid, e.blk);
		*sum += setsum_of(key, e.blk);
		++*nr;
	}
	return 0;
}

int guard_owners(struct volume *vol, const struct frag *frag)
{
	uint64_t nodes, node_sum, key = setsum_key();
	struct sums valid;
	int err = sum_nat(vol, key, &nodes, &node_sum);

	if (err)
		return err;
	if (frag->file_blocks != vol->sit.valid_data ||
	    nodes != vol->sit.valid_nodes)
		return ctx_fail(vol->ctx, -EUCLEAN, "files have %" PRIu64
				" blocks and %" PRIu64 " nodes, the SIT %" PRIu64
				" and %" PRIu64 ": check the volume with "
				"fsck.f2fs", frag->file_blocks, nodes,
				vol->sit.valid_data, vol->sit.valid_nodes);
	valid = sum_sit(vol, key);
	if (frag->file_blocks_sum == valid.data && node_sum == valid.nodes)
		return 0;
	return ctx_fail(vol->ctx, -EUCLEAN, "the SIT has as many blocks as the "
			"files, but not the same: check the volume with "
			"fsck.f2fs");
}
