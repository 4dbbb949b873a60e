# SPDX-License-Identifier: GPL-2.0-or-later
# gcctl.f2fs victims against a list reckoned from the raw SIT in Python, on a
# volume that a kernel made; and gcctl.f2fs run with what chooses and limits.

load ../lib/common
load gcctl

bats_require_minimum_version 1.5.0

F2DUMP=$top_builddir/tests/lib/f2dump

victims_json() {
	"$GCCTL" victims --json "$@" "$img" >"$img.json"
}

# aged [SEED]: the shipped volume, with segments of many ages if there is a seed.
aged() {
	shipped aged
	[ -z "${1-}" ] ||
		python3 "$top_srcdir/tests/lib/victims.py" --ages "$1" "$img"
}

reckoned() {
	python3 "$top_srcdir/tests/lib/victims.py" "$img" "$1"
}

# Of the report: "SECTION VALID AGE COST" a line.
listed() {
	json "'\n'.join('%d %d %d %d' % tuple(v[k] for k in ('section',
		'valid_blocks', 'age_seconds', 'cost')) for v in d['victims'])"
}

@test "costs and order are those reckoned from the SIT, for every policy" {
	for seed in "" 1 2 3; do
		aged $seed
		before=$(sum_of)
		for policy in greedy cost-benefit age-threshold; do
			echo "seed $seed, $policy"
			reckoned $policy >"$img.list"
			[ "$(wc -l <"$img.list")" -ge 5 ]
			victims_json --policy=$policy
			diff "$img.list" <(listed)
			[ "$(json "d['policy']")" = $policy ]
		done
		[ "$(sum_of)" = "$before" ]
	done
}

@test "policies differ on a volume of many ages" {
	aged 1
	for policy in greedy cost-benefit age-threshold; do
		reckoned $policy | head -n 5 | cut -d' ' -f1 >"$img.$policy"
	done
	! cmp -s "$img.greedy" "$img.cost-benefit"
	! cmp -s "$img.greedy" "$img.age-threshold"
	! cmp -s "$img.cost-benefit" "$img.age-threshold"
}

@test "data and nodes are two parts of all" {
	aged 1
	victims_json
	listed | sort >"$img.all"
	victims_json --type=data
	[ "$(json "all(v['type'].endswith('_data') for v in d['victims'])")" = true ]
	listed >"$img.data"
	victims_json --type=node
	[ "$(json "all(v['type'].endswith('_node') for v in d['victims'])")" = true ]
	listed >"$img.node"
	[ -s "$img.data" ] && [ -s "$img.node" ]
	diff "$img.all" <(sort "$img.data" "$img.node")
	victims_json --type=all
	diff "$img.all" <(listed | sort)
}

@test "--section and --skip-valid leave what they say" {
	aged 1
	reckoned cost-benefit >"$img.all"
	victims_json --policy=cost-benefit --section=5-9 --section=14
	diff <(awk '$1 >= 5 && $1 <= 9 || $1 == 14' "$img.all") <(listed)
	[ "$(listed | wc -l)" -ge 3 ]
	victims_json --policy=cost-benefit --skip-valid=50
	diff <(awk '$2 < 256' "$img.all") <(listed)
	# Half of 512 is half valid: left alone.
	awk '$2 == 256 { n++ } END { exit !n }' "$img.all"
}

@test "totals and histogram are those of the list" {
	aged 1
	for options in "" "--type=node" "--policy=age-threshold --skip-valid=80"; do
		victims_json $options
		echo "options: $options"
		json "d['totals']"
		[ "$(json "d['totals']['sections'] == len(d['victims'])")" = true ]
		for key in valid_blocks gain_blocks; do
			[ "$(json "d['totals']['$key'] == \
				sum(v['$key'] for v in d['victims'])")" = true ]
		done
		[ "$(json "all(v['valid_blocks'] + v['gain_blocks'] == 512
			for v in d['victims'])")" = true ]
		[ "$(json "all(h['sections'] == sum(h['min_percent'] <=
			100 * v['valid_blocks'] / 512 < h['below_percent']
			for v in d['victims']) for h in d['histogram'])")" = true ]
		[ "$(json "sum(h['valid_blocks'] for h in d['histogram']) ==
			d['totals']['valid_blocks']")" = true ]
		[ "$(json "d['free_sections_at_best'] ==
			d['free_sections'] + d['totals']['gain_sections']")" = true ]
	done
}

@test "a run gains no more than the best, and then there is nothing to gain" {
	aged
	victims_json
	best=$(json "d['free_sections_at_best']")
	"$GCCTL" run --json "$img" >"$img.json"
	[ "$(json "d['free_sections_after']")" -le "$best" ]
	[ "$(json "d['free_sections_after'] > d['free_sections_before']")" = true ]
	victims_json
	[ "$(json "d['totals']['gain_sections']")" = 0 ]
}

@test "--top, --columns, --sort and --reverse" {
	aged 1
	victims_json --top=3
	[ "$(json "len(d['victims'])")" = 3 ]
	[ "$(json "d['totals']['sections']")" -gt 3 ]
	victims_json --sort=section
	[ "$(json "[v['section'] for v in d['victims']] ==
		sorted(v['section'] for v in d['victims'])")" = true ]
	victims_json --sort=age --columns=section,age
	[ "$(json "[v['age_seconds'] for v in d['victims']] == sorted((
		v['age_seconds'] for v in d['victims']), reverse=True)")" = true ]
	[ "$(json "set(map(len, d['victims']))")" = "{2}" ]
	victims_json --sort=valid_percent --reverse
	[ "$(json "[v['valid_percent'] for v in d['victims']] ==
		sorted(v['valid_percent'] for v in d['victims'])")" = true ]
	victims_json --reverse
	diff <(reckoned greedy | tac) <(listed)
	run "$GCCTL" victims --columns=cost,nonsense "$img"
	[ "$status" -eq 2 ]
	[[ $output = "gcctl.f2fs: option --columns: 'nonsense' is no column; there are: section, "* ]]
	run "$GCCTL" victims --sort=cost,age "$img"
	[ "$status" -eq 2 ]
}

@test "the text has the first 20, the totals and the histogram" {
	aged
	run --separate-stderr "$GCCTL" victims "$img"
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ ${lines[0]} = "20 of "*" sections, by cost:" ]]
	[[ $output = *"Free sections at the best:"*"FROM % BELOW %"* ]]
	run "$GCCTL" victims --section=0 --skip-valid=1 "$img"
	[ "$status" -eq 0 ]
	[[ ${lines[0]} = "No section is dirty and among those chosen." ]]
	run "$GCCTL" victims -q "$img"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "sections that are not there are an error of both commands" {
	aged
	for command in victims "run -n"; do
		run "$GCCTL" $command --section=50-56 "$img"
		[ "$status" -eq 1 ]
		[ "$output" = "gcctl.f2fs: $img: there are no sections 50 to 56: they count from 0 to 55" ]
	done
}

# chosen OPTIONS...: a dry run foretells the run, and the tree stays as it was.
chosen() {
	local name before

	before=$(sum_of)
	"$GCCTL" run --json -n "$@" "$img" >"$img.plan"
	[ "$(sum_of)" = "$before" ]
	"$GCCTL" run --json "$@" "$img" >"$img.json"
	for name in plan json; do
		json "[d.pop(k, 0) for k in ('seconds', 'phases', 'dry_run')] \
			and json.dumps(d, indent=1)" "$img.$name" >"$img.$name.cut"
	done
	diff "$img.plan.cut" "$img.json.cut"
	xz -dc "$top_srcdir/tests/images/aged.manifest.xz" |
		diff - <("$F2DUMP" manifest "$img")
	"$FSCK" -n "$img" >"$img.fsck"
	[ "$(json "d['blocks_moved']")" -gt 0 ]
}

# "SECTION VALID" of every section that has any, by the raw SIT.
valid_of_sections() {
	python3 - "$top_srcdir/tests/lib" "$img" <<-'END'
		import sys
		sys.path.insert(0, sys.argv[1])
		from victims import Volume, sections_of
		for s in sections_of(Volume(sys.argv[2])):
		    print(s.number, s.valid)
	END
}

@test "each choice of a run is foretold and keeps the tree" {
	for options in --policy=cost-benefit --policy=age-threshold --type=data \
		--type=node "--type=data --full" --skip-valid=60 \
		"--skip-valid=80 --policy=age-threshold --full" \
		--max-moved=3M "--full --max-moved=3M" --time-limit=1000; do
		echo "options: $options"
		aged 1
		chosen $options
	done
}

@test "a run empties first what is listed first" {
	for policy in greedy cost-benefit age-threshold; do
		aged 2
		victims_json --type=data --policy=$policy --top=3
		json "'\n'.join('%d 0' % v['section'] for v in d['victims'])" \
			>"$img.first"
		chosen --type=data --policy=$policy --sections=3
		[ "$(json "d['sections_selected']")" = 3 ]
		valid_of_sections >"$img.after"
		while read -r line; do
			grep -qx "$line" "$img.after"
		done <"$img.first"
	done
}

@test "run --section empties these sections, and other data stays" {
	aged
	victims_json --type=data
	# Not those that a run would begin with.
	set -- $(json "' '.join(str(v['section']) for v in d['victims'][-4:]
		if not v['current'])")
	[ $# -ge 2 ]
	reckoned greedy | cut -d' ' -f1 >"$img.dirty"
	valid_of_sections >"$img.before"
	chosen "--section=$1" "--section=$2-$2"
	[ "$(json "d['sections_selected']")" = 2 ]
	valid_of_sections >"$img.after"
	grep -qx "$1 0" "$img.after"
	grep -qx "$2 0" "$img.after"
	victims_json --type=data
	json "'\n'.join(str(v['section']) for v in d['victims'])" |
		while read -r section; do
			! grep -qx "$section" "$img.dirty" ||
				[ "$(grep "^$section " "$img.before")" = \
					"$(grep "^$section " "$img.after")" ]
		done
}

@test "--max-moved is never exceeded, and said to be what ended the run" {
	for options in "" --full --type=data; do
		for size in 1M 2M 5M; do
			aged
			"$GCCTL" run --json $options --max-moved=$size "$img" \
				>"$img.json"
			[ "$(json "d['stopped_by']")" = max-moved ]
			[ "$(json "d['blocks_moved']")" -le \
				$((${size%M} * 256)) ]
		done
	done
	aged
	run "$GCCTL" run --max-moved=1M "$img"
	[[ $output = *"Stopped by: "*"the limit of --max-moved"* ]]
}

mean_time() {
	python3 "$top_srcdir/tests/lib/victims.py" --mean "$img"
}

@test "blocks that move keep their age" {
	local before lost options

	for options in --full "--full --no-pack"; do
		aged 1
		before=$(mean_time)
		"$GCCTL" run -q $options "$img"
		# The mean of each segment is rounded down.
		lost=$((before - $(mean_time)))
		echo "before $before, lost $lost"
		[ $lost -ge 0 ]
		[ $lost -le 2 ]
	done
}

@test "sections with nodes or logs that are named are empty afterwards" {
	local section

	aged
	cp "$img" "$img.aged"
	victims_json
	for section in $(json "' '.join(str(v['section']) for v in d['victims']
			if v['current'] or 'node' in v['type'])"); do
		cp "$img.aged" "$img"
		"$GCCTL" run -q --section=$section "$img"
		[ "$(python3 "$top_srcdir/tests/lib/victims.py" \
			--valid $section "$img")" -eq 0 ]
	done
	[ -n "$section" ]
}
