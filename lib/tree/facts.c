/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lists that grow while a check runs on several threads. */
#include "config.h"

#include "tree/facts.h"

/* More than a NAT of the largest volume could lose at once is not kept. */
#define MAX_WANTED (1U << 24)

void facts_init(struct facts *f)
{
	memset(f, 0, sizeof(*f));
	pthread_mutex_init(&f->lock, NULL);
}

void facts_free(struct facts *f)
{
	free(f->used);
	free(f->twice);
	free(f->seg);
	vec_free(&f->orphans);
	vec_free(&f->unlinked);
	vec_free(&f->bad);
	vec_free(&f->wanted);
	vec_free(&f->unreached);
	vec_free(&f->inos);
	pthread_mutex_destroy(&f->lock);
	memset(f, 0, sizeof(*f));
}

void facts_add_wanted(struct facts *f, uint32_t nid)
{
	pthread_mutex_lock(&f->lock);
	if (f->wanted.nr >= MAX_WANTED || vec_push(&f->wanted, &nid))
		f->is_short = true;
	pthread_mutex_unlock(&f->lock);
}

void facts_add_ino(struct facts *f, uint32_t nid, uint32_t ino)
{
	struct fact_ino fact = { nid, ino };

	pthread_mutex_lock(&f->lock);
	if (f->inos.nr >= MAX_WANTED || vec_push(&f->inos, &fact))
		f->is_short = true;
	pthread_mutex_unlock(&f->lock);
}
