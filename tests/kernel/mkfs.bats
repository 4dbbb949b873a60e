# SPDX-License-Identifier: GPL-2.0-or-later
# What our mkfs makes: five sizes by four sets of options. Each kernel mounts
# and fills each of the twenty volumes, and then no checker finds anything.

load ../lib/common
load judge

sizes=(64M 300M 1G 33G 1T)

options() {
	case $1 in
	plain) ;;
	sums) echo "-O extra_attr,inode_checksum,inode_crtime,sb_checksum" ;;
	large) echo "-s 2 -l volume -O extra_attr,flexible_inline_xattr,lost_found" ;;
	space) echo "-o 20 -z 2 -t 0 -O extra_attr,encrypt,verity" ;;
	esac
}

setup() {
	need_judge
	need_program "$MKFS" "$FSCK"
	cd "$BATS_TEST_TMPDIR" || return
}

# make SET: one image of each size, and what two checkers say of it as made.
make_set() {
	local size

	for size in "${sizes[@]}"; do
		truncate -s "$size" "$1-$size"
		"$MKFS" $(options "$1") "$1-$size" >/dev/null
		old_check "$PWD/$1-$size" 116
		our_check "$1-$size"
	done
}

fill() {
	local set=$1 k=$2 size disks=() list=()

	for size in "${sizes[@]}"; do
		copy_image "$set-$size" "$set-$size.$k"
		list+=("$set-$size.$k")
	done
	for size in "${list[@]:1}"; do
		disks+=(-d "$size")
	done
	"$kernel_dir/uml-run" -s -n -k "$k" -m 2048M "${disks[@]}" \
		"${list[0]}" "$kernel_dir/guest-fill"
	for size in "${list[@]}"; do
		old_check "$PWD/$size"
		our_check "$size"
		rm "$size"
	done
}

try_set() {
	local k

	make_set "$1"
	for k in $KERNELS; do
		fill "$1" "$k"
	done
}

@test "volumes of mkfs without options" {
	try_set plain
}

@test "volumes of mkfs with checksums and creation times" {
	try_set sums
}

@test "volumes of mkfs with large sections, a label, lost+found" {
	try_set large
}

@test "volumes of mkfs with own overprovision, zones, encrypt and verity features" {
	try_set space
}
