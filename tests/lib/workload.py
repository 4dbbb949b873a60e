#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Put known contents on a mounted volume; run in the guest by make-image.

usage: workload.py turns DIR PREFIX FILES BLOCKS [GENERATIONS]
		one block to each file in turn, past the page cache, GENERATIONS
		times over: every block becomes an extent of its own
       workload.py row DIR PREFIX FILES BLOCKS	whole files, one after another
       workload.py thin DIR PREFIX N		remove every Nth of those files
       workload.py empty DIR PREFIX FILES	files without content
       workload.py wide DIR ENTRIES
		two directories that grow in turn, one to ENTRIES names of 500 files
       workload.py fsynced DIR PREFIX FILES BLOCKS
		write each file, fsync it, overwrite a part, fsync again
       workload.py shapes DIR			one of every shape of inode
       workload.py age DIR OPS SEED		OPS random changes to the tree in DIR

Each block is text that names its file, its place and its generation, so that a
block in the wrong place is seen, contents are the same every time, and images
compress well.
"""
import ctypes
import fcntl
import mmap
import os
import random
import socket
import struct
import sys

BLOCK = 4096
A, N = 923, 1018	# addresses in a plain inode, in a direct node
KEEP_SIZE, PUNCH_HOLE = 1, 2
SET_FLAGS = 0x40086602
SET_PIN = 0x4004f50d
FLAGS = {"sync": 0x8, "immutable": 0x10, "append": 0x20, "nodump": 0x40,
	 "noatime": 0x80}

libc = ctypes.CDLL(None, use_errno=True)


def block(name, lblk, generation=0):
	line = b"%s b=%08x g=%04x\n" % (os.fsencode(name)[-40:], lblk, generation)
	return (line * (BLOCK // len(line) + 1))[:BLOCK - 1] + b"\n"


def put(name, size, generation=0):
	with open(name, "wb") as f:
		for lblk in range(-(-size // BLOCK)):
			f.write(block(name, lblk, generation)[:size - lblk * BLOCK])


def put_at(name, lblks):
	"""A sparse file with one block at each place."""
	with open(name, "wb") as f:
		for lblk in lblks:
			f.seek(lblk * BLOCK)
			f.write(block(name, lblk))


def fallocate(name, mode, pos, length):
	fd = os.open(name, os.O_RDWR | os.O_CREAT, 0o644)
	off = ctypes.c_long
	if libc.fallocate(fd, mode, off(pos), off(length)):
		raise OSError(ctypes.get_errno(), "fallocate", name)
	os.close(fd)


def ioctl(name, request, value):
	fd = os.open(name, os.O_RDONLY if request == SET_FLAGS else os.O_RDWR)
	try:
		fcntl.ioctl(fd, request, struct.pack("=Q", value))
	finally:
		os.close(fd)


def may(call, *args):
	"""What this kernel may have been built without."""
	try:
		call(*args)
	except OSError as e:
		print("%s %s: %s" % (call.__name__, args[0], e.strerror))


def names(prefix, count):
	return ["%s%04d" % (prefix, i) for i in range(count)]


def turns(prefix, files, blocks, generations="1"):
	page = mmap.mmap(-1, BLOCK)
	group = names(prefix, int(files))
	fds = [os.open(n, os.O_WRONLY | os.O_CREAT | os.O_DIRECT, 0o644)
	       for n in group]
	for g in range(int(generations)):
		for lblk in range(int(blocks)):
			for name, fd in zip(group, fds):
				page[:] = block(name, lblk, g)
				os.pwrite(fd, page, lblk * BLOCK)
		os.sync()
	for fd in fds:
		os.close(fd)


def row(prefix, files, blocks):
	for name in names(prefix, int(files)):
		put(name, int(blocks) * BLOCK)


def thin(prefix, n):
	group = sorted(f for f in os.listdir() if f.startswith(prefix))
	for name in group[::int(n)]:
		os.unlink(name)


def empty(prefix, files):
	for name in names(prefix, int(files)):
		os.close(os.open(name, os.O_WRONLY | os.O_CREAT, 0o644))


def wide(entries):
	group = names("file", 500)
	os.mkdir("wide")
	os.mkdir("beside")
	for name in group:
		put(name, 100)
	for i in range(int(entries)):
		name = group[i % len(group)]
		os.link(name, "wide/entry-%d" % i)
		if i % 99 == 0:
			os.link(name, "beside/%d" % i)
		if i % 4000 == 3999:
			os.sync()


def fsynced(prefix, files, blocks):
	for i, name in enumerate(names(prefix, int(files))):
		put(name, int(blocks) * BLOCK)
		fd = os.open(name, os.O_RDWR)
		os.fsync(fd)
		lblk = i % int(blocks)
		os.pwrite(fd, block(name, lblk, 1), lblk * BLOCK)
		os.fsync(fd)
		os.close(fd)


def shapes_sizes():
	for size in (0, 1, 100, 3451, 3452, 3453, 3488, 3489, 3652, 3688, 3689,
		     4095, 4096, 4097, 20000, 70001, 40 * BLOCK + 7):
		put("size-%d" % size, size)


def shapes_sparse():
	double = A + 2 * N + 2 * N * N
	for base in (A, A - 9, A - 50, A - 59):	# extra attributes, inline xattrs
		put_at("edge-%d" % base, (0, base - 1, base, base + N - 1, base + N,
					  base + 2 * N - 1, base + 2 * N))
	put_at("indirect", (A + 2 * N + 1, A + 3 * N, A + 2 * N + N * N - 60))
	put_at("indirect-second", (A + 2 * N + N * N, double - 70))
	put_at("double", (0, double, double + N, double + N * N + 5,
			  double + 3 * N * N + 77))
	put_at("hole-at-end", (3,))
	os.truncate("hole-at-end", 100 * BLOCK + 5)
	os.close(os.open("all-hole", os.O_CREAT | os.O_WRONLY, 0o600))
	os.truncate("all-hole", 3 << 30)


def shapes_allocated():
	put("reserved", 3 * BLOCK)
	may(fallocate, "reserved", 0, 0, 1 << 20)
	put("past-end", 2 * BLOCK + 9)
	may(fallocate, "past-end", KEEP_SIZE, 0, 40 * BLOCK)
	may(fallocate, "reserved-only", 0, 5 * BLOCK, 20 * BLOCK)
	put("punched", 64 * BLOCK)
	may(fallocate, "punched", PUNCH_HOLE | KEEP_SIZE, 5 * BLOCK, 9 * BLOCK)
	os.close(os.open("pinned", os.O_CREAT | os.O_WRONLY, 0o644))
	may(ioctl, "pinned", SET_PIN, 1)
	may(fallocate, "pinned", 0, 0, 2 << 20)


def shapes_links():
	os.makedirs("links/a/b")
	put("links/first", 9000)
	for i in range(5):
		os.link("links/first", "links/a/b/more-%d" % i)
	os.symlink("first", "links/short")
	os.symlink("x/" * 1700, "links/inline-long")
	os.symlink("y" * 4000, "links/block-long")
	os.symlink("nowhere \\ at\nall", "links/odd")


def shapes_special():
	os.mkfifo("fifo", 0o620)
	os.mknod("chr", 0o20600, os.makedev(1, 3))
	os.mknod("blk", 0o60640, os.makedev(7, 1))
	os.mknod("chr-wide", 0o20600, os.makedev(300, 70000))
	s = socket.socket(socket.AF_UNIX)
	s.bind("socket")
	s.close()


def acl(*entries):
	return struct.pack("<I", 2) + b"".join(
		struct.pack("<HHI", t, p, i) for t, p, i in entries)


def shapes_xattrs():
	none = 0xffffffff
	os.mkdir("xattrs")
	os.mkdir("xattrs/dir")
	for name in ("inline", "node", "straddle", "many", "empty"):
		put("xattrs/" + name, 50 if name == "empty" else 9000)
	os.symlink("inline", "xattrs/link")
	os.setxattr("xattrs/inline", "user.a", b"small")
	os.setxattr("xattrs/inline", "user.none", b"")
	os.setxattr("xattrs/node", "user.big", b"B" * 3000)
	os.setxattr("xattrs/straddle", "user.one", b"1" * 100)
	os.setxattr("xattrs/straddle", "user.two", b"2" * 150)
	os.setxattr("xattrs/straddle", "trusted.three", b"\0\xff" * 300)
	for i in range(60):
		os.setxattr("xattrs/many", "user.attribute-%d" % i, b"v" * i)
	os.setxattr("xattrs/empty", "user.with inline data", b"yes")
	os.setxattr("xattrs/dir", "user.on-dir", b"d" * 40)
	os.setxattr("xattrs/link", "trusted.on-link", b"l", follow_symlinks=False)
	may(os.setxattr, "xattrs/inline", "security.test", b"s" * 20)
	access = acl((1, 6, none), (2, 4, 1000), (4, 4, none), (0x10, 6, none),
		     (0x20, 0, none))
	may(os.setxattr, "xattrs/node", "system.posix_acl_access", access)
	may(os.setxattr, "xattrs/dir", "system.posix_acl_default", access)


def shapes_names():
	os.mkdir("names")
	for raw in (b" ", b"-n", b"#", b"a b", b"new\nline", b"tab\t", b"back\\x5c",
		    b"\x01\x7f", b"\xff\xfe", b"\xc3\xa4\xe4\xb8\xad", b"...",
		    b"n" * 255, b"\xf0\x9f\x98\x80" * 63, b"=,:;"):
		put(b"names/" + raw, 10)


def shapes_dirs():
	os.mkdir("wide")
	for i in range(3000):
		put("wide/entry-%04d-%s" % (i, "n" * (i % 60)), 0)
	for i in range(0, 3000, 3):
		os.unlink("wide/entry-%04d-%s" % (i, "n" * (i % 60)))
	os.mkdir("emptied")
	for i in range(600):
		put("emptied/%d-%s" % (i, "m" * 100), 0)
	for i in range(600):
		os.unlink("emptied/%d-%s" % (i, "m" * 100))
	os.mkdir("void")
	deep = "deep"
	for i in range(50):
		os.mkdir(deep)
		put(deep + "/f", 3 + i)
		deep += "/level-%d" % i


def shapes_attributes():
	for name, mode in (("suid", 0o4755), ("sgid", 0o2711), ("none", 0)):
		put("mode-" + name, 10)
		os.chmod("mode-" + name, mode)
	os.mkdir("sticky")
	os.chmod("sticky", 0o1777)
	put("owner", 5000)
	os.chown("owner", 1000, 1001)
	os.chown("void", 70000, 4000000000)
	for name, sec in (("old", -1), ("late", 4102444800), ("far", 1 << 34)):
		put("time-" + name, 1)
		os.utime("time-" + name, ns=(sec * 10 ** 9 + 5,
					     sec * 10 ** 9 + 999999999))
	for name, flag in FLAGS.items():
		put("flag-" + name, 6000)
		may(ioctl, "flag-" + name, SET_FLAGS, flag)


def shapes():
	shapes_sizes()
	shapes_sparse()
	shapes_allocated()
	shapes_links()
	shapes_special()
	shapes_xattrs()
	shapes_names()
	shapes_dirs()
	shapes_attributes()
	for d in range(8):	# something to age
		os.makedirs("d%d/sub/more" % d)
		for i, size in enumerate((0, 100, 3000, 5000, 20000, 70000, 120000)):
			put("d%d/f%02d" % (d, i), size)


def plain_files():
	found = []
	for folder, _, entries in os.walk(b"."):
		found += [os.path.join(folder, f) for f in entries
			  if os.path.isfile(os.path.join(folder, f)) and
			  not os.path.islink(os.path.join(folder, f)) and
			  not f.startswith((b"flag-", b"pinned"))]
	return sorted(found)


def overwrite(rnd, name, i):
	with open(name, "r+b") as f:
		lblk = rnd.randrange(min(os.path.getsize(name), 1 << 20) // BLOCK + 1)
		f.seek(lblk * BLOCK)
		f.write(block(name, lblk, i))
		f.flush()
		if rnd.random() < .2:
			os.fsync(f.fileno())


def append(rnd, name, i):
	if os.path.getsize(name) < 1 << 20:
		with open(name, "ab") as f:
			f.write(block(name, 0, i) * rnd.randrange(1, 20))


def truncate(rnd, name):
	os.truncate(name, rnd.randrange(min(os.path.getsize(name), 1 << 20) + 1))


def age_once(rnd, i, files, folders):
	at = rnd.randrange(len(files))
	name, luck = files[at], rnd.random()
	other = rnd.choice(folders) + b"/aged-%d" % i
	if luck < .25:
		os.unlink(name)
		files[at] = files[-1]
		files.pop()
	elif luck < .40:
		os.rename(name, other)
		files[at] = other
	elif luck < .62:
		overwrite(rnd, name, i)
	elif luck < .72:
		append(rnd, name, i)
	elif luck < .78:
		truncate(rnd, name)
	elif luck < .83:
		os.link(name, other)
		files.append(other)
	elif luck < .88:
		os.setxattr(name, "user.age", b"%d " % i * rnd.randrange(1, 300))
	elif luck < .91:
		os.symlink(name, other)
	else:
		put(other, rnd.randrange(150000), i)
		files.append(other)


def age(ops, seed):
	rnd = random.Random(int(seed))
	files = plain_files()
	folders = sorted({os.path.dirname(f) for f in files})
	refused = 0
	for i in range(int(ops)):
		try:
			age_once(rnd, i, files, folders)
		except OSError:
			refused += 1
		if i % 400 == 399:
			os.sync()
	print("aged by %s changes, %d refused" % (ops, refused))


def main(args):
	commands = {f.__name__: f for f in (turns, row, thin, empty, wide,
					    fsynced, shapes, age)}
	if len(args) < 2 or args[0] not in commands:
		print(__doc__, file=sys.stderr)
		return 2
	os.chdir(args[1])
	commands[args[0]](*args[2:])
	return 0


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
