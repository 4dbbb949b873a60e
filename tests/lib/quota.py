#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Owners with quotas; run in the guest.

usage: quota.py make DIR	files of many users, groups and projects in DIR, limits
			for some of these ids, some of them exceeded
       quota.py many DIR	files of 300 users and groups, without projects or limits
       quota.py hold DIR FILE	delete files of several of them, held open: make FILE
			and wait for ever
       quota.py fsync DIR	change files, and make some of other owners: fsync only
       quota.py list	every id that the quota files of $DEV know: limits,
			usage, times
       quota.py count DIR	the usage of every id by the files that are there
"""
import ctypes
import fcntl
import os
import stat
import struct
import sys
import time

GET_FSX, SET_FSX = 0x801c581f, 0x401c5820
FSX = struct.Struct("=IIIII8x")
SET_INFO, SET_QUOTA, GET_NEXT = 0x800006, 0x800008, 0x800009
KINDS = ("user", "group", "project")
BLOCK = 4096

# Ids that share leaves, and some that lie far from each other.
IDS = list(range(1000, 1020)) + [5, 70000, 0x01020304, 0x7fffffff, 0xfffffffe]
libc = ctypes.CDLL(None, use_errno=True)


def control(what, kind, who, buf):
	if libc.quotactl(ctypes.c_int(what << 8 | kind),
			 os.fsencode(os.environ["DEV"]),
			 ctypes.c_int(who if who < 1 << 31 else who - (1 << 32)), buf):
		e = ctypes.get_errno()
		raise OSError(e, os.strerror(e))


def limit(kind, who, soft_blocks, soft_inodes):
	"""Soft limits, and hard ones of ten times as many."""
	buf = struct.pack("=8QI4x", soft_blocks * 40, soft_blocks * 4, 0,
			  soft_inodes * 10, soft_inodes, 0, 0, 0, 5)
	control(SET_QUOTA, kind, who, ctypes.create_string_buffer(buf))


def give(path, ids):
	os.chown(path, ids[0], ids[1])
	fd = os.open(path, os.O_RDONLY)
	arg = bytearray(FSX.size)
	fcntl.ioctl(fd, GET_FSX, arg)
	flags, extsize, nextents, _, cow = FSX.unpack(arg)
	fcntl.ioctl(fd, SET_FSX, FSX.pack(flags, extsize, nextents, ids[2], cow))
	os.close(fd)


def owners(i):
	n = len(IDS)
	return IDS[i % n], IDS[(i * 7 + 3) % n], IDS[(i * 11 + 5) % n]


def put(path, blocks, ids):
	with open(path, "wb") as f:
		f.write(os.urandom(64) if not blocks else
			os.urandom(blocks * BLOCK))
	give(path, ids)


def make(top):
	os.chdir(top)
	for kind in range(3):
		control(SET_INFO, kind, 0, ctypes.create_string_buffer(
			struct.pack("=QQII", 864000 + kind, 1000 + kind, 0, 3)))
		limit(kind, 1001, 1000, 1000)	# never reached
		limit(kind, 1002, 4, 1)		# left exceeded
		limit(kind, 1003, 8, 4)		# until files go
		limit(kind, 424242, 7, 7)	# of nobody
	os.mkdir("kept")
	os.mkdir("going")
	give("kept", owners(4))
	for i in range(60):
		put("kept/%d" % i, i % 5, owners(i))
		os.setxattr("kept/%d" % i, "user.long", b"x" * (i % 3 * 300))
	for i in range(60):
		put("going/%d" % i, i % 7, owners(i))
	# Some who own nothing else, one with a limit; and large ones.
	for i, only in enumerate((2000, 2001, 80000)):
		put("going/only%d" % i, 3, (only,) * 3)
	for kind in range(3):
		limit(kind, 2001, 9, 9)
	for i in range(3):
		put("kept/large%d" % i, 1500, owners(i))
		put("going/large%d" % i, 1100, owners(i + 3))


def many(top):
	os.chdir(top)
	os.mkdir("going")
	for i in range(300):
		ids = i * i * i * 999 % 0xffffffff, i * 77777 % 0xffffffff
		for name in str(i), "going/%d" % i:
			with open(name, "wb") as f:
				f.write(b"x" * (i % 4 * 2000))
			os.chown(name, *ids)


def hold(top, mark):
	files = []
	for name in sorted(os.listdir(top + "/going")):
		if name.isdigit() and int(name) % 4 == 0:
			continue
		files.append(open("%s/going/%s" % (top, name), "rb"))
		os.unlink("%s/going/%s" % (top, name))
	os.close(os.open(mark, os.O_WRONLY | os.O_CREAT))
	while True:
		time.sleep(1000)


def fsync(top):
	os.chdir(top)
	for i in range(12):
		for name, mode, blocks in (("new%d" % i, "wb", i % 4),
					   ("kept/%d" % i, "ab", i % 3 + 1)):
			if not os.path.exists(os.path.dirname(name) or "."):
				continue
			with open(name, mode) as f:
				f.write(os.urandom(blocks * BLOCK + 10))
				f.flush()
				if mode == "wb":
					os.fchown(f.fileno(), 3000 + i * 300,
						  IDS[i])
				os.fsync(f.fileno())


def next_of(kind, who):
	buf = ctypes.create_string_buffer(80)
	try:
		control(GET_NEXT, kind, who, buf)
	except OSError:
		return None
	return struct.unpack("=8QII", buf.raw[:72])


def listing():
	for kind, name in enumerate(KINDS):
		who = 0
		while True:
			got = next_of(kind, who)
			if not got:
				break
			print(name, got[9], "limits=%d,%d,%d,%d" % (got[0], got[1],
			      got[3], got[4]), "space=%d" % got[2],
			      "inodes=%d" % got[5], "times=%d,%d" % got[6:8])
			who = got[9] + 1
			if who >= 0xffffffff:
				break


def project(path, st):
	if not stat.S_ISREG(st.st_mode) and not stat.S_ISDIR(st.st_mode):
		return 0
	fd = os.open(path, os.O_RDONLY)
	arg = bytearray(FSX.size)
	fcntl.ioctl(fd, GET_FSX, arg)
	os.close(fd)
	return FSX.unpack(arg)[3]


def count(top):
	usage, seen = {}, set()
	paths = [top]
	for folder, dirs, files in os.walk(top):
		paths += [os.path.join(folder, name) for name in dirs + files]
	for path in paths:
		st = os.lstat(path)
		if st.st_ino in seen:
			continue
		seen.add(st.st_ino)
		for kind, who in enumerate((st.st_uid, st.st_gid,
					    project(path, st))):
			use = usage.setdefault((kind, who), [0, 0])
			# What lies in the inode is shown, but is no block.
			use[0] += st.st_blocks * 512 // BLOCK * BLOCK
			use[1] += 1
	for (kind, who), (space, inodes) in sorted(usage.items()):
		print(KINDS[kind], who, "space=%d" % space, "inodes=%d" % inodes)


if __name__ == "__main__":
	{"make": make, "many": many, "hold": hold, "fsync": fsync,
	 "list": listing, "count": count}[sys.argv[1]](*sys.argv[2:])
