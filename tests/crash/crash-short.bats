# SPDX-License-Identifier: GPL-2.0-or-later
# A short form of crash-gc on the volume that is shipped, and the proof that the
# rig finds what is wrong.

load ../lib/common

crash=$top_builddir/tests/crash/crash-gc
aged=$BATS_FILE_TMPDIR/aged.img

setup_file() {
	xz -dc "$top_srcdir/tests/images/aged.img.xz" \
		>"$BATS_FILE_TMPDIR/aged.img"
}

@test "every state of a run is the old or the new volume, whole" {
	"$crash" --subsets 3 --walks 4 --faults 3 "$aged"
}

@test "every state of a run with a short queue and few sections is whole" {
	"$crash" --pack-max-blocks 64 --sections 2 --subsets 6 --walks 4 \
		--faults 4 "$aged"
}

@test "every state of a run without packing is whole" {
	"$crash" --no-pack --sections 4 --subsets 6 --walks 4 --faults 4 "$aged"
}

# finds FAULT TEXT: with FAULT planted, states are found bad, for this reason.
finds() {
	run "$crash" --plant "$1" --sections 1 --subsets 2 --walks 1 --faults 0 \
		"$aged"
	echo "$output" | head -5
	[ "$status" -eq 1 ]
	grep -q "$2" <<<"$output"
}

@test "the rig finds a checkpoint written before the flush" {
	finds commit-before-flush 'without unit .* have changed'
}

@test "the rig finds a checkpoint written first" {
	finds commit-first 'not alone between two flushes'
}

@test "the rig finds a block of the live checkpoint overwritten" {
	finds overwrite 'overwrites a block that the live checkpoint reaches'
}

@test "the rig finds a node that looks as if it had been fsynced" {
	finds forged-fsync 'would replay nodes that were never fsynced'
}

@test "the rig finds a block copied wrongly" {
	finds bad-copy 'the tree differs'
}
