# SPDX-License-Identifier: GPL-2.0-or-later
# Defragmentation of volumes that real kernels made: the kernel then finds
# every path as it was, in the fewest extents, and no checker finds anything.

load ../lib/common
load judge
load gc
load defrag

setup() {
	need_judge
	need_program "$DEFRAG" "$FSCK"
	copy=$BATS_TEST_TMPDIR/copy
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

@test "a volume whose last block is used: one extent a file, no section lost" {
	defrag near-full 612 72
	is_ideal
	defrag near-full 612 61 --full
	is_ideal
	defrag near-full 72 61 --max-moved 20M
	loses_no_section
	defrag near-full 61 612 '/a001?' /b0011
	loses_no_section
}

@test "progress tells of files, whatever else has to move for them" {
	copy_image "$(kernel_image near-full 612)" "$copy"
	"$DEFRAG" -q --progress=5 "$copy" 5>"$copy.progress"
	python3 - "$copy.progress" <<-'E'
		import json, sys
		steps = [json.loads(line) for line in open(sys.argv[1])]
		steps = [s for s in steps if s["phase"] == "moving files"]
		last = steps[-1]
		assert last["done_bytes"] == last["total_bytes"]
		# The last ones count once their commit is done.
		assert last["files_done"] > .9 * last["files_total"]
		for a, b in zip(steps, steps[1:]):
		    assert a["done_bytes"] <= b["done_bytes"]
		for s in steps:
		    # The files in work count from when they begin to move.
		    part = s["done_bytes"] / s["total_bytes"]
		    assert abs(part - s["files_done"] / s["files_total"]) < .4
		    assert part < .9 or s["files_done"] > last["files_done"] / 2
	E
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
