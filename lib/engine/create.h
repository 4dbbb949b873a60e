/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Making a new volume: format_plan() computes everything from the options and
 * the size, format_write() carries the plan out. This is the only engine that
 * writes without a commit, for there is no checkpoint to guard; it writes the
 * superblocks last.
 */
#ifndef F2CORE_ENGINE_CREATE_H
#define F2CORE_ENGINE_CREATE_H

#include "format/layout.h"

struct dev;
struct f2c_ctx;

/* Zeroed at first: signatures of others lie at both ends of a device. */
#define FORMAT_START_BYTES	(2U << 20)
#define FORMAT_END_BYTES	(1U << 20)

#define FORMAT_VERSION_MAX	255	/* bytes of text */
#define FORMAT_MAX_INODES	5	/* root, three quota files, lost+found */

struct format_options {
	uint32_t block_size;		/* 4096 */
	uint32_t sector_size;		/* 512 to block_size */
	uint32_t segs_per_sec;
	uint32_t secs_per_zone;
	double overprovision;		/* percent; 0: the best for the size */
	uint64_t features;		/* OD_FEATURE_ */
	bool large_nat;			/* more nids and a larger bitmap (-i) */
	bool heap;			/* logs from the end of the volume (-a 1) */
	bool discard;			/* tell the device that all is unused */
	uint8_t uuid[16];
	le16 label[OD_LABEL_UNITS];	/* zero padded */
	uint16_t encoding;		/* of casefold; 0 without */
	uint16_t encoding_flags;
	uint64_t cp_version;		/* of the first checkpoint */
	uint64_t time;			/* of all inodes, seconds */
	uint32_t uid, gid;		/* owner of the root directory */
	unsigned int nr_cold_ext;	/* the hot ones follow in ext[] */
	unsigned int nr_hot_ext;
	uint8_t ext[OD_MAX_EXTENSIONS][OD_EXTENSION_LEN];
	char version[FORMAT_VERSION_MAX + 1];
};

/* What follows from options and size by arithmetic alone. */
struct format_geometry {
	uint64_t nr_blks;		/* of the device */
	uint32_t seg0_blk;
	uint32_t main_blk;
	uint32_t nr_segs;
	uint32_t nr_sit_segs;		/* both copies, as in the superblock */
	uint32_t nr_nat_segs;
	uint32_t nr_ssa_segs;
	uint32_t nr_main_segs;
	uint32_t nr_main_secs;
	uint32_t nr_zones;		/* of the main area */
	uint32_t cp_payload;		/* blocks */
	double overprovision;		/* percent, given or found */
	uint32_t rsvd_segs;
	uint32_t overprov_segs;		/* the reserve included */
	uint64_t user_blks;
	uint32_t curseg[OD_NR_LOGS];	/* first segment of each log */
};

enum geometry_fault {
	GEOMETRY_OK,
	GEOMETRY_TOO_SMALL,
	GEOMETRY_TOO_LARGE,		/* an address would need more bits */
};

/* The options are in range: format_options_check() said so. */
enum geometry_fault geometry_compute(const struct format_options *opt,
				     uint64_t dev_bytes,
				     struct format_geometry *geo);

/* The smallest size that geometry_compute() takes; 0 if none does. */
uint64_t geometry_min_bytes(const struct format_options *opt);
/* The first size that is too large. */
uint64_t geometry_limit_bytes(const struct format_options *opt);

/* An inode that a new volume has, with its data blocks. */
struct format_inode {
	uint32_t ino;
	uint32_t node_blk;
	uint32_t data_blk;		/* first of nr_data */
	uint32_t nr_data;
	int quota_type;			/* 0 user, 1 group, 2 project; -1: a directory */
};

struct format_plan {
	struct format_options opt;
	struct format_geometry geo;
	struct od_super sb;		/* signed; ready to be written */
	struct layout lo;
	unsigned int nr_inodes;
	struct format_inode inodes[FORMAT_MAX_INODES];
	unsigned int nr_data_blks;	/* of all inodes */
	uint32_t cp_flags;
};

/* Defaults: one segment a section, discard, the usual extensions. */
void format_options_init(struct format_options *opt);

/*
 * Append the extensions of a list with commas between to the cold or the hot
 * ones; one that is there already is not added again. -EINVAL with a message.
 */
int format_options_add_ext(struct f2c_ctx *ctx, struct format_options *opt,
			   const char *list, bool hot);

/* -EINVAL with a message if an option is out of range or lacks another. */
int format_options_check(struct f2c_ctx *ctx, const struct format_options *opt);

/*
 * Plan a volume on a device of @dev_bytes, called @name. No I/O. -EINVAL for an option that
 * cannot be, -ENOSPC if the device is too small for the geometry, -EFBIG if it
 * is too large; the message says which size would do.
 */
int format_plan(struct f2c_ctx *ctx, const char *name,
		const struct format_options *opt, uint64_t dev_bytes,
		struct format_plan *plan);

/*
 * Carry the plan out. The old superblocks go first and the new ones are
 * written last, each after a flush, so that a cut leaves no volume rather
 * than half of one.
 */
int format_write(struct dev *dev, struct format_plan *plan);

#endif
