/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The key of sums over sets. */
#include "config.h"

#include "base/setsum.h"

#include <pthread.h>
#include <sys/random.h>
#include <time.h>

static uint64_t the_key;

/* The time will do where there is nothing better. */
static void make_key(void)
{
	struct timespec now = { 0 };

	if (getrandom(&the_key, sizeof(the_key), GRND_NONBLOCK) ==
	    sizeof(the_key))
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	the_key = (uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec;
}

uint64_t setsum_key(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_key);
	return the_key;
}
