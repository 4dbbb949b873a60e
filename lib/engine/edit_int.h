/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the edit share. */
#ifndef F2CORE_ENGINE_EDIT_INT_H
#define F2CORE_ENGINE_EDIT_INT_H

#include "engine/edit.h"

/* Write the summaries of segments with claims that are not those of logs. */
int edit_write_sums(struct edit *ed);

#endif
