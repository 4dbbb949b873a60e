#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Victims of garbage collection, reckoned from the raw SIT.

	victims.py IMAGE POLICY		"SECTION VALID AGE COST" a line, the first
					victim first; POLICY is greedy,
					cost-benefit or age-threshold
	victims.py --ages SEED IMAGE	give the segments ages of up to a year
	victims.py --valid SECTION IMAGE	how many blocks in it are valid
	victims.py --mean IMAGE		the time at which a valid block was written,
					on average

Nothing of the project's code is used but poke.py, which finds the SIT entries.
What is reckoned is what a kernel of version 6.13 or later does; Python's
numbers do not overflow.
"""
import random
import sys

from poke import B, Volume

SEG = 512
DAY = 86400
TOP = 2**32 - 1


class Section:
    def __init__(self, number, segs, logs):
        self.number = number
        self.valid = sum(valid for _, valid, _, _ in segs)
        if len(segs) == 1:
            self.mtime = segs[0][2]
        elif self.valid:
            self.mtime = (sum(valid * mtime for _, valid, mtime, _ in segs) //
                          self.valid)
        else:
            self.mtime = None
        self.blocks = SEG * len(segs)
        self.segs = len(segs)
        mine = [logs[s] for s, _, _, _ in segs if s in logs]
        self.current = bool(mine)
        written = sum(logs.get(s, SEG if valid else 0)
                      for s, valid, _, _ in segs)
        self.dirty = 0 < self.valid < written


def logs_of(vol):
    """Segment of each log: blocks written there; all of them with SSR."""
    head = vol.pack_blk(vol.pack) * B
    logs = {}
    for i in range(6):
        base, n = (84, i) if i < 3 else (36, i - 3)
        ssr = vol.at(head + 176 + i, "B")
        logs[vol.at(head + base + 4 * n, "I")] = (
            SEG if ssr else vol.at(head + base + 32 + 2 * n, "H"))
    return logs


def segments_of(vol):
    for segno in range(vol.sb["segment_count_main"]):
        off = vol.sit_off(segno)
        word = vol.at(off, "H")
        yield segno, word & 1023, vol.at(off + 66, "Q"), word >> 10


def sections_of(vol):
    logs, segs = logs_of(vol), list(segments_of(vol))
    n = vol.sb["segs_per_sec"]
    return [Section(i // n, segs[i:i + n], logs)
            for i in range(0, len(segs), n)]


def greedy(vol, sections):
    return [(s.valid, s.number, s) for s in sections if s.dirty]


def cost_benefit(vol, sections):
    times = [s.mtime for s in sections if s.mtime is not None]
    low, high = min(times), max(times + [vol.cp["elapsed_time"]])

    def cost(s):
        u = s.valid // s.segs * 100 // SEG
        age = 0
        if high != low:
            age = 100 - 100 * (s.mtime - low) // (high - low)
        return TOP - 100 * (100 - u) * age // (100 + u)

    return [(cost(s), s.number, s) for s in sections if s.dirty]


def age_threshold(vol, sections):
    """Current sections, which the kernel leaves alone, are put at the end."""
    dirty = [s for s in sections if s.dirty]
    known = [s for s in dirty if not s.current] or dirty
    if not dirty:
        return []
    high, low = max(s.mtime for s in known), min(s.mtime for s in known)
    total = high + 1 - low
    accuracy = min((2**64 - 1) // total // 100, 10000)

    def old_enough(s, least):
        return high - s.mtime >= least

    least = 7 * DAY
    if (any(old_enough(s, least) for s in known) or
            vol.cp["elapsed_time"] >= least):
        dirty = [s for s in dirty if old_enough(s, least)]
    known = sorted((s.mtime, s.number) for s in dirty if not s.current)
    first = {n for _, n in known[:max(10, len(known) * 20 // 100)]}

    def cost(s):
        age = accuracy * (high + 1 - min(s.mtime, high)) // total * 60
        holes = accuracy * (s.blocks - s.valid) // s.blocks * 40
        return TOP - age - holes

    return [(s.number not in first, cost(s), s.mtime, s.number, s)
            for s in dirty]


POLICIES = {"greedy": greedy, "cost-benefit": cost_benefit,
            "age-threshold": age_threshold}


def show(vol, policy):
    now = vol.cp["elapsed_time"]
    cost_at = 1 if policy == "age-threshold" else 0
    for row in sorted(POLICIES[policy](vol, sections_of(vol)),
                      key=lambda row: row[:-1]):
        s = row[-1]
        print(s.number, s.valid, max(0, now - s.mtime), row[cost_at])


def set_ages(vol, seed):
    """The first that a kernel looks at becomes the youngest, for it measures
    each by the youngest that it met before."""
    rnd = random.Random(seed)
    now = 365 * DAY
    logs, young = logs_of(vol), True
    for segno, valid, _, _ in list(segments_of(vol)):
        if not valid:
            continue
        ago = rnd.randrange(300 * DAY) * rnd.choice((1, 1, 1, 0))
        if valid < SEG and young and segno not in logs:
            ago, young = 0, False
        vol.poke("sit.%d.mtime" % segno, ("=", now - ago))
    vol.poke("cp.elapsed_time", ("=", now))


def mean_mtime(vol):
    segs = list(segments_of(vol))
    return (sum(valid * mtime for _, valid, mtime, _ in segs) //
            sum(valid for _, valid, _, _ in segs))


def main(args):
    if len(args) == 3 and args[0] == "--ages":
        vol = Volume(args[2])
        set_ages(vol, int(args[1]))
    elif len(args) == 3 and args[0] == "--valid":
        vol = Volume(args[2])
        print(sections_of(vol)[int(args[1])].valid)
    elif len(args) == 2 and args[0] == "--mean":
        vol = Volume(args[1])
        print(mean_mtime(vol))
    elif len(args) == 2 and args[1] in POLICIES:
        vol = Volume(args[0])
        show(vol, args[1])
    else:
        print(__doc__, file=sys.stderr)
        return 2
    vol.f.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
