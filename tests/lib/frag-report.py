#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a report says of each file what a kernel's FIEMAP said.

usage: frag-report.py REPORT FIEMAP MANIFEST

REPORT is the document of "defrag.f2fs --report --json" on the whole volume, the
others what fiemap.py and manifest.py wrote when a kernel had it mounted. Exits
with 1 and names the files if blocks, extents, ideal extents, paths, sizes
or the score differ. Symlinks are only in the report, for no descriptor can be had for one.
"""
import json
import re
import sys


def inodes(name):
	"""path -> {"ino": ..., "type": ..., "size": ...}"""
	out = {}
	with open(name) as f:
		for row in f:
			path, *fields = row.rstrip("\n").split(" ")
			if path != "#":
				out[path] = dict(x.split("=", 1) for x in fields)
	return out


def counts(runs):
	blocks = extents = ideal = end = 0
	for run in runs:
		m = re.fullmatch(r"(\d+)\+(\d+)@(\d+)(:z)?", run)
		if not m:			# inline or never written
			continue
		if m.group(4):
			sys.exit("frag-report.py: no volumes with compression")
		lblk, n = int(m.group(1)), int(m.group(2))
		blocks += n
		extents += 1
		ideal += lblk != end or not end
		end = lblk + n
	return blocks, extents, ideal


def unescape(path):
	return re.sub(rb"\\x([0-9a-f]{2})",
		      lambda m: bytes([int(m.group(1), 16)]), path.encode())


def expected(fiemap, by_path):
	"""inode number -> (blocks, extents, ideal)"""
	out = {}
	with open(fiemap) as f:
		for row in f:
			path, *rest = row.rstrip("\n").split(" ")
			if path == "#" or rest[0] == "link":
				continue
			got = counts(rest[1:])
			if got[0]:
				out[int(by_path[path]["ino"])] = got
	return out


def score(blocks, extents, ideal):
	"""As in the manual page of defrag.f2fs."""
	if extents == ideal:
		return 0
	percent = 100 * (extents - ideal) / (blocks - ideal)
	return 8 * percent if percent <= 10 else 80 + (percent - 10) * 20 / 90


def main(args):
	if len(args) != 3:
		print(__doc__, file=sys.stderr)
		return 2
	with open(args[0]) as f:
		files = json.load(f)["files"]
	by_path = inodes(args[2])
	paths = {b"/" if p == "." else b"/" + unescape(p): v
		 for p, v in by_path.items()}
	want = expected(args[1], by_path)
	bad = []
	for f in files:
		entry = paths.get(unescape(f["path"] or ""))
		if not entry or int(entry["ino"]) != f["inode"]:
			bad.append((f, "path"))
			continue
		if int(entry["size"]) != f["size_bytes"]:
			bad.append((f, "size"))
		if f["directory"] != (entry["type"] == "d"):
			bad.append((f, "type"))
		got = (f["blocks"], f["extents"], f["ideal_extents"])
		if entry["type"] != "l" and want.pop(f["inode"], None) != got:
			bad.append((f, "extents"))
		if abs(f["score"] - score(*got)) > 0.051:
			bad.append((f, "score"))
	for f, what in bad[:20]:
		print("%s: %s" % (what, json.dumps(f)))
	for ino in list(want)[:20]:
		print("not in the report: inode %d" % ino)
	return 1 if bad or want or not files else 0


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
