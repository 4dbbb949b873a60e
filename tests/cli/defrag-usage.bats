# SPDX-License-Identifier: GPL-2.0-or-later
# Command line of defrag.f2fs: bad options, exit status.

load ../lib/common
load defrag

bats_require_minimum_version 1.5.0

# usage_error TEXT ARGUMENTS...: exit status 2 and one line with TEXT.
usage_error() {
	local text=$1

	shift
	echo "$*"
	run "$DEFRAG" "$@"
	echo "$output"
	[ "$status" -eq 2 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ $output = "defrag.f2fs: "*"$text"* ]]
}

@test "a device is needed" {
	usage_error "too few arguments; usage: defrag.f2fs [OPTION]... DEVICE [PATH]..."
	usage_error "too few arguments" --report
}

@test "options of the block mover of the same name are refused with what to do instead" {
	for old in "-s 4096" "-l 256" "-t 65536" -i -S; do
		usage_error "option ${old:0:2}: ranges of blocks are not moved" \
			$old "$img"
		[[ $output = *"name files or folders"*"--only-free"* ]]
	done
	usage_error "option -s: ranges of blocks" \
		-s 0x4000 -l 0x100 -t 0x10000 -i "$img"
	usage_error "option -d: there are no levels of debugging here: use --verbose" \
		-d 1 "$img"
}

@test "they are not in --help" {
	run "$DEFRAG" --help
	[ "$status" -eq 0 ]
	lacks '^ +-[sltiSd][ ,]' <<<"$output"
}

@test "a bad value exits 2 with one line that names the option" {
	for bad in --top=-1 --top=x --min-extents=0 --min-extents=many \
		--min-score=101 --min-score=-1 --progress=99 --progress=x; do
		usage_error "option ${bad%%=*}: " --report $bad "$img"
	done
}

@test "an unknown column is named, with those that there are" {
	usage_error "option --columns: 'colour' is no column; there are: path, inode, size_bytes" \
		--report --columns=path,colour "$img"
	usage_error "option --columns: '' is no column" --report --columns= "$img"
	usage_error "option --sort: 'colour' is no column" \
		--report --sort=colour "$img"
	usage_error "option --sort: takes one column" \
		--report --sort=path,size "$img"
}

@test "options of the report are refused without it" {
	usage_error "--columns is for --report only" --columns=path "$img"
	usage_error "--sort is for --report only" --sort=path "$img"
	usage_error "--reverse is for --report only" --reverse "$img"
	usage_error "--top is for --report only" --top=3 "$img"
	usage_error "--force is for --report only" --force "$img"
}

@test "a device that is not there, or is no volume, exits 1" {
	run --separate-stderr "$DEFRAG" --report "$img"
	[ "$status" -eq 1 ]
	[[ $stderr = "defrag.f2fs: "*"No such file or directory" ]]
	truncate -s 64M "$img"
	run "$DEFRAG" --report --json "$img"
	[ "$status" -eq 1 ]
	[[ ${lines[0]} = "defrag.f2fs: $img: "*superblock* ]]
	[[ $output = *'"error":'*'"exit_status":1'* ]]
}

@test "options of a run are refused with --report" {
	usage_error "--full is not for --report" --report --full "$img"
	usage_error "--only-free is not for --report" --only-free --report "$img"
	usage_error "--order is not for --report" --report --order=ino "$img"
	usage_error "--max-moved is not for --report" \
		--report --max-moved=1M "$img"
	usage_error "--time-limit is not for --report" \
		--report --time-limit=1 "$img"
}

@test "--only-free takes nothing that chooses files" {
	usage_error "'/a' cannot be moved with --only-free" --only-free "$img" /a
	for option in --full --min-extents=2 --min-score=30; do
		usage_error "--only-free moves no files: ${option%=*} has nothing" \
			--only-free $option "$img"
	done
}

@test "a bad limit or order exits 2 with one line that names the option" {
	for bad in --max-moved=0 --max-moved=-1 --max-moved=much \
		--time-limit=0 --time-limit=soon --order=up --order=; do
		usage_error "option ${bad%%=*}: " $bad "$img"
	done
}

@test "less than a block is no limit of what is moved" {
	usage_error "option --max-moved: at 4095 nothing could be moved: " \
		--max-moved=4095 "$img"
}
