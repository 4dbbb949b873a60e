/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inodes: decoding a block, and where in it everything lies. */
#include "config.h"

#include "tree/inode.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>

#define DEFAULT_XATTR_UNITS	50U	/* 200 bytes in 4-byte units */
#define MIN_XATTR_UNITS		6U	/* the header alone */
#define MIN_INLINE_DENTRY_UNITS	10U
#define MIN_EXTRA_ISIZE		4U
#define MIN_LOG_CLUSTER		2U
#define MAX_LOG_CLUSTER		8U

static int set_fault(struct fault *fault, const char *field, uint64_t found,
		     uint64_t expected)
{
	fault->field = field;
	fault->found = found;
	fault->expected = expected;
	return -EUCLEAN;
}

/* Whether the extra area reaches over the field. */
#define EXTRA_HOLDS(size, field) \
	((size) >= offsetof(struct od_inode_extra, field) + \
		   sizeof(((struct od_inode_extra *)0)->field))

static void decode_fixed(const struct od_inode *od, struct inode *out)
{
	out->mode = le16_get(od->i_mode);
	out->advise = od->i_advise;
	out->inl = od->i_inline;
	out->uid = le32_get(od->i_uid);
	out->gid = le32_get(od->i_gid);
	out->links = le32_get(od->i_links);
	out->size = le64_get(od->i_size);
	out->blocks = le64_get(od->i_blocks);
	out->atime.sec = (int64_t)le64_get(od->i_atime);
	out->atime.nsec = le32_get(od->i_atime_nsec);
	out->ctime.sec = (int64_t)le64_get(od->i_ctime);
	out->ctime.nsec = le32_get(od->i_ctime_nsec);
	out->mtime.sec = (int64_t)le64_get(od->i_mtime);
	out->mtime.nsec = le32_get(od->i_mtime_nsec);
	out->generation = le32_get(od->i_generation);
	if (S_ISDIR(out->mode))
		out->current_depth = le32_get(od->i_current_depth);
	out->xattr_nid = le32_get(od->i_xattr_nid);
	out->flags = le32_get(od->i_flags);
	out->pino = le32_get(od->i_pino);
	out->namelen = le32_get(od->i_namelen);
	out->dir_level = od->i_dir_level;
	out->ext_lblk = le32_get(od->i_ext.lblk);
	out->ext_blk = le32_get(od->i_ext.blk);
	out->ext_len = le32_get(od->i_ext.len);
}

/*
 * The fields that a feature of the volume turns on, if the area is long
 * enough for them (kernel fs/f2fs/inode.c, do_read_inode()).
 */
static int decode_extra(const struct layout *lo, const void *block,
			struct inode *out, struct fault *fault)
{
	const struct od_inode_extra *x = inode_extra(block);
	uint16_t size = le16_get(x->i_extra_isize);

	if (size < MIN_EXTRA_ISIZE || size > sizeof(*x) || size % 4)
		return set_fault(fault, "i_extra_isize", size, sizeof(*x));
	out->extra_isize = size;
	if (layout_has(lo, OD_FEATURE_PRJQUOTA) && EXTRA_HOLDS(size, i_projid))
		out->projid = le32_get(x->i_projid);
	if (layout_has(lo, OD_FEATURE_INODE_CRTIME) &&
	    EXTRA_HOLDS(size, i_crtime_nsec)) {
		out->crtime.sec = (int64_t)le64_get(x->i_crtime);
		out->crtime.nsec = le32_get(x->i_crtime_nsec);
	}
	if (!layout_has(lo, OD_FEATURE_COMPRESSION) ||
	    !EXTRA_HOLDS(size, i_compress_flag) || !S_ISREG(out->mode) ||
	    !(out->flags & OD_FLAG_COMPR))
		return 0;
	if (x->i_log_cluster_size < MIN_LOG_CLUSTER ||
	    x->i_log_cluster_size > MAX_LOG_CLUSTER)
		return set_fault(fault, "i_log_cluster_size",
				 x->i_log_cluster_size, MIN_LOG_CLUSTER);
	out->compr_blocks = le64_get(x->i_compr_blocks);
	out->compr_algorithm = x->i_compress_algorithm;
	out->cluster_blks = 1U << x->i_log_cluster_size;
	return 0;
}

/*
 * Units of 4 bytes that the inline xattr area takes from i_addr. Without the
 * flexible feature an inline directory gives up its 200 bytes even when it
 * has no inline xattrs (kernel fs/f2fs/inode.c, do_read_inode()).
 */
static int decode_xattr_units(const struct layout *lo, const void *block,
			      const struct inode *inode, uint32_t *out,
			      struct fault *fault)
{
	uint32_t max = lo->addrs_per_inode - MIN_INLINE_DENTRY_UNITS - 1 -
		       (uint32_t)sizeof(struct od_inode_extra) / 4;
	uint32_t units;

	if (!layout_has(lo, OD_FEATURE_FLEXIBLE_INLINE_XATTR)) {
		*out = inode->inl & (OD_INLINE_XATTR | OD_INLINE_DENTRY) ?
			DEFAULT_XATTR_UNITS : 0;
		return 0;
	}
	if (!inode->extra_isize)
		return set_fault(fault, "i_inline without extra attributes",
				 inode->inl, inode->inl | OD_INLINE_EXTRA_ATTR);
	units = le16_get(inode_extra(block)->i_inline_xattr_size);
	if (units > max ||
	    (inode->inl & OD_INLINE_XATTR && units < MIN_XATTR_UNITS))
		return set_fault(fault, "i_inline_xattr_size", units,
				 DEFAULT_XATTR_UNITS);
	*out = units;
	return 0;
}

/* Where the parts of i_addr lie (format 5.4, 5.5). */
static void set_geometry(const struct layout *lo, uint32_t xattr_units,
			 struct inode *out)
{
	uint32_t extra_units = out->extra_isize / 4U;

	out->addr_first = extra_units;
	out->nr_addrs = lo->addrs_per_inode - extra_units - xattr_units;
	out->node_addrs = lo->addrs_per_node;
	out->inline_off = OD_INODE_ADDRS + 4 * (extra_units + 1);
	out->inline_bytes = 4 * (out->nr_addrs - 1);
	if (out->inl & OD_INLINE_XATTR) {
		out->xattr_off = OD_INODE_ADDRS +
				 4 * (lo->addrs_per_inode - xattr_units);
		out->xattr_bytes = 4 * xattr_units;
	}
	if (out->cluster_blks) {
		out->nr_addrs -= out->nr_addrs % out->cluster_blks;
		out->node_addrs -= out->node_addrs % out->cluster_blks;
	}
}

int inode_decode(const struct layout *lo, const void *block,
		 struct inode *out, struct fault *fault)
{
	const struct od_node_foot *foot = node_foot(lo, block);
	struct inode inode = { .ino = le32_get(foot->ino) };
	uint32_t xattr_units;
	int err;

	if (le32_get(foot->nid) != inode.ino)
		return set_fault(fault, "footer nid of an inode",
				 le32_get(foot->nid), inode.ino);
	decode_fixed(block, &inode);
	if (inode.inl & OD_INLINE_EXTRA_ATTR) {
		err = decode_extra(lo, block, &inode, fault);
		if (err)
			return err;
	}
	err = decode_xattr_units(lo, block, &inode, &xattr_units, fault);
	if (err)
		return err;
	set_geometry(lo, xattr_units, &inode);
	*out = inode;
	return 0;
}

int inode_read(struct volume *vol, uint32_t ino, void *block,
	       struct inode *out)
{
	struct fault fault;
	int err;

	err = node_read(vol, ino, block);
	if (err)
		return err;
	err = inode_decode(&vol->lo, block, out, &fault);
	if (err)
		return ctx_fail(vol->ctx, err, "inode %" PRIu32 ": %s is %"
				PRIu64 ", expected %" PRIu64, ino,
				fault.field, fault.found, fault.expected);
	return 0;
}

bool inode_has_blocks(const struct inode *inode)
{
	if (inode->inl & (OD_INLINE_DATA | OD_INLINE_DENTRY) ||
	    inode->flags & OD_FLAG_DEVICE_ALIAS)
		return false;
	return S_ISREG(inode->mode) || S_ISDIR(inode->mode) ||
	       S_ISLNK(inode->mode);
}

bool inode_is_dir(const struct inode *inode)
{
	return S_ISDIR(inode->mode);
}

bool inode_is_pinned(const struct inode *inode)
{
	return inode->inl & OD_INLINE_PIN_FILE ||
	       inode->flags & OD_FLAG_DEVICE_ALIAS;
}

/* The old 16-bit form in the first address, else the new one in the second. */
uint32_t inode_rdev(const struct inode *inode, const void *block)
{
	const le32 *addr = inode_file_addrs(inode, block);
	uint32_t v = le32_get(addr[0]);

	if (v)
		return (v >> 8 & 0xff) << 20 | (v & 0xff);
	v = le32_get(addr[1]);
	return (v >> 8 & 0xfff) << 20 | (v & 0xff) | (v >> 12 & 0xfff00);
}
