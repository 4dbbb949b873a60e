# SPDX-License-Identifier: GPL-2.0-or-later
# Tables that are damaged and repaired. Some rows of the table of repair-matrix,
# which make check-repair-large goes through as a whole, and cases by name.

load check

matrix() {
	FSCK=$FSCK F2DUMP=$top_builddir/tests/lib/f2dump \
		python3 -SE "$top_srcdir/tests/check/repair-matrix" "$good" \
		--work "$BATS_TEST_TMPDIR" "$@"
}

# repaired FIELD=VALUE...: one by one, the tree is what it was.
repaired() {
	for row; do
		set -- "$@" --only "$row"
		shift
	done
	matrix --verbose "$@"
}

@test "some rows of the table are repaired in one run" {
	matrix --every 300
}

@test "C12 a pack with a bad end is written anew" {
	repaired raw.1024.40=^0xff raw.1028.40=^0xff raw.1030.40=^0xff
}

@test "C13 a pack of an impossible length is written anew" {
	repaired cp.cp_pack_total_block_count={0,1,2,513,0xffffffff}
}

@test "C14 an allocation type that is none" {
	repaired cp.alloc_type.{0,1,4}=0x7f
}

@test "C15 logs that stand on a valid block, or nowhere" {
	repaired cp.cur_{data,node}_blkoff.{0,1}=-1 cp.cur_data_segno.0=99999
}

@test "C16 SIT journal with bad entries" {
	repaired sitj.count=0xffff sitj.0.segno=0xffffffff sitj.0.valid=+1
}

@test "C24 summaries, in the SSA and in the checkpoint" {
	# A block in a log of data, and one that is in no log.
	repaired sum.@@/d0/f04.0.nid=+1 noise.1025 zero.1026
}

@test "C26 NAT bits that a kernel would believe" {
	repaired raw.1535.{8,60}=^0xff
}

@test "NAT entries that lie, of a file, a node and the root" {
	repaired nat./d0/f04.{blk=0,blk=1,ino=5,ino=0xffffffff} nat.3.blk=0 \
		nat.0.blk=5000 bit.512 bit.518
}

@test "what stays is told: a second run of -y changes nothing" {
	poke inode./d0/f04.links=2
	before=$(sha256sum <"$img")
	run "$FSCK" -y "$img"
	[ "$status" -eq 4 ]
	[ "$(sha256sum <"$img")" = "$before" ]
}

# Its way from the root is damaged, and the SIT has lost it.
@test "a file that two faults hide from view keeps its node" {
	local blk segno n nid

	restore
	nid=$(peek node./d0/f04.nid)
	blk=$(peek "nat.$nid.blk")
	n=$((blk - $(peek sb.main_blkaddr)))
	segno=$((n / 512))
	poke "sit.$segno.map.$((n % 512))=^1" "sit.$segno.valid=-1" \
		dentry./d0.f04.len=0
	run "$FSCK" -y "$img"
	echo "$output"
	[ "$status" -eq 5 ]
	[ "$("${python[@]}" "$img" "nat.$nid.blk")" = "$blk" ]
	[[ "$output" == *"inode $nid "*"a file without a name)"* ]]
	[[ "$output" != *"a file without a name): repaired"* ]]
}
