/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Changing names in directories, through an edit, with the entries where a
 * kernel would put them (kernel fs/f2fs/dir.c, inline.c; format 6.1 to 6.4).
 * A directory grows as it needs: out of its inode, into new levels, with new
 * nodes. Calls may be mixed with other changes of the same edit.
 *
 * The directory's times become @now (NULL: they stay), its link count follows
 * when the entry is that of a directory. The inode that the entry names is not
 * touched: its links, i_pino and i_name are the caller's.
 *
 * Errors: -EUCLEAN the directory contradicts itself, -ENOTDIR it is none or is
 * not there, -EINVAL no name can be like that, -ENOSPC. After these the edit is
 * to be given up, for part of the change may be done. The others named below
 * change nothing.
 */
#ifndef F2CORE_ENGINE_DIR_EDIT_H
#define F2CORE_ENGINE_DIR_EDIT_H

#include "engine/edit.h"
#include "tree/dir.h"

/*
 * A name as it is stored: in encrypted directories the ciphertext. Its hash
 * is needed where it cannot be computed, which is in directories that are
 * encrypted and casefolded, and in casefolded ones for what name_fold()
 * does not know; elsewhere it is not looked at.
 */
struct dir_name {
	const uint8_t *name;
	size_t len;
	bool has_hash;
	uint32_t hash;
};

struct dir_found {
	uint32_t ino;
	uint8_t file_type;		/* OD_FT_ */
	uint64_t lblk;			/* 0 if inline */
	uint32_t slot;
};

/*
 * The name that a file's inode holds for its recovery, with the hash that the
 * kernel keeps behind it in encrypted directories. It points into @block.
 * -EINVAL without a message: its length is not that of a name. (Whether it is
 * to be believed, OD_ADVISE_LOST_PINO, is the caller's to ask.)
 */
int dir_name_of_inode(const void *block, struct dir_name *out);

/*
 * -ENOENT without a message: it is not there. By exact name, also where a
 * kernel would take one of other case, as its recovery does.
 */
int dir_edit_lookup(struct edit *ed, uint32_t dir, const struct dir_name *name,
		    struct dir_found *out);

/*
 * -EEXIST without a message: the name is there. -EOPNOTSUPP: the hash is needed
 * and not given.
 */
int dir_edit_add(struct edit *ed, uint32_t dir, const struct dir_name *name,
		 uint32_t ino, uint8_t file_type, const struct inode_time *now);

/*
 * -ENOENT as above. A block that becomes empty is freed and leaves a hole.
 * "." and ".." cannot be removed (-EINVAL).
 */
int dir_edit_remove(struct edit *ed, uint32_t dir, const struct dir_name *name,
		    const struct inode_time *now);

/*
 * Let an entry name another inode (kernel f2fs_set_link()): also ".." of a
 * directory that gets another parent. -ENOENT as above.
 */
int dir_edit_replace(struct edit *ed, uint32_t dir, const struct dir_name *name,
		     uint32_t ino, uint8_t file_type,
		     const struct inode_time *now);

#endif
