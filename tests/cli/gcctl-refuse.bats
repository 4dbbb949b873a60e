# SPDX-License-Identifier: GPL-2.0-or-later
# What gcctl.f2fs does not work on: it says why in one line, exits 1 and changes
# no byte, with --dry-run too.

load ../lib/common
load gcctl

bats_require_minimum_version 1.5.0

# refused TEXT: run and run --dry-run are refused, for this reason.
refused() {
	local before

	before=$(sum_of)
	for mode in "" --dry-run; do
		run "$GCCTL" run $mode "$img"
		echo "run $mode: $status: $output"
		[ "$status" -eq 1 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ $output = "gcctl.f2fs: "*"$1"* ]]
		[ "$(sum_of)" = "$before" ]
	done
	run --separate-stderr "$GCCTL" run --json "$img"
	[ "$status" -eq 1 ]
	echo "$output" >"$img.json"
	[ "$(json "d['exit_status']")" = 1 ]
	[[ $(json "d['error']") = *"$1"* ]]
}

@test "fsynced files that wait to be replayed: it says what replays them" {
	shipped pending
	refused "fsynced nodes wait to be replayed"
	[[ $output = *"use --replay, or fsck.f2fs -p, or mount"* ]]
}

@test "an unknown feature bit is named" {
	shipped orphans
	poke sb.feature=0x40000000
	run "$GCCTL" run "$img"
	[ "$status" -eq 1 ]
	[[ $output = *"not written: feature bits 0x40000000 are not known"* ]]
	run "$GCCTL" run -q --dry-run "$img"
	[ "$status" -eq 1 ]
}

@test "a volume with the feature ro" {
	shipped orphans
	poke sb.feature=0x4000
	refused "the feature ro"
}

@test "a checkpoint with the flag ERROR, DISABLED, DISABLED_QUICK or RESIZEFS" {
	shipped orphans
	flags=$(peek cp.ckpt_flags)
	for flag in ERROR=0x8 DISABLED=0x1000 DISABLED_QUICK=0x2000 \
		RESIZEFS=0x4000; do
		poke cp.ckpt_flags=$((flags | ${flag#*=}))
		refused "the flag ${flag%=*} "
	done
}

@test "a summary that names another owner" {
	shipped orphans
	# The first block of the first file.
	data=$(peek inode./f0001.addr.0)
	poke "sum.$data.ofs=+1"
	run "$GCCTL" run --full "$img"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output = *"$data"* ]]
}

@test "no valid superblock, no valid checkpoint" {
	shipped orphans
	cp "$img" "$img.good"
	poke sb.magic=1
	refused "superblock"
	cp "$img.good" "$img"
	poke cphead.valid_block_count=+1 raw.512.200=^1 raw.1024.200=^1
	refused "checkpoint"
}

@test "a file that is cut short" {
	shipped orphans
	truncate -s 40M "$img"
	refused "$img"
}

@test "an empty file, random bytes, zeros" {
	: >"$img"
	refused "$img"
	head -c 3000 /dev/urandom >"$img"
	refused "$img"
	head -c 20M /dev/urandom >"$img"
	refused "$img"
	truncate -s 0 "$img"
	truncate -s 64M "$img"
	refused "$img"
}

@test "a directory, a device that is none, a missing file" {
	for what in "$BATS_TEST_TMPDIR" /dev/null "$img.missing"; do
		for command in status "run -n" run; do
			run "$GCCTL" $command "$what"
			[ "$status" -eq 1 ]
			[ "${#lines[@]}" -eq 1 ]
			[[ $output = "gcctl.f2fs: $what"* ]]
		done
	done
}

@test "a file that another program has locked, also for reading" {
	need flock
	shipped orphans
	before=$(sum_of)
	for how in -s -x; do
		while_locked $how "$GCCTL" run "$img"
		echo "$output"
		[ "$status" -eq 1 ]
		[[ $output = *"is locked by"* ]]
	done
	[ "$(sum_of)" = "$before" ]
}

@test "a file that may not be written is planned for, not run on" {
	local plain=()

	# Root may write anything, but for this.
	[ "$(id -u)" -ne 0 ] || plain=(setpriv --bounding-set=-dac_override)
	shipped orphans
	chmod a-w "$img"
	"${plain[@]}" "$GCCTL" run -n "$img"
	run "${plain[@]}" "$GCCTL" run "$img"
	[ "$status" -eq 1 ]
}
