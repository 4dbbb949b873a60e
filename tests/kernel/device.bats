# SPDX-License-Identifier: GPL-2.0-or-later
# Garbage collection and defragmentation of a block device of a real kernel.

load ../lib/common
load judge
load gc

setup() {
	need_judge
	need_program "$GCCTL" "$DEFRAG" "$FSCK"
	copy=$BATS_TEST_TMPDIR/copy
	out=$copy.out
}

@test "on a block device every byte is found where the kernel looks for it" {
	local image k

	image=$(kernel_image large-section-small 612)
	for k in $KERNELS; do
		copy_image "$image" "$copy"
		"$kernel_dir/uml-run" -s -n -k "$k" -O "$out" "$copy" \
			"$kernel_dir/guest-collect" "$GCCTL" "$DEFRAG"
		python3 "$lib_dir/manifest.py" --compare "$image.manifest" \
			"$out/manifest"
		[ "$(field "$out/gc.json" blocks_moved)" -ge 4096 ]
		[ "$(field "$out/defrag.json" extents_after)" -le 100 ]
		our_check "$copy"
		old_check "$copy"
	done
}
