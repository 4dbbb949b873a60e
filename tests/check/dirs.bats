# SPDX-License-Identifier: GPL-2.0-or-later
# Faults of directories, inline (/d0) and in blocks (/, /wide).

load check

@test "root-bad: no root, or one that is no directory" {
	poke nat.3.blk=0
	finds_among root-bad
	poke inode./.mode=0x81a4
	finds_among root-bad
}

@test "dir-entry: a length that is 0 or leaves the block" {
	for len in 0 256 2000 0xffff; do
		echo "$len"
		poke "dentry./d0.f04.len=$len"
		finds nat-unreachable dir-entry
		poke "dentry./.fifo.len=$len"
		finds nat-unreachable dir-entry
	done
}

@test "dir-entry: slots that are not marked, names that cannot be" {
	name=entry-2818-$(printf 'n%.0s' $(seq 58))
	poke "dentry./wide.$name.bit.3=^1"
	finds nat-unreachable dir-entry
	for value in 0x2f 0; do
		poke "dentry./d0.f04.name.1=$value"
		finds nat-unreachable dir-entry
	done
	# A second "." entry.
	poke dentry./d0.f04.name.0=0x2e dentry./d0..04.len=1
	finds nat-unreachable dir-entry
}

@test "dir-hash: C34 wrong hash, wrong bucket, nothing written" {
	poke dentry./d0.f04.hash=0x9a2ea068
	before=$(sha256sum <"$img")
	finds dir-hash
	[ "$(value_of dir-hash expected)" = "$(peek dentry./d0.f04.hash)" ]
	[ "$(sha256sum <"$img")" = "$before" ]
	poke dentry./.fifo.hash=^1
	finds dir-hash
	poke inode./wide.dir_level=1
	finds dir-hash
}

@test "dir-dots: C33 missing, wrong, at the wrong place" {
	for poke in /d0...ino=5 /d0...bit.0=^1 /d0...hash=1 /d0...type=1 \
		/d0....ino=/d1 /d0....bit.0=^1 /d0....hash=1 \
		/d0....ino=999999 /wide...ino=5 /wide....ino=5 /....ino=/d0; do
		echo "$poke"
		poke "dentry.$poke"
		finds dir-dots
	done
}

@test "dir-target: an entry that names no inode" {
	for ino in 0 1 2 199999 0xffffffff "$(peek inode./edge-873.nid.0)"; do
		echo "$ino"
		poke "dentry./d0.f04.ino=$ino"
		finds nat-unreachable dir-target
	done
}

@test "dir-type: the type in the entry" {
	for type in 0 2 7 8 255; do
		poke "dentry./d0.f04.type=$type"
		finds dir-type
		poke "dentry./.fifo.type=$type"
		finds dir-type
	done
}

@test "dir-duplicate: a name twice, inline and in blocks" {
	poke "dentry./d0.f05.hash=$(peek dentry./d0.f04.hash)" \
		dentry./d0.f05.name.2=0x34
	finds dir-duplicate
	poke "dentry./.d1.hash=$(peek dentry./.d0.hash)" dentry./.d1.name.1=0x30
	finds dir-duplicate
}

@test "dir-linked: a directory with two names" {
	poke dentry./.d0.ino=/d1
	finds nat-unreachable dir-linked
	# The root, and a directory inside of itself.
	poke dentry./d0.sub.ino=3
	finds nat-unreachable dir-linked
	poke dentry./d0/sub.more.ino=/d0
	finds nat-unreachable dir-linked
}

@test "dir-loop: directories that contain each other" {
	d0=$(peek dentry./.d0.ino)
	sub=$(peek dentry./d0.sub.ino)
	poke "dentry./.d0.ino=$sub" "dentry.$sub....ino=3" \
		"dentry.$d0.sub.ino=$d0" "dentry.$d0....ino=$d0"
	finds dir-loop
	[ "$(value_of dir-loop number)" = "$d0" ]
}

@test "dir-size: blocks beyond the depth or the size" {
	poke inode./wide.current_depth=1
	finds dir-size
	poke inode./wide.size=4096
	finds dir-size
}

@test "C37 a directory of 1 TiB with few blocks takes no time" {
	poke inode./wide.size=0x10000000000
	finds_nothing
}
