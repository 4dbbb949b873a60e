# SPDX-License-Identifier: GPL-2.0-or-later
# What a mount would do to a volume that was not cleanly unmounted: fsck.f2fs
# -p, and --replay of the others. Kernels judge the result in tests/kernel.

load ../lib/common
load gcctl

bats_require_minimum_version 1.5.0

@test "fsck -p, -a and -y free orphans: exit 1, then 0, nothing else is lost" {
	for opt in -p -a -y; do
		shipped orphans
		run "$FSCK" $opt "$img"
		echo "$output"
		[ "$status" -eq 1 ]
		[[ "${lines[0]}" == *": 5 orphans freed, with 101 blocks" ]]
		[[ "$output" == *": clean, 26 files, 1 directory, 652 of "* ]]
		before=$(sum_of)
		run "$FSCK" $opt "$img"
		[ "$status" -eq 0 ]
		[[ "$output" != *orphan* ]]
		[ "$(sum_of)" = "$before" ]
		[ "$(peek cp.valid_block_count)" -eq 652 ]
		[ "$(peek cp.valid_node_count)" -eq 27 ]
		[ "$(peek cp.valid_inode_count)" -eq 27 ]
	done
}

@test "without them, and with -n, nothing is written" {
	shipped orphans
	before=$(sum_of)
	for opt in "" -n "-p -n" "-y --dry-run"; do
		run "$FSCK" $opt "$img"
		echo "$opt: $output"
		[ "$status" -eq 0 ]
		[ "${opt#-[py]}" != "$opt" ] ||
			[[ "$output" == *": 5 orphans to be freed, 0 fsynced nodes to be replayed"* ]]
		[ "$(sum_of)" = "$before" ]
	done
	[[ "${lines[0]}" == *": 5 orphans would be freed, with 101 blocks" ]]
}

@test "a volume with errors that stay is left alone" {
	shipped orphans
	before=$(sum_of)
	poke inode./f0001.links=7
	poked=$(sum_of)
	[ "$poked" != "$before" ]
	run "$FSCK" -p "$img"
	[ "$status" -eq 4 ]
	[ "$(sum_of)" = "$poked" ]
}

@test "tables are repaired, and then orphans freed" {
	shipped orphans
	poke cp.valid_block_count=+1
	run "$FSCK" -p "$img"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ "$output" == *"cp-count: "*": repaired"* ]]
	[[ "$output" == *"5 orphans"* ]]
	run "$FSCK" -p "$img"
	[ "$status" -eq 0 ]
}

@test "a file with a name is not freed, whatever the list of orphans says" {
	shipped orphans
	ino=$("$top_builddir/tests/lib/f2dump" manifest "$img" |
		sed -n 's/^f0001 .* ino=\([0-9]*\) .*/\1/p')
	poke orphan.0=$ino
	before=$(sum_of)
	run "$FSCK" -p "$img"
	echo "$output"
	[ "$status" -eq 4 ]
	for prog in "$GCCTL run" "$DEFRAG"; do
		run $prog --replay "$img"
		echo "$output"
		[ "$status" -eq 1 ]
		[[ "$output" == *"orphan $ino has "*" links, so it is none"* ]]
		[ "$(sum_of)" = "$before" ]
	done
}

@test "a file that was made without a name is freed with its first link" {
	local ino

	# As a cut may leave one of O_TMPFILE.
	shipped orphans
	for ((n = 0; ; n++)); do
		ino=$(peek "orphan.$n")
		[ $(($(peek "inode.$ino.mode") & 0170000)) -ne $((0100000)) ] ||
			break
	done
	poke "inode.$ino.links=1" "inode.$ino.namelen=0"
	run "$FSCK" -p "$img"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ "$output" == *": 5 orphans freed, with 101 blocks"* ]]
	[[ "$output" == *": clean, 26 files"* ]]
}

@test "gcctl run and defrag keep orphans, and free them with --replay" {
	for prog in "$GCCTL run --full" "$DEFRAG --full"; do
		shipped orphans
		$prog -q "$img"
		run "$FSCK" -v "$img"
		[ "$status" -eq 0 ]
		[[ "$output" =~ Orphans:\ +5 ]]
		run $prog --replay "$img"
		echo "$output"
		[ "$status" -eq 0 ]
		[[ "${lines[0]}" == *": 5 orphans freed, with 101 blocks" ]]
		run "$FSCK" -v "$img"
		[ "$status" -eq 0 ]
		[[ "$output" =~ Orphans:\ +0 ]]
	done
}

@test "--json has an object replay, with NAT blocks and phases" {
	shipped orphans
	"$FSCK" -p --json "$img" >"$img.json" || [ $? -eq 1 ]
	python3 - "$img.json" <<-'END'
		import json, sys
		d = json.load(open(sys.argv[1]))
		r = d["replay"]
		assert d["exit_status"] == 1 and d["clean"]
		assert r["orphans_freed"] == 5 and r["orphans_missing"] == 0
		assert r["nodes_freed"] + r["blocks_freed"] == 101
		assert r["commits"] == 1 and r["dry_run"] is False
		assert r["chain_nodes"] == 0 and r["chain_cut_at"] is None
		n = r["nat"]
		assert n["journal_hits"] or n["blocks_written"] == n["blocks_touched"]
		assert r["phases"]["barriers_ms"] >= 0
	END
	"$FSCK" -p --json "$img" >"$img.json"
	[ "$(json "'replay' in d")" = false ]
}
