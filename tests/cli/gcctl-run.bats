# SPDX-License-Identifier: GPL-2.0-or-later
# gcctl.f2fs run on volumes that a kernel made: the tree stays as it was, the
# report is true, and a dry run foretells it.

load ../lib/common
load gcctl
load run

bats_require_minimum_version 1.5.0

# run_json OPTIONS...: the report of a run on $img as $img.json.
run_json() {
	"$GCCTL" run --json "$@" "$img" >"$img.json"
}

@test "a dry run changes no byte and foretells every figure" {
	for options in "" --full --no-pack "--full --no-pack" "--sections=3" \
		"--pack-max-blocks=64" "--until-free=60" \
		"--fail-record-every=4"; do
		shipped aged
		echo "options: $options"
		foretold $options
		same_tree
	done
}

@test "a dry run foretells what becomes of orphans and large gaps" {
	shipped orphans
	foretold
	shipped orphans
	foretold --full
	[ "$(peek orphan.4)" -gt 3 ]
}

@test "after a power cut, too, the new checkpoint is one of a clean unmount" {
	shipped orphans
	"$GCCTL" status --json "$img" >"$img.json"
	[ "$(json "'umount' in d['checkpoint_flags']")" = false ]
	"$GCCTL" run -q "$img"
	"$GCCTL" status --json "$img" >"$img.json"
	[ "$(json "{'umount', 'crc_recovery', 'orphan_present'} <=
		set(d['checkpoint_flags'])")" = true ]
}

@test "the document has every key that is promised" {
	shipped aged
	run_json
	for key in schema volume dry_run blocks_moved data_blocks_moved \
		node_blocks_moved node_blocks_updated blocks_written \
		write_cost segments_freed sections_freed \
		segments_already_empty sections_selected sections_skipped \
		free_sections_before free_sections_after \
		dirty_sections_before dirty_sections_after extents_before \
		extents_after ideal_extents extents_split moved_at_once \
		queue_drains commits seconds exit_status; do
		json "d['$key']"
	done
	for key in merge nat_flush sit_flush sync checkpoint barriers; do
		json "d['phases']['${key}_ms']"
	done
	for key in blocks_touched blocks_read blocks_written journal_hits; do
		json "d['nat']['$key']"
	done
	[ "$(json "d['schema']")" = 1 ]
	[ "$(json "d['exit_status']")" = 0 ]
	[ "$(json "'stopped_by' in d or 'error' in d")" = false ]
}

@test "the report agrees with the status before and after" {
	shipped aged
	for when in before after; do
		"$GCCTL" status --json "$img" >"$img.$when"
		[ $when = after ] || run_json --full
	done
	for when in before after; do
		for key in free_sections dirty_sections; do
			[ "$(json "d['${key}_$when']")" = \
				"$(json "d['$key']" "$img.$when")" ]
		done
	done
	[ "$(json "d['checkpoint_version']" "$img.after")" = $(($(json \
		"d['checkpoint_version']" "$img.before") + $(json \
		"d['commits']"))) ]
}

kept_of_checkpoint() {
	local name

	for name in user_block_count valid_block_count rsvd_segment_count \
		overprov_segment_count valid_node_count valid_inode_count \
		next_free_nid elapsed_time checksum_offset; do
		echo "$name $(peek cp.$name)"
	done
}

@test "sizes, counts, the next nid and the time stay in the checkpoint" {
	shipped aged
	kept_of_checkpoint >"$img.before"
	"$GCCTL" run -q --full "$img"
	kept_of_checkpoint | diff "$img.before" -
}

@test "packing brings files together, scan order does not" {
	shipped aged
	run_json --full
	[ "$(json "d['extents_after'] <= d['ideal_extents'] * 1.1")" = true ]
	same_tree
	shipped aged
	run_json --full --no-pack
	[ "$(json "d['extents_after'] > d['extents_before'] * 0.8")" = true ]
	same_tree
}

@test "a short queue is drained early, and the tree stays" {
	shipped aged
	run_json --full --pack-max-blocks=64
	[ "$(json "d['queue_drains']")" -gt 10 ]
	same_tree
}

@test "blocks without a record move at once, and the tree stays" {
	shipped aged
	run_json --full --fail-record-every=4
	[ "$(json "d['moved_at_once'] >= d['data_blocks_moved'] // 4")" = true ]
	same_tree
}

@test "--sections is a limit, and said to be what ended the run" {
	shipped aged
	run_json --sections=2
	[ "$(json "d['sections_selected']")" -le 2 ]
	[ "$(json "d['sections_selected']")" -ge 1 ]
	[ "$(json "d['stopped_by']")" = sections ]
	same_tree
}

@test "--until-free is a goal, and said to be what ended the run" {
	shipped aged
	"$GCCTL" status --json "$img" >"$img.status"
	free=$(json "d['free_sections']" "$img.status")
	all=$(json "d['sections']" "$img.status")
	run_json --until-free=$(((free + 2) * 100 / all))
	[ "$(json "d['stopped_by']")" = until-free ]
	[ "$(json "d['free_sections_after']")" -ge $(((free + 2) * 100 / all * all / 100)) ]
	[ "$(json "d['free_sections_after']")" -le $((free + 4)) ]
	same_tree
}

@test "a second run finds nothing to do" {
	shipped aged
	run_json --full
	"$GCCTL" run "$img" >"$img.first"
	before=$(sum_of)
	run "$GCCTL" run "$img"
	[ "$status" -eq 0 ]
	[[ ${lines[0]} = "$img: nothing to do"* ]]
	[ "$(sum_of)" = "$before" ]
}

@test "a signal stops at the last commit, with a report and exit 0" {
	shipped aged
	before=$(peek cp.checkpoint_ver)
	for signal in SIGINT SIGTERM; do
		"$top_srcdir/tests/cli/stopped-at-once.py" $signal \
			"$GCCTL" run --full --json "$img" >"$img.json"
		[ "$(json "d['stopped_by']")" = signal ]
		[ "$(json "d['commits']")" = 0 ]
		[ "$(json "d['blocks_moved']")" = 0 ]
		[ "$(json "d['exit_status']")" = 0 ]
		[ "$(peek cp.checkpoint_ver)" = "$before" ]
	done
	same_tree
	run_json
	same_tree
}

@test "progress goes to a descriptor, a JSON object a line" {
	shipped aged
	"$GCCTL" run -q --full --progress=5 "$img" 5>"$img.progress"
	python3 - "$img.progress" <<-'E'
		import json, sys
		steps = [json.loads(line) for line in open(sys.argv[1])]
		assert steps[-1]["total_bytes"] > 1 << 20
		for a, b in zip(steps, steps[1:]):
		    assert a["phase"] == b["phase"] == "moving"
		    assert a["done_bytes"] <= b["done_bytes"] <= b["total_bytes"]
	E
}

@test "progress on a terminal tells sizes" {
	need script
	shipped aged
	script -qec "'$GCCTL' run --full -n '$img' >'$img.report'" /dev/null \
		</dev/null >"$img.terminal"
	grep -qE 'moving: [0-9]+% \([0-9.]+ [KM]?i?B of [0-9.]+ MiB\)' \
		"$img.terminal"
	grep -q '^Blocks moved:' "$img.report"
}

@test "text has before and after; -v more of it; -q nothing" {
	shipped aged
	run --separate-stderr "$GCCTL" run -n "$img"
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ ${lines[0]} = "$img: a run would do this (nothing was written):" ]]
	[[ $output = *"BEFORE AFTER"*"Free sections"*"Dirty sections"* ]]
	short=${#lines[@]}
	run --separate-stderr "$GCCTL" run -n -v "$img"
	[ "${#lines[@]}" -gt "$short" ]
	run "$GCCTL" run -q "$img"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "a report that cannot be written is a failure" {
	need_full_device
	shipped orphans
	for options in "status" "run -n" "run --json -n"; do
		run bash -c "'$GCCTL' $options '$img' 2>&1 >/dev/full"
		[ "$status" -eq 1 ]
		[[ $output = *"standard output: No space left on device"* ]]
	done
}
