/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbered pieces of work on several threads. Numbers are handed out in
 * order; what comes of them is merged in order too, so that a run on many
 * threads gives the same result as a run on one.
 */
#ifndef F2CORE_BASE_WORK_H
#define F2CORE_BASE_WORK_H

#include <stddef.h>

/*
 * Do piece @index; 0 or a negative errno, which stops the run. @worker is
 * below the number of threads and the same for all that one thread does: a
 * number for buffers of its own.
 */
typedef int work_fn(void *priv, size_t index, unsigned int worker);

/* Take over the result of @index; called for 0, 1, 2, ..., one at a time. */
typedef int work_merge_fn(void *priv, size_t index);

/* Online CPUs, at most 8. */
unsigned int work_default_threads(void);

/* Threads that a run with @nr_threads (0: the default) uses for @nr pieces. */
unsigned int work_nr_threads(unsigned int nr_threads, size_t nr);

/*
 * Do the pieces 0 to @nr - 1 on @nr_threads threads (0: the default), of
 * which the caller's is one. With one thread no other is made.
 *
 * Return: 0, or the error of the lowest piece that failed; all pieces before
 * it have been done, some after it may have been. The message in a context
 * may be that of a later piece that failed at the same time.
 */
int work_run(unsigned int nr_threads, size_t nr, work_fn *fn, void *priv);

/*
 * The same, with @merge called in order for each piece that is done, by any
 * of the threads. At most @window pieces (0: four a thread) are handed out
 * and not merged yet: @index % @window names a free place for a result.
 * -ENOMEM if the queue cannot be had. With an error at piece n, the pieces
 * before n have been merged and none after.
 */
int work_run_merged(unsigned int nr_threads, size_t nr, size_t window,
		    work_fn *fn, work_merge_fn *merge, void *priv);

#endif
