# SPDX-License-Identifier: GPL-2.0-or-later
# Power cuts in the middle of work: what we make of it is what the kernel would
# have. recover-large.bats is the long form.

load ../lib/common
load judge
load cuts

setup() {
	cuts_setup
}

teardown() {
	cuts_teardown
}

@test "what was fsynced before a power cut is replayed as kernels do" {
	local k

	for k in $KERNELS; do
		cut "$k" "$k.9" 2
	done
	judged
	say_sums
	[ "$(sum with_chain)" -ge 4 ]
	[ "$(sum nodes)" -ge 20 ]
}

@test "files deleted while open before a power cut are freed as kernels do" {
	cut 612 orphans 2 unlinked
	judged
	say_sums
	[ "$(sum with_orphans)" -eq 2 ]
}

@test "a replay that does nothing would be noticed" {
	cut 61 61.9 2 piles
	! judged --by nothing
	[ "$(sum with_chain)" -ge 1 ]
	[ "$(sum bad_tree)" -eq "$(sum with_chain)" ]
}
