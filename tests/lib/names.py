# SPDX-License-Identifier: GPL-2.0-or-later
"""Changes of names by dir-edit, and whether a kernel then finds them.

usage: names.py plan MANIFEST SEED SCRIPT EXPECT
		by what a kernel wrote down of a volume of "make-image tree" or
		"names": what dir-edit is to do, and what is there then
       names.py check ROOT EXPECT
		each name is found by lookup, and by listing no other
       names.py apply ROOT SCRIPT
		the same changes by a kernel
       names.py use ROOT EXPECT EXPECT-THEN
		add and remove more, as a kernel does

A line of EXPECT is a folder, a name in hexadecimal digits, and its inode number;
or "links", an inode number and its link count.
"""
import os
import random
import re
import sys

# Folder: names to add, names to remove. Those that are missing are passed over.
WORK = {
	"wide": (1500, 500), "emptied": (700, 100), "void": (170, 60),
	"d1": (6, 2), "d2": (12, 3), "names": (40, 5), ".": (30, 4),
	"deep/level-0": (25, 1),
	# of "names"
	"few": (40, 10), "one": (1, 0), "crowd": (2000, 900),
	"level": (60, 5), "level/full": (200, 30), "block": (90, 20),
	"bare": (150, 20),
}


def unescape(text):
	return re.sub(rb"\\x(..)", lambda m: bytes([int(m[1], 16)]),
		      text.encode())


def read_manifest(path):
	"""{folder: {name: inode}}, {inode: (type, links)}"""
	folders, inodes = {}, {}
	for line in open(path):
		if line.startswith("#"):
			continue
		fields = line.split()
		name = unescape(fields[0])
		if fields[1].startswith("link="):
			target = unescape(fields[1][5:])
			head, _, tail = target.rpartition(b"/")
			ino = folders[head or b"."][tail]
		else:
			f = dict(x.split("=", 1) for x in fields[1:])
			ino = int(f["ino"])
			inodes[ino] = [f["type"], int(f["nlink"])]
			if f["type"] == "d":
				folders[name] = {}
		head, _, tail = name.rpartition(b"/")
		if name != b".":
			folders[head or b"."][tail] = ino
	return folders, inodes


def new_name(rnd, taken):
	while True:
		n = rnd.choice((rnd.randint(1, 24), rnd.randint(1, 255)))
		name = bytes(rnd.choice(b"abcdefghij\x01\x7f\x80\xff .-\\\n")
			     for _ in range(n))
		if name not in taken and name not in (b".", b".."):
			return name


class Plan:
	def __init__(self, manifest, seed):
		self.rnd = random.Random(seed)
		self.folders, self.inodes = read_manifest(manifest)
		self.script = []
		# What is linked to: files beside the folders at work.
		self.targets = [f.decode() + "/" + n.decode()
			for f in sorted(self.folders) if f.decode() not in WORK
			for n, i in sorted(self.folders[f].items())
			if self.inodes[i] == ["f", 1]][:6]

	def ino_of(self, path):
		head, _, tail = path.encode().rpartition(b"/")
		return self.folders[head or b"."][tail]

	def say(self, verb, folder, name, target=None):
		line = [verb, "/" + folder, name.hex()]
		if target:
			line.append("/" + target)
		self.script.append("\t".join(line))

	def unlink(self, ino):
		self.inodes[ino][1] -= 1
		if not self.inodes[ino][1]:
			del self.inodes[ino]

	def add(self, folder, names):
		name, target = new_name(self.rnd, names), self.rnd.choice(self.targets)
		names[name] = self.ino_of(target)
		self.inodes[names[name]][1] += 1
		self.say("add", folder, name, target)

	def remove(self, folder, names):
		files = [n for n in names if self.inodes[names[n]][0] == "f"
			 and not n.startswith(b"flag")]
		if not files:
			return
		name = self.rnd.choice(files)
		self.unlink(names.pop(name))
		self.say("remove", folder, name)

	def replace(self, folder, names):
		files = [n for n in names if self.inodes[names[n]][0] == "f"
			 and not n.startswith(b"flag")]
		if not files:
			return
		name, target = self.rnd.choice(files), self.rnd.choice(self.targets)
		if names[name] == self.ino_of(target):
			return
		self.inodes[self.ino_of(target)][1] += 1
		self.unlink(names[name])
		names[name] = self.ino_of(target)
		self.say("replace", folder, name, target)

	def work(self, folder, names):
		adds, removes = WORK[folder]
		todo = [self.add] * adds + [self.remove] * removes
		todo += [self.replace] * (removes // 3)
		self.rnd.shuffle(todo)
		for step in todo:
			step(folder, names)

	def remove_folders(self):
		"""Empty ones, of folders that are worked on."""
		for path in sorted(self.folders):
			head, _, tail = path.rpartition(b"/")
			if not self.folders[path] and head.endswith(b"/sub"):
				del self.inodes[self.folders[head].pop(tail)]
				self.inodes[self.ino_of(head.decode())][1] -= 1
				self.say("remove", head.decode(), tail)


def plan(manifest, seed, script, expect):
	p = Plan(manifest, int(seed))
	for folder in WORK:
		if folder.encode() in p.folders:
			p.work(folder, p.folders[folder.encode()])
	p.remove_folders()
	with open(script, "w") as f:
		print("\n".join(p.script), file=f)
	save(expect, {f: p.folders[f.encode()] for f in WORK
		      if f.encode() in p.folders},
	     {i: p.inodes[i][1] for i in map(p.ino_of, p.targets)})
	print("%d changes in %d folders" % (len(p.script), len(WORK)))


def save(path, folders, links):
	with open(path, "w") as f:
		for folder, names in folders.items():
			for name, ino in names.items():
				print(folder, name.hex(), ino, file=f)
		for ino, n in links.items():
			print("links", ino, n, file=f)


def load(path):
	folders, links = {}, {}
	for line in open(path):
		a, b, c = line.split()
		if a == "links":
			links[int(b)] = int(c)
		else:
			folders.setdefault(a, {})[bytes.fromhex(b)] = int(c)
	return folders, links


def check(root, expect):
	folders, links = load(expect)
	for folder, names in folders.items():
		at = os.fsencode(os.path.join(root, folder))
		for name, ino in names.items():
			st = os.lstat(os.path.join(at, name))
			assert st.st_ino == ino, (folder, name, st, ino)
			want = links.get(ino, st.st_nlink)
			assert st.st_nlink == want, (folder, name, st, want)
		there = os.listdir(at)
		assert len(there) == len(set(there)), folder
		assert set(there) == set(names), (
			folder, sorted(set(there) ^ set(names))[:5])
		for name in (b"is-not-there", b"?" * 255):
			assert not os.path.lexists(os.path.join(at, name))
	print("%d names in %d folders" % (sum(map(len, folders.values())),
					  len(folders)))


def apply(root, script):
	root = os.fsencode(root)
	for line in open(script):
		verb, folder, name, *target = line.rstrip("\n").split("\t")
		path = root + os.path.join(folder.encode(), bytes.fromhex(name))
		if verb == "add":
			os.link(root + target[0].encode(), path)
		elif verb == "replace":
			target = root + target[0].encode()
			os.link(target, target + b"~")
			os.rename(target + b"~", path)
		elif os.path.isdir(path):
			os.rmdir(path)
		else:
			os.unlink(path)


def use(root, expect, then):
	folders, links = load(expect)
	rnd = random.Random(5)
	for folder, names in folders.items():
		at = os.fsencode(os.path.join(root, folder))
		for i in range(300):
			name = new_name(rnd, names)
			fd = os.open(os.path.join(at, name),
				     os.O_CREAT | os.O_EXCL | os.O_WRONLY)
			names[name] = os.fstat(fd).st_ino
			os.close(fd)
		for name in [n for n in names if rnd.random() < 0.4]:
			path = os.path.join(at, name)
			try:
				os.unlink(path)
			except (IsADirectoryError, PermissionError):
				continue
			if names[name] in links:
				links[names[name]] -= 1
			del names[name]
	save(then, folders, links)


if __name__ == "__main__":
	{"plan": plan, "check": check, "apply": apply,
	 "use": use}[sys.argv[1]](*sys.argv[2:])
