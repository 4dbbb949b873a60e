/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Changing where a file's blocks lie, through an edit: the slot of a file
 * block, with the nodes that are missing on the way to it, and what is in it.
 * Each call reads and writes the nodes it needs; none is kept, so calls may
 * be mixed with others that write the same nodes.
 *
 * -EUCLEAN when the tree contradicts itself, -ENOSPC when the volume is full.
 * After an error the edit is to be given up: part of it may be done.
 */
#ifndef F2CORE_ENGINE_MAP_EDIT_H
#define F2CORE_ENGINE_MAP_EDIT_H

#include "engine/edit.h"

struct file_slot {
	uint32_t ino;
	uint64_t lblk;			/* block in the file */
	uint32_t nid;			/* node that holds the slot, maybe ino */
	uint32_t ofs;			/* index of the slot, as in a summary */
	uint32_t blk;			/* what it holds: 0, NEW, an address... */
};

/*
 * The slot of file block @lblk. Nodes on the way that are missing are made
 * and counted in i_blocks (kernel fs/f2fs/node.c, f2fs_get_dnode_of_data()).
 * -EFBIG past the largest file, -EINVAL if the inode has no slots (inline
 * data or names, a device).
 */
int map_edit_slot(struct edit *ed, uint32_t ino, uint64_t lblk,
		  struct file_slot *out);

/*
 * Put @blk into the slot. A hole that becomes anything else adds one to
 * i_blocks, and the other way round; a hint of the largest extent (i_ext) that
 * covers the block is emptied. What is in use on the volume is not changed:
 * that was edit_write_data(), edit_claim_block()...
 */
int map_edit_set(struct edit *ed, struct file_slot *slot, uint32_t blk);

/* Write the block, in the log @type, and put its address into the slot. */
int map_edit_write(struct edit *ed, struct file_slot *slot, uint8_t type,
		   const void *block);

/* Make the slot a hole, its block freed. The nodes stay, as the kernel's do. */
int map_edit_drop(struct edit *ed, struct file_slot *slot);

#endif
