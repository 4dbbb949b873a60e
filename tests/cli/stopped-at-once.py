#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Run a command with --progress=FD and signal it before it reports anything.

usage: stopped-at-once.py SIGNAL|SECONDS COMMAND...

FD is a pipe that is full, so the command waits in its first report until the
signal has come, or so many seconds have gone by: however fast it is, it is
stopped there. Exits as it does.
"""
import fcntl
import os
import signal
import subprocess
import sys
import time


def is_ready(pid):
    """Both signals have a handler: a shell that starts the program has one only."""
    with open("/proc/%d/status" % pid) as f:
        for line in f:
            if line.startswith("SigCgt:"):
                caught = int(line.split()[1], 16)
                return all(caught >> signo - 1 & 1
                           for signo in (signal.SIGINT, signal.SIGTERM))
    return False


def take_signals():
    """A background job of sh ignores SIGINT, and what it starts does, too."""
    for signo in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signo, signal.SIG_DFL)


def main():
    what = sys.argv[1]
    r, w = os.pipe()
    size = fcntl.fcntl(w, fcntl.F_SETPIPE_SZ, 4096)
    os.write(w, bytes(size))
    child = subprocess.Popen(sys.argv[2:] + ["--progress=%d" % w], pass_fds=[w],
                             preexec_fn=take_signals)
    os.close(w)
    # Not before it has a handler, which would be the end of it.
    end = time.monotonic() + 60
    while child.poll() is None and not is_ready(child.pid):
        if time.monotonic() > end:
            child.kill()
            sys.exit("no handlers within a minute")
        time.sleep(0.01)
    if what.startswith("SIG"):
        child.send_signal(getattr(signal, what))
    else:
        time.sleep(float(what))
    while os.read(r, size):
        pass
    sys.exit(child.wait() & 0xff)


main()
