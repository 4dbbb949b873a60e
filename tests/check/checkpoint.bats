# SPDX-License-Identifier: GPL-2.0-or-later
# Faults of the checkpoint packs.

load check

# Block N of the live pack and a byte of it, for damage without a signature.
live() {
	local first=1024

	[ "$(peek cp.checkpoint_ver)" = "$(peek cp2.checkpoint_ver)" ] ||
		first=512
	echo "raw.$((first + $1)).40"
}

@test "cp-pack-bad: C12 a byte of the newest pack's first block" {
	poke "$(live 0)=^0xff"
	finds_among cp-pack-bad
}

@test "cp-pack-bad: C12 a byte of the newest pack's last block" {
	poke "$(live $(($(peek cp.cp_pack_total_block_count) - 1)))=^0xff"
	finds_among cp-pack-bad
}

@test "cp-pack-bad: C13 a total count that cannot be" {
	for total in 0 1 2 513 0xffffffff; do
		poke "cp.cp_pack_total_block_count=$total"
		finds_among cp-pack-bad
	done
}

@test "cp-pack-bad: other fields that make a pack unusable" {
	for field in checksum_offset=0 checksum_offset=0xfffffffc; do
		echo "$field"
		poke "cp.$field"
		finds_among cp-pack-bad
	done
}

@test "cp-pack-torn: a power cut in the middle of a checkpoint is a note" {
	# The other pack's first block is newer than its last.
	old=cp1
	[ "$(peek cp.checkpoint_ver)" = "$(peek cp2.checkpoint_ver)" ] || old=cp2
	poke "${old}head.checkpoint_ver=$(($(peek cp.checkpoint_ver) + 1))"
	finds_nothing cp-pack-torn
}

@test "cp-both-bad: C12 no valid pack is a clear error" {
	poke "raw.512.40=^0xff" "raw.1024.40=^0xff"
	refused "$img"
	[[ "$output" == *checkpoint* ]]
}

@test "cp-field: counts and sizes out of range" {
	for field in user_block_count=100 cp_pack_start_sum=0 \
		cp_pack_start_sum=0xffffffff ckpt_flags=^1 ckpt_flags=^4 sit_ver_bitmap_bytesize=+64 \
		nat_ver_bitmap_bytesize=-64 rsvd_segment_count=0xffffffff; do
		echo "$field"
		poke "cp.$field"
		finds_among cp-field
	done
}

@test "cp-hint: where to look for free nids, out of range" {
	poke cp.next_free_nid=0xffffffff
	finds_nothing cp-hint
}

@test "cp-flag-state: what forbids others to write is a note" {
	poke cp.ckpt_flags=^0x1000
	finds_nothing cp-flag-state
}

@test "cp-count: C18 each count of the checkpoint" {
	for field in valid_block_count=-4 valid_block_count=+4 \
		valid_node_count=-1 valid_inode_count=+1 \
		free_segment_count=+1; do
		echo "$field"
		poke "cp.$field"
		finds cp-count
		[ "$(value_of cp-count detail)" = "${field%=*}" ]
		[ "$(value_of cp-count expected)" = "$(peek "cp.${field%=*}")" ]
	done
}

@test "cp-flag-fsck: a note" {
	poke cp.ckpt_flags=^0x10
	finds_nothing cp-flag-fsck
}

@test "cp-flag-error: kernels refuse it" {
	poke cp.ckpt_flags=^0x08
	finds cp-flag-error
}

@test "cp-curseg: C14 an allocation type that is none" {
	poke cp.alloc_type.1=0x7f
	finds cp-curseg
}

@test "cp-curseg: C15 the next block is in use" {
	poke cp.cur_data_blkoff.0=-1
	finds cp-curseg
	poke cp.cur_node_blkoff.1=-1
	finds cp-curseg
}

@test "cp-curseg: a segment out of range, or of two logs" {
	poke cp.cur_data_segno.0=99999
	finds cp-curseg
	poke "cp.cur_data_segno.2=$(peek cp.cur_data_segno.0)"
	finds_among cp-curseg
}

@test "ssa-unchecked: with a log that is wrong summaries are not judged" {
	poke cp.cur_data_segno.0=99999
	finds cp-curseg
	[ "$notes" = ssa-unchecked ]
}
