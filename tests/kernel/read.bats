# SPDX-License-Identifier: GPL-2.0-or-later
# Volumes that real kernels made are read: every path with the attributes and the
# content that the kernel showed, and extents as its FIEMAP.

load ../lib/common
load judge

setup() {
	need_judge
	need_program "$F2DUMP"
}

read_images() {
	local k

	for k in $KERNELS; do
		read_image "$1" "$k"
	done
}

@test "one-block extents" {
	read_images default-section
}

@test "one-block extents in large sections" {
	read_images large-section-small
}

@test "half-valid segments in large sections" {
	read_images half-valid-small
}

@test "many files in one directory" {
	read_images many-files-small
}

@test "every shape of inode, with checksums" {
	read_images tree
}

@test "every shape of inode, plain features" {
	read_images tree-plain
}

@test "every shape of inode, flexible inline xattrs" {
	read_images tree-flexible
}

@test "fsynced files after a clean unmount" {
	read_images tiny-fsynced
}
