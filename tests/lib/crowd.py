#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Crowd a mounted volume; run in the guest by make-image, beside workload.py.

usage: crowd.py mix DIR CHUNK GENERATION PREFIX:FILES:BLOCKS...
		CHUNK blocks to each of all these files in turn, past the page cache
       crowd.py scatter DIR PREFIX OPS SEED
		overwrite random blocks of those files, past the page cache
       crowd.py pour DIR PREFIX SEED
		files of 1 to 500 blocks, eight in turn, until none fits; then
		files of one block
"""
import errno
import mmap
import os
import random
import sys

from workload import BLOCK, block, names


def put_direct(fd, page, name, lblk, nr, generation):
	for i in range(nr):
		page[i * BLOCK:(i + 1) * BLOCK] = block(name, lblk + i, generation)
	os.pwrite(fd, memoryview(page)[:nr * BLOCK], lblk * BLOCK)


def mix(chunk, generation, *specs):
	chunk, group = int(chunk), []
	page = mmap.mmap(-1, chunk * BLOCK)
	for prefix, files, blocks in (s.split(":") for s in specs):
		group += [(n, int(blocks), os.open(n, os.O_WRONLY | os.O_CREAT |
						   os.O_DIRECT, 0o644))
			  for n in names(prefix, int(files))]
	for lblk in range(0, max(g[1] for g in group), chunk):
		for name, blocks, fd in group:
			nr = min(chunk, blocks - lblk)
			if nr > 0:
				put_direct(fd, page, name, lblk, nr, int(generation))
	for g in group:
		os.close(g[2])


def scatter(prefix, ops, seed):
	rnd = random.Random(int(seed))
	page = mmap.mmap(-1, BLOCK)
	group = sorted(f for f in os.listdir() if f.startswith(prefix))
	fds = [os.open(n, os.O_WRONLY | os.O_DIRECT) for n in group]
	for i in range(int(ops)):
		at = rnd.randrange(len(group))
		lblk = rnd.randrange(os.fstat(fds[at]).st_size // BLOCK)
		put_direct(fds[at], page, group[at], lblk, 1, 100 + i)
	for fd in fds:
		os.close(fd)


def pour_turn(batch, lblk, grown):
	"""One block to each file that is to have so many; False: it is full."""
	page = mmap.mmap(-1, BLOCK)
	for name, blocks, fd in batch:
		if lblk >= blocks:
			continue
		try:
			put_direct(fd, page, name, lblk, 1, 0)
		except OSError as e:
			if e.errno != errno.ENOSPC:
				raise
			return False
		grown[name] = lblk + 1
	return True


def pour_files(prefix, sizes):
	"""Eight files in turn; those that were cut short stay as they are."""
	for first in range(0, 99999, 8):
		batch, grown = [], {}
		try:
			for name in names(prefix, first + 8)[first:]:
				batch.append((name, next(sizes),
					      os.open(name, os.O_WRONLY | os.O_CREAT |
						      os.O_DIRECT, 0o644)))
		except OSError as e:
			if e.errno != errno.ENOSPC:
				raise
		full = len(batch) < 8 or not all(
			pour_turn(batch, i, grown)
			for i in range(max(b[1] for b in batch)))
		for name, _, fd in batch:
			os.close(fd)
			if name not in grown:
				os.unlink(name)
		if full:
			return


def pour(prefix, seed):
	rnd = random.Random(int(seed))
	largest = (4, 4, 30, 30, 30, 120, 500)

	def some():
		while True:
			yield rnd.randint(1, rnd.choice(largest))

	def single():
		while True:
			yield 1

	pour_files(prefix, some())
	os.sync()
	pour_files(prefix + "x", single())


def main(args):
	commands = {f.__name__: f for f in (mix, scatter, pour)}
	if len(args) < 2 or args[0] not in commands:
		print(__doc__, file=sys.stderr)
		return 2
	os.chdir(args[1])
	commands[args[0]](*args[2:])
	return 0


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
