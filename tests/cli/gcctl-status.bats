# SPDX-License-Identifier: GPL-2.0-or-later
# gcctl.f2fs status: what it counts, and its document.

load ../lib/common
load gcctl

bats_require_minimum_version 1.5.0

@test "counts agree with the checkpoint, and with each other" {
	shipped aged
	"$GCCTL" status --json "$img" >"$img.json"
	[ "$(json "d['valid_blocks']")" = "$(peek cp.valid_block_count)" ]
	[ "$(json "d['user_blocks']")" = "$(peek cp.user_block_count)" ]
	[ "$(json "d['free_segments']")" = "$(peek cp.free_segment_count)" ]
	[ "$(json "d['valid_node_blocks']")" = "$(peek cp.valid_node_count)" ]
	[ "$(json "d['valid_inodes']")" = "$(peek cp.valid_inode_count)" ]
	[ "$(json "d['nids_used']")" = "$(peek cp.valid_node_count)" ]
	[ "$(json "d['segments']")" = "$(peek sb.segment_count_main)" ]
	[ "$(json "d['sections']")" = "$(peek sb.section_count)" ]
	[ "$(json "sum(t['valid_blocks'] for t in d['types'].values())")" = \
		"$(json "d['valid_data_blocks'] + d['valid_node_blocks']")" ]
	# Blocks that are reserved are counted as valid and lie nowhere yet.
	[ "$(json "d['valid_data_blocks'] + d['valid_node_blocks'] <= \
		d['valid_blocks']")" = true ]
	# A current segment without valid blocks is in neither count.
	[ "$(json "d['free_segments'] + d['dirty_segments'] + \
		d['full_segments'] <= d['segments'] and d['segments'] - \
		d['free_segments'] - d['dirty_segments'] - \
		d['full_segments'] <= 6")" = true ]
}

@test "the SIT says the same, segment by segment" {
	shipped aged
	"$GCCTL" status --json "$img" >"$img.json"
	fields=()
	for ((i = 0; i < $(peek sb.segment_count_main); i++)); do
		fields+=(sit.$i.valid)
	done
	poke "${fields[@]}" >"$img.sit"
	current=$(for log in {node,data}_segno.{0,1,2}; do peek cp.cur_$log; done)
	read -r full dirty <<<"$(awk -v current="$current" '
		BEGIN { n = split(current, c, "\n"); while (n) is[c[n--]] = 1 }
		$1 == 512 { full++ }
		$1 > 0 && $1 < 512 && !((NR - 1) in is) { dirty++ }
		END { print full + 0, dirty + 0 }' "$img.sit")"
	[ "$(json "d['full_segments']")" = "$full" ]
	[ "$(json "d['dirty_segments']")" = "$dirty" ]
	[ "$(json "d['dirty_sections']")" = "$dirty" ]
}

@test "the document has every key that is promised" {
	shipped orphans
	"$GCCTL" status --json "$img" >"$img.json"
	[ "$(json "d['schema']")" = 1 ]
	[ "$(json "d['exit_status']")" = 0 ]
	[ "$(json "d['orphans']")" = 5 ]
	[ "$(json "d['uuid']")" = 5eed5eed-0000-4000-8000-00000000f2f5 ]
	[ "$(json "'orphan_present' in d['checkpoint_flags']")" = true ]
	for key in volume label features checkpoint_version fsyncs_pending \
		block_size utilization nids_max reserved_segments \
		overprovision_segments segments_per_section free_sections; do
		json "d['$key']"
	done
	[ "$(json "sorted(d['types'])")" = "['cold_data', 'cold_node', 'hot_data', 'hot_node', 'warm_data', 'warm_node']" ]
	for key in segments dirty_segments full_segments valid_blocks \
		current_segment next_block allocation; do
		json "d['types']['hot_node']['$key']"
	done
}

@test "fsynced nodes that wait are counted" {
	shipped pending
	"$GCCTL" status --json "$img" >"$img.json"
	[ "$(json "d['fsyncs_pending']")" -gt 0 ]
	run "$GCCTL" status "$img"
	[[ $output = *"Fsynced nodes to replay: $(json "d['fsyncs_pending']")"* ]]
}

@test "a label is shown as UTF-8, also one that is none" {
	shipped orphans
	poke sb.volume_name.0=0x47 sb.volume_name.1=0xfc sb.volume_name.2=0xd83d \
		sb.volume_name.3=0xde00 sb.volume_name.4=0xd800
	"$GCCTL" status --json "$img" >"$img.json"
	[ "$(json "d['label']")" = "Gü😀�" ]
}

@test "an unknown feature bit is a warning, and its number is shown" {
	shipped orphans
	poke sb.feature=0x40000008
	run --separate-stderr "$GCCTL" status "$img"
	[ "$status" -eq 0 ]
	[[ $output = *"Features:"*"extra_attr, bit 30"* ]]
	[[ $stderr = *"warning: "*"unknown feature bit 30"* ]]
	run --separate-stderr "$GCCTL" status -q "$img"
	[ "$status" -eq 0 ]
	[ -z "$output$stderr" ]
}

@test "it changes no byte" {
	shipped pending
	before=$(sum_of)
	"$GCCTL" status "$img" >"$img.txt"
	[ "$(sum_of)" = "$before" ]
}

@test "a volume that another program writes is read only with --force" {
	need flock
	shipped orphans
	while_locked -x "$GCCTL" status "$img"
	[ "$status" -eq 1 ]
	[[ $output = *"is locked by"* ]]
	while_locked -x "$GCCTL" status --force -q "$img"
	[ "$status" -eq 0 ]
	while_locked -s "$GCCTL" status -q "$img"
	[ "$status" -eq 0 ]
}
