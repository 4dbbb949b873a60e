# SPDX-License-Identifier: GPL-2.0-or-later
# A signal in a run of several commits: it ends at the last of them, tells what
# was reached, and a kernel finds the tree as it was.

load ../lib/common
load judge
load gc

image=$BATS_FILE_TMPDIR/full.img

setup_file() {
	load judge
	need_judge
	full_image "$BATS_FILE_TMPDIR/full.img" turns
}

setup() {
	preload=$top_builddir/tests/lib/.libs/signal-at.so
	need_program "$GCCTL" "$DEFRAG" "$FSCK" "$preload"
	copy=$BATS_TEST_TMPDIR/copy
}

# signalled SIGNAL FLUSHES WRITES PROGRAM...: on a new copy of the volume,
# signalled at so many writes after so many flushes; each commit has two, one
# before and one behind its last block.
signalled() {
	local at

	at="$(kill -l "${1#SIG}") $2 $3"
	shift 3
	rm -rf "$copy" "$copy".*
	copy_image "$image" "$copy"
	# A background job of sh ignores SIGINT, and what it starts does, too.
	env --default-signal=INT,TERM LD_PRELOAD="$preload" SIGNAL_AT="$at" \
		"$@" "$copy" >"$copy.json"
}

ended_at() {
	expect "$copy.json" stopped_by signal
	expect "$copy.json" commits "$1"
	expect "$copy.json" exit_status 0
}

@test "the run that is stopped would commit three times" {
	gc_run "$image" "$copy" --full
	expect "$copy.json" commits 3
	copy_image "$image" "$copy"
	"$DEFRAG" --json "$copy" >"$copy.json"
	expect "$copy.json" commits 3
}

@test "gcctl, stopped in the first transaction: as it was" {
	signalled SIGINT 0 1 "$GCCTL" run --full --json
	ended_at 0
	gc_agrees "$image" "$copy" 61
	expect "$copy.json" segments_freed 0
	expect "$copy.json" blocks_moved 0
}

@test "gcctl, stopped in a commit: that one is carried out" {
	signalled SIGTERM 1 0 "$GCCTL" run --full --json
	ended_at 1
	gc_agrees "$image" "$copy" 612
}

@test "gcctl, stopped between two commits: at the first" {
	signalled SIGINT 2 0 "$GCCTL" run --full --json
	ended_at 1
	gc_agrees "$image" "$copy" 72
	mv "$copy.json" "$copy.first"
	signalled SIGINT 2 0 "$GCCTL" run --full
	grep -q 'stopped by a signal; this is what was committed before:$' \
		"$copy.json"
	grep -qE '^Commits: +1$' "$copy.json"
}

@test "gcctl, stopped in the third transaction: at the second commit" {
	signalled SIGTERM 4 1 "$GCCTL" run --full --json
	ended_at 2
	gc_agrees "$image" "$copy" 61
}

@test "defrag, stopped between two commits and in the third transaction" {
	local commits

	for commits in 1 2; do
		signalled SIGINT $((2 * commits)) $((commits - 1)) \
			"$DEFRAG" --json
		ended_at $commits
		tree_is_whole "$image" "$copy" 72
		expect "$copy.json" extents_after \
			"$(written "$copy.out/fiemap")"
	done
}
