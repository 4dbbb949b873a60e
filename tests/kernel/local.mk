# SPDX-License-Identifier: GPL-2.0-or-later
EXTRA_DIST += %D%/setup %D%/uml-run %D%/guest-init %D%/guest-record \
	%D%/complaints %D%/make-image %D%/judge.bash %D%/ptrace-xstate.c
