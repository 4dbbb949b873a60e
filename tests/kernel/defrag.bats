# SPDX-License-Identifier: GPL-2.0-or-later
# Defragmentation of volumes that real kernels made: the kernel then finds
# every path as it was, in the fewest extents, and no checker finds anything.

load ../lib/common
load judge
load gc

setup() {
	need_judge
	need_program "$DEFRAG" "$FSCK"
	copy=$BATS_TEST_TMPDIR/copy
}

# defrag NAME MAKER JUDGE ARGS...: made by one kernel, judged by another.
defrag() {
	local name=$1 maker=$2 judge=$3 image

	shift 3
	image=$(kernel_image "$name" "$maker")
	copy_image "$image" "$copy"
	"$DEFRAG" --json "$@" "$copy" >"$copy.json"
	tree_is_whole "$image" "$copy" "$judge"
	echo "# $name $*: $(for n in extents_before extents_after ideal_extents \
		blocks_moved write_cost seconds; do
		printf '%s=%s ' "$n" "$(field "$copy.json" "$n")"
	done)" >&3
}

is_ideal() {
	[ "$(field "$copy.json" extents_after)" -eq \
		"$(field "$copy.json" ideal_extents)" ]
	[ "$(field "$copy.json" free_sections_after)" -ge \
		"$(field "$copy.json" free_sections_before)" ]
}

@test "one-block extents become one extent a file" {
	defrag default-section 612 61
	is_ideal
	defrag default-section 61 72
	is_ideal
}

@test "large sections: one extent a file" {
	defrag large-section-small 72 612
	is_ideal
}

@test "half-valid segments: whole sections are free, no file is cut" {
	defrag half-valid-small 612 72
	is_ideal
	[ "$(field "$copy.json" dirty_sections_after)" -le 1 ]
}

@test "every shape of inode lies as well as it can" {
	defrag tree 612 61
	is_ideal
	defrag tree-plain 72 72
	is_ideal
	defrag tree-flexible 61 612
	is_ideal
}

@test "files that were fsynced before the unmount" {
	defrag tiny-fsynced 61 72
	is_ideal
}

@test "a second run moves nothing" {
	local image

	for image in tree large-section-small half-valid-small; do
		copy_image "$(kernel_image "$image" 612)" "$copy"
		"$DEFRAG" -q "$copy"
		"$DEFRAG" --json "$copy" >"$copy.json"
		[ "$(field "$copy.json" blocks_moved)" -eq 0 ]
		[ "$(field "$copy.json" commits)" -eq 0 ]
	done
}
