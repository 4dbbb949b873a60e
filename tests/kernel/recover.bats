# SPDX-License-Identifier: GPL-2.0-or-later
# What was fsynced before a power cut: our replay makes of it what the kernel's
# own makes of a copy, and leaves nothing for the kernel to do.

load ../lib/common
load judge

setup() {
	need_judge
	need_program "$FSCK"
	cd "$BATS_TEST_TMPDIR"
}

features() {
	case $1 in
	612) echo extra_attr,inode_checksum,inode_crtime ;;
	72) echo extra_attr,inode_checksum,flexible_inline_xattr ;;
	*) echo encrypt ;;
	esac
}

# cut_after_fsyncs KERNEL IMAGE [MKFS-OPTION...]
cut_after_fsyncs() {
	local k=$1 image=$2

	shift 2
	truncate -s 128M "$image"
	"$J/bin/mkfs116" -f "$@" "$image" >/dev/null
	cat >"$image.script" <<-END
		set -e
		f() { python3 '$lib_dir/fsynced.py' "\$1" "\$M"; }
		f before
		f after
		power_cut
	END
	"$kernel_dir/uml-run" -s -k "$k" "$image" "$image.script"
}

# recorded KERNEL IMAGE [MOUNT]: the tree that a kernel sees, $2.tree. Only with
# "recover" it is let recover anything first.
recorded() {
	local strict=-s
	{
		echo set -e
		if [ "${3-}" = recover ]; then
			strict=
			echo 'mount -t f2fs "$DEV" "$M"; umount "$M"'
		fi
		echo 'mount -t f2fs -o ro,noatime "$DEV" "$M"'
		echo ". '$kernel_dir/guest-record'; umount "'"$M"'
		[ -z "$strict" ] ||
			echo 'mount -t f2fs "$DEV" "$M"; umount "$M"'
	} >"$2.script"
	"$kernel_dir/uml-run" $strict -n -k "$1" -O "$2.out" "$2" "$2.script" \
		2>"$2.log" || { cat "$2.log"; return 1; }
	mv "$2.out/manifest" "$2.tree"
}

# replayed KERNEL IMAGE: as the kernel's own recovery of it.
replayed() {
	copy_image "$2" theirs.img
	copy_image "$2" ours.img
	recorded "$1" theirs.img recover
	grep -c recover_data: theirs.img.log
	run "$FSCK" -p "${@:3}" ours.img
	echo "$output"
	[ "$status" -eq 1 ]
	our_check ours.img
	old_check "$PWD/ours.img"
	recorded "$1" ours.img
	python3 "$lib_dir/fsynced.py" compare theirs.img.tree ours.img.tree
}

@test "every change that was fsynced is replayed as each kernel does" {
	local k

	for k in $KERNELS; do
		cut_after_fsyncs "$k" cut.img -O "$(features "$k")"
		replayed "$k" cut.img
	done
}

@test "large sections, and a replay with every program" {
	cut_after_fsyncs 612 cut.img -s 4
	replayed 612 cut.img
	for prog in "$GCCTL run" "$DEFRAG"; do
		copy_image cut.img ours.img
		run $prog ours.img
		[ "$status" -ne 0 ]
		cmp cut.img ours.img
		$prog --replay ours.img
		our_check ours.img
		recorded 612 ours.img
		python3 "$lib_dir/fsynced.py" compare theirs.img.tree \
			ours.img.tree
	done
}

@test "the shipped volume with fsynced files" {
	xz -dc "$lib_dir/../images/pending.img.xz" >cut.img
	replayed 72 cut.img
	cmp theirs.img.tree ours.img.tree
}
