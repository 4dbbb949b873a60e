# SPDX-License-Identifier: GPL-2.0-or-later
# Faults of NAT, SIT and SSA.

load check

# A new volume, whose SIT is in the journal, with fields changed.
fresh() {
	[ -x "$MKFS" ] || lacking "mkfs.f2fs is not built"
	rm -f "$img"
	"$MKFS" -q --size 64M "$img"
	"${python[@]}" "$img" "$@"
}

@test "nat-journal: C16 count too large, nid out of range or twice" {
	fresh
	root=$("${python[@]}" "$img" nat.3.blk)
	set -- natj.0.nid=3 natj.0.ino=3 "natj.0.blk=$root" natj.count=1
	fresh "$@"
	finds_nothing
	fresh "$@" natj.count=39
	finds nat-journal
	fresh "$@" natj.count=0xffff
	finds nat-journal
	for nid in 0xffffffff 2 0; do
		fresh "$@" "natj.0.nid=$nid"
		finds nat-journal
	done
	fresh "$@" natj.1.nid=3 natj.1.ino=3 "natj.1.blk=$root" natj.count=2
	finds nat-journal
}

@test "sit-journal: C16 count too large, segno out of range or twice" {
	[ "$(fresh sitj.count)" -ge 1 ]
	fresh sitj.count=0xffff
	finds sit-journal
	fresh sitj.0.segno=0xffffffff
	finds_among sit-journal
	fresh "sitj.1.segno=$(fresh sitj.0.segno)"
	finds_among sit-journal
}

@test "nat-entry: the inode of an entry" {
	for ino in 0 5 144 199999; do
		poke "nat./d0/f04.ino=$ino"
		finds nat-entry
	done
	node=$(peek inode./edge-873.nid.0)
	for ino in 0 5 199999; do
		poke "nat.$node.ino=$ino"
		finds nat-entry
		[ "$(value_of nat-entry expected)" = "$(peek node.$node.ino)" ]
	done
}

@test "nat-entry: C21 an address outside of the main area" {
	for blk in 1 100 0xffffffff 0xfffffffe 0x7fffffff; do
		poke "nat./d0/f00.blk=$blk"
		finds nat-entry sit-bit-leaked
	done
}

@test "nat-entry: the nid that stands for none" {
	poke nat.0.blk=5000
	finds nat-entry
}

@test "nat-duplicate: C21 two nids with one block" {
	poke nat./d0/f00.blk=@/d1/f00
	finds nat-duplicate sit-bit-leaked
	poke nat.190000.blk=@/d0/f05
	finds nat-bits nat-duplicate
}

@test "nat-unreachable: a node that no parent names" {
	poke inode./edge-873.nid.0=0
	finds nat-unreachable
	# An indirect node, with its child below it.
	poke inode./indirect.nid.2=0
	finds nat-unreachable
	[ "$(value_of nat-unreachable number)" = "$(peek inode./indirect.nid.2)" ]
}

@test "nat-unreachable: an inode without a name" {
	poke dentry./d0.f04.bit.0=^1
	finds nat-unreachable
	[ "$(value_of nat-unreachable inode)" = "$(peek dentry./d0.f04.ino)" ]
}

@test "sit-count: C18 a count that is not that of the bitmap" {
	for count in -4 0 0x3ff; do
		poke "sit.1.valid=$count"
		finds sit-count
	done
}

@test "sit-bit-lost: a block in use that is not marked" {
	blk=$(peek nat./d0/f05.blk)
	n=$((blk - $(peek sb.main_blkaddr)))
	poke "sit.$((n / 512)).map.$((n % 512))=0" "sit.$((n / 512)).valid=-1"
	finds sit-bit-lost
	[ "$(value_of sit-bit-lost address)" = "$blk" ]
}

@test "sit-bit-leaked: a mark on a block that nothing uses" {
	poke sit.1.map.100=1 sit.1.valid=+1
	finds sit-bit-leaked
	[ "$(value_of sit-bit-leaked address)" = \
		$(($(peek sb.main_blkaddr) + 612)) ]
}

@test "sit-type: nodes in a data segment and the reverse, no such type" {
	poke sit.1.type=2
	finds sit-type
	poke sit.17.type=4
	finds sit-type
	poke sit.1.type=63
	finds sit-type
}

@test "sit-type: a log's segment has the type of the log" {
	poke "sit.$(peek cp.cur_node_segno.1).type=5"
	finds sit-type
}

@test "ssa-entry: C24 nid, place and version of a data block" {
	poke sum.@@/d0/f05.0.nid=5
	finds ssa-entry
	[ "$(value_of ssa-entry found)" = 5 ]
	[ "$(value_of ssa-entry expected)" = "$(peek sum.@@/d0/f05.0.nid)" ]
	for field in nid=0 ofs=0xffff version=+1; do
		poke "sum.@@/d0/f05.0.$field"
		finds ssa-entry
	done
}

@test "ssa-entry: the nid of a node block, but not its place" {
	poke sum.@/d0/f05.nid=+1
	finds ssa-entry
	poke sum.@/d0/f05.ofs=7 sum.@/d0/f05.version=3
	finds_nothing
}

@test "ssa-entry: C24 of a log, in the checkpoint pack" {
	for log in cur_node_segno.1 cur_data_segno.0; do
		segno=$(peek "cp.$log")
		[ "$(peek "sit.$segno.map.0")" = 1 ]
		blk=$(($(peek sb.main_blkaddr) + segno * 512))
		poke "sum.$blk.nid=+1"
		finds ssa-entry
	done
}

@test "ssa-type: the kind of a summary" {
	poke sum.@@/d0/f05.0.type=1
	finds ssa-type
	poke sum.@/d0/f05.type=0
	finds ssa-type
	poke sum.@/d0/f05.type=9
	finds ssa-type
}

@test "nat-bits: C26 bits that a kernel would believe, and others" {
	poke raw.1535.60=^0xff
	finds nat-bits
	# With another check value nobody does.
	poke raw.1535.60=^0xff raw.1535.0=^0xff
	finds_nothing
}
