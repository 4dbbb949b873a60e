# SPDX-License-Identifier: GPL-2.0-or-later
# The figures that packing is held to, at full size, and 65,000 files.

load ../lib/common
load judge
load gc

setup() {
	need_judge
	need_program "$GCCTL" "$FSCK" "$F2DUMP"
	copy=$BATS_TEST_TMPDIR/copy
}

collect() {
	local name=$1 judge=$2 image

	shift 2
	image=$(kernel_image "$name" 612)
	gc_run "$image" "$copy" "$@"
	gc_agrees "$image" "$copy" "$judge"
	say "$name $*" "$copy.json"
}

@test "large sections: 65,536 one-block extents become at most 200" {
	collect large-section 72 --full
	[ "$(field "$copy.json" extents_before)" -ge 65536 ]
	[ "$(field "$copy.json" extents_after)" -le 200 ]
}

@test "large sections: without packing more than 60,000 stay" {
	collect large-section 61 --full --no-pack
	[ "$(field "$copy.json" extents_after)" -gt 60000 ]
}

@test "half-valid segments: as many freed with packing as without" {
	local name packed

	collect half-valid 612
	packed=$(for name in segments_freed sections_freed; do
		field "$copy.json" $name; done)
	collect half-valid 72 --no-pack
	[ "$packed" = "$(for name in segments_freed sections_freed; do
		field "$copy.json" $name; done)" ]
}

@test "65,000 files are read and collected" {
	local image

	image=$(kernel_image many-files 612)
	our_check "$image"
	"$F2DUMP" manifest "$image" | cmp - "$image.manifest"
	collect many-files 72 --full
}
