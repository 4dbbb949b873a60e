#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Run a command and kill it with SIGKILL at some moment.

usage: killed.py SECONDS COMMAND...

SECONDS is when; "never" lets the command end. Prints how long it took. Exit
status: 0 it was killed, or with "never" it succeeded; 3 it had ended well
before; 1 it failed.
"""
import signal
import subprocess
import sys
import time


def main():
    when, command = sys.argv[1], sys.argv[2:]
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    if when != "never":
        # Nothing else is as exact on a busy machine, and it is never long.
        end = start + float(when)
        while time.monotonic() < end and child.poll() is None:
            left = end - time.monotonic()
            if left > 0.002:
                time.sleep(left - 0.002)
        child.send_signal(signal.SIGKILL)
    status = child.wait()
    print("%.6f" % (time.monotonic() - start))
    if status == -signal.SIGKILL:
        sys.exit(0)
    if status:
        sys.exit(1)
    sys.exit(0 if when == "never" else 3)


main()
