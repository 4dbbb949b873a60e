# SPDX-License-Identifier: GPL-2.0-or-later
# Garbage collection on volumes that real kernels made: the kernel then finds
# every path as it was, in no more extents, and no checker finds anything.

load ../lib/common
load judge
load gc

setup() {
	need_judge
	need_program "$GCCTL" "$FSCK"
	copy=$BATS_TEST_TMPDIR/copy
}

# Made by one kernel, judged by another.
collect() {
	local name=$1 maker=$2 judge=$3 image

	shift 3
	image=$(kernel_image "$name" "$maker")
	gc_run "$image" "$copy" "$@"
	gc_agrees "$image" "$copy" "$judge"
	say "$name $*" "$copy.json"
}

@test "one-block extents are packed" {
	collect default-section 612 61
	collect default-section 61 72 --full
	[ "$(field "$copy.json" extents_after)" -le 500 ]
}

@test "without packing the order of the blocks stays" {
	collect default-section 72 612 --full --no-pack
	[ "$(field "$copy.json" extents_after)" -ge 5000 ]
}

@test "large sections are packed" {
	collect large-section-small 72 61 --full
	[ "$(field "$copy.json" extents_after)" -le 100 ]
	collect large-section-small 61 612
}

@test "half-valid segments are freed, packed or not, as the SIT shows" {
	local packed

	collect half-valid-small 612 72
	packed=$(for n in segments_freed sections_freed segments_already_empty; do
		field "$copy.json" $n; done)
	collect half-valid-small 612 61 --no-pack
	[ "$packed" = "$(for n in segments_freed sections_freed \
		segments_already_empty; do field "$copy.json" $n; done)" ]
}

@test "many files" {
	collect many-files-small 72 612
	collect many-files-small 612 72 --full
}

@test "every shape of inode, with checksums" {
	# Not judged by 7.2: for each slot that FIEMAP looks at it sums the inode.
	collect tree 72 61 --full
	collect tree 61 612
	collect tree 612 61 --no-pack --full
}

@test "every shape of inode, plain features" {
	collect tree-plain 612 72 --full
	collect tree-plain 72 61
}

@test "every shape of inode, flexible inline xattrs" {
	collect tree-flexible 72 612 --full
}

@test "files that were fsynced before the unmount" {
	collect tiny-fsynced 72 72 --full
	collect tiny-fsynced 612 61
}

@test "a bound of 64 records is kept, and contents are equal" {
	collect tree 612 612 --full --pack-max-blocks 64
	collect large-section-small 612 72 --full --pack-max-blocks 64
}

@test "one section, and a share of free sections" {
	collect half-valid-small 72 72 --sections 1
	[ "$(field "$copy.json" sections_freed)" -eq 1 ]
	collect half-valid-small 72 61 --until-free 75
}

# The first section of $copy of which a part of a run would be moved.
cutting_section() {
	local n

	for ((n = 0; n < $("$GCCTL" status --json "$copy" |
		field /dev/stdin sections); n++)); do
		"$GCCTL" run -n --json --section=$n "$copy" >"$copy.plan"
		[ "$(field "$copy.plan" extents_split)" -eq 0 ] || break
	done
	echo $n
}

@test "cuts where a run goes on in a section that was left alone are counted" {
	local image

	image=$(kernel_image tree-plain 72)
	copy_image "$image" "$copy"
	"$GCCTL" run --json --section="$(cutting_section)" "$copy" >"$copy.json"
	"$kernel_dir/uml-run" -s -n -k 61 -O "$copy.out" "$copy" \
		"$kernel_dir/guest-verify"
	gc_counts "$image" "$copy"
	run python3 "$lib_dir/fiemap.py" --compare "$image.fiemap" \
		"$copy.out/fiemap"
	[[ "$output" == *"(by $(field "$copy.json" extents_split))" ]]
}

@test "the plan of a dry run is what the run does, and no byte changes" {
	local image sum n

	image=$(kernel_image half-valid-small 612)
	copy_image "$image" "$copy"
	sum=$(sha256sum <"$copy")
	"$GCCTL" run --json --dry-run "$copy" >"$copy.plan"
	[ "$(sha256sum <"$copy")" = "$sum" ]
	"$GCCTL" run --json "$copy" >"$copy.json"
	for n in segments_freed sections_freed segments_already_empty \
		blocks_moved extents_after free_sections_after commits; do
		[ "$(field "$copy.plan" $n)" = "$(field "$copy.json" $n)" ]
	done
}

@test "a second run keeps what the first gained" {
	local image free extents

	image=$(kernel_image tree 612)
	gc_run "$image" "$copy" --full
	free=$(field "$copy.json" free_sections_after)
	extents=$(field "$copy.json" extents_after)
	"$GCCTL" run --json --full "$copy" >"$copy.json"
	[ "$(field "$copy.json" free_sections_after)" -ge "$free" ]
	[ "$(field "$copy.json" extents_after)" -le "$extents" ]
	our_check "$copy"
	old_check "$copy"
}

@test "a kernel's cleaner goes on where a run ended" {
	local k

	cat >"$copy.script" <<-END
		set -e
		python3 '$lib_dir/workload.py' thin "\$M" f 3; sync
		sum() { (cd "\$M"; sha256sum * | sha256sum); }
		before=\$(sum)
		python3 -c '
		import fcntl, os
		fd = os.open(".", os.O_RDONLY)
		for done in range(100):
		    try:
		        fcntl.ioctl(fd, 0x4004f506, b"\\1\\0\\0\\0")
		    except OSError:
		        break
		print(done)'
		echo 3 >/proc/sys/vm/drop_caches
		[ "\$(sum)" = "\$before" ]
	END
	for k in $KERNELS; do
		gc_run "$(kernel_image default-section 612)" "$copy" --full
		[ "$("$kernel_dir/uml-run" -s -k "$k" "$copy" \
			"$copy.script")" -ge 3 ]
		our_check "$copy"
		old_check "$copy" 116
	done
}
