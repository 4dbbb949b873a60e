/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The work queue: a counter, a ring of what is done, one mutex. */
#include "config.h"

#include "base/work.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define DEFAULT_MAX 8U
#define THREADS_MAX 64U

struct work {
	pthread_mutex_t lock;
	pthread_cond_t moved;		/* merged or stopped */
	work_fn *fn;
	work_merge_fn *merge;		/* may be NULL */
	void *priv;
	size_t nr;
	size_t next;			/* to hand out */
	size_t merged;			/* all before it are merged */
	size_t window;
	bool *done;			/* ring of window pieces */
	bool merging;			/* a thread is at it */
	size_t err_index;		/* lowest piece that failed; SIZE_MAX */
	int err;
};

struct worker {
	struct work *work;
	unsigned int number;
	pthread_t thread;
};

unsigned int work_default_threads(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > (long)DEFAULT_MAX ? DEFAULT_MAX :
	       (unsigned int)n;
}

unsigned int work_nr_threads(unsigned int nr_threads, size_t nr)
{
	if (!nr_threads)
		nr_threads = work_default_threads();
	if (nr_threads > THREADS_MAX)
		nr_threads = THREADS_MAX;
	if (nr_threads > nr)
		nr_threads = (unsigned int)nr;
	return nr_threads ? nr_threads : 1;
}

/* The lock is held. */
static void set_error(struct work *w, size_t index, int err)
{
	if (index < w->err_index) {
		w->err_index = index;
		w->err = err;
	}
	pthread_cond_broadcast(&w->moved);
}

/*
 * The lock is held, but not while merging. All pieces before the one that
 * failed are merged still: they were handed out before it, so each of them
 * comes by here when it is done.
 */
static void merge_done(struct work *w)
{
	if (w->merging)
		return;
	w->merging = true;
	while (w->merged < w->err_index && w->done[w->merged % w->window]) {
		int err;

		pthread_mutex_unlock(&w->lock);
		err = w->merge(w->priv, w->merged);
		pthread_mutex_lock(&w->lock);
		if (err) {
			set_error(w, w->merged, err);
			break;
		}
		w->done[w->merged % w->window] = false;
		w->merged++;
		pthread_cond_broadcast(&w->moved);
	}
	w->merging = false;
}

static void work_on(struct work *w, unsigned int worker)
{
	pthread_mutex_lock(&w->lock);
	while (w->err_index == SIZE_MAX && w->next < w->nr) {
		size_t index = w->next;
		int err;

		if (w->merge && index - w->merged >= w->window) {
			pthread_cond_wait(&w->moved, &w->lock);
			continue;
		}
		w->next++;
		pthread_mutex_unlock(&w->lock);
		err = w->fn(w->priv, index, worker);
		pthread_mutex_lock(&w->lock);
		if (err) {
			set_error(w, index, err);
		} else if (w->merge) {
			w->done[index % w->window] = true;
			merge_done(w);
		}
	}
	pthread_mutex_unlock(&w->lock);
}

static void *worker_main(void *arg)
{
	struct worker *self = arg;

	work_on(self->work, self->number);
	return NULL;
}

/* Threads that cannot be made are done without; signals stay the caller's. */
static void run_threads(struct work *w, unsigned int nr_threads)
{
	struct worker workers[THREADS_MAX];
	unsigned int made = 0;
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (made + 1 < nr_threads) {
		struct worker *next = &workers[made];

		next->work = w;
		next->number = made + 1;
		if (pthread_create(&next->thread, NULL, worker_main, next))
			break;
		made++;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	work_on(w, 0);
	while (made)
		pthread_join(workers[--made].thread, NULL);
}

static int run_inline(size_t nr, work_fn *fn, work_merge_fn *merge,
		      void *priv)
{
	for (size_t i = 0; i < nr; i++) {
		int err = fn(priv, i, 0);

		if (!err && merge)
			err = merge(priv, i);
		if (err)
			return err;
	}
	return 0;
}

int work_run_merged(unsigned int nr_threads, size_t nr, size_t window,
		    work_fn *fn, work_merge_fn *merge, void *priv)
{
	struct work w = {
		.fn = fn,
		.merge = merge,
		.priv = priv,
		.nr = nr,
		.err_index = SIZE_MAX,
	};

	nr_threads = work_nr_threads(nr_threads, nr);
	if (nr_threads == 1)
		return run_inline(nr, fn, merge, priv);
	w.window = window ? window : 4 * (size_t)nr_threads;
	if (merge) {
		w.done = calloc(w.window, sizeof(*w.done));
		if (!w.done)
			return -ENOMEM;
	}
	pthread_mutex_init(&w.lock, NULL);
	pthread_cond_init(&w.moved, NULL);
	run_threads(&w, nr_threads);
	pthread_cond_destroy(&w.moved);
	pthread_mutex_destroy(&w.lock);
	free(w.done);
	return w.err;
}

int work_run(unsigned int nr_threads, size_t nr, work_fn *fn, void *priv)
{
	return work_run_merged(nr_threads, nr, 0, fn, NULL, priv);
}
