# SPDX-License-Identifier: GPL-2.0-or-later
# Two hundred power cuts of real kernels in the middle of fsyncs, and as many
# orphans as take several blocks of the list: what we replay and free against
# what the kernel does with a copy. Seeds are those of cut-images; SEEDS= says
# how many, CUTS_KEEP= a folder for images that fail.

load ../lib/common
load judge
load cuts

setup() {
	cuts_setup
}

teardown() {
	cuts_teardown
}

@test "200 power cuts are replayed as kernels do" {
	campaign "${SEEDS:-12}" 6
	[ -n "${SEEDS-}" ] || [ "$(sum cuts)" -ge 200 ]
	# Most cuts are to leave something to replay.
	[ "$(sum with_chain)" -ge $(($(sum cuts) * 3 / 4)) ]
	[ "$(sum names)" -ge "$(sum with_chain)" ]
}

@test "files and directories deleted while open are freed as kernels do" {
	campaign "${SEEDS:-3}" 5 unlinked
	[ "$(sum with_orphans)" -ge $(($(sum cuts) * 3 / 4)) ]
	# More than one block of the list.
	[ "$(sum orphans)" -ge $((1020 * $(sum cuts) / 4)) ]
}

@test "two kernels agree about each other's replay" {
	local k

	for k in $KERNELS; do
		cut "$k" "again.$k" 4
	done
	judged --by kernel
	say_sums
}
