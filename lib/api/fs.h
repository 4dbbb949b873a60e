/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is behind the public handle of a volume. */
#ifndef F2CORE_API_FS_H
#define F2CORE_API_FS_H

#include "api/f2core.h"
#include "meta/volume.h"

struct f2c_fs {
	struct f2c_ctx *ctx;
	struct volume *vol;
	unsigned int flags;		/* enum f2c_open_flags */
	bool mounted_ro;		/* when it was opened */
	bool quotas_wrong;		/* a check found them so */
	bool is_checked;		/* a check found no error since */
};

#endif
