# SPDX-License-Identifier: GPL-2.0-or-later
# Our checker has no false finding on what real kernels made: the existing ones
# have none there either.

load ../lib/common
load judge

setup() {
	need_judge
	need_program "$FSCK"
}

check_image() {
	local k image written

	for k in $KERNELS; do
		image=$(kernel_image "$1" "$k")
		written=$(stat -c %y "$image")
		our_check "$image"
		[ "$(stat -c %y "$image")" = "$written" ]
		copy_image "$image" "$img"
		old_check "$img"
	done
}

@test "one-block extents" {
	check_image default-section
}

@test "one-block extents in large sections" {
	check_image large-section-small
}

@test "half-valid segments in large sections" {
	check_image half-valid-small
}

@test "many files in one directory" {
	check_image many-files-small
}

@test "every shape of inode, with checksums" {
	check_image tree
}

@test "every shape of inode, plain features" {
	check_image tree-plain
}

@test "every shape of inode, flexible inline xattrs" {
	check_image tree-flexible
}

@test "fsynced files after a clean unmount" {
	check_image tiny-fsynced
}
