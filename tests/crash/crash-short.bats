# SPDX-License-Identifier: GPL-2.0-or-later
# A short form of crash-run on the volume that is shipped, and the proof that the
# rig finds what is wrong.

load ../lib/common

crash=$top_builddir/tests/crash/crash-run
aged=$BATS_FILE_TMPDIR/aged.img

setup_file() {
	xz -dc "$top_srcdir/tests/images/aged.img.xz" \
		>"$BATS_FILE_TMPDIR/aged.img"
}

@test "every state of gc is the old or the new volume, whole" {
	"$crash" --subsets 3 --walks 4 --faults 3 gc "$aged"
}

@test "C58: every state of defrag is the old or the new volume, whole" {
	"$crash" --subsets 3 --walks 4 --faults 3 defrag "$aged"
}

@test "every state of defrag of a few files, up to a limit, is whole" {
	"$crash" --max-moved 2M --subsets 6 --walks 4 --faults 4 defrag \
		"$aged" '/log*' /d0
}

@test "every state of gc with a short queue and few sections is whole" {
	"$crash" --pack-max-blocks 64 --sections 2 --subsets 6 --walks 4 \
		--faults 4 gc "$aged"
}

@test "every state of gc without packing is whole" {
	"$crash" --no-pack --sections 4 --subsets 6 --walks 4 --faults 4 gc "$aged"
}

# finds FAULT TEXT: with FAULT planted, states are found bad, for this reason.
finds() {
	run "$crash" --plant "$1" --sections 1 --subsets 2 --walks 1 --faults 0 \
		gc "$aged"
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

@test "every state of a replay is the volume with its chain or what came of it" {
	xz -dc "$top_srcdir/tests/images/pending.img.xz" >"$BATS_TEST_TMPDIR/p"
	"$crash" --subsets 20 --walks 8 --faults 40 replay "$BATS_TEST_TMPDIR/p"
}

@test "every state of a replay is the volume with its orphans or without" {
	xz -dc "$top_srcdir/tests/images/orphans.img.xz" >"$BATS_TEST_TMPDIR/o"
	"$crash" --subsets 20 --walks 8 --faults 40 replay "$BATS_TEST_TMPDIR/o"
	run "$crash" --plant commit-first replay "$BATS_TEST_TMPDIR/o"
	[ "$status" -eq 1 ]
	run "$crash" replay "$aged"
	[ "$status" -eq 1 ]
	[[ "$output" == *"has nothing to do"* ]]
}
