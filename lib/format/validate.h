/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Is this one block sane, by itself: what a kernel's mount would refuse
 * (kernel fs/f2fs/super.c and checkpoint.c, sanity_check_*). No I/O.
 */
#ifndef F2CORE_FORMAT_VALIDATE_H
#define F2CORE_FORMAT_VALIDATE_H

#include "format/layout.h"

/* What is wrong: name of the field, the value found, one that would do. */
struct fault {
	const char *field;
	uint64_t found;
	uint64_t expected;
};

/* The fault of a superblock that is sane but for the device being too small. */
#define FAULT_DEVICE_SIZE "size of the device in blocks"

/*
 * A superblock copy on a device of @dev_bytes. 0, -EUCLEAN with *@fault, or
 * -EBADMSG if its checksum is wrong (*@fault has both). Proves every number
 * that layout_from_super() computes with, overflow included, and that the
 * volume lies on the device (that of several devices only the kernel's rule:
 * their sum of segments).
 */
int super_validate(const struct od_super *sb, uint64_t dev_bytes,
		   struct fault *fault);
uint32_t super_crc(const struct od_super *sb);

/*
 * First or last block of a checkpoint pack: checksum offset and checksum.
 * -EBADMSG or -EUCLEAN with *@fault.
 */
int cp_block_validate(const struct layout *lo, const void *block,
		      struct fault *fault);
uint32_t cp_block_crc(const struct layout *lo, const void *block);

/* Whether a checkpoint of this geometry may have NAT bits. */
bool cp_nat_bits_fit(const struct layout *lo);

/*
 * The fields of a checkpoint against the geometry (format 7.2; the ERROR flag
 * is not judged here). -EUCLEAN with *@fault for the first that is wrong.
 */
int cp_validate(const struct layout *lo, const void *block,
		struct fault *fault);
/* The same, all of them: how many of the @max were filled. */
#define CP_MAX_FAULTS 40
unsigned int cp_faults(const struct layout *lo, const void *block,
		       struct fault *faults, unsigned int max);
/* Fields by log type: data logs lie behind the node logs. */
uint32_t cp_log_segno(const struct od_checkpoint *cp, unsigned int type);
uint16_t cp_log_next(const struct od_checkpoint *cp, unsigned int type);
/* A read-only volume keeps two logs, hot data and hot node. */
bool log_is_used(const struct layout *lo, unsigned int type);

/* Inode checksum as it should be stored (format 5.6); @block is unchanged. */
uint32_t inode_checksum(const struct layout *lo, const uint8_t uuid[16],
			const void *block);
/* Whether this inode keeps a checksum at all. */
bool inode_has_checksum(const struct layout *lo, const void *block);

#endif
