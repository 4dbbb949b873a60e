# SPDX-License-Identifier: GPL-2.0-or-later
# Faults of the superblock.

load check

@test "sb-copy-bad: C11 superblock 1 destroyed, number 2 is used" {
	poke sb1.magic=0
	finds sb-copy-bad
	poke sb2.magic=0
	finds sb-copy-bad
	# The whole of block 0, not only the magic.
	restore
	dd if=/dev/zero of="$img" bs=1024 seek=1 count=3 conv=notrunc status=none
	finds sb-copy-bad
}

@test "sb-copy-bad: C10 each field of a copy that must not be what it is" {
	for field in secs_per_zone=0 segs_per_sec=0 log_blocks_per_seg=0 \
		log_blocksize=0 log_blocksize=40 segment_count=0 \
		segment_count=0xffffffff segment_count_main=0 \
		segment_count_sit=0 segment_count_nat=0xffffffff \
		segment_count_ckpt=0 section_count=0 cp_payload=0xffffffff \
		block_count=0 main_blkaddr=0 cp_blkaddr=0xffffffff root_ino=4 \
		extension_count=65 checksum_offset=1; do
		echo "$field"
		poke "sb1.$field"
		finds sb-copy-bad
	done
}

@test "sb-both-bad: C10 both copies bad is a clear error" {
	for field in secs_per_zone=0 segs_per_sec=0 log_blocks_per_seg=0 \
		log_blocksize=0 segment_count=0 segment_count_main=0 \
		section_count=0 segment_count_nat=0xffffffff; do
		echo "$field"
		poke "sb.$field"
		refused "$img"
		[[ "$output" == *"superblock"* ]]
	done
	poke sb.crc=1
	refused "$img"
}

@test "sb-copies-differ: in a field that matters" {
	poke sb2.volume_name=65
	finds sb-copies-differ
}

@test "copies that differ only in the kernel's marks are no finding" {
	poke sb2.s_stop_reason.3=1
	finds_nothing
}

@test "sb-errors-marked: errors and stop reasons are notes" {
	poke sb.s_errors=4
	finds_nothing sb-errors-marked
	poke sb.s_stop_reason.4=2
	finds_nothing sb-errors-marked
}

@test "sb-unknown-feature: read with a note and a warning" {
	poke sb.feature=+0x80000000
	finds_nothing sb-unknown-feature
	run "$FSCK" "$img"
	[[ "$output" == *"feature bit 31"* ]]
}

@test "sb-quota-ino: a quota file that is not there" {
	poke sb.feature=+0x80 sb.qf_ino.1=199999
	finds sb-quota-ino
	[ "$(value_of sb-quota-ino found)" = 199999 ]
}
