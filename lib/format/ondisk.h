/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The structures as they lie on disk. Every integer is a byte array (le.h),
 * so there is no padding, and a struct may be laid over any address. Sizes
 * that depend on the block size (entries per block, addresses per node, ...)
 * are numbers of struct layout, and the arrays behind them are reached
 * through its functions; a struct here holds only what is at a fixed place.
 *
 * Source of the facts: kernel include/linux/f2fs_fs.h.
 */
#ifndef F2CORE_FORMAT_ONDISK_H
#define F2CORE_FORMAT_ONDISK_H

#include <assert.h>
#include <stddef.h>

#include "base/le.h"

#define OD_SUPER_MAGIC		0xF2F52010U	/* also the seed of most CRCs */
#define OD_XATTR_MAGIC		0xF2F52011U
#define OD_SUPER_OFFSET		1024		/* bytes into block 0 and 1 */
#define OD_SUPER_SIZE		3072
#define OD_SUPER_CRC_OFFSET	3068

#define OD_BLKS_PER_SEG		512U		/* the only value kernels take */
#define OD_SIT_MAP_BYTES	64		/* one bit a block of a segment */
#define OD_NR_LOGS		6		/* current segments */
#define OD_MAX_SEGS		8388608U
#define OD_MIN_SEGS		9U
#define OD_MAX_EXTENSIONS	64
#define OD_EXTENSION_LEN	8
#define OD_MAX_DEVICES		8
#define OD_DEVICE_PATH_LEN	64
#define OD_LABEL_UNITS		512		/* UTF-16 code units */
#define OD_NAME_LEN		255
#define OD_SLOT_LEN		8		/* bytes of name in a dentry slot */

/* Block addresses that are not addresses. */
#define OD_BLK_NULL		0U		/* hole, or free nid */
#define OD_BLK_NEW		0xFFFFFFFFU	/* reserved, never written */
#define OD_BLK_COMPRESS		0xFFFFFFFEU	/* first slot of a cluster */
#define OD_SEG_NULL		0xFFFFFFFFU

#define OD_NODE_INO		1U
#define OD_META_INO		2U
#define OD_ROOT_INO		3U

/* Log types: SIT type, alloc_type index, struct checkpoint log index. */
enum log_type {
	LOG_HOT_DATA,
	LOG_WARM_DATA,
	LOG_COLD_DATA,
	LOG_HOT_NODE,
	LOG_WARM_NODE,
	LOG_COLD_NODE,
};

static inline int log_is_node(unsigned int type)
{
	return type >= LOG_HOT_NODE;
}

/* Superblock feature bits. */
#define OD_FEATURE_ENCRYPT		0x00001U
#define OD_FEATURE_BLKZONED		0x00002U
#define OD_FEATURE_ATOMIC_WRITE		0x00004U
#define OD_FEATURE_EXTRA_ATTR		0x00008U
#define OD_FEATURE_PRJQUOTA		0x00010U
#define OD_FEATURE_INODE_CHKSUM		0x00020U
#define OD_FEATURE_FLEXIBLE_INLINE_XATTR 0x00040U
#define OD_FEATURE_QUOTA_INO		0x00080U
#define OD_FEATURE_INODE_CRTIME		0x00100U
#define OD_FEATURE_LOST_FOUND		0x00200U
#define OD_FEATURE_VERITY		0x00400U
#define OD_FEATURE_SB_CHKSUM		0x00800U
#define OD_FEATURE_CASEFOLD		0x01000U
#define OD_FEATURE_COMPRESSION		0x02000U
#define OD_FEATURE_RO			0x04000U
#define OD_FEATURE_DEVICE_ALIAS		0x08000U
#define OD_FEATURE_PACKED_SSA		0x10000U
#define OD_FEATURES_KNOWN		0x1FFFFU

struct od_device {
	uint8_t	path[OD_DEVICE_PATH_LEN];
	le32	total_segments;
};
static_assert(sizeof(struct od_device) == 68, "od_device");

struct od_super {
	le32	magic;			/* 0 */
	le16	major_ver;		/* 4 */
	le16	minor_ver;		/* 6 */
	le32	log_sectorsize;		/* 8 */
	le32	log_sectors_per_block;	/* 12 */
	le32	log_blocksize;		/* 16 */
	le32	log_blocks_per_seg;	/* 20 */
	le32	segs_per_sec;		/* 24 */
	le32	secs_per_zone;		/* 28 */
	le32	checksum_offset;	/* 32: 3068 with sb_checksum, else 0 */
	le64	block_count;		/* 36: of all devices */
	le32	section_count;		/* 44: of the main area */
	le32	segment_count;		/* 48: from segment 0 on */
	le32	segment_count_ckpt;	/* 52 */
	le32	segment_count_sit;	/* 56: both copies */
	le32	segment_count_nat;	/* 60: both copies */
	le32	segment_count_ssa;	/* 64 */
	le32	segment_count_main;	/* 68 */
	le32	segment0_blkaddr;	/* 72 */
	le32	cp_blkaddr;		/* 76 */
	le32	sit_blkaddr;		/* 80 */
	le32	nat_blkaddr;		/* 84 */
	le32	ssa_blkaddr;		/* 88 */
	le32	main_blkaddr;		/* 92 */
	le32	root_ino;		/* 96 */
	le32	node_ino;		/* 100 */
	le32	meta_ino;		/* 104 */
	uint8_t	uuid[16];		/* 108: seeds inode checksums too */
	le16	volume_name[OD_LABEL_UNITS]; /* 124: UTF-16LE */
	le32	extension_count;	/* 1148: cold ones */
	uint8_t	extension_list[OD_MAX_EXTENSIONS][OD_EXTENSION_LEN]; /* 1152 */
	le32	cp_payload;		/* 1664: more blocks of bitmaps */
	uint8_t	version[256];		/* 1668 */
	uint8_t	init_version[256];	/* 1924 */
	le32	feature;		/* 2180 */
	uint8_t	encryption_level;	/* 2184 */
	uint8_t	encrypt_pw_salt[16];	/* 2185 */
	struct od_device devs[OD_MAX_DEVICES]; /* 2201 */
	le32	qf_ino[3];		/* 2745: user, group, project quota */
	uint8_t	hot_ext_count;		/* 2757: after the cold ones */
	le16	s_encoding;		/* 2758 */
	le16	s_encoding_flags;	/* 2760 */
	uint8_t	s_stop_reason[32];	/* 2762 */
	uint8_t	s_errors[16];		/* 2794 */
	uint8_t	reserved[258];		/* 2810 */
	le32	crc;			/* 3068 */
};
static_assert(offsetof(struct od_super, block_count) == 36, "block_count");
static_assert(offsetof(struct od_super, volume_name) == 124, "volume_name");
static_assert(offsetof(struct od_super, cp_payload) == 1664, "cp_payload");
static_assert(offsetof(struct od_super, feature) == 2180, "feature");
static_assert(offsetof(struct od_super, devs) == 2201, "devs");
static_assert(offsetof(struct od_super, qf_ino) == 2745, "qf_ino");
static_assert(offsetof(struct od_super, s_errors) == 2794, "s_errors");
static_assert(sizeof(struct od_super) == OD_SUPER_SIZE, "od_super");

/* Checkpoint flags. */
#define OD_CP_UMOUNT		0x0001U
#define OD_CP_ORPHAN_PRESENT	0x0002U
#define OD_CP_COMPACT_SUM	0x0004U
#define OD_CP_ERROR		0x0008U
#define OD_CP_FSCK		0x0010U
#define OD_CP_FASTBOOT		0x0020U
#define OD_CP_CRC_RECOVERY	0x0040U
#define OD_CP_NAT_BITS		0x0080U
#define OD_CP_TRIMMED		0x0100U
#define OD_CP_NOCRC_RECOVERY	0x0200U
#define OD_CP_LARGE_NAT_BITMAP	0x0400U
#define OD_CP_QUOTA_NEED_FSCK	0x0800U
#define OD_CP_DISABLED		0x1000U
#define OD_CP_DISABLED_QUICK	0x2000U
#define OD_CP_RESIZEFS		0x4000U

#define OD_CP_BITMAPS		192	/* byte of the bitmaps; CRC if large */
#define OD_CP_LARGE_BITMAPS	196	/* with LARGE_NAT_BITMAP */

struct od_checkpoint {
	le64	checkpoint_ver;		/* 0 */
	le64	user_block_count;	/* 8 */
	le64	valid_block_count;	/* 16 */
	le32	rsvd_segment_count;	/* 24 */
	le32	overprov_segment_count;	/* 28 */
	le32	free_segment_count;	/* 32 */
	le32	cur_node_segno[8];	/* 36: hot, warm, cold */
	le16	cur_node_blkoff[8];	/* 68 */
	le32	cur_data_segno[8];	/* 84 */
	le16	cur_data_blkoff[8];	/* 116 */
	le32	ckpt_flags;		/* 132 */
	le32	cp_pack_total_block_count; /* 136 */
	le32	cp_pack_start_sum;	/* 140 */
	le32	valid_node_count;	/* 144 */
	le32	valid_inode_count;	/* 148 */
	le32	next_free_nid;		/* 152 */
	le32	sit_ver_bitmap_bytesize; /* 156 */
	le32	nat_ver_bitmap_bytesize; /* 160 */
	le32	checksum_offset;	/* 164 */
	le64	elapsed_time;		/* 168: seconds mounted so far */
	uint8_t	alloc_type[16];		/* 176: by log type; 0 LFS, 1 SSR */
};					/* 192: bitmaps */
static_assert(offsetof(struct od_checkpoint, cur_data_segno) == 84, "cp data");
static_assert(offsetof(struct od_checkpoint, ckpt_flags) == 132, "cp flags");
static_assert(offsetof(struct od_checkpoint, elapsed_time) == 168, "cp time");
static_assert(sizeof(struct od_checkpoint) == OD_CP_BITMAPS, "od_checkpoint");

/* Last 16 bytes of an orphan block; le32 inos before it. */
struct od_orphan_foot {
	le32	reserved;
	le16	blk_addr;		/* this block among them, from 1 */
	le16	blk_count;
	le32	entry_count;		/* in this block */
	le32	check_sum;		/* unused */
};
static_assert(sizeof(struct od_orphan_foot) == 16, "od_orphan_foot");

struct od_nat_entry {
	uint8_t	version;		/* 0: grows when the nid is freed */
	le32	ino;			/* 1: inode this node belongs to */
	le32	blk;			/* 5: where it is; 0 = free nid */
};
static_assert(offsetof(struct od_nat_entry, blk) == 5, "od_nat_entry.blk");
static_assert(sizeof(struct od_nat_entry) == 9, "od_nat_entry");

struct od_sit_entry {
	le16	vblocks;		/* 0: bits 9..0 count, 15..10 type */
	uint8_t	valid_map[OD_SIT_MAP_BYTES]; /* 2: msb order */
	le64	mtime;			/* 66: on the elapsed_time clock */
};
static_assert(offsetof(struct od_sit_entry, mtime) == 66, "od_sit_entry");
static_assert(sizeof(struct od_sit_entry) == 74, "od_sit_entry");

static inline uint16_t od_sit_valid_blocks(const struct od_sit_entry *e)
{
	return le16_get(e->vblocks) & 0x3FF;
}

static inline uint8_t od_sit_type(const struct od_sit_entry *e)
{
	return (uint8_t)(le16_get(e->vblocks) >> 10);
}

static inline void od_sit_set_vblocks(struct od_sit_entry *e, uint16_t valid,
				      uint8_t type)
{
	le16_set(&e->vblocks, (uint16_t)(valid | type << 10));
}

struct od_nat_journal_entry {
	le32	nid;
	struct od_nat_entry nat;
};
static_assert(sizeof(struct od_nat_journal_entry) == 13, "nat journal");

struct od_sit_journal_entry {
	le32	segno;
	struct od_sit_entry sit;
};
static_assert(sizeof(struct od_sit_journal_entry) == 78, "sit journal");

struct od_sum_entry {
	le32	nid;			/* 0: node that holds the address */
	uint8_t	version;		/* 4: NAT version of that nid */
	le16	ofs_in_node;		/* 5 */
};
static_assert(sizeof(struct od_sum_entry) == 7, "od_sum_entry");

#define OD_SUM_DATA	0
#define OD_SUM_NODE	1

struct od_sum_foot {
	uint8_t	entry_type;		/* OD_SUM_ */
	le32	check_sum;		/* unused */
};
static_assert(sizeof(struct od_sum_foot) == 5, "od_sum_foot");

/* Last 24 bytes of every node block. */
struct od_node_foot {
	le32	nid;
	le32	ino;
	le32	flag;			/* OD_FOOT_ and node offset << 3 */
	le64	cp_ver;
	le32	next_blk;
};
static_assert(sizeof(struct od_node_foot) == 24, "od_node_foot");

#define OD_FOOT_COLD		0x1U
#define OD_FOOT_FSYNC		0x2U
#define OD_FOOT_DENT		0x4U
#define OD_FOOT_OFS_SHIFT	3
#define OD_XATTR_NODE_OFS	0x1FFFFFFFU

struct od_extent {
	le32	lblk;			/* first block in the file */
	le32	blk;
	le32	len;
};

/* The fixed part of an inode block; i_addr[] follows, then i_nid[5], foot. */
struct od_inode {
	le16	i_mode;			/* 0 */
	uint8_t	i_advise;		/* 2 */
	uint8_t	i_inline;		/* 3 */
	le32	i_uid;			/* 4 */
	le32	i_gid;			/* 8 */
	le32	i_links;		/* 12 */
	le64	i_size;			/* 16 */
	le64	i_blocks;		/* 24: blocks, nodes included */
	le64	i_atime;		/* 32 */
	le64	i_ctime;		/* 40 */
	le64	i_mtime;		/* 48 */
	le32	i_atime_nsec;		/* 56 */
	le32	i_ctime_nsec;		/* 60 */
	le32	i_mtime_nsec;		/* 64 */
	le32	i_generation;		/* 68 */
	le32	i_current_depth;	/* 72: files: le16 i_gc_failures */
	le32	i_xattr_nid;		/* 76 */
	le32	i_flags;		/* 80 */
	le32	i_pino;			/* 84 */
	le32	i_namelen;		/* 88 */
	uint8_t	i_name[OD_NAME_LEN];	/* 92 */
	uint8_t	i_dir_level;		/* 347 */
	struct od_extent i_ext;		/* 348: largest extent, trusted */
};
static_assert(offsetof(struct od_inode, i_name) == 92, "i_name");
static_assert(offsetof(struct od_inode, i_ext) == 348, "i_ext");
static_assert(sizeof(struct od_inode) == 360, "od_inode");

#define OD_INODE_ADDRS	360		/* byte of i_addr[0] */

/* The extra attributes at the head of i_addr, as far as i_extra_isize. */
struct od_inode_extra {
	le16	i_extra_isize;		/* 360 */
	le16	i_inline_xattr_size;	/* 362: in 4-byte units */
	le32	i_projid;		/* 364 */
	le32	i_inode_checksum;	/* 368 */
	le64	i_crtime;		/* 372 */
	le32	i_crtime_nsec;		/* 380 */
	le64	i_compr_blocks;		/* 384 */
	uint8_t	i_compress_algorithm;	/* 392 */
	uint8_t	i_log_cluster_size;	/* 393 */
	le16	i_compress_flag;	/* 394 */
};
static_assert(sizeof(struct od_inode_extra) == 36, "od_inode_extra");

#define OD_INLINE_XATTR		0x01U
#define OD_INLINE_DATA		0x02U
#define OD_INLINE_DENTRY	0x04U
#define OD_INLINE_DATA_EXIST	0x08U
#define OD_INLINE_DOTS		0x10U
#define OD_INLINE_EXTRA_ATTR	0x20U
#define OD_INLINE_PIN_FILE	0x40U
#define OD_INLINE_COMPR_RELEASED 0x80U

#define OD_ADVISE_COLD		0x01U
#define OD_ADVISE_LOST_PINO	0x02U
#define OD_ADVISE_ENCRYPT	0x04U
#define OD_ADVISE_ENC_NAME	0x08U
#define OD_ADVISE_KEEP_SIZE	0x10U
#define OD_ADVISE_HOT		0x20U
#define OD_ADVISE_VERITY	0x40U
#define OD_ADVISE_TRUNC		0x80U

#define OD_FLAG_COMPR		0x00000004U
#define OD_FLAG_IMMUTABLE	0x00000010U
#define OD_FLAG_NOCOMP		0x00000400U
#define OD_FLAG_INDEX		0x00001000U
#define OD_FLAG_CASEFOLD	0x40000000U
#define OD_FLAG_DEVICE_ALIAS	0x80000000U

struct od_dentry {
	le32	hash;
	le32	ino;
	le16	name_len;
	uint8_t	file_type;		/* OD_FT_ */
};
static_assert(sizeof(struct od_dentry) == 11, "od_dentry");

enum od_file_type {
	OD_FT_UNKNOWN,
	OD_FT_REG,
	OD_FT_DIR,
	OD_FT_CHR,
	OD_FT_BLK,
	OD_FT_FIFO,
	OD_FT_SOCK,
	OD_FT_LNK,
	OD_FT_MAX,
};

struct od_xattr_head {
	le32	magic;
	le32	refcount;
	le32	reserved[4];
};
static_assert(sizeof(struct od_xattr_head) == 24, "od_xattr_head");

struct od_xattr_entry {
	uint8_t	name_index;
	uint8_t	name_len;
	le16	value_size;
	/* name, then value; the whole padded to 4 bytes */
};
static_assert(sizeof(struct od_xattr_entry) == 4, "od_xattr_entry");

/* A quota file: this head, then a tree of blocks of 1 KiB (format 6.8). */
#define OD_QUOTA_TYPES		3U	/* user, group, project: qf_ino */
#define OD_QUOTA_BLOCK		1024U
#define OD_QUOTA_DEPTH		4U	/* levels of pointers above the leaves */
#define OD_QUOTA_ROOT		1U	/* quota block */

#define OD_QUOTA_MAGIC_USER	0xd9c01f11U
#define OD_QUOTA_MAGIC_GROUP	0xd9c01927U
#define OD_QUOTA_MAGIC_PROJECT	0xd9c03f14U
#define OD_QUOTA_VERSION	1U

struct od_quota_head {
	le32	magic;
	le32	version;
	le32	block_grace;		/* 8: seconds */
	le32	inode_grace;
	le32	flags;
	le32	blocks;			/* 20: quota blocks in the file */
	le32	free_blk;		/* first of a list; 0: none */
	le32	free_leaf;		/* first leaf with room; 0: none */
};
static_assert(sizeof(struct od_quota_head) == 32, "od_quota_head");

/* Also that of a free block. */
struct od_quota_leaf {
	le32	next_free;
	le32	prev_free;
	le16	nr_entries;		/* 8 */
	le16	pad1;
	le32	pad2;
};
static_assert(sizeof(struct od_quota_leaf) == 16, "od_quota_leaf");

struct od_quota_entry {
	le32	id;
	le32	pad;
	le64	inode_hard;		/* 8 */
	le64	inode_soft;
	le64	inodes;
	le64	block_hard;		/* 32: KiB */
	le64	block_soft;
	le64	space;			/* 48: bytes */
	le64	block_time;		/* 56: when the soft limit will be hard */
	le64	inode_time;
};
static_assert(offsetof(struct od_quota_entry, space) == 48, "od_quota space");
static_assert(sizeof(struct od_quota_entry) == 72, "od_quota_entry");

#define OD_QUOTA_LEAF_ENTRIES	((OD_QUOTA_BLOCK - sizeof(struct od_quota_leaf)) \
				 / sizeof(struct od_quota_entry))

#endif
