# SPDX-License-Identifier: GPL-2.0-or-later
# The shipped volume is read as the kernel that made it read it. Needs no kernel.

load ../lib/common

setup() {
	image=$BATS_TEST_TMPDIR/aged.img
	xz -dc "$top_srcdir/tests/images/aged.img.xz" >"$image"
}

same() {
	xz -dc "$top_srcdir/tests/images/aged.$1.xz" >"$BATS_TEST_TMPDIR/kernel"
	"$top_builddir/tests/lib/f2dump" "$1" "$image" >"$BATS_TEST_TMPDIR/ours"
	diff "$BATS_TEST_TMPDIR/kernel" "$BATS_TEST_TMPDIR/ours" |
		cut -c1-300 >"$BATS_TEST_TMPDIR/diff"
	head -n 20 "$BATS_TEST_TMPDIR/diff"
	[ ! -s "$BATS_TEST_TMPDIR/diff" ]
}

@test "every path of the aged volume is as the kernel showed it" {
	same manifest
}

@test "the extents of the aged volume are those of the kernel's FIEMAP" {
	same fiemap
}
