/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The signal handler and its flag. */
#include "config.h"

#include "tool/stop.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t stop_signal;

static void on_signal(int signo)
{
	stop_signal = signo;
}

void stop_install(void)
{
	/* SA_RESETHAND: the second signal does what signals do. */
	struct sigaction stop = {
		.sa_handler = on_signal,
		.sa_flags = SA_RESETHAND | SA_RESTART,
	};
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction old;

	sigemptyset(&stop.sa_mask);
	sigemptyset(&ignore.sa_mask);
	/* Under nohup and in background jobs of sh, SIGINT stays ignored. */
	if (!sigaction(SIGINT, NULL, &old) && old.sa_handler != SIG_IGN)
		sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
}

bool stop_requested(void)
{
	return stop_signal != 0;
}

const char *stop_reason(void)
{
	switch (stop_signal) {
	case SIGINT:
		return "SIGINT";
	case SIGTERM:
		return "SIGTERM";
	default:
		return NULL;
	}
}
