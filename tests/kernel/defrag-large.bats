# SPDX-License-Identifier: GPL-2.0-or-later
# The figures that defragmentation is held to, at full size.

load ../lib/common
load judge
load gc
load defrag

setup() {
	need_judge
	need_program "$DEFRAG" "$FSCK"
	copy=$BATS_TEST_TMPDIR/copy
}

@test "hot and cold files of 100 and 200 MiB: one extent each" {
	defrag hot-cold 612 72
	is_ideal
	[ "$(field "$copy.json" dirty_sections_after)" -le 6 ]
	# The last section may be too dear to gain.
	[ "$(field "$copy.json" free_sections_after)" -ge \
		$(($(field "$copy.json" free_sections_most) - 1)) ]
}

@test "half-valid: as many free sections as there can be" {
	defrag half-valid 612 61
	is_ideal
	is_tight
	[ "$(field "$copy.json" dirty_sections_after)" -le 1 ]
}

@test "65,536 one-block extents in large sections become 64 to 66" {
	defrag large-section 612 72
	is_ideal
	[ "$(field "$copy.json" extents_before)" -ge 65536 ]
	[ "$(field "$copy.json" extents_after)" -le 66 ]
}
