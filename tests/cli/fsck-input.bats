# SPDX-License-Identifier: GPL-2.0-or-later
# What is no volume, or only a part of one: a clear error, never a crash.

load ../check/check

@test "no file, a directory, an empty file, a device of no size" {
	refused "$BATS_TEST_TMPDIR/missing"
	refused "$BATS_TEST_TMPDIR"
	: >"$img"
	refused "$img"
	refused /dev/null
	refused /dev/zero
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	refused "$BATS_TEST_TMPDIR/fifo"
}

@test "files of zeros and of random bytes, of every size" {
	for size in 1 511 1023 1024 1025 4095 4096 4097 5120 8192 8193 65536 \
		1048576; do
		rm -f "$img"
		truncate -s "$size" "$img"
		refused "$img"
		head -c "$size" /dev/urandom >"$img"
		refused "$img"
	done
}

@test "a volume cut off at any place" {
	for size in 1024 4096 5120 8192 65536 1M 2M 3M 5M 8M 14M 16M 64M 100M \
		127M; do
		cp --sparse=always "$good" "$img"
		truncate -s "$size" "$img"
		refused "$img"
	done
}

@test "a file that only has the magic" {
	truncate -s 64M "$img"
	printf '\x10\x20\xf5\xf2' |
		dd of="$img" bs=1 seek=1024 conv=notrunc status=none
	printf '\x10\x20\xf5\xf2' |
		dd of="$img" bs=1 seek=5120 conv=notrunc status=none
	refused "$img"
}

@test "random bytes in each area of a volume" {
	set -- $(peek sb.cp_blkaddr sb.sit_blkaddr sb.nat_blkaddr \
		sb.ssa_blkaddr sb.main_blkaddr)
	for blk in "$@"; do
		cp --sparse=always "$good" "$img"
		head -c 2M /dev/urandom |
			dd of="$img" bs=4096 seek="$blk" conv=notrunc status=none
		status=0
		timeout 60 "$FSCK" --quiet "$img" || status=$?
		echo "block $blk: $status"
		[ "$status" -eq 4 ] || [ "$status" -eq 8 ] ||
			[ "$status" -eq 0 ]
	done
}
