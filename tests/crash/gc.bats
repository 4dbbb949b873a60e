# SPDX-License-Identifier: GPL-2.0-or-later
# Power cuts and I/O errors in runs of garbage collection on volumes that a real
# kernel made; some of the states are mounted by real kernels.

load ../lib/common
load ../kernel/judge
load states

checkers=116

setup() {
	need_crash
}

@test "every state is whole: files that were fsynced, all option sets" {
	image=$(kernel_image tiny-fsynced 612)
	all_well "$image" gc
	all_well "$image" gc --full
	all_well "$image" gc --no-pack
	all_well "$image" gc --pack-max-blocks 64
	all_well "$image" gc --sections 2
	all_well "$image" gc --policy cost-benefit --max-moved 4M
	all_well "$image" gc --policy age-threshold --full --seed 2
}

@test "every state is whole: every shape of inode" {
	all_well "$(kernel_image tree 612)" gc --faults 3 --subsets 6 \
		--walks 5
	all_well "$(kernel_image tree-flexible 72)" gc --full --faults 3 \
		--subsets 6 --walks 5
}

@test "every state is whole: large sections" {
	all_well "$(kernel_image large-section-small 612)" gc --full --faults 6 \
		--subsets 10 --walks 6
}

# Freed sections are used again in the same run.
@test "every state is whole: a full volume, in several transactions" {
	image=$(kernel_image crowded 612)
	all_well "$image" gc --full
	all_well "$image" gc --full --no-pack --faults 6
	states "$image" 612 8 gc --full
}

@test "every state is whole: orphans" {
	image=$BATS_TEST_TMPDIR/orphans.img
	xz -dc "$top_srcdir/tests/images/orphans.img.xz" >"$image"
	all_well "$image" gc
	all_well "$image" gc --full --faults 24
	all_well "$image" defrag --full
	cp "$image" "$image.copy"
	"$kernel_dir/uml-run" -s -n -k 612 -O "$image.out" "$image.copy" \
		"$top_srcdir/tests/crash/guest-states" ubda
	mv "$image.out/ubda.manifest" "$image.manifest"
	states "$image" 72 6 gc --full
}

@test "kernel 6.12 mounts a sample of the states and finds every file" {
	states "$(kernel_image tiny-fsynced 612)" 612 8 gc --subsets 40
}

@test "kernel 6.1 mounts a sample of the states and finds every file" {
	states "$(kernel_image tiny-fsynced 61)" 61 6 gc --full --subsets 40
}

@test "kernel 7.2 mounts a sample of the states and finds every file" {
	states "$(kernel_image tiny-fsynced 72)" 72 6 gc --pack-max-blocks 64 \
		--subsets 40
}
