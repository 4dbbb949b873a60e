/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of engine/create share. */
#ifndef F2CORE_ENGINE_CREATE_INT_H
#define F2CORE_ENGINE_CREATE_INT_H

#include "engine/create.h"

/* First block of the log @type. */
uint32_t plan_log_blk(const struct format_plan *plan, unsigned int type);

/* create_super.c: fill plan->sb and plan->lo from options and geometry. */
void plan_super(struct format_plan *plan);

/* create_root.c: the inodes, their numbers and places. */
void plan_inodes(struct format_plan *plan);
int create_write_inodes(struct dev *dev, const struct format_plan *plan);

/* create_quota.c: block @i of the two of a quota file. */
void quota_fill_block(const struct format_plan *plan, int type, unsigned int i,
		      uint8_t *block);

/* create_checkpoint.c: NAT block 0 and both packs. */
int create_write_nat(struct dev *dev, const struct format_plan *plan);
int create_write_packs(struct dev *dev, const struct format_plan *plan);

#endif
