# SPDX-License-Identifier: GPL-2.0-or-later
# No false findings, and not one byte written.

load check

@test "an aged volume of a real kernel is clean, and R3 stays as it is" {
	restore
	before=$(sha256sum <"$img")
	finds_nothing
	run "$FSCK" "$img"
	[ "$status" -eq 0 ]
	[ "$(wc -l <<<"$output")" -eq 2 ]
	[[ "${lines[0]}" == *": clean, "* ]]
	[[ "${lines[1]}" == *": fragmentation: "* ]]
	for opt in -n -f -a -y -p1 "-p 1"; do
		run "$FSCK" $opt "$img"
		[ "$status" -eq 0 ]
	done
	[ "$(sha256sum <"$img")" = "$before" ]
}

@test "new volumes are clean, of any size and feature" {
	[ -x "$MKFS" ] || lacking "mkfs.f2fs is not built"
	for opt in "--size 64M" "--size 512M -s 4" "--size 2G -s 4 -z 2" \
		"--size 1G -i" "--size 300G" \
		"--size 128M -O extra_attr,inode_checksum,sb_checksum" \
		"--size 256M -O extra_attr,project_quota,lost_found,encrypt"; do
		rm -f "$img"
		echo "$opt"
		"$MKFS" -q $opt "$img"
		finds_nothing
	done
}

@test "volumes of the existing formatter are clean" {
	need mkfs.f2fs
	for opt in "" "-s 4" "-O extra_attr,inode_checksum,quota" \
		"-O lost_found,encrypt" "-i"; do
		rm -f "$img"
		truncate -s 512M "$img"
		echo "$opt"
		mkfs.f2fs -q -f $opt "$img" >/dev/null
		finds_nothing
	done
}

@test "every problem in the table has a test of its name" {
	# Those that need a device with I/O errors are in tests/unit/t-check.c.
	for id in $(sed -n 's/^PROBLEM(\([A-Z_]*\),.*/\1/p' \
		"$top_srcdir/lib/format/problems.def"); do
		name=$(tr A-Z_ a-z- <<<"$id")
		grep -q -e "@test \"$name" "$top_srcdir"/tests/check/*.bats ||
			grep -q -e "P_$id\b" "$top_srcdir"/tests/unit/t-check.c || {
			echo "no test: $name"
			return 1
		}
	done
}
