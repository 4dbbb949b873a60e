/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lost+found: where an inode goes whose name is lost. It gets the name of its
 * number there.
 */
#ifndef F2CORE_ENGINE_LOST_FOUND_H
#define F2CORE_ENGINE_LOST_FOUND_H

#include "engine/edit.h"
#include "tree/inode.h"

/*
 * Name @ino in lost+found, which is made if the root has none. Its links stay
 * as they are, the inode learns its new name, and ".." of a directory names
 * lost+found. @now: times of the directories. -EEXIST: lost+found is a file;
 * others as dir_edit_add(). After an error the edit is to be given up.
 */
int lost_found_add(struct edit *ed, uint32_t ino, const struct inode_time *now);

#endif
