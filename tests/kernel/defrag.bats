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
	"$DEFRAG" --json "$copy" "$@" >"$copy.json"
	[ $# -gt 0 ] || has_nothing_left_to_do
	tree_is_whole "$image" "$copy" "$judge"
	echo "# $name $*: $(for n in extents_before extents_after ideal_extents \
		free_sections_before free_sections_after \
		free_sections_most blocks_moved write_cost seconds; do
		printf '%s=%s ' "$n" "$(field "$copy.json" "$n")"
	done)" >&3
}

# A second run moves no block.
has_nothing_left_to_do() {
	"$DEFRAG" --json "$copy" >"$copy.again"
	[ "$(field "$copy.again" blocks_moved)" -eq 0 ]
	[ "$(field "$copy.again" commits)" -eq 0 ]
}

is_ideal() {
	[ "$(field "$copy.json" extents_after)" -eq \
		"$(field "$copy.json" ideal_extents)" ]
	loses_no_section
}

loses_no_section() {
	[ "$(field "$copy.json" free_sections_after)" -ge \
		"$(field "$copy.json" free_sections_before)" ]
}

# All blocks in as few sections as hold them.
is_tight() {
	[ "$(field "$copy.json" free_sections_after)" -eq \
		"$(field "$copy.json" free_sections_most)" ]
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
	is_tight
	[ "$(field "$copy.json" dirty_sections_after)" -le 1 ]
}

@test "large files written in turn: one extent a file, tails put together" {
	defrag hot-cold-small 612 72
	is_ideal
	# The last section may be too dear to gain.
	[ "$(field "$copy.json" free_sections_after)" -ge \
		$(($(field "$copy.json" free_sections_most) - 1)) ]
	[ "$(field "$copy.json" dirty_sections_after)" -le 6 ]
	copy_image "$(kernel_image hot-cold-small 612)" "$copy"
	"$DEFRAG" --json --max-moved 60M "$copy" >"$copy.json"
	loses_no_section
	our_check "$copy"
}

@test "a volume whose last block is used: no free section is lost" {
	defrag near-full 612 72
	loses_no_section
	[ "$(field "$copy.json" extents_after)" -lt \
		$((2 * $(field "$copy.json" ideal_extents))) ]
	defrag near-full 72 61 --max-moved 20M
	loses_no_section
	defrag near-full 61 612 '/a001?' /b0011
	loses_no_section
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
