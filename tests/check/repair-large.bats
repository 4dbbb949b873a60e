# SPDX-License-Identifier: GPL-2.0-or-later
# Every row of the table of repair-matrix, judged by both existing checkers; a
# sample of what was repaired is mounted by real kernels, and every byte is as
# it was.

load check
load ../kernel/judge
load ../kernel/gc

# group NAME: all rows of it, and three of the volumes for kernels.
group() {
	local keep=$BATS_TEST_TMPDIR/keep aged=$BATS_TEST_TMPDIR/aged k=61 what

	need_judge
	need_program "$FSCK" "$F2DUMP"
	mkdir -p "$keep"
	for what in manifest fiemap; do
		xz -dc "$top_srcdir/tests/images/aged.$what.xz" >"$aged.$what"
	done
	F2DUMP=$F2DUMP python3 -SE "$top_srcdir/tests/check/repair-matrix" \
		"$good" --work "$BATS_TEST_TMPDIR" --group "$1" \
		--judge "$J/bin/fsck115" --judge "$J/bin/fsck116" \
		--keep "$keep" --keep-every "${EVERY:-40}" --verbose
	for img in "$keep"/*.img; do
		echo "kernel $k: $img"
		tree_is_whole "$aged" "$img" "$k"
		k=$(judge_of "$k")
	done
}

for name in fields logs packs natbits bitmaps journals sit nat ssa; do
	eval "matrix_$name() { group $name; }"
	bats_test_function --description "all rows of $name" -- "matrix_$name"
done
