#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Everything a user can see of a mounted tree, as text that can be compared.

usage: manifest.py ROOT [FILE]		write the manifest of the tree at ROOT
       manifest.py --compare OLD NEW	print the differences; exit 1 if any

The volume is to be mounted noatime. The format ("\\n" ends each line, fields are
separated by one space, order and escapes as voltree.py says):

	# manifest 1
	PATH KEY=VALUE KEY=VALUE ...

Keys, in this order; a key in brackets only where it applies:

type	f d l c b p s: regular, directory, symlink, char, block, fifo, socket
ino	inode number, decimal
mode	the 12 permission bits, four octal digits ("0644", "4755")
uid gid nlink size	decimal; the size of a directory is its i_size
mtime ctime atime	SECONDS.NANOSECONDS, nine digits after the point
[rdev]	c and b: MAJOR:MINOR, decimal
[target]	l: what it points to, escaped
[xattr]	one for each extended attribute, sorted by the bytes of its full name:
	NAME:SIZE:HASH, NAME escaped and with its prefix (user. trusted. security.
	system.posix_acl_access system.posix_acl_default), SIZE of the value in
	bytes, HASH the first 16 hexadecimal digits of the value's SHA-256. A
	value is what getxattr(2) gives; of an ACL that is the form
	le32 2, then for each entry le16 tag, le16 perm, le32 id (0xffffffff
	where the tag has none), not the form on disk.
[link]	not the first path of its inode: the first path, escaped. Such a line has
	no sha256, data256 or error.
[sha256]	f up to 256 MiB: SHA-256 of the content (holes are zeros), all 64 digits
[data256]	f above 256 MiB: SHA-256 over, for each 4096-byte block that is not all
	zero, in order: its file offset as le64, then its 4096 bytes, the last
	one of the file padded with zeros
[error]	f that could not be read: the errno's name instead of a hash

Symlinks have no sha256: the target is their content.
"""
import errno
import hashlib
import os
import struct
import sys

import voltree

BLOCK = 4096
WHOLE_MAX = 256 << 20
ZERO = bytes(BLOCK)


def stamp(ns):
	return "%d.%09d" % divmod(ns, 10 ** 9)


def hash_whole(f):
	h = hashlib.sha256()
	while True:
		b = f.read(1 << 20)
		if not b:
			return h.hexdigest()
		h.update(b)


def hash_data(f):
	"""Skip holes by SEEK_DATA, so that a file of terabytes takes no time."""
	h = hashlib.sha256()
	pos = 0
	while True:
		try:
			pos = os.lseek(f.fileno(), pos, os.SEEK_DATA)
		except OSError as e:
			if e.errno == errno.ENXIO:
				return h.hexdigest()
			raise
		pos -= pos % BLOCK
		b = os.pread(f.fileno(), BLOCK, pos).ljust(BLOCK, b"\0")
		if b != ZERO:
			h.update(struct.pack("<Q", pos) + b)
		pos += BLOCK


def content(host, size):
	try:
		with open(host, "rb", buffering=0) as f:
			if size > WHOLE_MAX:
				return "data256=" + hash_data(f)
			return "sha256=" + hash_whole(f)
	except OSError as e:
		return "error=" + errno.errorcode.get(e.errno, str(e.errno))


def xattrs(host, st, known={}):
	"""Those of an inode with many names are asked for once."""
	if st.st_nlink == 1:
		return read_xattrs(host)
	if st.st_ino not in known:
		known[st.st_ino] = list(read_xattrs(host))
	return known[st.st_ino]


def read_xattrs(host):
	try:
		names = os.listxattr(host, follow_symlinks=False)
	except OSError as e:
		if e.errno == errno.EOPNOTSUPP:
			return
		raise
	for name in sorted(os.fsencode(n) for n in names):
		value = os.getxattr(host, name, follow_symlinks=False)
		yield "xattr=%s:%d:%s" % (voltree.escape(name), len(value),
					  hashlib.sha256(value).hexdigest()[:16])


def line(path, host, st, kind, leader):
	out = [
		voltree.escape(path), "type=" + kind, "ino=%d" % st.st_ino,
		"mode=%04o" % (st.st_mode & 0o7777), "uid=%d" % st.st_uid,
		"gid=%d" % st.st_gid, "nlink=%d" % st.st_nlink,
		"size=%d" % st.st_size, "mtime=" + stamp(st.st_mtime_ns),
		"ctime=" + stamp(st.st_ctime_ns), "atime=" + stamp(st.st_atime_ns),
	]
	if kind in "cb":
		out.append("rdev=%d:%d" % (os.major(st.st_rdev),
					   os.minor(st.st_rdev)))
	if kind == "l":
		out.append("target=" + voltree.escape(os.readlink(host)))
	out += xattrs(host, st)
	if leader != path:
		out.append("link=" + voltree.escape(leader))
	elif kind == "f":
		out.append(content(host, st.st_size))
	return " ".join(out)


def make(root, name):
	with open(name, "w") if name else sys.stdout as out:
		print("# manifest 1", file=out)
		for entry in voltree.walk(root):
			print(line(*entry), file=out)


def load(name):
	"""path -> {key: [values]}; a key may occur more than once (xattr)."""
	paths = {}
	with open(name) as f:
		if f.readline() != "# manifest 1\n":
			sys.exit("manifest.py: %s: not a manifest" % name)
		for text in f:
			path, *fields = text.rstrip("\n").split(" ")
			keys = paths.setdefault(path, {})
			for field in fields:
				key, _, value = field.partition("=")
				keys.setdefault(key, []).append(value)
	return paths


def compare(old_name, new_name):
	old, new = load(old_name), load(new_name)
	bad = 0
	for path in sorted(old.keys() | new.keys()):
		if path not in new:
			print("%s: missing" % path)
			bad += 1
			continue
		if path not in old:
			print("%s: extra" % path)
			bad += 1
			continue
		a, b = old[path], new[path]
		for key in sorted(a.keys() | b.keys()):
			if a.get(key) != b.get(key):
				print("%s: %s was %s, is %s" % (
					path, key, " ".join(a.get(key, ["absent"])),
					" ".join(b.get(key, ["absent"]))))
				bad += 1
	print("%d paths, %d differences" % (len(old), bad))
	return 1 if bad else 0


def main(args):
	if len(args) == 3 and args[0] == "--compare":
		return compare(args[1], args[2])
	if len(args) not in (1, 2) or args[0].startswith("-"):
		print(__doc__, file=sys.stderr)
		return 2
	make(args[0], args[1] if len(args) == 2 else None)
	return 0


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
