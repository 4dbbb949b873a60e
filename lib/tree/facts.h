/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a check found out about the volume as its nodes and directories have it,
 * for a repair of tables: the check changes nothing, and the repair looks for
 * nothing. Bits a block and fixed records a nid, the latter only for nids that
 * are in doubt.
 */
#ifndef F2CORE_TREE_FACTS_H
#define F2CORE_TREE_FACTS_H

#include <pthread.h>

#include "base/vec.h"
#include "meta/volume.h"

/* Of a segment of the main area. */
enum fact_flags {
	FACT_HAS_DATA	= 1 << 0,
	FACT_HAS_NODES	= 1 << 1,
	FACT_IS_ALIAS	= 1 << 2,	/* of a device alias: no summary */
	FACT_BAD_SUM	= 1 << 3,	/* its summary does not name the owners */
};

/* The inode that a node belongs to is not the one its NAT entry has. */
struct fact_ino {
	uint32_t nid;
	uint32_t ino;
};

struct fact_ino_vec VEC_BODY(struct fact_ino);
struct nid_vec VEC_BODY(uint32_t);

struct facts {
	/* One bit a block in the order of a SIT entry's map. */
	uint8_t *used;			/* by a node or a file */
	uint8_t *twice;			/* by more than one */
	uint8_t *seg;			/* FACT_, one byte a segment */
	uint64_t reserved;		/* blocks counted that the SIT has not */
	uint32_t inodes;
	/*
	 * A node or directory could not be read or not be believed, so there
	 * may be more in use than is known.
	 */
	bool doubt;
	bool unread;			/* of them, something could not be read */

	struct nid_vec orphans;		/* listed inodes that are */
	struct nid_vec unlinked;	/* not listed, but without name and link */
	struct nid_vec bad;		/* used, with a block that is no node */
	struct nid_vec wanted;		/* free nids that something names */
	struct nid_vec unreached;	/* used, and do not hang from the root */
	struct fact_ino_vec inos;
	pthread_mutex_t lock;		/* of wanted and inos while checking */
	bool is_short;			/* no memory for some of them */
};

void facts_init(struct facts *f);
void facts_free(struct facts *f);

/* From any thread of a check. */
void facts_add_wanted(struct facts *f, uint32_t nid);
void facts_add_ino(struct facts *f, uint32_t nid, uint32_t ino);

/* The used blocks of a segment as a SIT entry's map has them. */
static inline const uint8_t *facts_map(const struct facts *f, uint32_t segno)
{
	return f->used + (size_t)segno * OD_SIT_MAP_BYTES;
}

#endif
