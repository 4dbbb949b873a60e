/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How large each area of a new volume is and where it lies. The arithmetic
 * gives, for the same size and options, the same counts and addresses as the
 * existing formatter, release 1.16; images of both are compared in
 * tests/cli/mkfs-geometry.bats.
 */
#include "config.h"

#include "engine/create.h"

#include <string.h>

#define NR_CKPT_SEGS	2U
#define CP_CRC_BYTES	4U
#define MIN_ZONES	6U		/* each log wants a zone of its own */

static uint64_t div_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

static uint64_t segs_per_zone(const struct format_options *opt)
{
	return (uint64_t)opt->segs_per_sec * opt->secs_per_zone;
}

static uint64_t zone_bytes(const struct format_options *opt)
{
	return segs_per_zone(opt) * OD_BLKS_PER_SEG * opt->block_size;
}

/*
 * Segment 0 begins on a zone boundary and leaves two blocks for the
 * superblocks. Where a partition begins on its disk does not matter, so that a
 * volume and its image have one layout; release 1.16 does not ask for it
 * either, though its arithmetic has a place for it.
 */
static uint64_t seg0_bytes(const struct format_options *opt)
{
	return div_up(2 * (uint64_t)opt->block_size, zone_bytes(opt)) *
	       zone_bytes(opt);
}

static uint64_t sit_segs_one_copy(uint64_t nr_segs, uint32_t sits_per_block)
{
	return div_up(div_up(nr_segs, sits_per_block), OD_BLKS_PER_SEG);
}

/*
 * The version bitmaps lie in the checkpoint block as far as they fit, else in
 * payload blocks after it. Without large_nat the NAT is cut to what the
 * bitmap has room for.
 */
static void size_nat(const struct format_options *opt,
		     struct format_geometry *geo)
{
	uint32_t sits = opt->block_size / (uint32_t)sizeof(struct od_sit_entry);
	uint32_t nats = opt->block_size / (uint32_t)sizeof(struct od_nat_entry);
	uint32_t room = opt->block_size - CP_CRC_BYTES - OD_CP_BITMAPS;
	uint64_t blks = (uint64_t)(geo->nr_segs - NR_CKPT_SEGS -
				   geo->nr_sit_segs) * OD_BLKS_PER_SEG;
	uint64_t nat = div_up(div_up(blks, nats), OD_BLKS_PER_SEG);
	uint64_t sit_max = sit_segs_one_copy(OD_MAX_SEGS, sits);
	uint64_t sit = geo->nr_sit_segs / 2;
	uint64_t sit_map = (sit < sit_max ? sit : sit_max) * OD_SIT_MAP_BYTES;
	uint64_t both;

	if (opt->large_nat) {
		nat = nat * 20 / 100;
		nat = nat ? nat : 1;
		both = sit_map + nat * OD_SIT_MAP_BYTES;
		geo->cp_payload = both > room ?
			(uint32_t)div_up(both - room, opt->block_size) : 0;
	} else {
		uint64_t nat_room = room - sit_map;

		geo->cp_payload = 0;
		if (sit_map > room - OD_SIT_MAP_BYTES) {
			nat_room = room;
			geo->cp_payload =
				(uint32_t)div_up(sit_map, opt->block_size);
		}
		if (nat > nat_room * 8 / OD_BLKS_PER_SEG)
			nat = nat_room * 8 / OD_BLKS_PER_SEG;
	}
	geo->nr_nat_segs = (uint32_t)(2 * nat);
}

/* The metadata areas; the rest, in whole zones, is the main area. */
static enum geometry_fault size_areas(const struct format_options *opt,
				      struct format_geometry *geo)
{
	uint32_t sits = opt->block_size / (uint32_t)sizeof(struct od_sit_entry);
	uint32_t zone = (uint32_t)segs_per_zone(opt);
	uint32_t meta, zones;

	geo->nr_sit_segs = (uint32_t)(2 * sit_segs_one_copy(geo->nr_segs, sits));
	if (geo->nr_segs <= NR_CKPT_SEGS + geo->nr_sit_segs)
		return GEOMETRY_TOO_SMALL;
	size_nat(opt, geo);
	meta = NR_CKPT_SEGS + geo->nr_sit_segs + geo->nr_nat_segs;
	if (geo->nr_segs <= meta)
		return GEOMETRY_TOO_SMALL;
	geo->nr_ssa_segs = (uint32_t)div_up((uint64_t)geo->nr_segs - meta + 1,
					    OD_BLKS_PER_SEG);
	meta += geo->nr_ssa_segs;
	if (meta % zone) {
		geo->nr_ssa_segs += zone - meta % zone;
		meta += zone - meta % zone;
	}
	zones = geo->nr_segs / zone;
	if (zones <= meta / zone + MIN_ZONES)
		return GEOMETRY_TOO_SMALL;
	geo->nr_zones = zones - meta / zone;
	geo->nr_main_secs = geo->nr_zones * opt->secs_per_zone;
	geo->nr_main_segs = geo->nr_main_secs * opt->segs_per_sec;
	geo->main_blk = geo->seg0_blk + meta * OD_BLKS_PER_SEG;
	return GEOMETRY_OK;
}

static double rsvd_for(double percent, double segs_per_sec, double extra)
{
	return (100 / percent + extra) * segs_per_sec;
}

/*
 * The share that leaves the user most: a small one needs a large reserve, for
 * the cleaner must gain a section from 100/share victims. The steps are added
 * up in double precision, as the sum decides which candidates there are.
 *
 * Release 1.16 counts here what is left of the device after the last whole
 * zone too, which no checker accepts in free_segment_count; so reserve and
 * user blocks differ from its where the size is not a multiple of the zone.
 */
static double best_overprovision(const struct format_options *opt,
				 const struct format_geometry *geo)
{
	double segs = geo->nr_main_segs, per_sec = opt->segs_per_sec;
	double max_space = 0, best = 0, step = 0.01, end = 10;
	double c = 0.01;

	if (geo->nr_main_segs < 256) {
		c = 10;
		step = 5;
		end = 95;
	}
	for (; c <= end; c += step) {
		double rsvd = rsvd_for(c, per_sec, 7);
		double ovp = (segs - rsvd) * c / 100;
		double space;

		if (ovp < 0)
			continue;
		space = segs - (rsvd > ovp ? rsvd : ovp) - 2 * per_sec;
		if (space > max_space) {
			max_space = space;
			best = c;
		}
	}
	return best;
}

static enum geometry_fault size_reserve(const struct format_options *opt,
					struct format_geometry *geo)
{
	double rsvd, c = opt->overprovision;
	uint32_t segs = geo->nr_main_segs;

	if (!(c > 0))
		c = best_overprovision(opt, geo);
	if (!(c > 0))
		return GEOMETRY_TOO_SMALL;
	geo->overprovision = c;
	rsvd = rsvd_for(c, opt->segs_per_sec, 1 + 6);
	if (rsvd >= segs)		/* also what a uint32_t cannot hold */
		return GEOMETRY_TOO_SMALL;
	geo->rsvd_segs = (uint32_t)rsvd;
	if (segs < geo->rsvd_segs + OD_NR_LOGS)
		return GEOMETRY_TOO_SMALL;
	geo->overprov_segs = (uint32_t)((segs - geo->rsvd_segs) * c / 100);
	if (geo->overprov_segs < geo->rsvd_segs)
		geo->overprov_segs = geo->rsvd_segs;
	geo->overprov_segs += 2 * opt->segs_per_sec;
	if (segs <= geo->overprov_segs)
		return GEOMETRY_TOO_SMALL;
	geo->user_blks = (uint64_t)(segs - geo->overprov_segs) *
			 OD_BLKS_PER_SEG;
	return GEOMETRY_OK;
}

static uint32_t max_u32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/*
 * Each log in a zone of its own: node logs and hot data at the front, where
 * the metadata is, the bulk of data from a quarter and half of the volume on.
 */
static void place_logs(const struct format_options *opt,
		       struct format_geometry *geo)
{
	uint32_t zone = (uint32_t)segs_per_zone(opt);
	uint32_t *seg = geo->curseg;

	if (opt->heap) {
		uint32_t last = geo->nr_main_segs - opt->segs_per_sec;

		seg[LOG_HOT_NODE] = last;
		seg[LOG_WARM_NODE] = last - zone;
		seg[LOG_COLD_NODE] = last - 2 * zone;
		seg[LOG_HOT_DATA] = last - 3 * zone;
		seg[LOG_COLD_DATA] = 0;
		seg[LOG_WARM_DATA] = zone;
		return;
	}
	seg[LOG_HOT_NODE] = 0;
	seg[LOG_WARM_NODE] = zone;
	seg[LOG_COLD_NODE] = 2 * zone;
	seg[LOG_HOT_DATA] = 3 * zone;
	seg[LOG_COLD_DATA] = max_u32((geo->nr_zones / 4 ?
				      geo->nr_zones / 4 - 1 : 0) * zone,
				     seg[LOG_HOT_DATA] + zone);
	seg[LOG_WARM_DATA] = max_u32((geo->nr_zones / 2 - 1) * zone,
				     seg[LOG_COLD_DATA] + zone);
}

enum geometry_fault geometry_compute(const struct format_options *opt,
				     uint64_t dev_bytes,
				     struct format_geometry *geo)
{
	uint64_t seg_bytes = (uint64_t)OD_BLKS_PER_SEG * opt->block_size;
	uint64_t off = seg0_bytes(opt), segs, zone = segs_per_zone(opt);
	enum geometry_fault fault;

	memset(geo, 0, sizeof(*geo));
	if (dev_bytes >= geometry_limit_bytes(opt))
		return GEOMETRY_TOO_LARGE;
	if (dev_bytes <= off)
		return GEOMETRY_TOO_SMALL;
	segs = (dev_bytes - off) / seg_bytes / zone * zone;
	if (segs < OD_MIN_SEGS)
		return GEOMETRY_TOO_SMALL;
	geo->nr_blks = dev_bytes / opt->block_size;
	geo->seg0_blk = (uint32_t)(off / opt->block_size);
	geo->nr_segs = (uint32_t)segs;
	fault = size_areas(opt, geo);
	if (!fault)
		fault = size_reserve(opt, geo);
	if (!fault)
		place_logs(opt, geo);
	return fault;
}

/*
 * The block after the last must have a 32-bit number too, for the kernel
 * computes with it; and no more segments than its limit.
 */
uint64_t geometry_limit_bytes(const struct format_options *opt)
{
	uint64_t seg_bytes = (uint64_t)OD_BLKS_PER_SEG * opt->block_size;
	uint64_t zone = segs_per_zone(opt), off = seg0_bytes(opt);
	uint64_t max_blks = UINT32_MAX, off_blks = off / opt->block_size;
	uint64_t zones;

	if (off_blks > max_blks)
		return 0;
	zones = (max_blks - off_blks) / OD_BLKS_PER_SEG / zone;
	if (zones > OD_MAX_SEGS / zone)
		zones = OD_MAX_SEGS / zone;
	return off + (zones + 1) * zone * seg_bytes;
}

/* More bytes never make a size that was enough too small, but by a rounding. */
uint64_t geometry_min_bytes(const struct format_options *opt)
{
	uint64_t zone = zone_bytes(opt), off = seg0_bytes(opt);
	uint64_t low = 0, high = (geometry_limit_bytes(opt) - off) / zone;
	struct format_geometry geo;

	if (!high || geometry_compute(opt, off + (high - 1) * zone, &geo))
		return 0;
	high--;
	while (high - low > 1) {
		uint64_t mid = low + (high - low) / 2;

		if (geometry_compute(opt, off + mid * zone, &geo))
			low = mid;
		else
			high = mid;
	}
	return off + high * zone;
}
