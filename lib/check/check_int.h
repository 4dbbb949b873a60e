/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the passes share: one record a nid, the map of the main area, lists. */
#ifndef F2CORE_CHECK_CHECK_INT_H
#define F2CORE_CHECK_CHECK_INT_H

#include "base/bits.h"
#include "base/vec.h"
#include "check/check.h"
#include "check/nids.h"
#include "check/space.h"
#include "tree/dir.h"
#include "tree/quota_usage.h"

#define CHECK_MAX_THREADS 64U

enum dir_flags {
	DIR_IS_INLINE	= 1 << 0,
	DIR_IS_CASEFOLD	= 1 << 1,	/* hashes of folded names */
	DIR_IS_ENCRYPTED = 1 << 2,	/* names may hold any byte */
	DIR_HAS_NODES	= 1 << 3,	/* blocks beyond those of its inode */
};

/* What pass 3 must know of a directory. */
struct dir_info {
	uint32_t ino;
	uint32_t depth;
	uint64_t size;			/* bytes */
	uint16_t nr_addrs;
	uint16_t node_addrs;
	uint8_t dir_level;
	uint8_t flags;			/* enum dir_flags */
};

#define LBLK_INLINE UINT64_MAX

struct dir_block {
	uint32_t blk;
	uint32_t ino;
	uint64_t lblk;			/* LBLK_INLINE: blk is the inode's */
};

/* An i_ext that goes on beyond the addresses of its inode. */
struct ext_info {
	uint32_t ino;
	uint32_t lblk, blk, len;
	uint16_t nr_addrs;
	uint16_t node_addrs;
	uint32_t matched;		/* blocks of it seen so far */
};

struct dir_info_vec VEC_BODY(struct dir_info);
struct dir_block_vec VEC_BODY(struct dir_block);
struct ext_info_vec VEC_BODY(struct ext_info);
struct key_vec VEC_BODY(uint64_t);

/* What one thread collects; merged when the pass is over. */
struct check_worker {
	struct frag_collector *frag;
	struct dir_info_vec dirs;
	struct dir_block_vec dir_blocks;
	struct ext_info_vec exts;
	struct key_vec keys;		/* of names, pass 3 */
	uint8_t *block;			/* one block */
	struct quota_usage usage;	/* of volumes with quota files */
	bool too_many_owners;		/* usage was given up */
	uint64_t new_blocks;		/* reserved, never written */
	uint64_t compress_blocks;	/* of inodes; those of nodes are in records */
	uint64_t files;
	uint64_t dirs_seen;
	uint64_t next_progress;
	char pad[64];			/* a cache line of its own */
};

struct check {
	struct volume *vol;
	const struct layout *lo;
	const struct check_options *opt;
	struct check_result *res;
	struct findings *findings;	/* those of res */
	unsigned int nr_threads;
	struct check_worker *workers;
	struct nids nids;
	struct space space;

	struct dir_info_vec dirs;	/* sorted by ino after pass 2 */
	struct dir_block_vec dir_blocks; /* sorted by address */
	struct ext_info_vec exts;	/* sorted by ino */

	/* Names whose key is in [key_from, key_to) are compared in this round. */
	uint64_t key_from;
	uint64_t key_to;
	size_t keys_max;		/* of one thread */

	uint64_t inodes_judged;		/* nodes that are inodes, pass 2 */

	/* For progress. */
	uint64_t done;
	const char *phase;		/* that was told last */
	uint64_t phase_total;
};

/* One finding more; the values and the detail are optional. */
#define check_found(c, ...) \
	findings_add((c)->findings, &(struct finding){ __VA_ARGS__ }, NULL)

#define check_found_as(c, finding_, ...) \
	findings_add((c)->findings, (finding_), __VA_ARGS__)

/* Report progress from worker 0; 0 or -ECANCELED. */
int check_progress(struct check *c, unsigned int worker, const char *phase,
		   uint64_t total);

/*
 * Directory blocks that one thread lists at most: no image may take memory
 * without bound. The second function makes the message and returns -E2BIG.
 */
size_t check_max_dir_blocks(const struct check *c);
int check_too_many_dir_blocks(const struct check *c);

/* The block address of @nid's node now, 0 if free. */
static inline uint32_t check_nid_blk(const struct check *c, uint32_t nid)
{
	return nat_get(&c->vol->nat, nid).blk;
}

/* The directory of this ino, or NULL (after pass 2). */
const struct dir_info *check_dir(const struct check *c, uint32_t ino);

/* What a node block says it is, weighed against its NAT entry. */
struct node_id {
	uint32_t nid;
	uint32_t ino;
	uint32_t ofs;
	enum node_kind kind;
	const void *block;		/* may be a copy with a mended footer */
};

/*
 * Who a node is. False: its content cannot be trusted. With @report what does
 * not fit becomes a finding.
 */
bool node_identify(struct check *c, struct check_worker *w,
		   const struct node_visit *v, bool report,
		   struct node_id *out);

/* Whether the inode's own tree has @nid as its node at @ofs (witness.c). */
bool inode_names_node(struct check *c, uint32_t ino, uint32_t nid,
		      uint32_t ofs);
/* The offset at which the inode itself names @nid as a child; 0: it does not. */
uint32_t inode_child_ofs(struct check *c, uint32_t ino, uint32_t nid);

/* The passes, each 0 or a negative errno. */
int pass0_super(struct check *c);
int pass1_tables(struct check *c);
int pass2_nodes(struct check *c);
int pass2_second_look(struct check *c);
int pass3_dirs(struct check *c);
int pass4_links(struct check *c);
int pass5_space(struct check *c);
int pass5_owners(struct check *c);
int pass5_quota(struct check *c);

/* Parts of pass 2 (inode_ext.c, inode_fields.c, pass5_quota.c, xattrs.c). */
int quota_count_inode(struct check *c, struct check_worker *w,
		      const struct inode *inode);
int ext_check_inode(struct check *c, struct check_worker *w,
		    const struct inode *inode, uint32_t blk, const void *block);
void inode_check_fields(struct check *c, const struct inode *inode,
			uint32_t blk, const void *block);
/*
 * Check the inline part of a list. *@next is where the list goes on in the
 * xattr node, in bytes from its start (UINT32_MAX: at its start), or 0 if it
 * ended.
 */
void xattr_check_inline(struct check *c, const struct inode *inode,
			uint32_t blk, const void *block, uint32_t *next);
void xattr_check_node(struct check *c, uint32_t ino, uint32_t blk,
		      const void *block, uint32_t from);

/* Parts of pass 3 (dir_block.c, dir_names.c). */
int dir_check_block(struct check *c, struct check_worker *w,
		    const struct dir_info *d, const struct dir_block *b,
		    const void *block);
/* The entries of a block as read; false if the inline area is not usable. */
bool dir_area(struct check *c, struct check_worker *w,
	      const struct dir_block *b, const void *block,
	      struct dentry_area *out);
/* Whether the entry is one whose name counts: possible, and no dots. */
bool dir_name_counts(const struct check *c, const struct dir_block *b,
		     const struct dentry_area *area,
		     const struct dir_entry *e);
void dir_found_entry(struct check *c, const struct dir_block *b,
		     const struct dir_entry *e, enum problem_id id,
		     uint64_t found, uint64_t expected);

void names_init(struct check *c);
int names_check(struct check *c);
/* A number for a name in a directory; equal names have equal ones. */
uint64_t name_key(const struct check *c, uint32_t dir, const uint8_t *name,
		  size_t len);
int name_add_key(struct check *c, struct check_worker *w, uint64_t key);

/* Fill the facts once all passes are done; the space is given away. */
int check_gather(struct check *c, struct facts *f);

/* Fill res->paths once all findings are sorted. */
int check_fill_paths(struct check *c);

#endif
