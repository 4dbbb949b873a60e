#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Fill a mounted volume with many small files; run in the guest by memory.

usage: many-files.py DIR FOLDERS FILES
	FOLDERS folders of FILES files each, of 0 to 3 blocks and 100 bytes; when
	a folder is on the disk, every second file of it grows by 100 bytes, so that
	its last block is written anew, away from the others.
"""
import os
import sys

BLOCK = 4096


def content(i, nr):
	return (b"%07d\n" % i * (nr // 8 + 1))[:nr]


def write(name, mode, data):
	fd = os.open(name, os.O_WRONLY | mode, 0o644)
	os.write(fd, data)
	os.close(fd)


def main(args):
	if len(args) != 3:
		print(__doc__, file=sys.stderr)
		return 2
	os.chdir(args[0])
	folders, files = int(args[1]), int(args[2])
	for d in range(folders):
		names = ["d%03d/f%04d" % (d, i) for i in range(files)]
		os.mkdir("d%03d" % d)
		for i, name in enumerate(names):
			write(name, os.O_CREAT | os.O_EXCL,
			      content(i, i % 4 * BLOCK + 100))
		os.sync()
		for i, name in enumerate(names):
			if i // 4 % 2:
				write(name, os.O_APPEND, content(i, 100))
	os.sync()
	return 0


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
