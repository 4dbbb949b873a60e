#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the blocks of every file and directory of a mounted tree are, by FIEMAP.

usage: fiemap.py ROOT [FILE]		write the map of the tree at ROOT
       fiemap.py --total FILE		print the last line of a map
       fiemap.py --compare OLD NEW [N]	what became of the extents; exit 1 if there are
					more of them in sum, if a path is missing, or
					if the paths that have more gained above N

The format ("\\n" ends each line, fields are separated by one space, order and
escapes as voltree.py says):

	# fiemap 1
	PATH COUNT [RUN ...]
	# total files=N dirs=N inline=N written=N unwritten=N blocks=N one_block=N

One line for each regular file and directory, in the order of voltree.py; other
types have no line, since no descriptor can be had for a symlink. Of the paths of
one inode only the first has runs; each other one has the line "PATH link FIRST".
COUNT is the number of RUNs. Numbers are decimal, in blocks of 4096 bytes unless
said otherwise. A RUN is one of

LBLK+LEN@BLK	written: LEN blocks from block LBLK of the file at block BLK of the
		volume, 0 being its first. Runs that follow each other in the
		file and on the volume are one run (across nodes, past EOF too).
LBLK+LEN@new	reserved and never written; adjacent ones are one run
LBLK+LEN@BLK:z	a compressed cluster; never merged
inline:LEN@POS	inline data or dentries: LEN bytes at byte POS of the volume (the
		inode's block * 4096 + the offset of the area in it). An inline
		file of size 0 has no run.

A directory's blocks are its dentry blocks. Nodes and xattr blocks are not in it.
Should a kernel refuse FIEMAP on an inode, its line is "PATH refused ERRNO".

Total: files and dirs count inodes; inline, written and unwritten count runs (a
compressed cluster is a written run); blocks counts blocks in written runs;
one_block the written runs that are one block long.
"""
import array
import errno
import fcntl
import os
import struct
import sys

import voltree

FS_IOC_FIEMAP = 0xc020660b
FLAG_SYNC = 1
LAST, ENCODED, INLINE, UNWRITTEN = 0x1, 0x8, 0x200, 0x800
HEAD = struct.Struct("=QQLLLL")
EXTENT = struct.Struct("=QQQQQLLLL")
BATCH = 1000
BLOCK = 4096
TOTALS = ("files", "dirs", "inline", "written", "unwritten", "blocks",
	  "one_block")


def entries(fd):
	"""Yield (logical, physical, length, flags) in bytes, as the kernel gives."""
	start = 0
	while True:
		buf = array.array("B", HEAD.pack(start, 2 ** 64 - 1 - start,
						 FLAG_SYNC, 0, BATCH, 0))
		buf.frombytes(bytes(BATCH * EXTENT.size))
		fcntl.ioctl(fd, FS_IOC_FIEMAP, buf)
		mapped = HEAD.unpack_from(buf)[3]
		for i in range(mapped):
			e = EXTENT.unpack_from(buf, HEAD.size + i * EXTENT.size)
			yield e[0], e[1], e[2], e[5]
			start = e[0] + e[2]
			if e[5] & LAST:
				return
		if not mapped:
			return


def merge(found):
	"""Entries to runs [kind, lblk, len, blk]: kinds inline, new, written, z."""
	runs = []
	for log, phys, length, flags in found:
		if flags & INLINE:
			runs.append(["inline", log, length, phys])
			continue
		kind = ("z" if flags & ENCODED else
			"new" if flags & UNWRITTEN else "written")
		lblk, blk, n = log // BLOCK, phys // BLOCK, -(-length // BLOCK)
		last = runs[-1] if runs else None
		if (last and kind != "z" and last[0] == kind and
		    last[1] + last[2] == lblk and
		    (kind == "new" or last[3] + last[2] == blk)):
			last[2] += n
		else:
			runs.append([kind, lblk, n, blk])
	return runs


def text(run):
	kind, lblk, n, blk = run
	if kind == "inline":
		return "inline:%d@%d" % (n, blk)
	if kind == "new":
		return "%d+%d@new" % (lblk, n)
	return "%d+%d@%d%s" % (lblk, n, blk, ":z" if kind == "z" else "")


def count(total, runs):
	for kind, _, n, _ in runs:
		if kind == "inline":
			total["inline"] += 1
		elif kind == "new":
			total["unwritten"] += 1
		else:
			total["written"] += 1
			total["blocks"] += n
			total["one_block"] += n == 1


def inode_line(path, host, st, total):
	# To find nothing the kernel looks at all of an inode's 923 slots in turn:
	# milliseconds for each of thousands of empty files.
	if st.st_blocks == 0:
		return path + " 0"
	fd = os.open(host, os.O_RDONLY)
	try:
		runs = merge(entries(fd))
	except OSError as e:
		return "%s refused %s" % (path, errno.errorcode[e.errno])
	finally:
		os.close(fd)
	count(total, runs)
	return " ".join([path, str(len(runs))] + [text(r) for r in runs])


def make(root, name):
	total = dict.fromkeys(TOTALS, 0)
	with open(name, "w") if name else sys.stdout as out:
		print("# fiemap 1", file=out)
		for path, host, st, kind, leader in voltree.walk(root):
			if kind not in "fd":
				continue
			shown = voltree.escape(path)
			if leader != path:
				print(shown, "link", voltree.escape(leader), file=out)
				continue
			total["files" if kind == "f" else "dirs"] += 1
			print(inode_line(shown, host, st, total), file=out)
		print("# total", *("%s=%d" % t for t in total.items()), file=out)


def load(name):
	"""(path -> number of runs, totals)"""
	paths, total = {}, {}
	with open(name) as f:
		if f.readline() != "# fiemap 1\n":
			sys.exit("fiemap.py: %s: not a map" % name)
		for row in f:
			path, n, *_ = row.rstrip("\n").split(" ", 2)
			if path == "#":
				total = dict(x.split("=") for x in row.split()[2:])
			elif n.isdigit():
				paths[path] = int(n)
	return paths, {k: int(v) for k, v in total.items()}


def compare(old_name, new_name, limit=None):
	old, before = load(old_name)
	new, after = load(new_name)
	missing = old.keys() ^ new.keys()
	for path in sorted(missing):
		print("%s: only in one map" % path)
	gained = [p for p in old if p in new and new[p] > old[p]]
	more = sum(new[p] - old[p] for p in gained)
	fewer = sum(new[p] < old[p] for p in old if p in new)
	for path in sorted(gained)[:20]:
		print("%s: had %d runs, has %d" % (path, old[path], new[path]))
	print("written runs %d, were %d; %d paths have fewer, %d more (by %d)" % (
		after["written"], before["written"], fewer, len(gained), more))
	return int(bool(missing) or after["written"] > before["written"] or
		   (limit is not None and more > int(limit)))


def main(args):
	if len(args) in (3, 4) and args[0] == "--compare":
		return compare(*args[1:])
	if len(args) == 2 and args[0] == "--total":
		print(" ".join("%s=%d" % t for t in load(args[1])[1].items()))
		return 0
	if len(args) not in (1, 2) or args[0].startswith("-"):
		print(__doc__, file=sys.stderr)
		return 2
	make(args[0], args[1] if len(args) == 2 else None)
	return 0


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
