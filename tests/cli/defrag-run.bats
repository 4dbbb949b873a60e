# SPDX-License-Identifier: GPL-2.0-or-later
# defrag.f2fs on a volume that a kernel made and aged: every file at its ideal,
# the tree as it was, and a dry run that foretells it.

load ../lib/common
load defrag
load run

bats_require_minimum_version 1.5.0

setup() {
	shipped aged
}

# The number of extents above the ideal, of the files that are named.
excess() {
	report "$@"
	json "sum(f['extents'] - f['ideal_extents'] for f in d['files'])"
}

@test "every movable file comes into its ideal extents, and the tree stays" {
	run_json
	[ "$(json "d['extents_before'] > 6 * d['ideal_extents']")" = true ]
	[ "$(json "d['extents_after'] == d['ideal_extents']")" = true ]
	[ "$(json "d['fragmented_files_before'] == d['files_moved'] > 20")" = true ]
	[ "$(json "d['fragmented_files_after']")" = 0 ]
	[ "$(json "d['free_sections_after'] > d['free_sections_before']")" = true ]
	[ "$(json "d['free_sections_after'] == d['free_sections_most']")" = true ]
	same_tree
	no_file_is_worse
}

@test "a second run moves no block and writes no byte" {
	local before

	run_json
	before=$(sum_of)
	run_json
	[ "$(json "d['blocks_moved'] + d['blocks_written'] + d['commits']")" = 0 ]
	run "$DEFRAG" "$img"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "$img: nothing to do:" ]
	[ "$(sum_of)" = "$before" ]
}

@test "a dry run changes no byte and foretells every figure" {
	for options in "" --full --only-free "--order=size" "--max-moved=3M" \
		"--min-extents=50" "--exclude=/log*" "/log0003 /wide"; do
		shipped aged
		echo "options: $options"
		foretold $options
		same_tree
		no_file_is_worse
	done
}

@test "the document has every key that is promised" {
	run_json
	for key in schema volume dry_run extents_before extents_after \
		ideal_extents fragmented_files_before fragmented_files_after \
		free_sections_before free_sections_after free_sections_most \
		dirty_sections_before dirty_sections_after files_selected \
		files_moved files_skipped blocks_skipped blocks_without_gain \
		blocks_left_out rounds \
		rounds_for_room blocks_moved data_blocks_moved \
		node_blocks_moved node_blocks_updated blocks_written \
		write_cost commits seconds exit_status; do
		json "d['$key']"
	done
	for key in plan merge nat_flush sit_flush sync checkpoint barriers; do
		json "d['phases']['${key}_ms']"
	done
	for key in blocks_touched blocks_read blocks_written journal_hits; do
		json "d['nat']['$key']"
	done
	[ "$(json "d['schema']")" = 1 ]
	[ "$(json "d['exit_status']")" = 0 ]
	[ "$(json "'stopped_by' in d or 'error' in d")" = false ]
}

@test "the report of a run agrees with --report before and after" {
	report
	cp "$img.json" "$img.first"
	run_json
	cp "$img.json" "$img.run"
	report
	for key in extents fragmented_files; do
		[ "$(json "d['${key}_before']" "$img.run")" = \
			"$(json "d['fragmentation']['$key']" "$img.first")" ]
		[ "$(json "d['${key}_after']" "$img.run")" = \
			"$(json "d['fragmentation']['$key']")" ]
	done
	for key in free_sections dirty_sections; do
		[ "$(json "d['${key}_before']" "$img.run")" = \
			"$(json "d['free_space']['$key']" "$img.first")" ]
		[ "$(json "d['${key}_after']" "$img.run")" = \
			"$(json "d['free_space']['$key']")" ]
	done
	[ "$(json "d['fragmentation']['degree']")" = 1.0 ]
}

@test "only the files that are named are put in order" {
	[ "$(excess /log0003)" -gt 200 ]
	others=$(excess --exclude=/log0003 --exclude=/log0005)
	run_json /log0003 log0005
	[ "$(json "d['files_moved']")" = 2 ]
	[ "$(excess /log0003 /log0005)" = 0 ]
	[ "$(excess --exclude=/log0003 --exclude=/log0005)" = "$others" ]
	same_tree
}

@test "a folder and a glob are put in order with all they mean" {
	run_json wide 'log000?'
	[ "$(json "10 < d['files_moved'] < d['fragmented_files_before']")" = true ]
	[ "$(excess /wide '/log000?')" = 0 ]
	same_tree
}

@test "what is excluded does not move, the rest is put in order" {
	for options in "" --full --only-free; do
		shipped aged
		"$top_builddir/tests/lib/f2dump" fiemap "$img" |
			grep '^log' >"$img.log"
		[ "$(wc -l <"$img.log")" -gt 10 ]
		run_json --exclude='/log*' --exclude=/d2 $options
		"$top_builddir/tests/lib/f2dump" fiemap "$img" |
			grep '^log' | diff "$img.log" -
		[ -n "$options" ] ||
			[ "$(excess --exclude='/log*' --exclude=/d2)" = 0 ]
		same_tree
		no_file_is_worse
	done
}

@test "a path that is not there changes nothing and exits 1" {
	before=$(sum_of)
	for bad in /nothing '/nothing*' ''; do
		run "$DEFRAG" "$img" /log0003 "$bad"
		[ "$status" -eq 1 ]
		[ "${#lines[@]}" -eq 1 ]
	done
	run "$DEFRAG" --exclude=/nothing "$img"
	[ "$status" -eq 1 ]
	[ "$(sum_of)" = "$before" ]
	run "$DEFRAG" --json "$img" /nothing
	[ "$status" -eq 1 ]
	[[ $output = *"\"error\":\"$img: there is no '/nothing' on the volume\""* ]]
}

@test "files with few extents or a low score are not chosen" {
	for limit in --min-extents=100 --min-score=99; do
		shipped aged
		report $limit
		files inode | sort >"$img.chosen"
		[ "$(wc -l <"$img.chosen")" -gt 3 ]
		run_json $limit
		[ "$(json "d['files_moved']")" = "$(wc -l <"$img.chosen")" ]
		[ "$(json "d['files_moved'] < d['fragmented_files_before']")" = true ]
		report $limit
		[ "$(json "sum(f['extents'] > f['ideal_extents'] for f in d['files'])")" = 0 ]
		same_tree
	done
}

@test "--only-free makes whole sections and no file worse" {
	run_json --only-free
	[ "$(json "d['files_moved']")" = 0 ]
	[ "$(json "d['free_sections_after'] > d['free_sections_before']")" = true ]
	[ "$(json "d['extents_after'] <= d['extents_before']")" = true ]
	same_tree
	no_file_is_worse
}

@test "--full moves also what lies well, in every order" {
	report
	blocks=$(json "sum(f['blocks'] for f in d['files'] if not f['pinned'])")
	for order in dir ino size atime mtime; do
		run_json --full --order=$order
		[ "$(json "d['extents_after'] == d['ideal_extents']")" = true ]
		[ "$(json "d['data_blocks_moved']")" -ge "$blocks" ]
		same_tree
	done
}

# Where a file begins on the volume.
starts() {
	"$top_builddir/tests/lib/f2dump" fiemap "$img" |
		sed -n "s,^\($1\) 1 0+[0-9]*@\([0-9]*\)$,\2 \1,p" | sort -n
}

@test "--order=size puts small files first, --order=ino by number" {
	run_json --full --order=size
	starts 'd[0-9]/f0[456]' | sed 's/.*f0//' >"$img.sizes"
	[ "$(wc -l <"$img.sizes")" -gt 10 ]
	report --sort=size --reverse
	[ "$(json "[f['path'] for f in d['files'] if f['path'].endswith('/f04')] != []")" = true ]
	run_json --full --order=ino
	starts 'log[0-9]*' | sed 's/.* //' >"$img.byplace"
	[ "$(wc -l <"$img.byplace")" -gt 10 ]
	report --sort=inode --reverse '/log*'
	diff <(files path | tr -d /) "$img.byplace"
}

@test "--max-moved is a limit, and said to be what ended the run" {
	run_json --max-moved=2M
	[ "$(json "d['stopped_by']")" = max-moved ]
	[ "$(json "0 < d['data_blocks_moved'] <= 512")" = true ]
	[ "$(json "d['extents_after'] < d['extents_before']")" = true ]
	same_tree
	no_file_is_worse
	# Further runs go on from there, to the same end.
	run_json
	[ "$(json "d['extents_after'] == d['ideal_extents']")" = true ]
	same_tree
}

@test "a signal stops at the last commit, with a report and exit 0" {
	before=$(sum_of)
	for signal in SIGINT SIGTERM; do
		"$top_srcdir/tests/cli/stopped-at-once.py" $signal \
			"$DEFRAG" --json "$img" >"$img.json"
		[ "$(json "d['stopped_by']")" = signal ]
		[ "$(json "d['commits'] + d['blocks_moved']")" = 0 ]
		[ "$(json "d['exit_status']")" = 0 ]
		"$top_srcdir/tests/cli/stopped-at-once.py" $signal \
			"$DEFRAG" "$img" >"$img.text"
		grep -q ': stopped by a signal; this is what was committed' \
			"$img.text"
	done
	"$top_builddir/tests/lib/f2dump" fiemap "$img" >"$img.fiemap"
	xz -dc "$top_srcdir/tests/images/aged.fiemap.xz" |
		diff - "$img.fiemap"
	run_json
	same_tree
}

@test "--time-limit stops at the last commit, with a report and exit 0" {
	before=$(sum_of)
	"$top_srcdir/tests/cli/stopped-at-once.py" 1.1 \
		"$DEFRAG" --json --time-limit=1 "$img" >"$img.json"
	[ "$(json "d['stopped_by']")" = time ]
	[ "$(json "d['commits']")" = 0 ]
	[ "$(sum_of)" = "$before" ]
	run_json --time-limit=600
	[ "$(json "'stopped_by' in d")" = false ]
	same_tree
}

@test "progress goes to a descriptor, a JSON object a line" {
	"$DEFRAG" --json --progress=5 "$img" 5>"$img.progress" >"$img.json"
	python3 - "$img.json" "$img.progress" <<-'E'
		import json, sys
		report = json.load(open(sys.argv[1]))
		steps = [json.loads(line) for line in open(sys.argv[2])]
		files = [s for s in steps if s["phase"] == "moving files"]
		first, last = files[0], files[-1]
		assert first["files_done"] == 0 and last["percent"] == 100
		assert last["done_bytes"] == last["total_bytes"] > 1 << 20
		assert all(s["files_total"] == report["files_moved"] for s in files)
		assert all(s["extents_before"] == report["extents_before"]
			   for s in steps)
		assert steps[-1]["files_done"] == report["files_moved"]
		assert steps[-1]["extents_now"] == report["extents_after"]
		# Of each phase it only grows, up to the total.
		for a, b in zip(steps, steps[1:]):
		    assert a["done_bytes"] <= a["total_bytes"]
		    assert b["extents_now"] <= a["extents_now"]
		    assert (a["phase"] != b["phase"] or
		            a["done_bytes"] <= b["done_bytes"])
	E
}

@test "progress on a terminal: sizes, files, extents" {
	local line='moving files: [0-9]+% \([0-9.]+ [KM]?i?B of [0-9.]+ MiB\)'

	need script
	script -qec "'$DEFRAG' -n '$img' >'$img.report'" /dev/null \
		</dev/null >"$img.terminal"
	grep -qE "$line, 0 of [0-9]+ files, [0-9]+ of [0-9]+ extents" \
		"$img.terminal"
	# It is gone before the report.
	[ "$(tail -c 4 "$img.terminal" | od -An -tx1)" = " 0d 1b 5b 4b" ]
	grep -q '^Blocks moved:' "$img.report"
}

@test "text has before and after; -v more of it; -q nothing" {
	run --separate-stderr "$DEFRAG" -n "$img"
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ ${lines[0]} = "$img: a run would do this (nothing was written):" ]]
	[[ $output = *"BEFORE AFTER"*"Extents of all files"*"Free sections"* ]]
	short=${#lines[@]}
	run --separate-stderr "$DEFRAG" -n -v "$img"
	[ "${#lines[@]}" -gt "$short" ]
	run "$DEFRAG" -q "$img"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "what would not gain is told apart from what is left out" {
	report --top 0
	gains="f['extents'] > f['ideal_extents']"
	without=$(json "sum(f['blocks'] for f in d['files'] if not $gains)")
	left=$(json "sum(f['blocks'] for f in d['files']
		if $gains and f['extents'] < 20)")
	[ "$left" -gt 0 ]
	run_json -n --min-extents 20
	[ "$(json "d['blocks_without_gain']")" = "$without" ]
	[ "$(json "d['blocks_left_out']")" = "$left" ]
	[ "$(json "d['blocks_skipped']")" = $((without + left)) ]
	run "$DEFRAG" -n --min-extents 20 "$img"
	[[ $output = *"In files without a gain: "*"In files that are left out: "* ]]
	run "$DEFRAG" -n "$img"
	[[ $output != *"left out"* ]]
}

@test "pinned files are not moved, and are told apart" {
	report
	pinned=$(json "[f['path'] for f in d['files'] if f['pinned']][0]")
	"$top_builddir/tests/lib/f2dump" fiemap "$img" |
		grep "^${pinned#/} " >"$img.pinned"
	run_json --full
	[ "$(json "d['files_skipped']")" -ge 1 ]
	"$top_builddir/tests/lib/f2dump" fiemap "$img" |
		grep "^${pinned#/} " | diff "$img.pinned" -
}

@test "a volume in use, by whatever, is not written" {
	before=$(sum_of)
	for lock in -x -s; do
		exec 9<"$img"
		flock $lock 9
		run "$DEFRAG" "$img" 9<&-
		exec 9<&-
		[ "$status" -eq 1 ]
	done
	[ "$(sum_of)" = "$before" ]
}

@test "fsynced files that wait to be replayed are a refusal" {
	shipped pending
	before=$(sum_of)
	run "$DEFRAG" "$img"
	[ "$status" -eq 1 ]
	[[ $output = *"replayed"* ]]
	[ "$(sum_of)" = "$before" ]
}

@test "orphans move like files" {
	shipped orphans
	foretold
	shipped orphans
	foretold --full
	"$FSCK" -n --quiet "$img"
}

@test "a report that cannot be written is a failure" {
	need_full_device
	for options in -n "--json -n"; do
		run bash -c "'$DEFRAG' $options '$img' 2>&1 >/dev/full"
		[ "$status" -eq 1 ]
		[[ $output = *"standard output: No space left on device"* ]]
	done
}
