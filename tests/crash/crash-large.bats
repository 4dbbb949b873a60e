# SPDX-License-Identifier: GPL-2.0-or-later
# The long form: more volumes, an error at each write and flush, hundreds of
# states read whole, some seen by all kernels, fifty killed runs. Not part of
# any other target.

load ../lib/common
load ../kernel/judge
load states
load kill

setup() {
	need_crash
}

# each IMAGE gc|defrag [OPTION|PATH]...: as all_well, with an error at each write
# and flush.
each() {
	all_well "$@" --subsets 60 --walks 100 --faults 1000000
}

@test "defrag of the shipped volume: every state and error" {
	image=$(aged_image)
	each "$image" defrag
	each "$image" defrag --only-free
	each "$image" defrag --full --seed 2
	each "$image" defrag --max-moved 4M
	each "$image" defrag '/log*' /d0
}

@test "defrag in several rounds: every state and error" {
	each "$(kernel_image crowded 612)" defrag
	each "$(kernel_image crowded 612)" defrag --full --seed 2
	each "$(kernel_image near-full 612)" defrag
}

@test "defrag of volumes of each kernel: every state and error" {
	each "$(kernel_image tree-plain 72)" defrag
	each "$(kernel_image tree-flexible 61)" defrag --full
	each "$(kernel_image default-section 61)" defrag
}

@test "defrag of a larger volume that is nearly full: every state" {
	all_well "$(kernel_image hot-cold-small 612)" defrag --subsets 4 \
		--walks 20 --faults 6
}

@test "gc by each policy: every state and error" {
	image=$(aged_image)
	for policy in greedy cost-benefit age-threshold; do
		each "$image" gc --policy $policy
	done
	each "$image" gc --no-pack --max-moved 8M
	each "$(kernel_image crowded 612)" gc --full
	each "$(kernel_image half-valid-small 72)" gc
}

@test "defrag: states that three kernels mount, and both checkers check" {
	states "$(aged_image)" "61 612 72" 24 defrag
	states "$(kernel_image crowded 612)" "61 612 72" 24 defrag --seed 5
}

@test "defrag: more states of full volumes and all inode kinds, likewise" {
	states "$(kernel_image near-full 612)" "61 612 72" 12 defrag
	states "$(kernel_image tree-flexible 61)" "61 612 72" 12 defrag --full
}

@test "gc: states that three kernels mount, and both checkers check" {
	states "$(aged_image)" "61 612 72" 12 gc --policy age-threshold
	states "$(kernel_image crowded 612)" "61 612 72" 12 gc --full --seed 5
}

@test "fifty killed runs" {
	killed_runs "$(aged_image)" 12 4 1 "$DEFRAG" -q
	killed_runs "$(kernel_image crowded 612)" 12 4 2 "$DEFRAG" -q
	killed_runs "$(kernel_image large-section 612)" 12 4 3 "$DEFRAG" -q
	killed_runs "$(kernel_image half-valid-small 612)" 7 3 4 "$GCCTL" run -q
	killed_runs "$(kernel_image tree 612)" 7 3 5 "$GCCTL" run -q \
		--policy cost-benefit
}
