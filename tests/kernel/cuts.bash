# SPDX-License-Identifier: GPL-2.0-or-later
# Power cuts of real kernels, and who judges what is made of them.

cuts_setup() {
	need_judge
	need_program "$FSCK"
	cuts=$(mktemp -d /dev/shm/cuts.XXXXXX 2>/dev/null) ||
		cuts=$(mktemp -d "$BATS_TEST_TMPDIR/cuts.XXXXXX")
}

cuts_teardown() {
	[ -z "${cuts-}" ] || rm -rf "$cuts"
}

# cut KERNEL SEED CUTS [KIND]: images in $cuts.
cut() {
	"$kernel_dir/cut-images" "$1" "$2" "$3" "$cuts" ${4:+"$4"}
}

# judged ARGS...: the images in $cuts are judged, and gone; the lines go to
# $cuts.lines, the sums are added to those in $cuts.sums.
judged() {
	local status=0

	"$kernel_dir/cut-judge" --keep "${CUTS_KEEP:-$BATS_TEST_TMPDIR/kept}" \
		"$@" "$cuts" >"$BATS_TEST_TMPDIR/lines" || status=$?
	cat "$BATS_TEST_TMPDIR/lines"
	sed -n 's/^sums //p' "$BATS_TEST_TMPDIR/lines" >>"$BATS_TEST_TMPDIR/sums"
	rm -f "$cuts"/*.img "$cuts"/*.json
	return $status
}

# sum KEY: of all that was judged.
sum() {
	python3 -c '
import json, sys
print(sum(json.loads(line).get(sys.argv[2], 0) for line in open(sys.argv[1])))
' "$BATS_TEST_TMPDIR/sums" "$1"
}

say_sums() {
	local key text=

	for key in cuts with_chain nodes inodes names blocks with_orphans orphans \
		cut_chains failed kernels_differ; do
		text="$text $key=$(sum $key)"
	done
	echo "#$text" >&3
}

# campaign SEEDS CUTS [KIND]: every kernel cut CUTS times for each seed.
campaign() {
	local seed k bad=0

	for ((seed = 1; seed <= $1; seed++)); do
		for k in $KERNELS; do
			cut "$k" "$k.$seed" "$2" ${3:+"$3"}
		done
		judged || bad=1
		say_sums
	done
	return $bad
}
