#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What became of segments and sections, by the kernel's own segment_info.

usage: segments.py OLD NEW SEGS_PER_SEC [SECTION...]

OLD and NEW are copies of /proc/fs/f2fs/DEVICE/segment_info. Prints one line of
KEY=VALUE: segments_freed (had valid blocks, have none now), sections_freed
(likewise), free_sections_before, free_sections_after, valid_before, valid_after,
and already_empty: segments of the SECTIONs that had none before and have none now.
"""
import re
import sys


def load(name):
	valid = []
	with open(name) as f:
		for row in f:
			if row[:1].isdigit():
				valid += [int(v) for v in re.findall(r"\d\|(\d+)", row)]
	return valid


def sections(valid, size):
	return [sum(valid[i:i + size]) for i in range(0, len(valid), size)]


def freed(old, new):
	return sum(a > 0 and b == 0 for a, b in zip(old, new))


def already_empty(old, new, size, sections):
	return sum(not old[i] and not new[i] for s in map(int, sections)
		   for i in range(s * size, (s + 1) * size))


def main(args):
	if len(args) < 3:
		print(__doc__, file=sys.stderr)
		return 2
	old, new = load(args[0]), load(args[1])
	size = int(args[2])
	if not old or len(old) != len(new):
		sys.exit("segments.py: %d segments before, %d after" %
			 (len(old), len(new)))
	a, b = sections(old, size), sections(new, size)
	print("segments_freed=%d sections_freed=%d free_sections_before=%d "
	      "free_sections_after=%d valid_before=%d valid_after=%d "
	      "already_empty=%d" %
	      (freed(old, new), freed(a, b), a.count(0), b.count(0),
	       sum(old), sum(new), already_empty(old, new, size, args[3:])))
	return 0


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
