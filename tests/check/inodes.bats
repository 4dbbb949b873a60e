# SPDX-License-Identifier: GPL-2.0-or-later
# Faults of inodes and their extended attributes.

load check

@test "inode-checksum: of a file and of a directory" {
	poke inode./d0/f04.inode_checksum=^1
	finds inode-checksum
	poke inode./wide.inode_checksum=0
	finds inode-checksum
}

@test "inode-field: mode, sizes and flags that kernels refuse" {
	for poke in fifo.mode=0 d0/f04.size=0xffffffffffffffff \
		d0/f02.size=3453 d0/f04.flags=^0x40000000 \
		wide.current_depth=64 wide.current_depth=0; do
		echo "$poke"
		poke "inode./$poke"
		finds inode-field
	done
}

@test "inode-field: C28 the size of the extra area" {
	for size in 0 5 40 80 0xffff; do
		poke "inode./d0/f00.extra_isize=$size"
		finds inode-field
	done
}

@test "hints in an inode are no finding: parent, name, advice" {
	for field in pino=0xffffffff namelen=256 advise=0x11; do
		poke "inode./d0/f04.$field"
		finds_nothing
	done
}

@test "inode-blocks: of files of every depth" {
	for value in +1 -1 0 0x100000000; do
		poke "inode./d0/f04.blocks=$value"
		finds inode-blocks
	done
	for file in wide double indirect; do
		poke "inode./$file.blocks=+1"
		finds inode-blocks
		[ "$(value_of inode-blocks expected)" = \
			"$(peek "inode./$file.blocks")" ]
	done
}

@test "inode-links: C27 too many, too few, none; files and directories" {
	for poke in d0/f04.links=2 d0/f04.links=0 d0.links=1 d0.links=2 \
		d0.links=4 links/first.links=+1 fifo.links=0; do
		echo "$poke"
		poke "inode./$poke"
		finds inode-links
	done
	poke inode./.links=+1
	finds inode-links
}

@test "inode-extent: of blocks in the inode and beyond" {
	for field in ext_len=+1 ext_blk=+1 ext_blk=1 ext_lblk=+1 \
		ext_len=0xffffffff ext_blk=0xffffffff; do
		for file in d0/f04 d1/f05 edge-873; do
			echo "$file.$field"
			poke "inode./$file.$field"
			finds inode-extent
		done
	done
	poke inode./edge-873.ext_len=0
	finds_nothing
}

@test "inode-extent: of an inode without blocks" {
	poke inode./d0/f02.ext_len=1 inode./d0/f02.ext_blk=@@/d0/f05.0
	finds inode-extent
}

@test "inode-inline: C29 inline flags beside blocks, or of the wrong kind" {
	poke inode./d0/f00.inline=^4
	finds inode-inline
	poke inode./fifo.inline=^2
	finds inode-inline
	poke inode./d0/f02.nid.0=0xffffff
	finds node-child inode-inline
	poke inode./d0/f02.byte.396=1
	finds inode-inline
}

@test "xattr-list: C32 an entry that ends behind its area" {
	poke inode./xattrs/inline.byte.3879=0xff
	finds xattr-list
	poke inode./xattrs/many.byte.3879=0xff
	finds xattr-list
	[ "$(value_of xattr-list path)" = /xattrs/many ]
}

@test "xattr-list: in the xattr node, where the list goes on" {
	nid=$(peek inode./xattrs/many.xattr_nid)
	set --
	for i in $(seq 0 511); do
		set -- "$@" "raw.@$nid.$i=0xff"
	done
	poke "$@"
	finds xattr-list
}
