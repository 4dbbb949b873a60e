#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Work that makes much durable by fsync and little by a checkpoint, until it
is killed; run in the guest by cut-images.

usage: fsyncs.py DIR SEED KIND PROGRESS

KIND	mixed	all there is, in a tree of some hundred files
	orphans	mostly files and directories that are deleted while open
	unlinked	the same without any fsync
	piles	many new names in one directory between two checkpoints
	moves	blocks that change their place or their owner
	full	mixed, also in directories that ignore case, compress or encrypt,
		and with projects: what only a full kernel knows
PROGRESS	a file that gets the number of operations done

Most of what makes the kernel write a whole checkpoint (F2FS: links, names in new
directories, extended attributes of directories) is rare, so that a cut finds a
chain of fsynced nodes.
"""
import ctypes
import errno
import fcntl
import mmap
import os
import random
import resource
import struct
import sys

import kinds
from workload import A, BLOCK, KEEP_SIZE, N, PUNCH_HOLE, SET_FLAGS, block

COLLAPSE, ZERO, INSERT = 0x08, 0x10, 0x20
NOREPLACE, EXCHANGE, WHITEOUT = 1, 2, 4
START_ATOMIC, COMMIT_ATOMIC = 0xf501, 0xf502
COLLECT_GARBAGE, MOVE_RANGE = 0x4004f506, 0xc020f509
FAR = (A - 60, A, A + N, A + 2 * N + 3, A + 4 * N, A + 2 * N + N * N + 7,
       A + 2 * N + 2 * N * N + N + 1)
NAME = b"0123456789abcdefghijklmnopqrstuvwxyz" * 8

libc = ctypes.CDLL(None, use_errno=True)


def check(result):
	if result:
		raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def fallocate(fd, mode, pos, length):
	off = ctypes.c_long
	check(libc.fallocate(fd, mode, off(pos), off(length)))


def renameat2(old, new, flags):
	check(libc.renameat2(-100, old, -100, new, flags))


class Work:
	def __init__(self, seed, kind):
		self.rnd = random.Random(seed)
		self.kind = kind
		self.step = self.serial = 0
		self.files, self.folders, self.held = [], [], []
		self.calm = self.rnd.choice((40, 100, 300))
		self.most = self.rnd.choice((60, 200, 500))
		self.pinned = b""

	# What there is

	def look(self):
		for folder, _, names in os.walk(b"."):
			self.folders.append(folder)
			for name in names:
				path = folder + b"/" + name
				if os.path.isfile(path) and not os.path.islink(path):
					self.files.append(path)
		self.files.sort()
		self.folders.sort()

	def base(self):
		"""Directories in every stage of growth, and some files in them."""
		sizes = (0, 3, 100, 180)
		if self.kind == "piles":
			sizes += 230, 600
		for i, names in enumerate(sizes):
			os.mkdir(b"d%d" % i)
			for n in range(names):
				path = b"d%d/e%d" % (i, n)
				os.close(self.open(path, os.O_CREAT))
				if n % 10 == 0:
					self.files.append(path)
			self.folders.append(b"d%d" % i)
		self.folders.append(b".")
		if self.kind == "full":
			self.full_base()
		for i in range(40):
			path = self.new_name()
			fd = self.open(path, os.O_CREAT)
			self.fill(fd, path, 0, self.size())
			os.close(fd)
			self.files.append(path)
		os.sync()

	def full_base(self):
		key = kinds.unlock(b".")
		for i in range(2):
			kinds.folder(b"Fold%d" % i, kinds.CASEFOLD)
			kinds.folder(b"zip%d" % i, kinds.COMPRESS)
			kinds.folder(b"enc%d" % i, kinds.CASEFOLD * i, key)
			self.folders += [b"Fold%d" % i, b"zip%d" % i,
					 b"enc%d" % i]

	def pick(self):
		return self.rnd.choice(self.files)

	def folder(self):
		return self.rnd.choice(self.folders)

	def new_name(self, folder=None):
		self.serial += 1
		tail = NAME[:self.rnd.choice((0, 0, 2, 9, 30, 100, 235))]
		folder = folder or self.folder()
		if folder.startswith((b"Fold", b"enc1")):
			tail = self.rnd.choice((b"", b"aBc", "\u00c4\u00df".encode(),
						b"Long" * 40))
		return b"%s/n%d.%d%s" % (folder, self.serial,
					 self.rnd.randrange(10 ** 6), tail)

	def size(self):
		r = self.rnd
		return r.choice((0, 10, r.randrange(3400), 3400, 3600,
				 r.randrange(BLOCK * 3), r.randrange(BLOCK * 20),
				 r.randrange(BLOCK * 80)))

	def forget(self, path):
		if path in self.files:
			self.files.remove(path)

	# Small steps

	def open(self, path, flags=0):
		return os.open(path, os.O_RDWR | flags, 0o644)

	def fill(self, fd, path, pos, length):
		text = b"".join(block(path, pos // BLOCK + i, self.step & 0xffff)
				for i in range(length // BLOCK + 1))
		os.pwrite(fd, text[:length], pos)

	def settle(self, fd, often=.75):
		if self.kind == "unlinked":
			return
		luck = self.rnd.random()
		if luck < often * .8:
			os.fsync(fd)
		elif luck < often:
			os.fdatasync(fd)

	def change(self, do, often=.75):
		"""do(fd, path, size) on some file, then most often an fsync."""
		path = self.pick()
		fd = self.open(path)
		try:
			do(fd, path, os.fstat(fd).st_size)
			self.settle(fd, often)
		finally:
			os.close(fd)

	# Content

	def append(self):
		def do(fd, path, size):
			if size > 4 << 20:
				os.ftruncate(fd, 5000)
				size = 5000
			self.fill(fd, path, size, self.rnd.choice(
				(1, 40, 700, self.rnd.randrange(2 * BLOCK))))
		self.change(do)

	def overwrite(self):
		def do(fd, path, size):
			for _ in range(self.rnd.randrange(1, 4)):
				pos = self.rnd.randrange(min(size, 1 << 20) + 1)
				self.fill(fd, path, pos, self.rnd.randrange(1, 6000))
		self.change(do)

	def direct(self):
		page = mmap.mmap(-1, BLOCK)
		path = self.pick()
		fd = self.open(path, os.O_DIRECT)
		lblk = self.rnd.randrange(60)
		page[:] = block(path, lblk, self.step & 0xffff)
		try:
			os.pwrite(fd, page, lblk * BLOCK)
			self.settle(fd)
		finally:
			os.close(fd)

	def dsync(self):
		path = self.pick()
		fd = self.open(path, self.rnd.choice((os.O_SYNC, os.O_DSYNC)))
		try:
			self.fill(fd, path, self.rnd.randrange(9) * 3000, 1500)
		finally:
			os.close(fd)

	def truncate(self):
		def do(fd, path, size):
			os.ftruncate(fd, self.rnd.choice((
				0, self.rnd.randrange(size + 1), size + 1,
				self.rnd.randrange(size + 1), size // 2,
				size + self.rnd.randrange(9 * BLOCK), 100)))
		self.change(do)

	def truncate_and_append(self):
		def do(fd, path, size):
			os.ftruncate(fd, size // 3)
			self.settle(fd, 1)
			self.fill(fd, path, size // 2, 5000)
		self.change(do)

	def sparse(self):
		def do(fd, path, size):
			lblk = self.rnd.choice(FAR) + self.rnd.randrange(4)
			self.fill(fd, path, lblk * BLOCK,
				  self.rnd.randrange(1, 2 * BLOCK))
		self.change(do)

	def far_cut(self):
		"""Blocks that several direct nodes hold, cut off in part."""
		def do(fd, path, size):
			for lblk in self.rnd.sample(FAR, 3):
				self.fill(fd, path, lblk * BLOCK, BLOCK)
			if self.rnd.random() < .5:
				self.settle(fd, 1)
			os.ftruncate(fd, BLOCK * (self.rnd.choice(FAR) + 1))
		self.change(do)

	def ranges(self):
		def do(fd, path, size):
			mode = self.rnd.choice((
				0, KEEP_SIZE, PUNCH_HOLE | KEEP_SIZE, ZERO,
				PUNCH_HOLE | KEEP_SIZE, ZERO | KEEP_SIZE))
			fallocate(fd, mode, self.rnd.randrange(size + BLOCK),
				  self.rnd.randrange(1, 30 * BLOCK))
		self.change(do)

	def shift(self):
		def do(fd, path, size):
			mode = self.rnd.choice((COLLAPSE, INSERT))
			most = max(size // BLOCK, 1)
			fallocate(fd, mode, BLOCK * self.rnd.randrange(most),
				  BLOCK * self.rnd.randrange(1, 6))
		self.change(do)

	def move_range(self):
		source, target = self.pick(), self.pick()
		one, two = self.open(source), self.open(target)
		try:
			most = os.fstat(one).st_size // BLOCK
			pos = self.rnd.randrange(max(most, 1))
			fcntl.ioctl(one, MOVE_RANGE, struct.pack(
				"=iiQQQ", two, 0, pos * BLOCK,
				self.rnd.randrange(8) * BLOCK,
				min(most - pos, 4) * BLOCK))
			for fd in self.rnd.sample((one, two), 2):
				self.settle(fd)
		finally:
			os.close(one)
			os.close(two)

	def atomic(self):
		def do(fd, path, size):
			fcntl.ioctl(fd, START_ATOMIC)
			for _ in range(3):
				self.fill(fd, path, self.rnd.randrange(size + 1),
					  self.rnd.randrange(1, 5000))
			fcntl.ioctl(fd, COMMIT_ATOMIC)
		self.change(do, .3)

	def collect(self):
		fd = os.open(b".", os.O_RDONLY)
		try:
			fcntl.ioctl(fd, COLLECT_GARBAGE, struct.pack("=I", 1))
		finally:
			os.close(fd)

	# Attributes

	def xattr(self):
		def do(fd, path, size):
			if self.rnd.random() < .25 and os.listxattr(fd):
				os.removexattr(fd, self.rnd.choice(os.listxattr(fd)))
				return
			name = self.rnd.choice((b"user.", b"trusted.")) + b"%d" % (
				self.rnd.randrange(6))
			size = self.rnd.choice((0, 3, 40, 150, 180, 900, 3000))
			os.setxattr(fd, name, b"%d " % self.step * (size // 3))
		self.change(do)

	def attributes(self):
		def do(fd, path, size):
			luck = self.rnd.randrange(4 + (self.kind == "full"))
			if luck == 0:
				os.fchmod(fd, self.rnd.choice((0o600, 0o4755, 0)))
			elif luck == 1:
				os.fchown(fd, self.rnd.choice((0, 9, 1000, 70000)),
					  self.rnd.choice((7, 1000)))
			elif luck == 2:
				os.utime(fd, ns=(self.step * 10 ** 9 + 5,
						 self.step * 10 ** 9 + 9))
			elif luck == 4:
				kinds.control(path, kinds.SET_FSX, kinds.FSX.pack(
					0, 0, 0, self.rnd.randrange(4), 0))
			elif self.kind != "full":
				fcntl.ioctl(fd, SET_FLAGS, struct.pack("=Q",
					self.rnd.choice((0, 0x40, 0x80))))
		self.change(do)

	# Names

	def create(self, folder=None):
		path = self.new_name(folder)
		fd = self.open(path, os.O_CREAT)
		self.files.append(path)
		self.fill(fd, path, 0, self.size())
		self.settle(fd, .9)
		os.close(fd)
		return path

	def pile(self):
		folder = self.folder()
		for _ in range(self.rnd.randrange(5, 60)):
			path = self.new_name(folder)
			fd = self.open(path, os.O_CREAT)
			os.write(fd, path)
			self.settle(fd, .95)
			os.close(fd)
			self.files.append(path)

	def special(self):
		path = self.new_name()
		luck = self.rnd.randrange(4)
		if luck == 0:
			os.mkfifo(path)
		elif luck == 1:
			os.mknod(path, 0o20600, os.makedev(1, 3))
		else:
			os.symlink(self.pick()[:3000] * luck, path)

	def unlink(self):
		path = self.pick()
		self.forget(path)
		os.unlink(path)

	def recreate(self):
		path = self.pick()
		os.unlink(path)
		fd = self.open(path, os.O_CREAT)
		self.fill(fd, path, 0, self.size())
		self.settle(fd, .9)
		os.close(fd)

	def settled_then_gone(self):
		self.unlink_of(self.create())

	def unlink_of(self, path):
		self.forget(path)
		os.unlink(path)

	def rename(self):
		old = self.pick()
		luck = self.rnd.random()
		if luck < .6:
			new = self.new_name(os.path.dirname(old))
		elif luck < .8:
			new = self.new_name()
		else:
			new = self.pick()
		os.rename(old, new)
		if old != new:
			self.forget(old)
			self.forget(new)
			self.files.append(new)
		self.settle_path(new, .5)

	def settle_path(self, path, often):
		fd = os.open(path, os.O_RDONLY)
		self.settle(fd, often)
		os.close(fd)

	def save(self):
		"""As an editor does: a new file takes the place of the old one."""
		path = self.pick()
		new = os.path.dirname(path) + b"/.new-%d" % self.step
		fd = self.open(new, os.O_CREAT)
		self.fill(fd, path, 0, self.size())
		if self.rnd.random() < .5:
			self.settle(fd, 1)
		os.rename(new, path)
		self.settle(fd, .8)
		os.close(fd)

	def exchange(self):
		one, two = self.pick(), self.pick()
		renameat2(one, two, EXCHANGE)
		self.settle_path(self.rnd.choice((one, two)), .5)

	def link(self):
		new = self.new_name()
		os.link(self.pick(), new)
		self.files.append(new)
		self.settle_path(new, .3)

	def nameless(self):
		fd = os.open(self.folder(), os.O_TMPFILE | os.O_RDWR, 0o640)
		path = self.new_name()
		self.fill(fd, path, 0, self.size())
		if self.rnd.random() < .4:
			self.held.append(fd)
			return
		os.link(b"/proc/self/fd/%d" % fd, path, follow_symlinks=True)
		self.files.append(path)
		self.settle(fd)
		os.close(fd)

	def mkdir(self):
		path = self.new_name()
		os.mkdir(path)
		self.folders.append(path)
		if self.rnd.random() < .5:
			self.create(path)

	def folder_attributes(self):
		os.setxattr(self.folder(), b"user.d", b"%d" % self.step * 9)

	def rename_folder(self):
		old = self.folder()
		if old == b"." or any(f.startswith(old + b"/") for f in self.folders):
			return
		new = self.new_name(b".")
		os.rename(old, new)
		self.folders[self.folders.index(old)] = new
		self.files = [new + f[len(old):] if f.startswith(old + b"/")
			      else f for f in self.files]

	# Deleted while open

	def orphan(self):
		path = self.pick() if self.rnd.random() < .5 else self.create()
		fd = self.open(path)
		if self.rnd.random() < .5:
			self.fill(fd, path, self.rnd.choice(FAR) * BLOCK, 9000)
			self.settle(fd, .3)
		if self.rnd.random() < .2:
			os.setxattr(fd, b"user.big", b"x" * 2000)
		self.forget(path)
		os.unlink(path)
		self.held.append(fd)
		if self.rnd.random() < .3:
			self.fill(fd, path, 0, 20000)
			self.settle(fd, .2)

	def orphan_folder(self):
		path = self.new_name()
		os.mkdir(path)
		for i in range(self.rnd.choice((0, 0, 5, 300))):
			name = path + b"/%d" % i
			os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
			os.unlink(name)
		self.held.append(os.open(path, os.O_RDONLY))
		os.rmdir(path)

	def crowd(self):
		for i in range(self.rnd.choice((30, 200, 1100))):
			fd = os.open(b"crowd", os.O_CREAT | os.O_RDWR)
			os.unlink(b"crowd")
			if i % 5 == 0:
				os.write(fd, b"crowd" * 1000)
			self.held.append(fd)
		os.sync()

	def let_go(self):
		for _ in range(min(len(self.held), self.rnd.choice((1, 1, 3, 900)))):
			fd = self.held.pop(self.rnd.randrange(len(self.held)))
			os.close(fd)

	def checkpoint(self):
		os.sync()

	# Which of them

	def weights(self):
		w = {
			"append": 14, "overwrite": 10, "direct": 2, "dsync": 3,
			"truncate": 6, "truncate_and_append": 2, "sparse": 2,
			"far_cut": 1, "ranges": 6, "shift": 2, "move_range": 1,
			"atomic": 1, "collect": .1, "xattr": 6, "attributes": 6,
			"create": 10, "pile": .6, "special": 1, "unlink": 5,
			"recreate": 4, "settled_then_gone": 2, "rename": 1.2,
			"save": 1.2, "exchange": .3, "link": .4, "nameless": .6,
			"mkdir": .4, "folder_attributes": .2,
			"rename_folder": .2, "orphan": 1.5, "orphan_folder": .5,
			"crowd": 0, "let_go": 1,
		}
		if self.kind in ("orphans", "unlinked"):
			w.update(orphan=15, orphan_folder=5, crowd=1.2, nameless=3,
				 far_cut=3, let_go=.5)
		elif self.kind == "piles":
			w.update(pile=9, create=20, unlink=12, recreate=8, rename=2)
		elif self.kind == "moves":
			w.update(shift=12, move_range=8, atomic=8, ranges=12,
				 collect=.6, direct=6, far_cut=4)
		if self.kind == "unlinked":
			w.update(dsync=0, atomic=0, collect=.5)
			self.calm = 8
		w["checkpoint"] = sum(w.values()) / self.calm
		return w

	def trim(self):
		"""Room for more: in files, and on the volume."""
		while len(self.files) > self.most:
			self.unlink()
		st = os.statvfs(b".")
		if st.f_bavail > st.f_blocks * .35:
			return
		for _ in range(len(self.files) // 3):
			self.unlink()
		for _ in range(len(self.held) // 2):
			os.close(self.held.pop())
		os.sync()

	def run(self, progress):
		weights = self.weights()
		names = list(weights)
		chances = list(weights.values())
		while True:
			name = self.rnd.choices(names, chances)[0]
			try:
				getattr(self, name)()
			except OSError as e:
				if e.errno in (errno.EIO, errno.EUCLEAN, errno.EROFS):
					raise
			self.step += 1
			if self.step % 5 == 0:
				os.pwrite(progress, b"%8d\n" % self.step, 0)
			if self.step % 20 == 0:
				self.trim()
			while len(self.files) < 10:
				self.create()


def main(args):
	if len(args) != 4:
		print(__doc__, file=sys.stderr)
		return 2
	resource.setrlimit(resource.RLIMIT_NOFILE, (8000, 8000))
	progress = os.open(args[3], os.O_WRONLY | os.O_CREAT)
	os.chdir(args[0])
	work = Work(args[1], args[2])
	if os.path.exists(b"d0"):
		work.look()
	else:
		work.base()
	os.pwrite(progress, b"%8d\n" % 0, 0)
	work.run(progress)


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
