/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finding what is wrong with a volume. Nothing is changed. The passes go over
 * the volume in disk order and demand exactly the consistency conditions that
 * volumes made by kernels keep (format 10); what a kernel accepts cleanly is
 * not a finding.
 */
#ifndef F2CORE_CHECK_CHECK_H
#define F2CORE_CHECK_CHECK_H

#include "tree/facts.h"
#include "tree/frag.h"

/* Called by the caller's thread only; a value other than 0 stops the check. */
typedef int check_progress_fn(void *priv, const char *phase, uint64_t done,
			      uint64_t total);

struct check_options {
	unsigned int nr_threads;	/* 0: as many as there are cores, at most 8 */
	check_progress_fn *progress;	/* may be NULL */
	void *priv;
	uint64_t max_names;		/* names kept at once; 0: by the volume's size */
	struct facts *facts;		/* filled for a repair; NULL: not wanted */
};

/* Paths are looked up for this many findings at most. */
#define CHECK_MAX_PATHS 1000U

struct check_result {
	struct findings findings;	/* sorted; those of opening included */
	char **paths;			/* one a finding; NULL: none known */
	size_t nr_paths;		/* as many as findings kept */
	struct frag frag;
	uint64_t files;			/* all inodes that are no directory */
	uint64_t dirs;
	uint64_t nodes;			/* used nids */
	uint64_t blocks;		/* of the main area, in use by nodes and files */
	uint64_t orphans;
	uint64_t pending_fsyncs;
};

/*
 * Check all of @vol. On success *@out is filled whatever was found, to be
 * given to check_result_free(). Errors: -ENOMEM, -EIO where a table cannot be
 * read again, -E2BIG for a volume whose directories need more memory than
 * the bound, -ECANCELED when the callback stopped it.
 */
int check_run(struct volume *vol, const struct check_options *opt,
	      struct check_result *out);
void check_result_free(struct check_result *res);

#endif
