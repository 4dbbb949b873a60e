/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the parts of a defragmentation run share. */
#ifndef F2CORE_ENGINE_DEFRAG_INT_H
#define F2CORE_ENGINE_DEFRAG_INT_H

#include "engine/defrag.h"
#include "engine/txn.h"

/* A file that is to be put in order. */
struct candidate {
	uint32_t ino;
	uint32_t blocks;
	uint32_t extents;
	uint32_t ideal;
	uint64_t key;			/* first sorted by this, then by ino */
};

struct candidate_vec VEC_BODY(struct candidate);

struct defrag {
	struct volume *vol;
	const struct defrag_options *opt;
	struct defrag_report *rep;
	struct relocate_stats moved;
	struct txn txn;
	struct candidate_vec files;	/* in the order to work in */
	uint8_t *held;			/* sections with blocks of pinned files */
	double deadline_ms;		/* 0: none */
	uint64_t done, total;		/* blocks of files, for progress */
	const char *phase;		/* that is shown, and its blocks */
	uint64_t shown;
	uint64_t no_room;		/* files passed over in this pass */
	bool pieces_ok;			/* rather than leave a file as it is */
	bool timed_out;
};

/*
 * Choose the files from the yardstick's list and sort them. Counts what is
 * left out in the report. In defrag_select.c.
 */
int defrag_select(struct defrag *d, const struct frag_file_vec *all);

/*
 * Carry out the transaction that is planned. The report's sections are those
 * of the last commit, whatever fails later.
 */
int defrag_relocate(struct defrag *d);

/*
 * Empty the run of sections that is cheapest to empty and can then hold
 * @blocks in a row; one transaction. -ENOSPC: there is none. In defrag_room.c.
 */
int defrag_make_room(struct defrag *d, uint32_t blocks);

#endif
