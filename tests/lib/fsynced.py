#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""One of every change that an fsync can leave in the log after the last
checkpoint; run in the guest, which then loses its power.

usage: fsynced.py before DIR	what the checkpoint is to hold
       fsynced.py after DIR	changes, each fsynced, and some that are not
       fsynced.py compare KERNEL OURS
		manifests of two recoveries: the same but for the times that are
		those of the recovery itself; exit 1 if anything else differs

A name says what happens to the file, so that a difference tells its case.
Nothing here makes the kernel write a checkpoint: no link, no rename, no file in
a new directory is fsynced.
"""
import os
import sys

import manifest
from workload import A, BLOCK, KEEP_SIZE, N, PUNCH_HOLE, block, put, put_at

FAR = (A - 30, A + 5, A + N + 7, A + 2 * N + 9, A + 3 * N,
       A + 2 * N + N * N + 3, A + 2 * N + 2 * N * N + 5)
CONTENT = {}


def content(fn):
	CONTENT[fn.__name__.replace("_", "-")] = fn
	return fn


def write(f, text, pos):
	os.pwrite(f, text, pos)


# Each gets the file descriptor of a file of 100 KiB.

@content
def appended(f):
	write(f, b"a few more words\n", 100 << 10)


@content
def overwritten(f):
	write(f, block("new", 7, 1) + block("new", 8, 1), 7 * BLOCK)


@content
def overwritten_often(f):
	for i in range(20):
		write(f, block("often", i, i), i * BLOCK)
		os.fsync(f)
		write(f, block("again", i, i), BLOCK)
		os.fdatasync(f)


@content
def shorter(f):
	os.ftruncate(f, 5 * BLOCK + 11)


@content
def emptied(f):
	os.ftruncate(f, 0)


@content
def emptied_and_filled(f):
	os.ftruncate(f, 0)
	os.fsync(f)
	write(f, b"tiny\n", 0)


@content
def longer(f):
	os.ftruncate(f, 900 * BLOCK + 1)


@content
def punched(f):
	fallocate(f, PUNCH_HOLE | KEEP_SIZE, 3 * BLOCK, 9 * BLOCK)


@content
def reserved(f):
	fallocate(f, 0, 20 * BLOCK, 60 * BLOCK)


@content
def reserved_past_its_end(f):
	fallocate(f, KEEP_SIZE, 20 * BLOCK, 60 * BLOCK)


@content
def spread(f):
	for lblk in FAR:
		write(f, block("far", lblk), lblk * BLOCK)


@content
def spread_one_by_one(f):
	for lblk in FAR:
		write(f, block("far", lblk), lblk * BLOCK)
		os.fdatasync(f)


@content
def attributes(f):
	os.fchmod(f, 0o4751)
	os.fchown(f, 1234, 70000)
	os.utime(f, ns=(5 * 10 ** 9 + 1, 6 * 10 ** 9 + 2))


@content
def small_xattr(f):
	os.setxattr(f, "user.small", b"v")


@content
def large_xattr(f):
	os.setxattr(f, "user.large", b"large " * 300)


@content
def xattr_changed(f):
	os.setxattr(f, "user.there", b"other " * 200)


@content
def xattr_gone(f):
	os.removexattr(f, "user.there")


@content
def then_removed(f):
	write(f, block("lost", 1), 0)
	os.fsync(f)
	os.unlink("then-removed")


@content
def not_settled(f):
	write(f, block("in time", 3), 3 * BLOCK)
	os.fsync(f)
	write(f, block("too late", 4), 4 * BLOCK)
	os.fchmod(f, 0o777)
	os.pwrite(f, block("too late", 900), 900 * BLOCK)


def fallocate(f, mode, pos, length):
	import ctypes
	libc = ctypes.CDLL(None, use_errno=True)
	off = ctypes.c_long
	if libc.fallocate(f, mode, off(pos), off(length)):
		raise OSError(ctypes.get_errno(), "fallocate")


def change(name, fn):
	f = os.open(name, os.O_RDWR | os.O_CREAT, 0o640)
	fn(f)
	if name not in ("not-settled", "then-removed"):
		os.fsync(f)
	os.close(f)


def create(name, text, xattr=b""):
	def fill(f):
		write(f, text, 0)
		if xattr:
			os.setxattr(f, "user.x", xattr)
	change(name, fill)


def before():
	for name in CONTENT:
		put(name, 100 << 10)
	for name in "xattr-changed", "xattr-gone":
		os.setxattr(name, "user.there", b"what was there before " * 40)
	put_at("overwritten-far", FAR)
	put_at("shorter-far", FAR)
	for name in ("grows-a-little", "grows-out-of-its-inode", "shrinks",
		     "small-then-sparse"):
		put(name, 500)
	for folder, files in ("little", 3), ("nearly-full", 178), ("big", 700):
		os.mkdir(folder)
		for i in range(files):
			put("%s/e%d" % (folder, i), 10)
	for name in "replaced", "linked", "replaced-by-inline":
		put(name, 50 << 10)
	os.link("linked", "linked-too")
	for folder in "folder-replaced", "full-folder-replaced/in/it":
		os.makedirs(folder)
	put("full-folder-replaced/f", 5000)
	put("full-folder-replaced/in/g", 5000)
	os.sync()


def after():
	for name, fn in CONTENT.items():
		change(name, fn)
	change("overwritten-far", spread)
	change("shorter-far", lambda f: os.ftruncate(f, FAR[3] * BLOCK + 5))
	change("grows-a-little", lambda f: write(f, b"more", 500))
	change("grows-out-of-its-inode", lambda f: write(f, b"m" * 9000, 500))
	change("shrinks", lambda f: os.ftruncate(f, 20))
	change("small-then-sparse", lambda f: write(f, b"far", FAR[-1] * BLOCK))
	names()
	os.chmod("little/e0", 0o777)		# never fsynced
	os.unlink("little/e1")
	put("never-fsynced", 5000)


def names():
	for folder in "little", "nearly-full", "big":
		for i in range(40):
			create("%s/new%d" % (folder, i), b"n" * i * 150,
			       b"x" * (i % 3) * 300)
		os.unlink(folder + "/e2")
		create(folder + "/e2", b"another file")
	create("new-" + 200 * "n", b"a long name")
	create("new-empty", b"")
	create("new-large", b"".join(block("l", i) for i in range(1200)))
	change("new-sparse", spread)
	for name in "replaced", "linked", "replaced-by-inline":
		os.unlink(name)
		create(name, b"x" * (100 if "inline" in name else 30000))
	os.rmdir("folder-replaced")
	create("folder-replaced", b"a file now")
	os.unlink("full-folder-replaced/in/g")
	os.unlink("full-folder-replaced/f")
	os.removedirs("full-folder-replaced/in/it")
	create("full-folder-replaced", b"a file now, too")


def take_kept(tree):
	"""Take lost+found out of our tree. A kernel leaves without any name what a
	replaced folder held; ours has kept it there."""
	kept = {p: tree.pop(p) for p in list(tree)
		if p.split("/")[0] == "lost+found"}
	if "lost+found" in kept:
		root = tree["."]
		root["nlink"] = ["%d" % (int(root["nlink"][0]) - 1)]
	return kept


def check_kept(kept):
	files = [a for a in kept.values() if a.get("type") == ["f"]]
	dirs = [a for a in kept.values() if a.get("type") == ["d"]]
	if len(files) != 2 or len(dirs) != 3 or \
	   any(a["size"] != ["5000"] for a in files):
		print("lost+found holds", sorted(kept))
		return 1
	return 0


def compare(kernel, ours):
	one, two = manifest.load(kernel), manifest.load(ours)
	kept = take_kept(two)
	bad = check_kept(kept) if "full-folder-replaced" in one else 0
	for path in sorted(one.keys() | two.keys()):
		a, b = one.get(path, {}), two.get(path, {})
		for key in sorted(a.keys() | b.keys()):
			stamped = a.get("type") == ["d"] or path == "linked-too"
			if a.get(key) == b.get(key) or (
			   stamped and key in ("mtime", "ctime")):
				continue
			print("%s: %s by the kernel %s, by us %s" % (
				path, key, a.get(key), b.get(key)))
			bad += 1
	print("%d paths, %d differences" % (len(one), bad))
	return 1 if bad else 0


def main(args):
	if len(args) == 3 and args[0] == "compare":
		return compare(args[1], args[2])
	if len(args) != 2 or args[0] not in ("before", "after"):
		print(__doc__, file=sys.stderr)
		return 2
	os.chdir(args[1])
	before() if args[0] == "before" else after()
	return 0


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
