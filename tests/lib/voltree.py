# SPDX-License-Identifier: GPL-2.0-or-later
"""Walking a mounted volume in a fixed order, for manifest.py and fiemap.py.

Both print one line a path. What they share, and what any other program that
prints these formats must do in the same way:

path	relative to the root of the volume, no leading "./"; the root is ".".
	A byte outside 0x21..0x7e, and the backslash, is written \\xHH (two lower
	case hexadecimal digits). Names in extended attributes and targets of
	symbolic links are written in the same way; an empty string as nothing.
order	the root first, then by the bytes of the whole unescaped path, as
	memcmp() orders them, a prefix before what it begins.
links	the paths of one inode are a group; its first path in this order stands
	for it.
"""
import os
import stat

TYPES = {
	stat.S_IFREG: "f", stat.S_IFDIR: "d", stat.S_IFLNK: "l",
	stat.S_IFCHR: "c", stat.S_IFBLK: "b", stat.S_IFIFO: "p",
	stat.S_IFSOCK: "s",
}


def escape(raw):
	return "".join(chr(c) if 0x21 <= c <= 0x7e and c != 0x5c
		       else "\\x%02x" % c for c in raw)


def _collect(folder, prefix, found):
	todo = [(folder, prefix)]
	while todo:
		folder, prefix = todo.pop()
		with os.scandir(folder) as entries:
			for e in entries:
				found.append((prefix + e.name, e.path))
				if e.is_dir(follow_symlinks=False):
					todo.append((e.path, prefix + e.name + b"/"))


def walk(root, known={}):
	"""(path, host path, lstat, type letter, first path of its inode) of each; the
	tree is looked at once, however often it is asked for."""
	root = os.fsencode(root)
	if root not in known:
		known[root] = list(_walk(root))
	return known[root]


def _walk(root):
	found = []
	_collect(root, b"", found)
	found.sort()
	first = {}
	for path, host in [(b".", root)] + found:
		st = os.lstat(host)
		kind = TYPES.get(stat.S_IFMT(st.st_mode), "?")
		leader = path
		if kind != "d" and st.st_nlink > 1:
			leader = first.setdefault(st.st_ino, path)
		yield path, host, st, kind, leader
