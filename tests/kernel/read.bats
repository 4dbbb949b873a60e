# SPDX-License-Identifier: GPL-2.0-or-later
# Volumes that real kernels made are read: every path with the attributes and the
# content that the kernel showed, and extents as its FIEMAP.

load ../lib/common
load judge

setup() {
	need_judge
	need_program "$F2DUMP"
}

# same KIND IMAGE: the dump equals what the kernel wrote down.
same() {
	"$F2DUMP" "$1" "$2" >"$BATS_TEST_TMPDIR/$1"
	cmp -s "$BATS_TEST_TMPDIR/$1" "$2.$1" && return
	echo "$1 of $2 differs:"
	diff "$2.$1" "$BATS_TEST_TMPDIR/$1" | cut -c1-300 | head -20
	return 1
}

read_image() {
	local k image

	for k in $KERNELS; do
		image=$(kernel_image "$1" "$k")
		same manifest "$image"
		same fiemap "$image"
		echo "# $1 by kernel $k: $(tail -n1 "$image.fiemap")" >&3
	done
}

@test "one-block extents" {
	read_image default-section
}

@test "one-block extents in large sections" {
	read_image large-section-small
}

@test "half-valid segments in large sections" {
	read_image half-valid-small
}

@test "many files in one directory" {
	read_image many-files-small
}

@test "every shape of inode, with checksums" {
	read_image tree
}

@test "every shape of inode, plain features" {
	read_image tree-plain
}

@test "every shape of inode, flexible inline xattrs" {
	read_image tree-flexible
}

@test "fsynced files after a clean unmount" {
	read_image tiny-fsynced
}
