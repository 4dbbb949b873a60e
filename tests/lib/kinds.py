#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Files of the kinds that only a full kernel knows; run in the guest.

usage: kinds.py make DIR OUT	make one of each in DIR/kinds, all in pieces
       kinds.py record DIR OUT	write OUT/manifest, OUT/fiemap; and to OUT/kinds what
		no stat shows: flags, clusters, digests, policies, holes, names
		without their case
       kinds.py use DIR OUT	change some of each, and read it again

To OUT/kinds, "make" in the end and "use" at first add the quotas: they can be
asked for only on a volume that is mounted to be written to.

Compressed by every algorithm, encrypted, with verity, in folders that ignore
case, several of these at once; with quotas of users, groups and projects; a
swap file; and from workload.py holes, reservations, pinned files and attributes.
"""
import ctypes
import errno
import fcntl
import os
import random
import struct
import subprocess
import sys

import fiemap
import manifest
import voltree
import workload
from workload import BLOCK, block

GET_FLAGS, SET_FLAGS = 0x80086601, 0x40086602
COMPRESS, CASEFOLD = 0x4, 0x40000000
GET_FSX, SET_FSX = 0x801c581f, 0x401c5820
FSX = struct.Struct("=IIIII8x")
GET_FEATURES, GET_PIN = 0x8004f50c, 0x8004f50e
GET_COMPR_BLOCKS, RELEASE, RESERVE = 0x8008f511, 0x8008f512, 0x8008f513
GET_COMPR_OPTION, SET_COMPR_OPTION = 0x8002f515, 0x4002f516
ENABLE_VERITY, MEASURE_VERITY = 0x40806685, 0xc0046686
SET_POLICY, GET_POLICY_EX, ADD_KEY = 0x800c6613, 0xc0096616, 0xc0506617
POLICY = struct.Struct("=BBBB4x16s")	# version 2
AES_XTS, AES_CTS, PAD_32 = 1, 4, 3
KEY = bytes(range(64))
ALGORITHMS = ("lzo", "lz4", "zstd", "lzo-rle")	# in the order of their numbers
GET_QUOTA = 0x800007
USER, GROUP, PROJECT = 1000, 1001, 42

libc = ctypes.CDLL(None, use_errno=True)


def control(path, request, arg):
	fd = os.open(path, os.O_RDONLY)
	try:
		buf = bytearray(arg)
		fcntl.ioctl(fd, request, buf)
		return bytes(buf)
	finally:
		os.close(fd)


def add_flag(path, flag):
	old, = struct.unpack("=Q", control(path, GET_FLAGS, bytes(8)))
	control(path, SET_FLAGS, struct.pack("=Q", old | flag))


def unlock(top):
	"""Returns the key's identifier."""
	arg = struct.pack("=II32xII32x", 2, 0, len(KEY), 0) + KEY
	return control(top, ADD_KEY, arg)[8:24]


def folder(name, flag=0, key=None):
	os.mkdir(name)
	if key:
		control(name, SET_POLICY, POLICY.pack(2, AES_XTS, AES_CTS, PAD_32,
						      key))
	if flag:
		add_flag(name, flag)


def empty(name, algorithm=None, log_cluster=2):
	os.close(os.open(name, os.O_WRONLY | os.O_CREAT, 0o644))
	if algorithm is None:
		return
	add_flag(name, COMPRESS)
	fd = os.open(name, os.O_RDWR)
	fcntl.ioctl(fd, SET_COMPR_OPTION, bytes((algorithm, log_cluster)))
	os.close(fd)


def in_turns(files, blocks, chunk=4, generation=0):
	"""A few blocks to each file in turn, made durable each time."""
	noise = random.Random(generation)
	for first in range(0, blocks, chunk):
		for name in files:
			data = b"".join(block(name, first + i, generation)
					for i in range(chunk))
			if first % (7 * chunk) == 3 * chunk:	# cannot be compressed
				data = noise.randbytes(chunk * BLOCK)
			with open(name, "r+b", buffering=0) as f:
				f.seek(first * BLOCK)
				f.write(data)
				os.fsync(f.fileno())


def make_compressed():
	folder("compressed", COMPRESS)
	names = []
	for number, name in enumerate(ALGORITHMS):
		names.append("compressed/" + name)
		empty(names[-1], number)
	wide = "compressed/wide-clusters"
	empty(wide, 1, 4)
	in_turns(names, 32)
	in_turns([wide, names[2]], 96, 16)
	# Slots of direct nodes: past the end of the inode's own.
	far = "compressed/far"
	empty(far, 2, 3)
	for lblk in (0, 840, 864, 872, 1872, 1880):
		with open(far, "r+b", buffering=0) as f:
			f.seek(lblk * BLOCK)
			f.write(b"".join(block(far, lblk + i) for i in range(8)))
			os.fsync(f.fileno())
	# Written over in part, with a hole before the end, cut, and given back.
	with open(names[0], "r+b") as f:
		f.seek(5 * BLOCK + 100)
		f.write(b"over" * 300)
	with open(names[1], "r+b") as f:
		f.seek(60 * BLOCK)
		f.write(block(names[1], 60) * 8)
	os.truncate(names[2], 90 * BLOCK + 77)
	for name in ("released", "released-too"):
		name = "compressed/" + name
		empty(name, 1)
		in_turns([name], 32, 16)
		os.sync()
		control(name, RELEASE, bytes(8))
	empty("compressed/small")
	with open("compressed/small", "wb") as f:
		f.write(b"inline, for all its flag")


def make_encrypted(key):
	folder("encrypted", 0, key)
	names = ["encrypted/%s" % n for n in
		 ("a", "n" * 180, "\u00e4 \u4e2d", "packed", "verity")]
	for name in names[:3] + names[4:]:
		empty(name)
	empty("encrypted/packed", 1)
	in_turns(names, 20)
	os.symlink("a", "encrypted/link")
	os.symlink("s" * 3000, "encrypted/long-link")
	os.mkdir("encrypted/sub")
	for i in range(40):
		workload.put("encrypted/sub/entry-%03d-%s" % (i, "x" * 5 * i),
			     i % 9)
	os.setxattr("encrypted/a", "user.clear", b"x" * 2000)
	folder("encrypted/Any Case", CASEFOLD)
	for i in range(20):
		workload.put("encrypted/Any Case/%s%d" % ("Entry" * 30, i), 12)


def make_verity():
	folder("verity")
	names = ["verity/one", "verity/two", "verity/packed"]
	for name in names:
		empty(name, 2 if name.endswith("packed") else None)
	in_turns(names, 32)
	in_turns(names[1:], 144, 48)
	os.truncate("verity/two", 143 * BLOCK + 9)
	workload.put("verity/tiny", 10)
	for name in names + ["verity/tiny", "encrypted/verity"]:
		control(name, ENABLE_VERITY,
			struct.pack("=IIII112x", 1, 1, BLOCK, 0))


def make_casefolded():
	folder("Any Case", CASEFOLD)
	for name in ("Stra\u00dfe", "\u00c4\u00d6\u00dc", "plain", "MiXed"):
		workload.put("Any Case/" + name, 5000)
	for i in range(40):
		os.link("Any Case/plain", "Any Case/%s %d" % ("Hard Link" * 9, i))


def make_owned():
	names = ["owned/user", "owned/group", "owned/project"]
	folder("owned")
	for name in names:
		empty(name)
	in_turns(names, 24, 8)
	os.chown(names[0], USER, -1)
	os.chown(names[1], -1, GROUP)
	control(names[2], SET_FSX, FSX.pack(0, 0, 0, PROJECT, 0))


def make_swap():
	empty("swap")
	empty("between")
	in_turns(["swap", "between"], 256, 32)
	os.chmod("swap", 0o600)
	subprocess.run(["mkswap", "-q", "-U", "5eed5eed-0000-4000-8000-00000000f2f5",
			"swap"], check=True)
	os.unlink("between")


def make(out):
	key = unlock(".")
	os.mkdir("kinds")
	os.chdir("kinds")
	make_compressed()
	make_encrypted(key)
	make_verity()
	make_casefolded()
	make_owned()
	make_swap()
	workload.put_at("holes", (0, 5, 6, 40, 922, 2000))
	workload.shapes_allocated()
	workload.shapes_xattrs()
	os.mkdir("void")
	workload.shapes_attributes()
	workload.put("inline", 100)
	os.sync()
	add_quotas(out)


def number(data):
	return str(int.from_bytes(data, "little"))


def digest(path):
	got = control(path, MEASURE_VERITY, struct.pack("=HH64x", 0, 64))
	return got[4:].hex()


def holes(path):
	"""Where data and holes begin, in turn, to the end of the file."""
	out = []
	fd = os.open(path, os.O_RDONLY)
	pos, whence = 0, os.SEEK_DATA
	while True:
		try:
			pos = os.lseek(fd, pos, whence)
		except OSError as e:
			os.close(fd)
			if e.errno != errno.ENXIO:
				raise
			return ",".join(out) or "none"
		out.append(str(pos))
		whence ^= os.SEEK_DATA ^ os.SEEK_HOLE


def born(path):
	"""Birth time by statx(2), which Python does not have."""
	buf = ctypes.create_string_buffer(256)
	if libc.statx(-100, os.fsencode(path), 0x100, 0x800, buf):
		raise OSError(ctypes.get_errno(), "statx", path)
	return "%d.%09d" % struct.unpack_from("=qI", buf, 80)


# What a file may not have: the kernel then says one of these.
WITHOUT = (errno.ENODATA, errno.ENOTTY, errno.EOPNOTSUPP, errno.EINVAL,
	   errno.EPERM, errno.EACCES)

ASKED = (
	("flags", lambda p: number(control(p, GET_FLAGS, bytes(8)))),
	("project", lambda p: str(FSX.unpack(control(p, GET_FSX,
						     bytes(FSX.size)))[3])),
	("pinned", lambda p: number(control(p, GET_PIN, bytes(4)))),
	("compressed", lambda p: number(control(p, GET_COMPR_BLOCKS, bytes(8)))),
	("algorithm", lambda p: control(p, GET_COMPR_OPTION, bytes(2)).hex()),
	("verity", digest),
	("policy", lambda p: control(p, GET_POLICY_EX,
				     struct.pack("=Q", 24) + bytes(24)).hex()),
)


def ask(path):
	for name, get in ASKED:
		try:
			yield "%s=%s" % (name, get(path))
		except OSError as e:
			if e.errno not in WITHOUT:
				raise


def quota(what, kind, who):
	buf = ctypes.create_string_buffer(72)
	if libc.quotactl(GET_QUOTA << 8 | kind, os.fsencode(os.environ["DEV"]),
			 who, buf):
		raise OSError(ctypes.get_errno(), "quotactl")
	values = struct.unpack_from("=8Q", buf)
	return "quota %s %d space=%d inodes=%d" % (what, who, values[2], values[5])


def add_quotas(out):
	with open(out + "/kinds", "a") as f:
		for kind, (what, own) in enumerate((("user", USER),
						    ("group", GROUP),
						    ("project", PROJECT))):
			for who in (0, own):
				print(quota(what, kind, who), file=f)


def describe(path, host, st, kind):
	yield voltree.escape(path)
	yield "blocks=%d" % st.st_blocks
	yield "born=" + born(host)
	if kind in "fd":
		yield from ask(host)
	if kind == "f":
		yield "data=" + holes(host)


def record(out):
	unlock(".")
	manifest.make(".", out + "/manifest")
	fiemap.make(".", out + "/fiemap")
	with open(out + "/kinds", "a") as f:
		print("features", control(".", GET_FEATURES, bytes(4)).hex(),
		      file=f)
		for path, host, st, kind, leader in voltree.walk("kinds"):
			if leader == path:
				print(*describe(path, host, st, kind), file=f)
		for name in ("Any Case", "encrypted/Any Case"):
			for entry in sorted(os.listdir("kinds/" + name)):
				st = os.stat("kinds/%s/%s" % (name,
							      entry.swapcase()))
				print("folded", ascii(entry), st.st_ino, file=f)


def written(name, lblk):
	"""Change a block, and see it after it went to the disk and back."""
	with open(name, "r+b", buffering=0) as f:
		f.seek(lblk * BLOCK)
		f.write(block(name, lblk, 9))
		os.fsync(f.fileno())
		os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
		f.seek(lblk * BLOCK)
		if f.read(BLOCK) != block(name, lblk, 9):
			sys.exit("kinds.py: %s: block %d reads wrong" % (name, lblk))


def use(out):
	add_quotas(out)
	unlock(".")
	os.chdir("kinds")
	for name in ALGORITHMS:
		written("compressed/" + name, 5)
		written("compressed/" + name, 130)
	written("compressed/far", 873)
	control("compressed/released", RESERVE, bytes(8))
	written("compressed/released", 3)
	written("encrypted/a", 7)
	written("encrypted/packed", 2)
	written("owned/user", 23)
	workload.put("encrypted/sub/new", 5 * BLOCK)
	workload.put("Any Case/New", 5 * BLOCK)
	os.unlink("Any Case/MIXED")
	try:
		os.close(os.open("verity/one", os.O_RDWR))
		sys.exit("kinds.py: a file with verity can be written to")
	except PermissionError:
		pass
	written("reserved", 200)
	subprocess.run(["swapon", "swap"], check=True)
	subprocess.run(["swapoff", "swap"], check=True)


def main(args):
	commands = {"make": make, "record": record, "use": use}
	if len(args) != 3 or args[0] not in commands:
		print(__doc__, file=sys.stderr)
		return 2
	os.chdir(args[1])
	os.umask(0o022)
	commands[args[0]](args[2])
	return 0


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
