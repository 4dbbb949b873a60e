# SPDX-License-Identifier: GPL-2.0-or-later
# gcctl.f2fs victims foretells which sections the kernel's cleaner picks.

load ../lib/common
load judge
load gc

setup() {
	need_judge
	need_program "$GCCTL" "$FSCK" "$F2DUMP"
	copy=$BATS_TEST_TMPDIR/copy
}

# aged NAME SEED: a copy of a kernel's volume with segments of many ages.
aged() {
	local image

	image=$(kernel_image "$1" 612)
	copy_image "$image" "$copy"
	python3 "$lib_dir/victims.py" --ages "$2" "$copy"
}

# costs POLICY: "SECTION COST" a line, without sections in which a log stands.
costs() {
	"$GCCTL" victims --json --policy="$1" "$copy" >"$copy.json"
	python3 -c '
import json, sys
for v in json.load(open(sys.argv[1]))["victims"]:
	if not v["current"]:
		print(v["section"], v["cost"])
' "$copy.json"
}

# picks K OPTIONS GC_IDLE N POLICY: what kernel K picks, with costs by our list.
picks() {
	costs "$5" >"$copy.ours"
	copy_image "$copy" "$copy.k"
	# The ages were set in the checkpoint, whose checksum nat_bits repeat.
	"$kernel_dir/uml-run" -s -a "Disable nat_bits" -k "$1" \
		-o "background_gc=off$2" "$copy.k" \
		"$kernel_dir/guest-victims" "$3" "$4" >"$copy.picks"
	[ "$(wc -l <"$copy.picks")" -eq "$4" ]
	awk 'NR == FNR { cost[$1] = $2; next } { print cost[$1] }' \
		"$copy.ours" "$copy.picks" >"$copy.theirs"
	echo "kernel $1, $5, picks $(tr '\n' ' ' <"$copy.picks")"
}

# foretold K GC_IDLE POLICY: its first picks cost what our first victims cost.
# Which of several at the same cost it takes is its own affair.
foretold() {
	picks "$1" "" "$2" 6 "$3"
	diff "$copy.theirs" <(head -n 6 "$copy.ours" | cut -d' ' -f2)
}

# With atgc the kernel has one more log, which reuses a dirty segment from the
# mount on: that may be our first victim, and then it picks the second.
foretold_by_age() {
	picks "$1" ,atgc 3 1 age-threshold
	head -n 2 "$copy.ours" | grep -q " $(cat "$copy.theirs")$"
}

@test "kernel 6.1 picks what is foretold" {
	aged tree 1
	foretold 61 2 greedy
	foretold 61 1 cost-benefit
	foretold_by_age 61
}

@test "kernel 6.12 picks what is foretold" {
	aged tree 2
	foretold 612 2 greedy
	foretold 612 1 cost-benefit
	foretold_by_age 612
}

@test "kernel 7.2 picks what is foretold, of large sections too" {
	aged tree 3
	foretold 72 1 cost-benefit
	foretold_by_age 72
	aged half-valid-small 4
	foretold 72 2 greedy
	foretold 72 1 cost-benefit
	foretold_by_age 72
}

# The kernel, three checkers and the report agree on what a run left.
collect() {
	local name=$1 judge=$2 image

	shift 2
	image=$(kernel_image "$name" 612)
	gc_run "$image" "$copy" "$@"
	[ "$(field "$copy.json" blocks_moved)" -gt 0 ]
	gc_agrees "$image" "$copy" "$judge"
}

# already_empty SECTION...: what the report counts, in those that were chosen.
already_empty() {
	local want

	want=$(python3 "$lib_dir/segments.py" \
		"$(kernel_image half-valid-small 612).segments" \
		"$copy.out/segments" 4 "$@" | sed 's/.*already_empty=//')
	[ "$want" -gt 0 ]
	expect "$copy.json" segments_already_empty "$want"
}

@test "runs that choose leave a tree that the kernel finds whole" {
	collect tree 612 --policy=cost-benefit --type=node
	collect tree 61 --policy=age-threshold --type=data --full --max-moved=6M
	collect half-valid-small 72 --section=29-33 --section=41
	expect "$copy.json" sections_selected 6
	already_empty 29 30 31 32 33 41
	collect large-section-small 612 --policy=cost-benefit --skip-valid=90 \
		--time-limit=1000
}
