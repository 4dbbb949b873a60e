# SPDX-License-Identifier: GPL-2.0-or-later
# Faults of nodes and of the addresses in them.

load check

@test "node-footer: nid, ino and offset of an inode" {
	for field in nid=5 ino=5 ofs=3 nid=0 ino=0xffffffff; do
		poke "node./d0/f04.$field"
		finds node-footer
		[ "$(value_of node-footer path)" = /d0/f04 ]
	done
}

@test "node-footer: nid, ino and offset of a direct node" {
	node=$(peek inode./edge-873.nid.0)
	for field in nid=5 ino=5 ofs=2 ofs=0 ofs=0x1ffffff0; do
		poke "node.$node.$field"
		finds node-footer
	done
}

@test "node-footer: C22 a whole inode block of noise" {
	restore
	seq 1 2000 | tr -d '\n' | head -c 4096 |
		dd of="$img" bs=4096 seek="$(peek nat./d0/f00.blk)" \
			conv=notrunc status=none
	finds node-footer
}

@test "marks, checkpoint version and next address of a footer are no finding" {
	for field in flag=^1 cp_ver=0xffffffffffffffff next=1; do
		poke "node./d0/f04.$field"
		finds_nothing
	done
}

@test "node-child: a child that is no node, or an inode" {
	ind=$(peek inode./indirect.nid.2)
	for nid in 199999 0xffffffff /d0/f04; do
		poke "node.$ind.slot.7=$nid"
		finds node-child
	done
	poke inode./d0/f04.xattr_nid=/d0/f04
	finds node-child
	poke inode./d0/f04.xattr_nid=0xffffffff
	finds node-child
}

@test "node-shared: a node with two parents" {
	poke "inode./edge-873.xattr_nid=$(peek inode./edge-873.nid.0)"
	finds node-shared
	poke "inode./d0/f04.xattr_nid=$(peek inode./xattrs/many.xattr_nid)"
	finds node-shared
	ind=$(peek inode./indirect.nid.2)
	poke "node.$ind.slot.7=$ind"
	finds node-shared
}

@test "blk-range: an address outside of the main area" {
	for blk in 1 100 0xfffffffd; do
		poke "inode./d0/f04.addr.0=$blk" inode./d0/f04.ext_len=0
		finds sit-bit-leaked blk-range
	done
}

@test "blk-shared: C25 a block of two files, both named" {
	poke inode./d0/f04.addr.0=@@/d0/f05.0 inode./d0/f04.ext_len=0
	finds sit-bit-leaked blk-shared
	run "$FSCK" "$img"
	[[ "$output" == *"blk-shared: "*": /d0/f04"* ]]
	[[ "$output" == *"blk-shared: "*": /d0/f05"* ]]
}

@test "blk-shared: a file's block that is a node" {
	poke inode./d0/f04.addr.0=@/d0/f05 inode./d0/f04.ext_len=0
	finds sit-bit-leaked blk-shared
}

@test "a hole where a block was" {
	poke inode./d0/f04.addr.0=0 inode./d0/f04.ext_len=0
	finds sit-bit-leaked inode-blocks
}
