/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the reports of all runs have: before and after, and where time went. */
#ifndef F2CORE_TOOL_RUN_REPORT_H
#define F2CORE_TOOL_RUN_REPORT_H

#include <f2core.h>

#include "tool/out.h"

/* One sentence on what was done, or is to be. */
void put_headline(struct out *out, const char *volume, bool dry_run,
		  const char *stopped_by, uint64_t commits, int err);
/* Why the run ended early; nothing if it did not. */
void put_stop(struct out *out, const char *stopped_by);

/* A label, or NULL for a value that the text has only with --verbose. */
const char *more(bool verbose, const char *label);

/* Text only: a table of changes. JSON has keys of their own for them. */
void changes_begin(struct out *out);
void changes_put(struct out *out, const char *what, uint64_t before,
		 uint64_t after);
void changes_end(struct out *out);

/* A number that a run which failed does not know. */
void put_or_null(struct out *out, const char *key, uint64_t v, int err);

/* Blocks that a run moved or wrote. */
struct moved_blocks {
	uint64_t data, node;
	uint64_t updated;		/* nodes, for new addresses */
	uint64_t written;
	double write_cost;
};

void put_moved(struct out *out, const struct moved_blocks *m,
	       uint32_t block_size, bool verbose);

/* What f2c_replay() did: an object "replay", in the text a line. */
void put_replay(struct out *out, const char *volume,
		const struct f2c_replay_report *r, bool verbose);

void put_nat(struct out *out, uint64_t touched, uint64_t read,
	     uint64_t written, uint64_t journal_hits);
void put_phases(struct out *out, const struct f2c_phases *ph);

#endif
