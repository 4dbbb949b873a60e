/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The fields of an inode, as far as a kernel refuses to use the inode or to
 * work on with it (kernel fs/f2fs/inode.c, sanity_check_inode(); inline.c,
 * f2fs_sanity_check_inline_data(); dir.c).
 */
#include "config.h"

#include "check/check_int.h"

#include <sys/stat.h>

#define MAX_DEPTH	63U
#define NR_ALGORITHMS	4U

struct field_check {
	struct check *c;
	const struct inode *inode;
	uint32_t blk;
};

static void wrong(const struct field_check *fc, enum problem_id id,
		  const char *field, uint64_t found, uint64_t expected)
{
	check_found_as(fc->c, (&(struct finding){
			.id = id, .structure = "inode",
			.number = fc->inode->ino, .blk = fc->blk,
			.ino = fc->inode->ino, .has_values = true,
			.found = found, .expected = expected }), "%s", field);
}

static void wrong_field(const struct field_check *fc, const char *field,
			uint64_t found, uint64_t expected)
{
	wrong(fc, P_INODE_FIELD, field, found, expected);
}

static bool is_orphan(const struct field_check *fc)
{
	const struct nid_rec *rec = nids_get(&fc->c->nids, fc->inode->ino);

	return rec && rec_has(rec, REC_ORPHAN);
}

static void check_mode(const struct field_check *fc)
{
	const struct inode *in = fc->inode;

	if (dir_file_type(in->mode) == OD_FT_UNKNOWN)
		wrong_field(fc, "i_mode", in->mode, S_IFREG | 0600);
	/* Inline directories have 0 or 1 there, and nobody looks. */
	if (S_ISDIR(in->mode) && !is_orphan(fc) &&
	    !(in->inl & OD_INLINE_DENTRY) &&
	    (!in->current_depth || in->current_depth > MAX_DEPTH))
		wrong_field(fc, "i_current_depth", in->current_depth, 1);
}

static void check_features(const struct field_check *fc)
{
	const struct inode *in = fc->inode;
	const struct layout *lo = fc->c->lo;

	if (in->inl & OD_INLINE_EXTRA_ATTR &&
	    !layout_has(lo, OD_FEATURE_EXTRA_ATTR))
		wrong_field(fc, "i_inline without the extra_attr feature",
			    in->inl, in->inl & ~OD_INLINE_EXTRA_ATTR);
	if (in->flags & OD_FLAG_CASEFOLD &&
	    !layout_has(lo, OD_FEATURE_CASEFOLD))
		wrong_field(fc, "i_flags without the casefold feature",
			    in->flags, in->flags & ~OD_FLAG_CASEFOLD);
	if (in->flags & OD_FLAG_DEVICE_ALIAS &&
	    !layout_has(lo, OD_FEATURE_DEVICE_ALIAS))
		wrong_field(fc, "i_flags without the device_alias feature",
			    in->flags, in->flags & ~OD_FLAG_DEVICE_ALIAS);
}

static void check_compression(const struct field_check *fc)
{
	const struct inode *in = fc->inode;

	if (!in->cluster_blks)
		return;
	if (in->compr_algorithm >= NR_ALGORITHMS)
		wrong_field(fc, "i_compress_algorithm", in->compr_algorithm,
			    0);
	/* The inode's own block does not count here. */
	if (in->blocks && in->compr_blocks > in->blocks - 1)
		wrong_field(fc, "i_compr_blocks", in->compr_blocks,
			    in->blocks - 1);
}

/* Largest file: A + 2N + 2N^2 + N^3 blocks (format 5.1). */
static void check_size(const struct field_check *fc)
{
	const struct inode *in = fc->inode;
	uint64_t n = fc->c->lo->addrs_per_node;
	uint64_t blocks = in->nr_addrs + in->node_addrs * (2 + 2 * n + n * n);
	uint64_t max = blocks * fc->c->lo->block_size;

	if (in->inl & OD_INLINE_DATA && (S_ISREG(in->mode) ||
					 S_ISLNK(in->mode)))
		max = in->inline_bytes;
	if (in->size > max)
		wrong_field(fc, "i_size", in->size, max);
	/* Counts are compared modulo 2^32 later on. */
	if (in->blocks > UINT32_MAX)
		wrong(fc, P_INODE_BLOCKS, "i_blocks", in->blocks, UINT32_MAX);
}

/* Regular files whose content is transformed cannot be inline. */
static bool data_must_be_in_blocks(const struct inode *in)
{
	return S_ISREG(in->mode) &&
	       (in->advise & (OD_ADVISE_ENCRYPT | OD_ADVISE_VERITY) ||
		in->flags & OD_FLAG_COMPR);
}

static void check_inline(const struct field_check *fc, const void *block)
{
	const struct inode *in = fc->inode;
	const le32 *nids = inode_nids(fc->c->lo, block);
	uint32_t reserved = le32_get(inode_file_addrs(in, block)[0]);

	if (in->inl & OD_INLINE_DATA &&
	    ((!S_ISREG(in->mode) && !S_ISLNK(in->mode)) ||
	     data_must_be_in_blocks(in) || in->inl & OD_INLINE_DENTRY))
		wrong(fc, P_INODE_INLINE, "i_inline: inline data", in->inl,
		      in->inl & ~OD_INLINE_DATA);
	if (in->inl & OD_INLINE_DENTRY && !S_ISDIR(in->mode))
		wrong(fc, P_INODE_INLINE, "i_inline: inline entries", in->inl,
		      in->inl & ~OD_INLINE_DENTRY);
	if (!(in->inl & (OD_INLINE_DATA | OD_INLINE_DENTRY)))
		return;
	if (reserved)
		wrong(fc, P_INODE_INLINE, "the word before the inline area",
		      reserved, 0);
	for (int i = 0; i < 5; i++)
		if (le32_get(nids[i]))
			wrong(fc, P_INODE_INLINE, "i_nid beside inline content",
			      le32_get(nids[i]), 0);
}

void inode_check_fields(struct check *c, const struct inode *inode,
			uint32_t blk, const void *block)
{
	const struct field_check fc = { c, inode, blk };

	check_mode(&fc);
	check_features(&fc);
	check_compression(&fc);
	check_size(&fc);
	check_inline(&fc, block);
}
