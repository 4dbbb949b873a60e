# SPDX-License-Identifier: GPL-2.0-or-later
# defrag.f2fs --report on volumes that a kernel made and described.

load ../lib/common
load defrag

bats_require_minimum_version 1.5.0

F2DUMP=$top_builddir/tests/lib/f2dump

setup() {
	shipped aged
}

@test "each file has the extents that the kernel's FIEMAP said" {
	for list in fiemap manifest; do
		xz -dc "$top_srcdir/tests/images/aged.$list.xz" >"$img.$list"
	done
	report
	python3 "$top_srcdir/tests/lib/frag-report.py" "$img.json" \
		"$img.fiemap" "$img.manifest"
}

@test "the totals are the sums of the files, and those of another scan" {
	local line

	report
	[ "$(json "d['selected'] == {k: d['fragmentation'][k] for k in d['selected']}")" = true ]
	for key in blocks extents ideal_extents; do
		total=${key/#blocks/file_blocks}
		[ "$(json "sum(f['$key'] for f in d['files']) == d['fragmentation']['$total']")" = true ]
	done
	[ "$(json "sum(f['extents'] > f['ideal_extents'] for f in d['files']) == d['fragmentation']['fragmented_files']")" = true ]
	[ "$(json "len(d['files']) == d['fragmentation']['files']")" = true ]
	line=$(json "'files={files} file_blocks={file_blocks} extents={extents} ideal_extents={ideal_extents} fragmented_files={fragmented_files}'.format(**d['fragmentation'])")
	[[ $("$F2DUMP" frag "$img") = "$line "* ]]
	[ "$(json "abs(d['fragmentation']['degree'] - d['fragmentation']['extents'] / d['fragmentation']['ideal_extents']) < 0.01")" = true ]
}

@test "fsck and gcctl count the same extents" {
	report
	"$FSCK" --json "$img" >"$img.fsck"
	"$GCCTL" run --json -n "$img" >"$img.run"
	for key in files file_blocks extents ideal_extents fragmented_files \
		degree non_contiguous_percent; do
		[ "$(json "d['fragmentation']['$key']")" = \
			"$(json "d['fragmentation']['$key']" "$img.fsck")" ]
	done
	[ "$(json "d['fragmentation']['extents']")" = \
		"$(json "d['extents_before']" "$img.run")" ]
	[ "$(json "d['fragmentation']['ideal_extents']")" = \
		"$(json "d['ideal_extents']" "$img.run")" ]
}

@test "free space is what the raw SIT says, before and after a run" {
	report
	python3 "$top_srcdir/tests/lib/free-space.py" "$img.json" "$img"
	run_json
	report
	python3 "$top_srcdir/tests/lib/free-space.py" "$img.json" "$img"
}

@test "free space adds up, and is that of gcctl status" {
	report
	"$GCCTL" status --json "$img" >"$img.status"
	for key in free_sections dirty_sections free_segments dirty_segments; do
		[ "$(json "d['free_space']['$key']")" = \
			"$(json "d['$key']" "$img.status")" ]
	done
	[ "$(json "sum(r['runs'] for r in d['free_space']['run_sizes']) == d['free_space']['free_runs']")" = true ]
	[ "$(json "sum(r['blocks'] for r in d['free_space']['run_sizes']) == d['free_space']['free_blocks']")" = true ]
	[ "$(json "all(r['min_blocks'] * r['runs'] <= r['blocks'] <= r['max_blocks'] * r['runs'] for r in d['free_space']['run_sizes'])")" = true ]
	[ "$(json "sum(t['dirty_sections'] for t in d['free_space']['types'].values()) == d['free_space']['dirty_sections']")" = true ]
	[ "$(json "d['free_space']['whole_section_blocks'] == 512 * d['free_space']['free_sections']")" = true ]
}

@test "a report changes no byte, and needs no right to write" {
	local before

	before=$(sum_of)
	chmod 444 "$img"
	"$DEFRAG" --report "$img" >"$img.text"
	report
	[ "$(sum_of)" = "$before" ]
}

@test "text and JSON say the same" {
	report --top=5
	run "$DEFRAG" --report --top=5 "$img"
	[[ $output = *"Extents:  "*" $(json "d['fragmentation']['extents']")"$'\n'* ]]
	[[ $output = *"Free sections:  "*" $(json "d['free_space']['free_sections']")"$'\n'* ]]
	for path in $(files path); do
		[[ $output = *" $path"$'\n'* ]]
	done
}

@test "files are sorted by score, or by the column that is asked for" {
	report
	diff <(files score) <(files score | sort -rn)
	report --sort=size
	diff <(files size_bytes) <(files size_bytes | sort -rn)
	report --sort=extents --reverse
	diff <(files extents) <(files extents | sort -n)
	report --sort=path
	[ "$(json "(p := [f['path'].encode() for f in d['files']]) == sorted(p)")" = true ]
}

@test "the first N are those of the whole list, with the same totals" {
	report --sort=blocks
	files inode | head -n 7 >"$img.first"
	cp "$img.json" "$img.all"
	report --sort=blocks --top=7
	diff <(files inode) "$img.first"
	[ "$(json "d['selected']")" = "$(json "d['selected']" "$img.all")" ]
	report --top=0
	[ "$(files inode | wc -l)" = "$(json "len(d['files'])" "$img.all")" ]
	# More than are kept at any time.
	report --sort=inode --reverse --top=1
	[ "$(files inode)" = "$(json "min(f['inode'] for f in d['files'])" "$img.all")" ]
}

@test "text shows 20 files unless told otherwise" {
	run "$DEFRAG" --report "$img"
	[[ ${lines[0]} = "20 of "*" files, by score:" ]]
	[[ ${lines[22]} = "All files:" ]]
}

@test "columns come in the order that is asked for, by key or short word" {
	run "$DEFRAG" --report --columns=score,ideal,path --top=1 --sort=path "$img"
	[[ ${lines[1]} =~ ^SCORE\ +IDEAL\ +PATH ]]
	[[ ${lines[2]} =~ ^\ *0\.0\ +1\ /$ ]]
	report --columns=path,size,average --top=1
	[ "$(json "list(d['files'][0])")" = "['path', 'size_bytes', 'average_bytes']" ]
}

@test "a folder means all below it, with and without slashes around" {
	report --sort=path /d2
	files path >"$img.paths"
	[ "$(wc -l <"$img.paths")" -gt 3 ]
	grep -v '^/d2/' "$img.paths" | lacks .
	for folder in d2 d2/ //d2// ./d2 d1/../d2 /d2/sub/..; do
		report --sort=path "$folder"
		diff <(files path) "$img.paths"
	done
	# Named twice, and with something below it.
	report --sort=path d2 /d2/f03 d2
	diff <(files path) "$img.paths"
	report --sort=path /
	cp "$img.json" "$img.root"
	report --sort=path
	diff "$img.root" "$img.json"
}

@test "what only begins with the name of a chosen file is not chosen" {
	report --sort=path /indirect '*/f03'
	files path | grep -qx /indirect
	files path | lacks '^/indirect.'
	report --sort=path /indirect /indirect-second
	[ "$(files path)" = $'/indirect\n/indirect-second' ]
	report --sort=path
	files path | grep '^/d' | grep -v '^/d1/' >"$img.others"
	report --sort=path --exclude=/d1 '/d*'
	diff <(files path) "$img.others"
}

@test "a glob chooses by whole path, and its star matches slashes" {
	report --sort=path '*/f03'
	[ "$(files path | wc -l)" -ge 3 ]
	files path | grep -v '/f03$' | lacks .
	report --sort=path '/d?/f03' '/d[12]/f04'
	files path >"$img.both"
	grep -qx /d1/f04 "$img.both"
	lacks '^/d3/f04$' <"$img.both"
	grep -qx /d3/f03 "$img.both"
}

@test "a path that is not there exits 1 and is named; so does a glob without match" {
	run "$DEFRAG" --report "$img" /nothing/here
	[ "$status" -eq 1 ]
	[ "$output" = "defrag.f2fs: $img: there is no '/nothing/here' on the volume" ]
	run "$DEFRAG" --report "$img" '/nothing*'
	[ "$status" -eq 1 ]
	[[ $output = *"nothing on the volume matches '/nothing*'" ]]
	# One that only matches in a folder that is chosen anyhow does match.
	report d1 '/d1/f0?'
	run "$DEFRAG" --report "$img" ''
	[ "$status" -eq 1 ]
	[[ $output = *"a path is empty" ]]
	run "$DEFRAG" --report --exclude=/nothing "$img"
	[ "$status" -eq 1 ]
	report --exclude='/nothing*'
}

@test "what is excluded is left out, under all of its names" {
	report --sort=path --exclude=/d1 --exclude='*/f03'
	files path | lacks '^/d1/|/f03$'
	[ "$(files path | wc -l)" -gt 20 ]
	# A hard link: one inode, two names.
	report d2
	[ "$(files path | grep -c -e aged-204 -e aged-788)" -eq 1 ]
	report --exclude=/d2/aged-788 d2
	files path | lacks 'aged-204|aged-788'
}

@test "files with fewer extents or a lower score are left out of the list" {
	report --min-extents=100
	[ "$(json "min(f['extents'] for f in d['files']) >= 100")" = true ]
	[ "$(json "d['selected']['files'] < d['fragmentation']['files']")" = true ]
	report --min-score=90
	[ "$(json "min(f['score'] for f in d['files']) >= 90")" = true ]
	report --min-extents=100000
	[ "$(json "d['files']")" = "[]" ]
	run "$DEFRAG" --report --min-extents=100000 "$img"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "No file with blocks is among these." ]
}

@test "pinned files are told apart" {
	report
	[ "$(json "sum(f['pinned'] for f in d['files']) > 0")" = true ]
	[ "$(json "sum(f['pinned'] for f in d['files']) < 5")" = true ]
}

@test "files in no folder are listed without a path" {
	shipped orphans
	report
	[ "$(json "sum(f['path'] is None for f in d['files']) > 0")" = true ]
	[ "$(json "sum(f['extents'] for f in d['files']) == d['fragmentation']['extents']")" = true ]
	report /
	[ "$(json "sum(f['path'] is None for f in d['files'])")" = 0 ]
}

@test "fsynced files that wait to be replayed are said not to be counted" {
	shipped pending
	run --separate-stderr "$DEFRAG" --report "$img"
	[ "$status" -eq 0 ]
	[[ $stderr = "defrag.f2fs: warning: "*" wait to be replayed by a mount, and are not counted" ]]
	run --separate-stderr "$DEFRAG" --report -q "$img"
	[ -z "$output$stderr" ]
}

@test "a volume in use is reported with --force only" {
	exec 9<>"$img"
	flock -x 9
	run "$DEFRAG" --report "$img" 9<&-
	[ "$status" -eq 1 ]
	run "$DEFRAG" --report --force "$img" 9<&-
	exec 9<&-
	[ "$status" -eq 0 ]
}

@test "output that cannot be written exits 1" {
	need_full_device
	for form in --json --top=3; do
		run bash -c '"$1" --report "$2" "$3" >/dev/full' - \
			"$DEFRAG" "$form" "$img"
		[ "$status" -eq 1 ]
		[[ $output = *"standard output: "* ]]
	done
}
