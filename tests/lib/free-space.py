#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a report says of free space what the raw SIT says.

usage: free-space.py REPORT IMAGE

REPORT is the document of "defrag.f2fs --report --json". Nothing of the project's
code is used but poke.py, which finds the SIT entries. Exits with 1 and tells
what differs.
"""
import json
import sys

from poke import Volume
from victims import logs_of


def blocks_of(vol):
    """One character a block of the main area: 1 is valid."""
    for segno in range(vol.sb["segment_count_main"]):
        off = vol.sit_off(segno) + 2
        for i in range(64):
            yield from format(vol.at(off + i, "B"), "08b")


def reckon(vol):
    blocks = "".join(blocks_of(vol))
    per_sec = 512 * vol.sb["segs_per_sec"]
    current = {s // vol.sb["segs_per_sec"] for s in logs_of(vol)}
    runs = [len(r) for r in blocks.split("1") if r]
    secs = [blocks[i:i + per_sec] for i in range(0, len(blocks), per_sec)]
    whole = [i for i, s in enumerate(secs)
             if "1" not in s and i not in current]
    sizes = {}
    for n in runs:
        low = 1 << n.bit_length() - 1
        had = sizes.get(low, (0, 0))
        sizes[low] = had[0] + 1, had[1] + n
    return {
        "free_blocks": blocks.count("0"),
        "free_runs": len(runs),
        "longest_free_run": max(runs, default=0),
        "free_sections": len(whole),
        "dirty_sections": sum("1" in s and "0" in s and i not in current
                              for i, s in enumerate(secs)),
        "whole_section_blocks": len(whole) * per_sec,
        "whole_section_percent": round(100 * len(whole) * per_sec /
                                       max(1, blocks.count("0")), 2),
        "run_sizes": sorted((low, 2 * low - 1) + n
                            for low, n in sizes.items()),
    }


def main(args):
    if len(args) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with open(args[0]) as f:
        said = json.load(f)["free_space"]
    said["run_sizes"] = [(r["min_blocks"], r["max_blocks"], r["runs"],
                          r["blocks"]) for r in said["run_sizes"]]
    bad = 0
    for key, value in reckon(Volume(args[1])).items():
        if said[key] != value:
            print("%s: the report says %s, the SIT %s" %
                  (key, said[key], value))
            bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
