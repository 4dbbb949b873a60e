# SPDX-License-Identifier: GPL-2.0-or-later
# Volumes at full size, each made by every kernel, collected, and judged by
# another: the figures that packing is held to, and 65,000 files.

load ../lib/common
load judge
load gc

setup() {
	need_judge
	need_program "$GCCTL" "$FSCK" "$F2DUMP"
	copy=$BATS_TEST_TMPDIR/copy
}

# collect NAME MAKER ARGS...
collect() {
	local name=$1 maker=$2 judge image

	shift 2
	judge=$(judge_of "$maker")
	image=$(kernel_image "$name" "$maker")
	gc_run "$image" "$copy" "$@"
	gc_agrees "$image" "$copy" "$judge"
	say "$name $* (made by $maker, judged by $judge)" "$copy.json"
}

@test "what each kernel made is read as it shows it, without a finding" {
	local name k

	for name in large-section half-valid many-files; do
		for k in $KERNELS; do
			read_image "$name" "$k"
			our_check "$(kernel_image "$name" "$k")"
		done
	done
}

@test "large sections: 65,536 one-block extents become at most 200" {
	local k

	for k in $KERNELS; do
		collect large-section "$k" --full
		[ "$(field "$copy.json" extents_before)" -ge 65536 ]
		[ "$(field "$copy.json" extents_after)" -le 200 ]
	done
}

@test "large sections: without packing more than 60,000 stay" {
	local k

	for k in $KERNELS; do
		collect large-section "$k" --full --no-pack
		[ "$(field "$copy.json" extents_after)" -gt 60000 ]
	done
}

freed() {
	field "$copy.json" segments_freed
	field "$copy.json" sections_freed
}

@test "half-valid segments: as many freed with packing as without" {
	local k packed

	for k in $KERNELS; do
		collect half-valid "$k"
		packed=$(freed)
		collect half-valid "$k" --no-pack
		[ "$(freed)" = "$packed" ]
		# Every second one of 400 files was in 100 segments of its own.
		[ "$(field "$copy.json" segments_freed)" -ge 100 ]
	done
}

@test "65,000 files are collected" {
	local k

	for k in $KERNELS; do
		collect many-files "$k" --full
	done
}
