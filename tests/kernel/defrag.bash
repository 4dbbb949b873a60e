# SPDX-License-Identifier: GPL-2.0-or-later
# What a run of defrag.f2fs is held to; for defrag.bats and defrag-large.bats.

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
