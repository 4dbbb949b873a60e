# SPDX-License-Identifier: GPL-2.0-or-later
# Power cuts and I/O errors in runs of defragmentation on volumes that a real
# kernel made; some of the states are mounted by real kernels.

load ../lib/common
load ../kernel/judge
load states

setup() {
	need_crash
}

@test "every state is whole: files that were fsynced" {
	image=$(kernel_image tiny-fsynced 612)
	all_well "$image" defrag
	all_well "$image" defrag --full
	all_well "$image" defrag --max-moved 300K
	all_well "$image" defrag /d '/t*'
}

@test "every state is whole: every shape of inode" {
	all_well "$(kernel_image tree 612)" defrag --only-free --faults 3 \
		--subsets 6 --walks 5
	all_well "$(kernel_image tree-flexible 72)" defrag --full --faults 3 \
		--subsets 6 --walks 5
}

@test "every state is whole: large sections" {
	all_well "$(kernel_image large-section-small 612)" defrag --faults 6 \
		--subsets 6 --walks 6
}

# Little room: rounds that only make some, and sections used again.
@test "every state is whole: a crowded volume, in several rounds" {
	image=$(kernel_image crowded 612)
	all_well "$image" defrag
	all_well "$image" defrag --full --subsets 2 --walks 4 \
		--faults 2
	states "$image" 612 8 defrag
}

@test "every state is whole: a run that goes on from what a cut left" {
	image=$(kernel_image crowded 612)
	mkdir "$BATS_TEST_TMPDIR/first"
	"$crash" --faults 0 --walks 0 --subsets 4 --dumps 8 --seed 3 \
		--dump-dir "$BATS_TEST_TMPDIR/first" defrag "$image"
	for file in "$BATS_TEST_TMPDIR"/first/*0[35].img; do
		all_well "$file" defrag --subsets 6 --walks 4 --faults 2
	done
}

@test "kernels 6.1 and 7.2 mount a sample of the states and find every file" {
	states "$(kernel_image tiny-fsynced 61)" 61 6 defrag --full
	states "$(kernel_image tiny-fsynced 72)" 72 6 defrag
}
