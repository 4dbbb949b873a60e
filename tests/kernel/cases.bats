# SPDX-License-Identifier: GPL-2.0-or-later
# What users of this file system told of fragmentation and garbage collection,
# each on a volume that a kernel made so. The power cut in the middle of a run
# (C58) is in tests/crash.

load ../lib/common
load judge
load gc

setup() {
	need_judge
	need_program "$DEFRAG" "$FSCK" "$GCCTL"
	copy=$BATS_TEST_TMPDIR/copy
}

report() {
	"$DEFRAG" --report --json "$copy" >"$copy.report"
}

# each EXPRESSION: true for each file of the report.
each() {
	python3 -c '
import json, sys
files = json.load(open(sys.argv[2]))["files"]
bad = [f for f in files if not eval(sys.argv[1], {}, f)]
sys.exit("%s: not %s" % (bad[0], sys.argv[1]) if bad or not files else 0)
' "$1" "$copy.report"
}

@test "C56: files are named, with their extents before and after" {
	local image before

	image=$(kernel_image in-turn 612)
	copy_image "$image" "$copy"
	report
	python3 "$lib_dir/frag-report.py" "$copy.report" "$image.fiemap" \
		"$image.manifest"
	before=$(field "$copy.report" fragmentation.extents)
	[ "$before" -ge 480 ]
	"$DEFRAG" --json "$copy" >"$copy.json"
	[ "$(field "$copy.json" extents_before)" -eq "$before" ]
	report
	each 'extents == ideal_extents'
	[ "$(field "$copy.report" fragmentation.extents)" -eq \
		"$(field "$copy.json" extents_after)" ]
	tree_is_whole "$image" "$copy" 72
	python3 "$lib_dir/frag-report.py" "$copy.report" "$copy.out/fiemap" \
		"$copy.out/manifest"
}

@test "C57: what a run would gain is told, and it leaves nothing to clean" {
	local image free dirty

	image=$(kernel_image worn 612)
	copy_image "$image" "$copy"
	"$GCCTL" victims --json "$copy" >"$copy.victims"
	[ "$(field "$copy.victims" dirty_sections)" -ge 6 ]
	python3 - "$copy.victims" <<-'END'
		import json, sys
		d = json.load(open(sys.argv[1]))
		for key in "sections", "valid_blocks":
		    assert sum(h[key] for h in d["histogram"]) == d["totals"][key]
		assert d["totals"]["gain_sections"] >= 1
	END
	free=$(field "$copy.victims" free_sections_at_best)
	"$GCCTL" run --json "$copy" >"$copy.json"
	[ "$(field "$copy.json" free_sections_after)" -le "$free" ]
	[ "$(field "$copy.json" dirty_sections_after)" -le 6 ]
	tree_is_whole "$image" "$copy" 72 \
		"$(field "$copy.json" extents_split)"
	# The kernel's cleaner, told to hurry, finds next to nothing.
	"$GCCTL" run -q "$copy"
	cat >"$copy.script" <<-'END'
		set -e
		cd "/sys/fs/f2fs/${DEV#/dev/}"
		dirty=$(cat dirty_segments)
		echo 5 >gc_urgent_sleep_time; echo 1 >gc_urgent
		sleep 2
		echo 0 >gc_urgent
		echo "$dirty $(cat moved_blocks_background)"
	END
	read -r dirty moved < <("$kernel_dir/uml-run" -s -k 612 "$copy" \
		"$copy.script")
	echo "# dirty segments $dirty, moved by the kernel $moved blocks" >&3
	[ "$dirty" -le 6 ]
	[ "$moved" -le $((6 * 512)) ]
}

@test "C59: a full volume is put in order, or nothing is written" {
	local image status=0 free

	image=$(kernel_image near-full 612)
	copy_image "$image" "$copy"
	"$GCCTL" status --json "$copy" >"$copy.status"
	"$DEFRAG" --json "$copy" >"$copy.json" 2>"$copy.err" || status=$?
	if [ "$status" -ne 0 ]; then
		[ -s "$copy.err" ]
		cmp "$image" "$copy"
	fi
	[ "$(field "$copy.json" free_sections_after)" -ge \
		"$(field "$copy.json" free_sections_before)" ]
	[ "$(field "$copy.json" extents_after)" -eq \
		"$(field "$copy.json" ideal_extents)" ]
	# As tree_is_whole, but there is no room for the kernel to work in.
	our_check "$copy"
	old_check "$copy"
	"$kernel_dir/uml-run" -s -r -k 72 -O "$copy.out" "$copy" \
		"$kernel_dir/guest-record"
	python3 "$lib_dir/manifest.py" --compare "$image.manifest" \
		"$copy.out/manifest"
	python3 "$lib_dir/fiemap.py" --compare "$image.fiemap" \
		"$copy.out/fiemap" 0
}

# Stopped after each piece, so that every pack begins where one ended.
in_pieces() {
	local image moved=1 size=$2 judge=$3

	image=$(kernel_image "$1" 72)
	copy_image "$image" "$copy"
	while [ "$moved" -gt 0 ]; do
		"$DEFRAG" --json --max-moved "$size" "$copy" >"$copy.json"
		moved=$(field "$copy.json" blocks_moved)
		our_check "$copy"
		old_check "$copy" 116
	done
	tree_is_whole "$image" "$copy" "$judge"
}

@test "C60: logs, journals and summaries are right in every pack" {
	in_pieces in-turn 300K 61
	# Pieces of more than a segment, which is full and left then.
	in_pieces worn 3M 612
	# What fits into the journals, and then what does not.
	copy_image "$(kernel_image worn 72)" "$copy"
	for options in --full "--full --max-moved 300K" --full; do
		"$DEFRAG" -q $options "$copy"
		our_check "$copy"
		old_check "$copy" 116
	done
	tree_is_whole "$(kernel_image worn 72)" "$copy" 61
}

@test "C61: no file is worse, and the last part of a block comes along" {
	local image

	image=$(kernel_image in-turn 61)
	copy_image "$image" "$copy"
	"$DEFRAG" -q --max-moved 1M "$copy"
	# tree_is_whole compares the extents of every path.
	tree_is_whole "$image" "$copy" 612
	copy_image "$image" "$copy"
	"$DEFRAG" -q "$copy"
	report
	each 'directory or extents == ideal_extents and size_bytes % 4096'
	each 'directory or blocks == -(-size_bytes // 4096)'
	tree_is_whole "$image" "$copy" 612
}

@test "C61: files that lie across the ends of sections are not cut there" {
	local image=$BATS_TEST_TMPDIR/thinned part

	# One behind the other, and then every third is taken away.
	copy_image "$(kernel_image near-full 612)" "$image"
	"$DEFRAG" -q --full "$image"
	cat >"$image.script" <<-END
		set -e
		n=0
		for f in "\$M"/[ab]*; do
			[ \$((n++ % 3)) -gt 0 ] || rm "\$f"
		done
		. '$kernel_dir/guest-record' remount
	END
	"$kernel_dir/uml-run" -s -k 612 -O "$image.out" "$image" \
		"$image.script"
	for part in manifest fiemap; do
		mv "$image.out/$part" "$image.$part"
	done
	copy_image "$image" "$copy"
	"$DEFRAG" --json --only-free "$copy" >"$copy.json"
	[ "$(field "$copy.json" free_sections_after)" -gt \
		"$(field "$copy.json" free_sections_before)" ]
	tree_is_whole "$image" "$copy" 72
}
